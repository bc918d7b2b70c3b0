/**
 * Owns notification workflows: entity (notice, tenant, workflow_key) has the content by channel, the defaults of its author (layer 1)
 * and the rows of users (layer 2).
 *
 * A trigger takes a workflow as it is at that moment; later versions do not reach it. One that a workflow definition owns is
 * changed by that definition only.
 *
 * Publishes notice.*. Nothing is lost with the process.
 */
import { defineActor } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import type { Module } from "../module.ts";
import { noticeAddress } from "../notify/address.ts";
import type { NoticeOwned, NoticeReleased } from "../notify/notice.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import { noticeMethods } from "./handlers/notices.ts";
import { noticeResource } from "./record.ts";
import { methods } from "./service.ts";
import { apply, empty } from "./state.ts";

const noticeActor = defineActor({
  kind: "notice",
  placement: "key",
  empty,
  resident: [noticeResource.store.resident],
  restore: (state, row) => void noticeResource.store.restore(state.records, row),
  decide,
  apply,
  methods,
  onMessage: (message: EntityPurge | NoticeOwned | NoticeReleased): Command => message,
});

export function notices(parts: Pick<ModuleParts, "call">): Module {
  return {
    name: "notices",
    actors: [noticeActor],
    directories: [{ kind: "notice", filters: [], addressOf: noticeAddress }],
    orchestrations: noticeMethods(parts),
  };
}
