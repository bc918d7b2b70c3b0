import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { byIdIn } from "../../kit/collection.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { after, listed, type PageRequest, pageOf } from "../../kit/list.ts";
import { limitReached, type Message, newRecord, nextRecord, updatedSettings } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import type { RouterView } from "../router.ts";
import { Unit } from "./measure.ts";
import {
  type Anomaly,
  anomalyMessage,
  type GivenSettings,
  type Monitor,
  type MonitorSettings,
  monitorMessage,
  stateOf,
} from "./record.ts";
import { type Defaults, neededBy, settingsOf } from "./settings.ts";
import { type Event, type State, seriesOf } from "./state.ts";

/** What the handler knows of the caller. */
export interface Asked {
  readonly given: Partial<GivenSettings> & Message;
  readonly defaults: Defaults;
  /** Permissions that the caller has, of those that actions need. */
  readonly may: readonly string[];
}

interface ListRequest extends PageRequest {
  readonly pool_id?: string;
  readonly monitor_id?: string;
  readonly state?: string;
}

export type Command =
  | (Asked & { readonly type: "create"; readonly poolId: string })
  | (Asked & { readonly type: "update"; readonly id: string })
  | { readonly type: "look"; readonly poolId: string }
  | { readonly type: "list"; readonly poolId: string; readonly request: PageRequest }
  | { readonly type: "get"; readonly id: string }
  | { readonly type: "delete"; readonly id: string; readonly version?: number }
  | { readonly type: "list_anomalies"; readonly request: ListRequest }
  | { readonly type: "get_anomaly" | "close_anomaly"; readonly id: string }
  | { readonly type: "tick" }
  | EntityPurge;

/** `isOn`: by `anomaly.enabled`; off, nothing is measured. */
export function deciding(isOn: boolean) {
  return (state: State, command: Command, context: Context): Decision<Event> => {
    if (command.type === "tick") return tick(state, isOn, context);
    if (command.type === "purge") return { events: [{ type: "forgotten", id: command.id }], frees: true };
    const router = context.twin<RouterView>("router");
    const isHere = router.status !== "absent" && (!("poolId" in command) || command.poolId === router.poolId);
    if (!isHere)
      return noSuch("poolId" in command || command.type === "list_anomalies" ? "pool" : nameOf(command));
    return (
      checkEnvironment(router.environment, context.caller) ?? decideHere(state, command, context, router)
    );
  };
}

function nameOf({ type }: Command): string {
  return type.endsWith("anomaly") ? "anomaly" : "monitor";
}

function noSuch(what: string): Refusal {
  return refuse("NOT_FOUND", `there is no such ${what}`);
}

