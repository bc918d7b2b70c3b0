import { handleOf, handleOfChild, limits, orThrow } from "#base";
import type { CreateMonitorRequest, UpdateMonitorRequest } from "#protos";
import { ask, tryAsk } from "../../../kit/ask.ts";
import { listing, withoutEntity } from "../../../kit/entity-list.ts";
import { tenantSetting } from "../../../kit/tenant-setting.ts";
import type { CallContext, Handlers } from "../../../module.ts";
import type { ModuleParts } from "../../../parts.ts";
import type { Asked } from "../decide.ts";
import { calm, judgeNext, nextStreak, type Series, withPoint } from "../methods/series.ts";
import { anomalyKind, type MonitorSettings } from "../record.ts";
import { createInPool, getAnomaly, listInPool, lookAtPool, updateInPool } from "../service.ts";
import { type Defaults, permissions, settingsOf } from "../settings.ts";

type Settings = ModuleParts["settings"];

export function monitorMethods(settings: Settings): Handlers {
  const listAll = listing<"state">({
    kind: anomalyKind,
    many: "anomalies",
    filters: { state: "state" },
    atOnce: limits.pageSizeDefault,
    ask: (id, call) => tryAsk(call, getAnomaly, { key: handleOfChild(id), request: { anomaly_id: id } }),
    without(entry, refusal) {
      const { id, name: pool_id, error } = withoutEntity(entry, refusal);
      return { id, pool_id, error };
    },
  });
  return {
    "AnomalyService.CreateMonitor": ({ pool_id: poolId, ...given }: CreateMonitorRequest, call) =>
      ask(call, createInPool, {
        key: handleOf(poolId),
        request: { poolId, ...askedBy(settings, given, call) },
        step: "",
      }),
    "AnomalyService.UpdateMonitor": ({ monitor_id: id, ...given }: UpdateMonitorRequest, call) =>
      ask(call, updateInPool, {
        key: handleOfChild(id),
        request: { id, ...askedBy(settings, given, call) },
        step: "",
      }),
    async "AnomalyService.PreviewMonitor"({ pool_id: poolId, values, start_at, ...given }, call) {
      await ask(call, lookAtPool, { key: handleOf(poolId), request: { poolId } });
      const rule = orThrow(settingsOf(given, defaultsOf(settings, call)));
      const intervalMs = rule.interval_seconds * 1_000;
      const last = call.clock.now() - (values.length - 1) * intervalMs;
      return { points: preview(rule, values, start_at === undefined ? last : Date.parse(start_at)) };
    },
    "AnomalyService.ListAnomalies"(request, call) {
      const { pool_id, monitor_id } = request;
      if (pool_id === undefined && monitor_id === undefined) return listAll(request, call);
      const key = monitor_id === undefined ? handleOf(pool_id!) : handleOfChild(monitor_id);
      return ask(call, listInPool, { key, request });
    },
  };
}

function askedBy(settings: Settings, given: object, call: CallContext): Asked {
  return {
    given: given as Asked["given"],
    defaults: defaultsOf(settings, call),
    may: permissions.filter((permission) => call.may(permission)),
  };
}

function defaultsOf(settings: Settings, call: CallContext): Defaults {
  const of = <Value>(name: string) => tenantSetting<Value>(settings, call, `anomaly.${name}`);
  return {
    threshold: of("zscore_threshold"),
    multiplier: of("iqr_multiplier"),
    drop: of("rate_change_drop"),
    actions: of("actions"),
  };
}

/** As a monitor would see them, one after the other. */
function preview(rule: MonitorSettings, values: readonly number[], startAt: number): object[] {
  let series: Series = { points: [], bins: new Map() };
  let streak = calm;
  return values.map((value, index) => {
    const at = startAt + index * rule.interval_seconds * 1_000;
    const judged = judgeNext(rule, series, value, at);
    const { verdict } = judged;
    series = withPoint(rule, series, judged);
    if (verdict) streak = nextStreak(rule, streak, verdict.isAnomaly, at);
    const { isAnomaly: anomaly = false, expected, score } = verdict ?? {};
    return {
      value,
      ...(expected !== undefined && { expected }),
      ...(score != null && { score }),
      anomaly,
      open: streak.isOpen,
    };
  });
}
