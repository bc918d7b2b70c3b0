import { type FieldError, limits, type Refusal, refuse } from "#base";
import { problemsOf } from "../cel/cel.ts";
import { tooMany } from "../kit/mask.ts";
import type { PoolConfig } from "./pool-config.ts";

/** What the contract's own rules cannot say: expressions that do not compile, and settings that could never be met. */
export function checkPoolConfig(config: PoolConfig): Refusal | undefined {
  const errors: FieldError[] = [];
  const { backoff, priority, fairness, sticky, admission } = config;
  checkComplete("config.fairness", fairness, ["key"], errors);
  checkComplete("config.sticky", sticky, ["key"], errors);
  checkComplete("config.admission.singleton", admission?.singleton, ["key", "mode"], errors);
  checkComplete("config.admission.debounce", admission?.debounce, ["key", "period_ms"], errors);
  checkComplete("config.admission.throttle", admission?.throttle, ["limit", "period_ms"], errors);
  const weights = fairness && tooMany("config.fairness.weights", fairness.weights, limits.fairnessWeightsMax);
  if (weights) errors.push(...weights.fields!);
  checkKey("config.fairness.key", fairness?.key, errors);
  checkKey("config.sticky.key", sticky?.key, errors);
  checkKey("config.admission.singleton.key", admission?.singleton?.key, errors);
  checkKey("config.admission.debounce.key", admission?.debounce?.key, errors);
  checkKey("config.admission.throttle.key", admission?.throttle?.key, errors);
  admission?.concurrency.forEach(({ key, limit, cost }, index) => {
    checkKey(`config.admission.concurrency[${index}].key`, key, errors);
    if (cost !== undefined && cost > limit)
      errors.push({
        field: `config.admission.concurrency[${index}].cost`,
        reason: "is more than the limit: nothing could ever run",
      });
  });
  if (backoff.max_ms < backoff.initial_ms)
    errors.push({ field: "config.backoff.max_ms", reason: "is less than initial_ms" });
  if (priority.default > priority.bands)
    errors.push({ field: "config.priority.default", reason: "is not one of the bands" });
  const debounce = admission?.debounce;
  if (debounce?.max_wait_ms !== undefined && debounce.max_wait_ms < debounce.period_ms)
    errors.push({ field: "config.admission.debounce.max_wait_ms", reason: "is less than period_ms" });
  if (errors.length === 0) return undefined;
  return refuse("INVALID_ARGUMENT", `${errors[0]!.field} ${errors[0]!.reason}`, { fields: errors });
}

/** An update may name single members of a part, or take them away: the whole is known only here. */
function checkComplete<T extends object>(
  path: string,
  part: T | undefined,
  required: readonly (keyof T & string)[],
  errors: FieldError[],
): void {
  if (part === undefined) return;
  for (const member of required)
    if (part[member] === undefined) errors.push({ field: `${path}.${member}`, reason: "is required" });
}

function checkKey(field: string, source: string | undefined, errors: FieldError[]): void {
  if (source === undefined) return;
  for (const { line, column, reason } of problemsOf(source, "key"))
    errors.push({ field, reason: `line ${line}, column ${column}: ${reason}` });
}
