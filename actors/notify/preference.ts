import type { FieldError } from "#base";
import type { PreferenceSettings as ContractSettings } from "#protos";
import { CelEnvironment } from "../cel/environment.ts";
import { isTimeZone } from "./schedule.ts";

/** What one layer says, in the words of the contract. An absent flag is unset. */
export type PreferenceSettings = Partial<ContractSettings>;

/** What conditions of preferences and integrations see. */
export const conditionCel = new CelEnvironment({
  payload: "dyn",
  subscriber: "dyn",
  workflow_key: "string",
  topic_key: "string",
  context_keys: "dyn",
  user_id: "string",
  channel: "string",
  environment: "string",
  now: "int",
});

/** Only the members that a preference has. */
export function settingsOf(given: PreferenceSettings): PreferenceSettings {
  const { all, channels, schedule, read_only, condition } = given;
  return {
    ...(all !== undefined && { all }),
    ...(channels !== undefined && Object.keys(channels).length > 0 && { channels }),
    ...(schedule !== undefined && { schedule }),
    ...(read_only !== undefined && { read_only }),
    ...(condition !== undefined && condition !== "" && { condition }),
  };
}

export interface PlacedError extends FieldError {
  /** Of a condition: where in its text, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Every problem by its field; `at` stands before the fields. */
export function problemsOf(given: PreferenceSettings, at = ""): FieldError[] {
  return placedProblems(given, at).map(({ field, reason, line, column }) => ({
    field,
    reason: line === undefined ? reason : `line ${line}, column ${column}: ${reason}`,
  }));
}

export function placedProblems(given: PreferenceSettings, at = ""): PlacedError[] {
  const problems: PlacedError[] = [];
  const check = (field: string, condition: string | undefined) =>
    problems.push(...conditionProblems(`${at}${field}`, condition));
  check("condition", given.condition);
  check("all.condition", given.all?.condition);
  for (const [channel, entry] of Object.entries(given.channels ?? {}))
    check(`channels["${channel}"].condition`, entry?.condition);
  const { timezone, ranges = [] } = given.schedule ?? {};
  if (timezone !== undefined && !isTimeZone(timezone))
    problems.push({ field: `${at}schedule.timezone`, reason: `${timezone} is no IANA time zone` });
  for (const [index, { start, end }] of ranges.entries())
    if (start === end)
      problems.push({
        field: `${at}schedule.ranges[${index}].end`,
        reason: "is the same as start: a range of a whole day is 00:00 to 24:00",
      });
  return problems;
}

function conditionProblems(field: string, condition: string | undefined): PlacedError[] {
  if (condition === undefined || condition === "") return [];
  return conditionCel.conditionProblems(condition).map((problem) => ({ field, ...problem }));
}
