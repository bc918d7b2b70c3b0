import { limits, type Refusal, refuse } from "#base";
import type { DeleteExperimentGroupRequest, GetExperimentGroupRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { limitReached, nextRecord } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import { million } from "../hash.ts";
import { type Event, type GroupRecord, groupMessage, type Range, type State } from "./state.ts";

/** From the directory, and from experiments that have ended. */
export type GroupMessage =
  | { readonly type: "create"; readonly group: GroupRecord }
  | { readonly type: "release"; readonly experimentId: string }
  | EntityPurge;

export type Command =
  | GroupMessage
  | ({ readonly type: "get" } & GetExperimentGroupRequest)
  | ({ readonly type: "delete" } & DeleteExperimentGroupRequest)
  | ({ readonly type: "take" } & TakeRange);

export interface TakeRange {
  readonly id: string;
  readonly experimentId: string;
  readonly environment: string;
  readonly share: number;
}

export function decide({ group }: State, command: Command, context: Context): Decision<Event> {
  if (command.type === "create") return { events: group ? [] : [{ type: "put", group: command.group }] };
  if (command.type === "purge")
    return { events: [{ type: "deleted", id: command.id, tenant: command.tenant }], frees: true };
  if (command.type === "release") return release(group, command.experimentId, context.now);
  if (!group || group.id !== command.id) return refuse("NOT_FOUND", "there is no such experiment group");
  const foreign = checkEnvironment(group.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "get":
      return { events: [], answer: groupMessage(group) };
    case "take":
      return take(group, command, context.now);
    case "delete": {
      const conflict = checkVersion(group.recordVersion, command.record_version);
      if (conflict) return conflict;
      if (group.ranges.length > 0)
        return precondition("GROUP_IN_USE", `${group.ranges.length} experiments have a range of this group`);
      const { id, tenant } = group;
      return { events: [{ type: "deleted", id, tenant }], frees: true, answer: { id, deleted: true } };
    }
  }
}

/** The first gap that is wide enough; the range that it has, where it has one of that share. */
function take(
  group: GroupRecord,
  { experimentId, environment, share }: TakeRange,
  now: number,
): Decision<Event> {
  if (environment !== group.environment)
    return precondition(
      "GROUP_ENVIRONMENT",
      `the group is in ${group.environment}, the experiment in ${environment}`,
    );
  const held = group.ranges.find((range) => range.experimentId === experimentId);
  if (held?.share === share) return { events: [], answer: { start: held.start } };
  const others = group.ranges.filter((range) => range !== held);
  if (others.length >= limits.experimentGroupRangesMax)
    return limitReached("a group", limits.experimentGroupRangesMax, "ranges");
  const start = firstFit(others, share);
  if (start === undefined) return full(others, share);
  const ranges = [...others, { experimentId, start, share }].sort((a, b) => a.start - b.start);
  return { events: [put(group, ranges, now)], answer: { start } };
}

function firstFit(ranges: readonly Range[], share: number): number | undefined {
  let start = 0;
  for (const range of ranges) {
    if (range.start - start >= share) return start;
    start = range.start + range.share;
  }
  return million - start >= share ? start : undefined;
}

function full(ranges: readonly Range[], share: number): Refusal {
  const taken = ranges.reduce((sum, range) => sum + range.share, 0);
  const free = (million - taken) / million;
  return precondition(
    "GROUP_FULL",
    `the group has no range of ${share / million} free: ${free} is left in all`,
  );
}

function precondition(reason: string, detail: string): Refusal {
  return refuse("FAILED_PRECONDITION", detail, { reason });
}

function release(group: GroupRecord | undefined, experimentId: string, now: number): Decision<Event> {
  const ranges = group?.ranges.filter((range) => range.experimentId !== experimentId);
  if (!group || ranges!.length === group.ranges.length) return { events: [], answer: {} };
  return { events: [put(group, ranges!, now)], answer: {} };
}

function put(group: GroupRecord, ranges: readonly Range[], now: number): Event {
  return { type: "put", group: nextRecord(group, { ...group, ranges }, now)! };
}
