import type { Refusal } from "#base";
import { finish } from "../admission/finish.ts";
import { redrive } from "../dead-letters/redrive.ts";
import { deadRows, type Item, type ItemRows, isWaiting, itemRows } from "../rows/item.ts";
import type { State } from "../state.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import type { JobKind, QueueJob, Selection } from "./job.ts";

/** What a kind of job does to items, and to which. */
interface Kind {
  readonly rows: ItemRows;
  /** Candidates there are now. */
  total(state: State, selection: Selection): number;
  /** It was there when the job was started: it counts as looked at. */
  isCandidate(unit: UnitOfWork, job: QueueJob, item: Item): boolean;
  /** `undefined` where rows have to be read first. */
  change(unit: UnitOfWork, item: Item): Item | Refusal | undefined;
}

export const kinds: Readonly<Record<JobKind, Kind>> = {
  retry_all: {
    rows: deadRows,
    total: ({ counts, quarantined }) => counts.dead - quarantined,
    // What died in this very step died later.
    isCandidate: (unit, { startedAt }, { id, finishedAt }) => finishedAt <= startedAt && !unit.touched(id),
    change: redrive,
  },
  cancel_all: {
    rows: itemRows,
    total: ({ counts }, { states }) => states.reduce((sum, state) => sum + counts[state], 0),
    isCandidate: (_unit, { startedAt, selection }, { createdAt, state }) =>
      createdAt <= startedAt && isWaiting(state) && selection.states.includes(state),
    change: (unit, item) => finish(unit, item, "cancelled"),
  },
};
