import type { Item, Progress } from "../../../actors/pools/queue/rows/item.ts";
import type { Stage } from "../scenario.ts";
import type { QueueAudit } from "./actors.ts";
import type { Message, ToldLease } from "./told.ts";

/** A delivery of an item: deliveries are counted anew after each retry out of the dead letters. */
interface Delivery {
  readonly itemId: string;
  readonly deliveries: number;
  readonly retries: number;
}

interface Said {
  /** Number of the newest. */
  count: number;
  /** The newest has no clear answer: one that came after it could be overtaken by it, so nothing more is said. */
  isOpen: boolean;
  readonly granted: { readonly no: number; readonly atMs: number }[];
}

/** What an answer shows of an item. */
export interface ShownItem {
  readonly id: string;
  readonly deliveries: number;
  readonly retry_count: number;
  readonly lease?: { readonly progress?: Progress };
}

/** A cut-off owner answers from memory for so long. */
const staleMs = 2_000;

/** How far workers said they are, against what is shown: the newest progress of the current lease. */
export class ToldProgress {
  readonly #stage: Stage;
  readonly #staleMs: number;
  readonly #said = new Map<string, Said>();

  constructor(stage: Stage) {
    const { cut, move, pause } = stage.faults;
    this.#stage = stage;
    this.#staleMs = cut || move || pause ? staleMs : 0;
  }

  /** The next progress of a lease, which says whose it is; none while the one before has no answer. */
  next(lease: ToldLease): Message | undefined {
    const name = nameOf(lease);
    const said = this.#said.get(name) ?? { count: 0, isOpen: false, granted: [] };
    if (said.isOpen) return undefined;
    this.#said.set(name, said);
    said.isOpen = true;
    const no = ++said.count;
    return { percent: no % 101, note: `${name} ${no}`, data: { no } };
  }

  /** Refused for good: nothing of it happened. What may still happen stays without an answer. */
  answered(lease: ToldLease, how: "granted" | "refused"): void {
    const said = this.#said.get(nameOf(lease));
    if (!said?.isOpen) return;
    said.isOpen = false;
    if (how === "granted") said.granted.push({ no: said.count, atMs: this.#stage.scheduler.nowMs });
  }

  /** In an answer to a question that was asked at that time. */
  checkShown({ id, deliveries, retry_count: retries, lease }: ShownItem, askedMs: number): void {
    if (lease !== undefined)
      this.#check({ itemId: id, deliveries, retries }, lease.progress, askedMs - this.#staleMs);
  }

  /** A new lease has none; a claim that is answered again tells what it told. */
  checkClaimed({ id, lease }: ShownItem): void {
    if (lease?.progress)
      this.#stage.violate(`${id} is claimed with progress ${JSON.stringify(lease.progress)}`);
  }

  /** With every acknowledged change in the rows. `histories`: of all items. */
  checkStored({ id: itemId, deliveries, retries, lease }: Item, histories: QueueAudit["histories"]): void {
    const { nowMs } = this.#stage.scheduler;
    if (lease !== null) this.#check({ itemId, deliveries, retries }, lease.progress, nowMs);
    let redriven = retries;
    const history = histories.filter(([id]) => id === itemId).map(([, entry]) => entry);
    // The newest first.
    for (const { outcome, delivery, progress } of history.sort((one, other) => other.number - one.number))
      if (outcome === "redriven") redriven--;
      else this.#check({ itemId, deliveries: delivery, retries: redriven }, progress, nowMs);
  }

  #check(delivery: Delivery, progress: Progress | null | undefined, grantedByMs: number): void {
    const name = nameOf(delivery);
    const said = this.#said.get(name);
    const least = said?.granted.findLast(({ atMs }) => atMs < grantedByMs)?.no ?? 0;
    const shown = progress ? numberIn(name, progress) : 0;
    if (shown === undefined) this.#stage.violate(`${name} shows the progress ${JSON.stringify(progress)}`);
    else if (shown < least || shown > (said?.count ?? 0))
      this.#stage.violate(`${name} shows progress ${shown || "none"}, its worker was told of ${least}`);
  }
}

/** Between two commands: every lease has progress of its own, or none. */
export function* progressProblems(leases: Iterable<Item>): Generator<string> {
  for (const { id: itemId, deliveries, retries, lease } of leases) {
    const name = nameOf({ itemId, deliveries, retries });
    if (lease?.progress && numberIn(name, lease.progress) === undefined)
      yield `the lease of ${name} has the progress ${JSON.stringify(lease.progress)}`;
  }
}

function nameOf({ itemId, deliveries, retries }: Delivery): string {
  return `${itemId} ${retries}/${deliveries}`;
}

/** `undefined`: it is not of this delivery, or its parts are of different ones. */
function numberIn(name: string, { percent, note, data }: Progress): number | undefined {
  const { no } = data as { no: number };
  return note === `${name} ${no}` && percent === no % 101 ? no : undefined;
}
