import type { Context } from "#runtime";
import { isBusy, type QueueGone, type QueueTold } from "../../kit/meter.ts";
import { deciding } from "../../kit/table.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import type { Event, Heard, State } from "./state.ts";

export type Command =
  | ((QueueTold | QueueGone) & { readonly handle: string })
  | { readonly type: "figures"; readonly environment: string }
  | { readonly type: "missing"; readonly handles: readonly string[] }
  | TenantPurge;

/** Of the queues of one environment. */
export interface MeterFigures {
  readonly pools: number;
  /** Items that are ready, held and paused ones too. */
  readonly ready: number;
  readonly oldestReadyMs: number;
  /** The longest silence of a queue with items. */
  readonly silentMs: number;
  /** How far the clock of such a queue is ahead of the meter's. */
  readonly aheadMs: number;
}

export const decide = deciding<State, Command, Event>({
  told(_state, { type: _, handle, ...told }, { now }) {
    return { events: [{ type: "heard", handle, heard: { ...told, heardAt: now } }] };
  },
  gone: (state, { handle }) => ({ events: state.heard.has(handle) ? [{ type: "gone", handle }] : [] }),
  figures: (state, { environment }, context) => ({
    events: [],
    answer: figuresOf(state, environment, context),
  }),
  missing: ({ heard }, { handles }) => ({
    events: [],
    answer: { handles: handles.filter((handle) => !heard.has(handle)) },
  }),
  purge: () => ({ events: [{ type: "purged" }], frees: true }),
});

function figuresOf({ heard }: State, environment: string, { now }: Context): MeterFigures {
  let figures: MeterFigures = noFigures;
  for (const one of heard.values())
    if (one.environment === environment) figures = joined(figures, figuresOfOne(one, now));
  return figures;
}

/** A clock that is ahead does not make a queue heard of later than it was. */
function figuresOfOne(one: Heard, now: number): MeterFigures {
  const { live, oldestReadyAt, at, heardAt } = one;
  const oldestReadyMs = oldestReadyAt === 0 ? 0 : Math.max(0, now - oldestReadyAt);
  const quiet = { pools: 1, ready: live.ready, oldestReadyMs, silentMs: 0, aheadMs: 0 };
  if (!isBusy(one)) return quiet;
  return { ...quiet, silentMs: now - Math.min(at, heardAt), aheadMs: Math.max(0, at - heardAt) };
}

export const noFigures: MeterFigures = { pools: 0, ready: 0, oldestReadyMs: 0, silentMs: 0, aheadMs: 0 };

export function joined(a: MeterFigures, b: MeterFigures): MeterFigures {
  return {
    pools: a.pools + b.pools,
    ready: a.ready + b.ready,
    oldestReadyMs: Math.max(a.oldestReadyMs, b.oldestReadyMs),
    silentMs: Math.max(a.silentMs, b.silentMs),
    aheadMs: Math.max(a.aheadMs, b.aheadMs),
  };
}
