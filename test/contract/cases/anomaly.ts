import { eventually } from "../../support/eventually.ts";
import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const settings = { metric: "enqueue_rate", method: "zscore" };

/** With a pool of its own: a pool may have 16. */
async function monitor(world: World, more: object = {}): Promise<{ pool_id: string; monitor_id: string }> {
  const pool_id = await world.pool();
  const request = { pool_id, ...settings, ...more };
  const { id } = await world.call<{ id: string }>("AnomalyService.CreateMonitor", request);
  return { pool_id, monitor_id: id };
}

interface Anomalies {
  readonly anomalies: readonly { readonly id: string }[];
}

/** It takes three intervals of ten seconds, so all interfaces share one. */
async function anomaly(world: World): Promise<{ anomaly_id: string }> {
  const { anomalies } = await world.call<Anomalies>("AnomalyService.ListAnomalies", {});
  if (anomalies.length > 0) return { anomaly_id: anomalies[0]!.id };
  const { pool_id, monitor_id } = await monitor(world, { interval_seconds: 10, min_points: 2 });
  await eventually("two points", async () => {
    const { points } = await world.call<{ points: number }>("AnomalyService.GetMonitor", { monitor_id });
    return points >= 2 || undefined;
  });
  await world.item(pool_id);
  return eventually("an anomaly", async () => {
    const found = await world.call<Anomalies>("AnomalyService.ListAnomalies", { pool_id });
    const all = await world.call<Anomalies>("AnomalyService.ListAnomalies", {});
    return found.anomalies[0] && all.anomalies[0] && { anomaly_id: found.anomalies[0].id };
  });
}

const missing = (method: string, more: object, field = "monitor_id"): Case => ({
  method: `AnomalyService.${method}`,
  claim: `an unknown ${field.replace("_id", "")} is refused`,
  request: () => ({ [field]: nobody, ...more }),
  refused: "NOT_FOUND",
});

const refused = (claim: string, more: object, method = "CreateMonitor"): Case => ({
  method: `AnomalyService.${method}`,
  claim,
  request: async (world) => ({ pool_id: await world.pool(), ...settings, ...more }),
  refused: "INVALID_ARGUMENT",
});

export const cases: readonly Case[] = [
  {
    method: "AnomalyService.CreateMonitor",
    claim: "a monitor with the usual settings",
    request: async (world) => ({ pool_id: await world.pool(), ...settings }),
  },
  {
    method: "AnomalyService.CreateMonitor",
    claim: "a monitor with all settings",
    request: async (world) => ({
      pool_id: await world.pool(),
      ...{ scope: "pool", metric: "failure_ratio", method: "iqr", interval_seconds: 10, window_points: 100 },
      ...{ min_points: 12, direction: "above", multiplier: 2.5, min_base: 0.5, seasonality: "hour_of_week" },
      ...{ time_zone: "Europe/Berlin", open_after: 2, close_after: 4, cooldown_seconds: 0 },
      ...{ pause_seconds: 60, actions: ["log", "auto-pause"] },
    }),
  },
  missing("CreateMonitor", settings, "pool_id"),
  refused("a pattern that is not named is refused", { method: "pattern" }),
  refused("an hour without a zone is refused", { seasonality: "hour_of_day" }),
  refused("deprioritize on a pool is refused", { actions: ["deprioritize"] }),
  refused("an interval of a second is refused", { interval_seconds: 1 }),
  {
    method: "AnomalyService.ListMonitors",
    claim: "a page of monitors",
    request: async (world) => {
      const { pool_id } = await monitor(world);
      await world.call("AnomalyService.CreateMonitor", { pool_id, ...settings });
      return { pool_id, page_size: 1 };
    },
  },
  missing("ListMonitors", {}, "pool_id"),
  {
    method: "AnomalyService.PreviewMonitor",
    claim: "a value that would open an anomaly",
    request: async (world) => ({
      pool_id: await world.pool(),
      ...settings,
      min_points: 5,
      values: [5, 6, 5, 4, 5, 40, 5],
      start_at: "2026-01-01T00:00:00Z",
    }),
  },
  missing("PreviewMonitor", { ...settings, values: [1] }, "pool_id"),
  refused("no values are refused", { values: [] }, "PreviewMonitor"),
  {
    method: "AnomalyService.GetMonitor",
    claim: "a monitor",
    request: async (world) => only(await monitor(world)),
  },
  missing("GetMonitor", {}),
  {
    method: "AnomalyService.UpdateMonitor",
    claim: "another threshold",
    request: async (world) => ({ ...only(await monitor(world)), threshold: 4.5, record_version: 1 }),
  },
  missing("UpdateMonitor", { threshold: 4 }),
  {
    method: "AnomalyService.UpdateMonitor",
    claim: "a method without its parameter is refused",
    request: async (world) => ({ ...only(await monitor(world)), method: "pattern" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "AnomalyService.DeleteMonitor",
    claim: "a monitor is deleted",
    request: async (world) => only(await monitor(world)),
  },
  missing("DeleteMonitor", {}),
  {
    method: "AnomalyService.ListAnomalies",
    claim: "a page of those of all pools",
    request: async (world) => {
      await anomaly(world);
      return { page_size: 1 };
    },
  },
  {
    method: "AnomalyService.ListAnomalies",
    claim: "those of a monitor, of which there are none",
    request: async (world) => only(await monitor(world)),
  },
  missing("ListAnomalies", {}, "pool_id"),
  { method: "AnomalyService.GetAnomaly", claim: "an anomaly", request: anomaly },
  missing("GetAnomaly", {}, "anomaly_id"),
  { method: "AnomalyService.CloseAnomaly", claim: "an anomaly is closed, once", request: anomaly },
  missing("CloseAnomaly", {}, "anomaly_id"),
];

function only({ monitor_id }: { readonly monitor_id: string }) {
  return { monitor_id };
}

const ofPool = "/api/pools/{pool_id}/anomaly-monitors";
const one = "/api/anomaly-monitors/{monitor_id}";
export const decided = `
AnomalyService.CreateMonitor  | POST ${ofPool}                       | anomaly:write | | I
AnomalyService.ListMonitors   | GET ${ofPool}                        | anomaly:read | | R C
AnomalyService.PreviewMonitor | POST ${ofPool}:preview               | anomaly:preview | | N
AnomalyService.GetMonitor     | GET ${one}                           | anomaly:read | | R
AnomalyService.UpdateMonitor  | PATCH ${one}                         | anomaly:write | | I
AnomalyService.DeleteMonitor  | DELETE ${one}                        | anomaly:delete | | I
AnomalyService.ListAnomalies  | GET /api/anomalies                   | anomaly:read | | R C
AnomalyService.GetAnomaly     | GET /api/anomalies/{anomaly_id}      | anomaly:read | | R
AnomalyService.CloseAnomaly   | POST /api/anomalies/{anomaly_id}:close | anomaly:write | | I
`;
