import { invalid, type Refusal, toRfc3339 } from "#base";
import type { Context } from "#runtime";
import { type TotalName, totalNames } from "../../../kit/meter.ts";
import { totalsOf } from "../memory/totals.ts";
import { type SeriesRow, seriesMinuteMs, seriesRows, slotOf } from "../rows/series.ts";
import { depthOf } from "../rows/stats.ts";
import type { State } from "../state.ts";

const hourMs = 3_600_000;
const windowLeastMs = 300_000;
const windowMostMs = 168 * hourMs;

/** `at`: the beginning of the minute that a row is of. */
interface Known {
  readonly at: number;
  readonly row: SeriesRow;
}

/** A point for each whole step of the window: what its time counted, and the depth at its end. */
export function series(
  state: State,
  { windowMs, stepMs }: { readonly windowMs: number; readonly stepMs: number },
  context: Context,
): Record<string, unknown> | Refusal {
  if (windowMs < windowLeastMs || windowMs > windowMostMs)
    return invalid({ field: "window", reason: "must be between 5m and 168h" });
  const { now } = context;
  const end = now - (now % stepMs);
  const keptFrom = now - state.seriesHours * hourMs;
  const steps = Math.floor((end - Math.max(end - windowMs, keptFrom)) / stepMs);
  const known = knownSince(state, end - steps * stepMs, context);
  const current: SeriesRow = [Object.values(state.totals.values), depthOf(state)];
  let next = 0;
  let before: SeriesRow | undefined;
  const points: object[] = [];
  for (let at = end - steps * stepMs; steps > 0 && at <= end; at += stepMs) {
    while (next < known.length && known[next]!.at < at) next++;
    // Nothing has changed from here to the next row.
    const after = known[next]?.row ?? current;
    if (before) points.push(pointOf(before, after, at));
    before = after;
  }
  return { pool_id: state.poolId, points };
}

function pointOf([before]: SeriesRow, [after, depth]: SeriesRow, at: number): object {
  const [from, to] = [totalsOf(before), totalsOf(after)];
  const counted = totalNames.map((name): [TotalName, number] => [name, to[name] - from[name]]);
  return { at: toRfc3339(at), ...Object.fromEntries(counted), depth };
}

/** Rows from this time on, in order. A number of an hour may still have rows of the time before it was used again. */
function knownSince(state: State, since: number, context: Context): readonly Known[] {
  const hours: number[] = [];
  for (let hour = Math.floor(since / hourMs); hour * hourMs <= context.now; hour++) hours.push(hour);
  const ranges = hours.map((hour) => ({ prefix: [slotOf(hour, state.seriesHours)], limit: 60 }));
  context.prefetch(ranges.map((range) => ({ ...range, collection: seriesRows })));
  return ranges
    .flatMap((range) => context.scan(seriesRows, range))
    .map(({ key: [, minute], value }) => ({ at: minute * seriesMinuteMs, row: value }))
    .filter(({ at }) => at >= since);
}
