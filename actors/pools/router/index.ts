/**
 * Owns what is live about a pool's recipients, and the decisions made over them: holds, assignments, health,
 * heartbeats, routing records and outcomes. Twin of `pool` and `queue`.
 *
 * 1. A recipient's in_flight is the sum of the costs of its holds, and with a capacity never above it.
 * 2. A reservation ends with an outcome or at its time, whichever is first, and never later.
 * 3. A recorded decision, run again over its recorded inputs, chooses the same recipient.
 * 4. Never more than max_ejected_percent of the pool's recipients are ejected or half open.
 * 5. A half-open recipient has at most one probe out.
 * 6. Nothing is given to a recipient that is paused, draining, offline, ejected, without weight or full.
 * 7. An outcome with an id counts once.
 *
 * Publishes recipient.ejected, .half_opened, .recovered, .offline, .online and routing.redirected. What can be lost:
 * nothing that was answered; routing records and outcomes are forgotten after a day.
 */
import { defineActor } from "#runtime";
import { apply } from "./apply.ts";
import { beforeCommit } from "./assign.ts";
import { countingUnroutable } from "./counted-routes.ts";
import { type Command, decide } from "./decide.ts";
import { restore } from "./restore.ts";
import { resident } from "./rows.ts";
import { methods } from "./service.ts";
import { bytesOf, empty } from "./state.ts";

export const router = defineActor({
  kind: "router",
  placement: "key",
  twins: ["pool", "queue", "watch"],
  empty,
  resident,
  restore,
  bytesOf,
  environmentOf: ({ environment }) => environment,
  decide: countingUnroutable(decide),
  apply,
  beforeCommit,
  methods,
  onTimer: (id): Command => ({ type: "timer", id }),
});
