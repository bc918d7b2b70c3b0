/**
 * Owns which provider sends a tenant's messages: entity (integrations, tenant, "") has the records, and entity (pacer, tenant,
 * integration id) says when a message of an integration with a rate may leave.
 *
 * 1. A change is answered when all 64 audiences have applied it: after a delete no attempt begins with the deleted one.
 * 2. In any time t at most burst + per_second · t messages of an integration begin, also after a restart.
 * 3. Credentials are of connections; an integration has none.
 *
 * Lost with the process: whose turn it was among audiences.
 */
import { defineActor } from "#runtime";
import { handling } from "../kit/ask.ts";
import { recordMethods } from "../kit/methods.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Module } from "../module.ts";
import { integrationConnection } from "../notify/outbound/methods.ts";
import { integrationsAddress, type PacerWant, type Provider } from "../notify/outbound/types.ts";
import type { ModuleParts } from "../parts.ts";
import { decide } from "./decide.ts";
import { openConnection } from "./handlers/connection.ts";
import { integrationMethods } from "./handlers/integrations.ts";
import { StaticConnections } from "./handlers/static-connections.ts";
import { type PacerCommand, type Command as PacingCommand, decide as pacerDecide } from "./pacer/decide.ts";
import * as pacer from "./pacer/state.ts";
import { integrationResource } from "./record.ts";
import { apply, empty, resident, restore } from "./state.ts";

export const integrationsActor = defineActor({
  kind: "integrations",
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  methods: recordMethods(integrationResource),
  onMessage: (message: TenantPurge) => message,
});

export const pacerActor = defineActor({
  kind: "pacer",
  placement: "key",
  empty: pacer.empty,
  resident: pacer.resident,
  restore: pacer.restore,
  decide: pacerDecide,
  apply: pacer.apply,
  methods: {},
  onMessage: (message: PacerWant | PacerCommand, { key }): PacingCommand =>
    message.type === "pacer_want" ? { ...message, audience: key } : message,
  onTimer: (): PacingCommand => ({ type: "grant" }),
});

export function integrations(
  { settings, clock, call }: ModuleParts,
  providers: ReadonlyMap<string, Provider>,
): Module {
  const file = (settings["notification.connections_file"] as string | undefined) ?? "";
  const files = new StaticConnections(file, clock);
  return {
    name: "integrations",
    actors: [integrationsActor, pacerActor],
    orchestrations: integrationMethods({ files, call, providers }),
    internal: { [integrationConnection.name]: handling(integrationConnection, openConnection(files, call)) },
    tenantRoots: (tenant) => [integrationsAddress(tenant)],
  };
}
