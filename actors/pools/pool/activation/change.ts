import { digestOf } from "#base";
import type { Context } from "#runtime";
import { nextRecord } from "../../../kit/record.ts";
import { controlNames } from "../../control-numbers.ts";
import type { PoolRecord, RuleRecord } from "../../pool-record.ts";
import type { QueuePoolEvent, RouterTableEvent } from "../../router.ts";
import { admits, configured, controlsOf } from "../configured.ts";
import { liveContent, liveRules, poolWith } from "../content.ts";
import type { ActiveVersion, Governance, VersionRow } from "../governance.ts";
import { handOver } from "../rules.ts";
import type { Event, State } from "../state.ts";
import type { Content, ContentKind } from "../version-content.ts";
import { forgotten } from "../versions.ts";

interface Change {
  readonly contents: readonly Content[];
  /** All rules afterwards; `undefined`: as before. */
  readonly rules: readonly RuleRecord[] | undefined;
  readonly kept: readonly VersionRow[];
  readonly active: readonly ActiveVersion[];
}

/** Pool, rules, router and queue in one commit; the canary is over with it, and the pool is no longer prepared. */
export function inForce(
  state: State,
  candidateId: string,
  { contents, rules, kept, active }: Change,
  { now }: Context,
) {
  const before = state.pool!;
  let pool: PoolRecord = before;
  for (const content of contents) pool = poolWith(pool, content);
  pool = { ...pool, controls: controlNames(controlsOf(before), pool.config) };
  pool = nextRecord(before, pool, now) ?? before;
  const version = state.version + 1;
  const { prepared: _, canary, ...rest } = state.governance;
  const others = rest.active.filter(({ kind }) => !active.some((one) => one.kind === kind));
  const ends = canary?.candidateId === candidateId;
  const governance: Governance = {
    ...rest,
    active: [...others, ...active],
    pins: rest.pins.filter((pin) => pin.candidateId !== candidateId),
    ...(canary && !ends && { canary }),
  };
  const router: RouterTableEvent[] = [configured(pool, version)];
  if (rules) router.push(handOver(rules, version));
  if (ends) router.push({ type: "canary_removed", version });
  const queue: QueuePoolEvent[] = admits(before) === admits(pool) ? [] : [{ type: "reconfigured" }];
  const event: Event = {
    type: "activated",
    candidateId,
    pool,
    version,
    ...(rules && { rules }),
    kept,
    // What is kept now is in use; what the activation before kept may not be any more.
    forgotten: forgotten(state, governance, 0),
    governance,
    digests: Object.fromEntries(active.map(({ kind, digest }) => [kind, digest])),
  };
  return { events: [event], twins: { router, queue } };
}

/** What is in force now, to be kept as a version. */
export function replacedRow(
  state: State,
  kind: ContentKind,
  version: number,
  candidateId: string,
  now: number,
): VersionRow {
  const content = liveContent(state, kind);
  return {
    entry: {
      version,
      kind,
      digest: digestOf(content),
      source: "replaced",
      createdBy: candidateId,
      owner: "",
      createdAt: now,
    },
    content,
    ...(kind === "routing" && {
      rules: liveRules(state).map(({ id, createdAt, updatedAt, recordVersion }) => ({
        id,
        createdAt,
        updatedAt,
        recordVersion,
      })),
    }),
  };
}