function decideHere(
  state: State,
  command: Exclude<Command, { readonly type: "tick" | "purge" }>,
  context: Context,
  { poolId }: RouterView,
): Decision<Event> {
  const owner = { poolId, tenant: state.tenant };
  const showMonitor = (monitor: Monitor) => monitorMessage(monitor, seenOf(state, monitor), owner);
  const showAnomaly = (anomaly: Anomaly) => anomalyMessage(anomaly, owner);
  switch (command.type) {
    case "look":
      return { events: [], answer: {} };
    case "create": {
      if (state.monitors.size >= limits.monitorsMax)
        return limitReached("a pool", limits.monitorsMax, "anomaly monitors");
      const settings = settingsOf(command.given, command.defaults);
      const refused = isRefusal(settings) ? settings : lacking(settings, command.may);
      if (refused) return refused;
      const id = context.newId(context.address.key);
      const monitor = newRecord(id, { settings: settings as MonitorSettings }, context.now);
      const progress = new Unit(state, context).first(monitor);
      const answer = monitorMessage(monitor, { points: 0, lastPointAt: 0 }, owner);
      return { events: [{ type: "monitor_put", monitor, progress }], answer };
    }
    case "list": {
      const monitors = [...state.monitors.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      const scope = byIdIn<Monitor>([state.tenant, poolId, "anomaly-monitors"]);
      const read = (bounds: Parameters<typeof after>[1]) =>
        after(monitors, bounds, ({ id }, [from]) => id > from!);
      return listed("monitors", pageOf(command.request, { ...scope, read }, showMonitor));
    }
    case "get": {
      const monitor = state.monitors.get(command.id);
      return monitor ? { events: [], answer: showMonitor(monitor) } : noSuch("monitor");
    }
    case "update":
      return update(state, command, context, owner);
    case "delete": {
      const monitor = state.monitors.get(command.id);
      if (!monitor) return noSuch("monitor");
      const conflict = checkVersion(monitor.recordVersion, command.version);
      if (conflict) return conflict;
      const unit = new Unit(state, context);
      unit.closeAll(command.id, "the monitor was deleted");
      unit.events.push({ type: "monitor_removed", id: command.id });
      return { ...unit.decided({ id: command.id, deleted: true }), frees: true };
    }
    case "list_anomalies": {
      const { request } = command;
      if (request.pool_id !== undefined && request.pool_id !== poolId) return noSuch("pool");
      const { monitor_id, state: wanted } = request;
      const found = [...state.anomalies.values()]
        .filter((one) => monitor_id === undefined || one.monitorId === monitor_id)
        .filter((one) => wanted === undefined || stateOf(one) === wanted)
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      const scope = byIdIn<Anomaly>([state.tenant, poolId, "anomalies", monitor_id, wanted]);
      const read = (bounds: Parameters<typeof after>[1]) =>
        after(found, bounds, ({ id }, [from]) => id < from!);
      return listed("anomalies", pageOf(request, { ...scope, read }, showAnomaly));
    }
    case "get_anomaly":
    case "close_anomaly": {
      const anomaly = state.anomalies.get(command.id);
      if (!anomaly) return noSuch("anomaly");
      if (command.type === "get_anomaly" || anomaly.closedAt > 0)
        return { events: [], answer: showAnomaly(anomaly) };
      const unit = new Unit(state, context);
      const by = context.caller?.subject ?? "";
      unit.close(anomaly, by);
      return unit.decided(showAnomaly({ ...anomaly, closedAt: context.now, closedBy: by }));
    }
  }
}

function update(
  state: State,
  { id, given, defaults, may }: Command & { readonly type: "update" },
  context: Context,
  owner: { readonly poolId: string; readonly tenant: string },
): Decision<Event> {
  const stored = state.monitors.get(id);
  if (!stored) return noSuch("monitor");
  const { notify, ...rest } = stored.settings;
  const before = { ...rest, ...(notify && { notify }) };
  const fields = Object.keys(stored.settings);
  const merged = updatedSettings(stored, before, given, { fields, required: ["metric", "method"] });
  if (isRefusal(merged)) return merged;
  const settings = settingsOf(merged as Partial<GivenSettings>, defaults);
  const refused = isRefusal(settings) ? settings : lacking(settings, may);
  if (refused) return refused;
  const next = nextRecord(stored, { ...stored, settings: settings as MonitorSettings }, context.now);
  if (!next) return { events: [], answer: monitorMessage(stored, seenOf(state, stored), owner) };
  const isAnew = measured.some((name) => next.settings[name] !== stored.settings[name]);
  const unit = new Unit(state, context);
  if (isAnew) unit.closeAll(id, "the monitor measures something else");
  const progress = isAnew && { progress: unit.first(next) };
  unit.events.push({ type: "monitor_put", monitor: next, ...progress });
  const seen = isAnew ? { points: 0, lastPointAt: 0 } : seenOf(state, stored);
  return unit.decided(monitorMessage(next, seen, owner));
}

/** With another one of these, earlier points say nothing. */
const measured = [
  "scope",
  "metric",
  "interval_seconds",
  "window_points",
  "seasonality",
  "time_zone",
] as const;

function lacking(settings: MonitorSettings, may: readonly string[]): Refusal | undefined {
  const missing = neededBy(settings).filter(({ permission }) => !may.includes(permission));
  const [first] = missing;
  if (!first) return undefined;
  const fields = missing.map(({ field, reason }) => ({ field, reason }));
  return refuse("PERMISSION_DENIED", `${first.field} ${first.reason}`, { fields });
}

function seenOf(state: State, monitor: Monitor) {
  const { lastPointAt } = state.progress.get(monitor.id)!;
  return { points: seriesOf(state, monitor).points.length, lastPointAt };
}

function tick(state: State, isOn: boolean, context: Context): Decision<Event> {
  const unit = new Unit(state, context);
  for (const monitor of state.monitors.values()) {
    if (state.progress.get(monitor.id)!.nextAt > context.now) continue;
    if (isOn) unit.measure(monitor);
    else unit.skip(monitor);
  }
  unit.forgetOld();
  unit.events.push({ type: "ticked" });
  return unit.decided();
}
