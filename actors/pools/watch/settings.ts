import { type FieldError, isZoneName, type Refusal, refuse } from "#base";
import type { GivenSettings, MonitorSettings } from "./record.ts";

/** What a tenant says of monitors that do not say it themselves. */
export interface Defaults {
  readonly threshold: number;
  readonly multiplier: number;
  readonly drop: number;
  readonly actions: readonly string[];
}

type Given = Partial<GivenSettings> & { readonly metric?: string; readonly method?: string };

/** All settings, or what is wrong with them, by field. */
export function settingsOf(given: Given, defaults: Defaults): MonitorSettings | Refusal {
  const { scope = "pool", actions = [] } = given;
  const usual = defaults.actions.filter((action) => scope === "recipients" || action !== "deprioritize");
  const settings = {
    scope,
    metric: given.metric,
    method: given.method,
    interval_seconds: given.interval_seconds ?? 60,
    window_points: given.window_points ?? 60,
    min_points: given.min_points ?? 30,
    direction: given.direction ?? "both",
    threshold: given.threshold ?? defaults.threshold,
    multiplier: given.multiplier ?? defaults.multiplier,
    drop: given.drop ?? defaults.drop,
    min_base: given.min_base ?? 1,
    patterns: given.patterns ?? [],
    seasonality: given.seasonality ?? "none",
    time_zone: given.time_zone ?? "",
    open_after: given.open_after ?? 1,
    close_after: given.close_after ?? 3,
    cooldown_seconds: given.cooldown_seconds ?? 300,
    pause_seconds: given.pause_seconds ?? 900,
    actions: actions.length > 0 ? actions : usual,
    notify: given.notify ?? null,
    // The contract has checked which texts these are.
  } as MonitorSettings;
  const fields = problemsOf(settings);
  if (fields.length === 0) return settings;
  const [{ field, reason }] = fields as [FieldError];
  return refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields });
}

function problemsOf(settings: MonitorSettings): readonly FieldError[] {
  const { scope, method, patterns, seasonality, time_zone, actions, notify } = settings;
  const problems: FieldError[] = [];
  const wrong = (field: string, reason: string) => problems.push({ field, reason });
  if (method === "pattern" && patterns.length === 0)
    wrong("patterns", "is required: the method pattern looks for one or more of them");
  if (method !== "pattern" && patterns.length > 0)
    wrong("patterns", `is of the method pattern, not of ${method}`);
  if (settings.min_points > settings.window_points && scope === "pool")
    wrong("min_points", `is ${settings.min_points}, more than window_points, ${settings.window_points}`);
  if (seasonality !== "none" && !isZoneName(time_zone))
    wrong("time_zone", `is required with ${seasonality}: an IANA zone such as Europe/Berlin`);
  if (seasonality === "none" && time_zone !== "") wrong("time_zone", "needs a seasonality");
  if (scope === "recipients") wrong("scope", "is pool: monitors of recipients are not there yet");
  if (actions.includes("deprioritize")) wrong("actions", "deprioritize is of the scope recipients");
  if (notify !== null) wrong("notify", "is not there yet");
  return problems;
}

/** Those that the writer of a monitor may need. */
export const permissions = ["queue:admin", "recipient:write", "notification:write"] as const;

/** What the actions of a monitor do, and the permissions for that. */
export function neededBy({
  scope,
  actions,
  notify,
}: MonitorSettings): readonly (FieldError & { readonly permission: string })[] {
  const needed: [field: string, permission: (typeof permissions)[number]][] = [];
  if (actions.includes("auto-pause"))
    needed.push(["actions", scope === "pool" ? "queue:admin" : "recipient:write"]);
  if (actions.includes("deprioritize")) needed.push(["actions", "recipient:write"]);
  if (notify !== null) needed.push(["notify", "notification:write"]);
  return needed.map(([field, permission]) => ({
    field,
    permission,
    reason: `needs ${permission}, which the caller lacks`,
  }));
}
