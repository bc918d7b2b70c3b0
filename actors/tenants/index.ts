/**
 * Owns the records of all tenants and their entitlements: one entity for the installation, (tenants, system, all). Its rows
 * are read when they are asked for, so its memory does not grow with the number of tenants. Every thread keeps the facts of
 * the tenants that it serves (gateway/calls/tenants.ts).
 *
 * 1. The tenants `dev` and `system` are always there, and active.
 * 2. Every change of a tenant has a number of its own, higher than those before, and is broadcast; `tenants.Changes` names
 *    every tenant that has changed since a number.
 * 3. A deleted tenant stays deleted: its id is never given out again.
 *    A while later its data is purged, entity by entity; the record stays.
 * 4. `total` is the number of tenants that a walk of all pages returns.
 *
 * Publishes tenant.* with every change.
 */
import { type Address, defineActor } from "#runtime";
import type { Module } from "../module.ts";
import { type Command, decide } from "./decide.ts";
import { type TenantParts, tenantMethods } from "./handlers/tenants.ts";
import { methods } from "./service.ts";
import { apply, countRows, empty, headRows, restore } from "./state.ts";

/** `rootsOf`: the entities that the data of a tenant begins with, in all modules. */
export function tenants(parts: TenantParts, rootsOf: (tenant: string) => readonly Address[]): Module {
  return {
    name: "tenants",
    actors: [
      defineActor({
        kind: "tenants",
        placement: "key",
        empty,
        resident: [headRows, countRows],
        restore,
        decide,
        apply,
        methods,
        onTimer: (tenantId): Command => ({ type: "purge", roots: rootsOf(tenantId) }),
        // Those that came before the fixed tenants were stored.
        wake: (_state, parked) => parked.map((_command, index) => index),
      }),
    ],
    orchestrations: tenantMethods(parts),
  };
}
