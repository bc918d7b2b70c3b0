import { rowsOf } from "#runtime";
import type { CanaryCounts } from "../../kit/canary.ts";
import type { CanaryTable, Health, RecipientTable, RouterTableEvent, RoutingRule } from "../router.ts";
import type { OutcomeRecord } from "./event.ts";

/** What the pool last said of itself. */
export type ConfigRow = Omit<Extract<RouterTableEvent, { type: "configured" }>, "type">;

/** lastAssignedAt, order, picks, heartbeatAt, heartbeatTtlMs, offline, then health unless it is spotless. */
export type LiveRow = readonly [number, number, number, number, number, 0 | 1, ...HealthRow];
type HealthRow = readonly [] | readonly [Health["state"], number, number, number, number];

/** recipientId, cost, untilMs. */
export type HoldRow = readonly [string, number, number];

/** id, weight, capacity, tier, and skills where the strategy reads them. */
export type TableRow = readonly [string, number, number, number, Readonly<Record<string, number>>?];

export interface TableRecord {
  readonly recipients: readonly TableRow[];
}

export const configRows = rowsOf<ConfigRow, readonly []>("config");
export const ruleRows = rowsOf<readonly RoutingRule[], readonly []>("rules");
export const recipientRows = rowsOf<RecipientTable>("table");
export const liveRows = rowsOf<LiveRow>("live");
export const holdRows = rowsOf<HoldRow>("holds");
export const ruleErrorRows = rowsOf<number>("rule_errors");
export const canaryRows = rowsOf<CanaryTable | CanaryCounts, readonly ["table" | "counts"]>("canary");
/** By the bucket of time that they are forgotten with. */
export const routingRows = rowsOf<readonly unknown[], readonly [bucket: number, id: string]>("routings");
export const tableRows = rowsOf<TableRecord, readonly [bucket: number, version: number]>("tables");
export const outcomeRows = rowsOf<OutcomeRecord, readonly [day: number, id: string]>("outcomes");

/** Collections that are read whole. Their rows come in any order. */
export const resident = [configRows, ruleRows, recipientRows, liveRows, holdRows, ruleErrorRows, canaryRows];
/** All of them: the rest is read row by row. */
export const collections = [...resident, routingRows, tableRows, outcomeRows];
