/**
 * Owns what a tenant has used of its quotas today: entity (quota, tenant, day). The gateway asks it before a call that a
 * quota counts (gateway/calls/quota.ts); limits are of the tenant's record and come with the question.
 *
 * 1. The amounts that were charged on a day and not released are never more than the limit they were charged under.
 * 2. A request that may be repeated is charged once for as long as its answer is kept, however often it is sent.
 * 3. A release gives back what its own request was charged, once.
 *
 * A call without a known outcome (the process ended, the answer was lost) stays charged: what was used may be
 * overstated until the end of the day, never understated. Of operations without a limit, what the last second used is
 * lost when a process is killed.
 */
import { defineActor } from "#runtime";
import { quotaOf } from "../kit/quota.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Module } from "../module.ts";
import { type Command, decide } from "./decide.ts";
import { methods } from "./service.ts";
import { apply, dayRows, empty, restore, usedRows } from "./state.ts";

export const quotas: Module = {
  name: "quotas",
  tenantRoots: (tenant) => [quotaOf(tenant)],
  actors: [
    defineActor({
      kind: "quota",
      placement: "key",
      empty,
      resident: [usedRows, dayRows],
      restore,
      decide,
      apply,
      methods,
      onMessage: (message: TenantPurge): Command => message,
      onTimer: (): Command => ({ type: "sweep" }),
    }),
  ],
};
