/** From the start of a request to its answer, on one monotonic clock for all clients. */
export interface Span {
  readonly beganMs: number;
  readonly endedMs: number;
}

export interface StoredItem {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

interface Enqueued {
  readonly pool: string;
  readonly client: number;
  /** More than one would be a repeated effect. */
  readonly ids: string[];
}

interface Lease extends Span {
  readonly token: string;
}

interface Settled extends Span {
  readonly token: string;
  readonly state: "completed" | "dead";
}

interface Value extends Span {
  readonly value: number;
}

interface Register {
  readonly begun: Value[];
  readonly written: Value[];
  readonly read: Value[];
}

export interface HistoryOptions {
  /** Length of a lease if the clocks of all nodes are right; undefined: they are not, and only tokens are checked. */
  readonly leaseMs?: number | undefined;
}

/** An owner that was replaced and has not noticed may answer reads for this long (docs/guarantees.md). */
const staleMs = 2_000;
/** Leases end by the wall clock in whole milliseconds, clients measure by the monotonic one. */
const clockMs = 100;

/**
 * The requests and answers of clients; checks that they are consistent with each other and with what is stored at the
 * end.
 */
export class History {
  readonly #options: HistoryOptions;
  readonly #enqueued = new Map<string, Enqueued>();
  /** By item id. */
  readonly #leases = new Map<string, Lease[]>();
  readonly #settled = new Map<string, Settled[]>();
  readonly #registers = new Map<string, Register>();

  constructor(options: HistoryOptions = {}) {
    this.#options = options;
  }

  /** To be called when a client begins to enqueue; it begins the next one when this one is acknowledged. */
  enqueues(key: string, pool: string, client: number): void {
    this.#enqueued.set(key, { pool, client, ids: [] });
  }

  enqueued(key: string, id: string): void {
    const { ids } = this.#enqueued.get(key)!;
    if (!ids.includes(id)) ids.push(id);
  }

  leased(item: string, lease: Lease): void {
    listOf(this.#leases, item).push(lease);
  }

  settled(item: string, settled: Settled): void {
    listOf(this.#settled, item).push(settled);
  }

  /** One client writes a register: 1, 2, 3 and so on, each after the one before is acknowledged. */
  writes(register: string, value: number, beganMs: number): void {
    this.#register(register).begun.push({ value, beganMs, endedMs: beganMs });
  }

  written(register: string, value: Value): void {
    this.#register(register).written.push(value);
  }

  read(register: string, value: Value): void {
    this.#register(register).read.push(value);
  }

  /** Every broken promise as a sentence; an empty list is a success. */
  check(stored: readonly StoredItem[]): string[] {
    const items = grouped(stored);
    return [
      ...this.#lostOrRepeated(items),
      ...this.#outOfOrder(),
      ...this.#leasedTwice(),
      ...this.#oldAnswers(),
    ];
  }

  #lostOrRepeated(stored: ReadonlyMap<string, readonly StoredItem[]>): string[] {
    const broken: string[] = [];
    for (const [key, { ids }] of this.#enqueued) {
      const items = stored.get(key) ?? [];
      if (ids.length > 1) broken.push(`${key} was acknowledged with ${ids.length} ids`);
      if (items.length > 1) broken.push(`${key} is there ${items.length} times`);
      const [id] = ids;
      if (id !== undefined && items[0]?.id !== id) broken.push(`${key} was lost`);
      for (const { state } of this.#settled.get(id ?? "") ?? [])
        if (items[0]?.state !== state) broken.push(`${key} was ${state} and is ${items[0]?.state}`);
    }
    return broken;
  }

  /**
   * Ids begin with the shard's time, which never goes back: the ids of one client in one pool ascend with its answers,
   * by the millisecond.
   */
  #outOfOrder(): string[] {
    const last = new Map<string, string>();
    const broken: string[] = [];
    for (const [key, { pool, client, ids }] of this.#enqueued) {
      const [id] = ids;
      if (id === undefined) continue;
      const before = last.get(`${client} ${pool}`);
      if (before !== undefined && timeOf(before) > timeOf(id))
        broken.push(`${key} (${id}) is before ${before}, its predecessor`);
      last.set(`${client} ${pool}`, id);
    }
    return broken;
  }

  #leasedTwice(): string[] {
    const broken: string[] = [];
    for (const [item, leases] of this.#leases) {
      const tokens = new Set(leases.map(({ token }) => token));
      if (tokens.size < leases.length) broken.push(`one lease of ${item} was given to two claims`);
      const settled = this.#settled.get(item) ?? [];
      const settlers = new Set(settled.map(({ token }) => token));
      if (settlers.size > 1) broken.push(`${item} was settled by ${settlers.size} leases`);
      // A lease that is followed by another one has ended: a later settlement with it must be refused, and an item that
      // it had settled must not be leased again.
      for (const { token } of settled) {
        const own = leases.find((lease) => lease.token === token);
        const later = leases.find(({ beganMs }) => own !== undefined && beganMs > own.endedMs);
        if (later !== undefined) broken.push(`${item} was settled by a lease and leased again after it`);
      }
      broken.push(...this.#heldByTwo(item, leases));
    }
    return broken;
  }

  /** The workload never releases a lease early, so the next lease must begin after its end. */
  #heldByTwo(item: string, leases: readonly Lease[]): string[] {
    const { leaseMs } = this.#options;
    if (leaseMs === undefined) return [];
    const sorted = [...leases].sort((a, b) => a.endedMs - b.endedMs);
    return sorted.slice(1).flatMap(({ endedMs }, at) => {
      const leftMs = sorted[at]!.beganMs + leaseMs - clockMs - endedMs;
      return leftMs > 0 ? [`${item} was leased to a second worker ${Math.round(leftMs)} ms too early`] : [];
    });
  }

  /**
   * A read returns no less than what had been acknowledged (except within `staleMs`), and nothing that was not yet
   * requested.
   */
  #oldAnswers(): string[] {
    const broken: string[] = [];
    for (const [name, { begun, written, read }] of this.#registers)
      for (const { value, beganMs, endedMs } of read) {
        const least = highest(written.filter((write) => write.endedMs < beganMs - staleMs));
        const most = highest(begun.filter((write) => write.beganMs <= endedMs));
        if (value < least)
          broken.push(`${name}: ${value} was read more than ${staleMs} ms after ${least} was acknowledged`);
        if (value > most) broken.push(`${name}: ${value} was read before it was written`);
      }
    return broken;
  }

  #register(name: string): Register {
    let register = this.#registers.get(name);
    if (register === undefined) {
      register = { begun: [], written: [], read: [] };
      this.#registers.set(name, register);
    }
    return register;
  }
}

function timeOf(id: string): string {
  return id.slice(0, 10);
}

function highest(values: readonly Value[]): number {
  return values.reduce((most, { value }) => Math.max(most, value), 0);
}

function listOf<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: T[] = [];
  lists.set(key, list);
  return list;
}

function grouped(items: readonly StoredItem[]): Map<string, StoredItem[]> {
  const groups = new Map<string, StoredItem[]>();
  for (const item of items) listOf(groups, item.key).push(item);
  return groups;
}
