/**
 * Owns the configuration of a pool: its settings, recipients and rules. Twin of `router`, `queue` and `watch`: every change hands
 * the router its part of the new routing table in the same commit.
 *
 * 1. The router's table equals the pool's configuration after every command.
 * 2. `record_version` grows by one with every change of a record, and only then; a writer with an old one changes nothing.
 * 3. A stored rule condition and key expression compiles.
 * 4. A pool never has more recipients or rules than its limits.
 * 5. A pool with items is deleted only by force, and then nothing of it or its twins is left.
 * 6. What a rule names was there when it was stored.
 * 7. A version never changes. What a promotion activates or restores is in force in one commit, and only over what it compared with.
 * 8. A governed or prepared pool takes no direct change of what versions hold.
 *
 * Publishes pool.*, recipient.* and rule.* with every change; tells the directory what lists filter by.
 */
import { defineActor } from "#runtime";
import type { ActivationMessage } from "../../kit/activation.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import type { PoolCreation } from "../pool-record.ts";
import { type Command, decide } from "./decide.ts";
import { methods } from "./service.ts";
import { apply, bytesOf, empty, resident, restore } from "./state.ts";

export const pool = defineActor({
  kind: "pool",
  placement: "key",
  twins: ["router", "queue", "watch"],
  empty,
  resident,
  restore,
  bytesOf,
  environmentOf: (state) => state.pool?.environment,
  decide,
  apply,
  methods,
  onMessage: (message): Command => message as PoolCreation | EntityPurge | ActivationMessage,
});
