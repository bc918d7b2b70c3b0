import { isDeepStrictEqual } from "node:util";
import { type FieldError, invalid, isRefusal, limits, type Refusal, refuse } from "#base";
import type { CreateExperimentRequest, UpdateExperimentRequest } from "#protos";
import { updatedSettings } from "../kit/record.ts";
import {
  type ExperimentRecord,
  type ExperimentSettings,
  isOver,
  phaseOf,
  settingsMessage,
} from "./record.ts";
import { settingsOf } from "./settings.ts";

/** Fields that an update takes, in a draft all of them. */
const fields = [
  "name",
  "description",
  "hash_version",
  "salt",
  "variants",
  "coverage",
  "targeting",
  "group",
  "overrides",
  "metrics",
  "analysis",
  "scores_close_at",
];
const required = ["name", "variants", "metrics"];

/** The record as an update leaves it, with a new phase where the change opens one; or why it may not be. */
export function update(
  record: ExperimentRecord,
  { carry, ...patch }: UpdateExperimentRequest,
  now: number,
): ExperimentRecord | Refusal {
  // `carry` says what the change does, and is not stored.
  const mask = patch.update_mask?.filter((path) => path !== "carry");
  const given = { ...patch, ...(mask && { update_mask: mask }) };
  const changed = updatedSettings(record, settingsMessage(record), given, { fields, required });
  if (isRefusal(changed)) return changed;
  const settings = settingsOf(changed as unknown as CreateExperimentRequest, record.id);
  if (isRefusal(settings)) return settings;
  const next = settled(record, settings);
  if (record.status === "draft") return carry === undefined ? next : noCarry();
  const forbidden = forbiddenIn(record, next);
  if (forbidden.length > 0)
    return refuse("STATE_CONFLICT", `${forbidden[0]!.field} ${forbidden[0]!.reason}`, { fields: forbidden });
  if (!opensPhase(record, next)) return carry === undefined ? withCoverage(next) : noCarry();
  if (carry === undefined)
    return invalid({
      field: "carry",
      reason: "is required where weights, targeting or a lower coverage open a phase: keep or exclude",
    });
  if (record.phases.length >= limits.experimentPhasesMax)
    return refuse("FAILED_PRECONDITION", `an experiment has at most ${limits.experimentPhasesMax} phases`, {
      reason: "LIMIT_REACHED",
    });
  const opened = phaseOf(next, { number: record.phases.length + 1, openedAt: now, carry });
  return { ...next, phases: [...record.phases, opened] };
}

/** Members that the new settings have not are gone. */
function settled(record: ExperimentRecord, settings: ExperimentSettings): ExperimentRecord {
  const { group: _, scoresCloseAt: __, ...rest } = record;
  return { ...rest, ...settings };
}

function noCarry(): Refusal {
  return invalid({ field: "carry", reason: "is only for a change that opens a phase" });
}

/** What a state does not let change, by field. */
function forbiddenIn(before: ExperimentRecord, after: ExperimentRecord): FieldError[] {
  const problems: FieldError[] = [];
  const fixed: readonly (readonly [string, unknown, unknown])[] = [
    ["hash_version", before.hashVersion, after.hashVersion],
    ["salt", before.salt, after.salt],
    ["group", before.group, after.group],
    ["overrides", before.overrides, after.overrides],
    ["metrics", before.metrics, after.metrics],
    ["analysis", before.analysis, after.analysis],
    ["variants", withoutWeights(before), withoutWeights(after)],
  ];
  const ended: typeof fixed = [
    ["variants", weightsOf(before), weightsOf(after)],
    ["coverage", before.coverage, after.coverage],
    ["targeting", before.targeting, after.targeting],
  ];
  for (const [field, old, now] of isOver(before) ? [...fixed, ...ended] : fixed)
    if (!isDeepStrictEqual(old, now))
      problems.push({ field, reason: `cannot change in a ${before.status} experiment` });
  return problems;
}

function opensPhase(before: ExperimentRecord, after: ExperimentRecord): boolean {
  return (
    after.coverage < before.coverage ||
    after.targeting !== before.targeting ||
    !isDeepStrictEqual(weightsOf(before), weightsOf(after))
  );
}

/** A higher coverage keeps the phase: it only adds units. */
function withCoverage(next: ExperimentRecord): ExperimentRecord {
  const last = next.phases.at(-1);
  if (!last || last.coverage === next.coverage) return next;
  return { ...next, phases: [...next.phases.slice(0, -1), { ...last, coverage: next.coverage }] };
}

function weightsOf({ variants }: ExperimentRecord): number[] {
  return variants.map(({ weight }) => weight);
}

function withoutWeights({ variants, control }: ExperimentRecord): unknown {
  return [control, variants.map(({ key, payload }) => [key, payload])];
}
