import { limits } from "#base";
import type { Context, Decided, RangeRef, RowRef } from "#runtime";
import { mismatch, type Requirements } from "../shared/eligibility.ts";
import type { RouterEvent, RouterView } from "../shared/router.ts";
import { type Cause, type Change, type Place, placeOf, toChangeRow } from "./change.ts";
import type { ClassSpec } from "./classes.ts";
import { type Group, holdOf, kindOf, type Parked, withParked } from "./group.ts";
import { type Body, bodyFromRow, fromRow, type Item, isOver, isWaiting } from "./item.ts";
import type { ChangedEvent, Due, Event, State } from "./state.ts";

/**
 * What a command is about to change, over the state it does not touch. Later entries of a batch see the earlier ones here.
 * Reads that memory cannot answer are collected in `missing`; a command that has any returns them as its need and runs
 * again. Ends as one `changed` event.
 */
export class Draft {
  readonly state: State;
  readonly context: Context;
  readonly router: RouterView;
  readonly missing: (RowRef | RangeRef)[] = [];
  /** Groups in which something made room, and how much: slots, or places in line. */
  readonly freed = new Map<string, number>();
  /** Groups that hold back somebody more than before, and whom. */
  readonly fuller = new Map<string, Set<string>>();
  readonly #changes = new Map<string, Change>();
  readonly #groups = new Map<string, Group | null>();
  readonly #flows = new Map<string, number>();
  readonly #dedups = new Map<string, string>();
  readonly #inUse = new Map<string, number>();
  readonly #classes: ClassSpec[] = [];
  readonly #observed: RouterEvent[] = [];
  readonly #failed = new Set<string>();
  readonly #recipients = new Map<string, { readonly cost: number; readonly assigned: number }>();
  readonly #wakes = { added: [] as Due[], removed: [] as Due[] };
  #virtualTime: number[] | null = null;
  #order: number;
  /** Items that wait, and bytes, on top of the state's. */
  depth = 0;
  bytes = 0;

  constructor(state: State, context: Context) {
    this.state = state;
    this.context = context;
    this.router = context.twin<RouterView>("router");
    this.#order = state.order;
  }

  get now(): number {
    return this.context.now;
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0 && this.#groups.size === 0 && this.#wakes.removed.length === 0;
  }

  /** The item, `null` where there is none, `undefined` where it has to be read. */
  item(id: string): Item | null | undefined {
    const change = this.#changes.get(id);
    if (change) return change.gone ? null : change.item;
    return findItem(this.state, this.context, id, this.missing);
  }

  body(id: string): Body | null | undefined {
    const changed = this.#changes.get(id)?.body;
    return changed ?? findBody(this.state, this.context, id, this.missing);
  }

  group(hold: string): Group | null | undefined {
    const own = this.#groups.get(hold);
    return own !== undefined ? own : this.state.groups.get(hold, this.context, this.missing);
  }

  setGroup(hold: string, group: Group | null): void {
    this.#groups.set(hold, group);
  }

  dedup(dedupId: string): string | null | undefined {
    return this.#dedups.get(dedupId) ?? this.state.dedups.get(`d:${dedupId}`, this.context, this.missing);
  }

  inUse(groupId: string): number {
    return this.#inUse.get(groupId) ?? this.state.inUse.get(groupId) ?? 0;
  }

  virtualTime(band: number): number {
    return (this.#virtualTime ?? this.state.virtualTime)[band]!;
  }

  /** Service reached this start time; virtual time never goes back. */
  advance(band: number, start: number): void {
    if (start <= this.virtualTime(band)) return;
    this.#virtualTime ??= [...this.state.virtualTime];
    this.#virtualTime[band] = start;
  }

  nextOrder(): number {
    return ++this.#order;
  }

  flow(key: string): number | null | undefined {
    return this.#flows.get(key) ?? this.state.flows.get(key, this.context, this.missing);
  }

  setFlow(key: string, finish: number): void {
    this.#flows.set(key, finish);
  }

  /** The class that asks for this, a new one where there is none; `undefined` where there are too many. */
  classFor(requirements: Requirements): number | undefined {
    if (requirements.restrictions.length === 0 && requirements.preferences.length === 0) return 0;
    const known = this.state.classes.find(requirements);
    if (known !== undefined) return known;
    const text = JSON.stringify(requirements);
    const drafted = this.#classes.find((spec) => JSON.stringify(spec.requirements) === text);
    if (drafted) return drafted.no;
    if (this.state.classes.size + this.#classes.length >= limits.queueClassesMax) return undefined;
    const spec = { no: this.state.classes.nextNo(this.#classes.map(({ no }) => no)), requirements };
    this.#classes.push(spec);
    return spec.no;
  }

  /** A recipient the class excludes, whatever it is doing now. */
  excludes(classNo: number, recipient: Parameters<typeof mismatch>[0]): boolean {
    const spec = this.state.classes.get(classNo) ?? this.#classes.find(({ no }) => no === classNo);
    return spec !== undefined && mismatch(recipient, spec.requirements.restrictions) !== undefined;
  }

  /** Puts `after` in the place of `before`; everything that follows from the step itself is noted here, once. */
  change(
    before: Item | null,
    after: Item,
    cause: Cause,
    more: { readonly body?: Body; readonly result?: unknown; readonly gone?: true } = {},
  ): void {
    const earlier = this.#changes.get(after.id);
    const from: Place | null = earlier ? earlier.from : before && placeOf(before);
    const body = more.body ?? earlier?.body;
    this.#changes.set(after.id, { cause, from, item: after, ...more, ...(body && { body }) });
    if (before === null && after.dedupId) this.#dedups.set(after.dedupId, after.id);
    this.#countLease(before, after);
    this.#countHold(before, after);
    this.#countDepth(before, after, more.gone === true);
    if (before && isWaiting(before.state) && !isWaiting(after.state) && !after.lease) this.#freeLine(after);
  }

  /** Changed by this command already. */
  touched(id: string): boolean {
    return this.#changes.has(id);
  }

  changed(id: string): Item | undefined {
    return this.#changes.get(id)?.item;
  }

  addWake(due: Due): void {
    this.#wakes.added.push(due);
  }

  removeWake(due: Due): void {
    this.#wakes.removed.push(due);
  }

  /** How a delivery ended. A success of a recipient in good health says nothing new. */
  observe(recipientId: string, ok: boolean): void {
    const health = this.router.recipients.get(recipientId)?.health;
    const spotless = health?.state === "healthy" && health.failures === 0 && health.ejections === 0;
    if (ok && spotless && !this.#failed.has(recipientId)) return;
    if (!ok) this.#failed.add(recipientId);
    this.#observed.push({ type: "observed", recipientId, ok });
  }

  decided(results: unknown, more: readonly Event[] = []): Decided<Event> {
    const router = [...this.#observed];
    for (const [recipientId, { cost, assigned }] of this.#recipients)
      router.push({ type: "leases_changed", recipientId, cost, assigned });
    const twins = router.length > 0 ? { twins: { router } } : {};
    return { events: [this.event(results), ...more], ...twins };
  }

  event(results: unknown): ChangedEvent {
    return {
      type: "changed",
      changes: Array.from(this.#changes.values(), toChangeRow),
      groups: [...this.#groups],
      flows: [...this.#flows],
      classes: this.#classes,
      wakes: this.#wakes,
      virtualTime: this.#virtualTime,
      order: this.#order,
      retentionMs: this.router.config.retention_seconds * 1_000,
      results,
    };
  }

  #countLease(before: Item | null, after: Item): void {
    const had = before?.lease ?? null;
    if (had && !after.lease) {
      for (const { id, cost } of before!.groups.concurrency) {
        this.#inUse.set(id, this.inUse(id) - cost);
        this.#free(holdOf("concurrency", id), cost);
      }
      this.#countRecipient(had.recipient, -before!.cost, 0);
    } else if (!had && after.lease) {
      for (const { id, cost } of after.groups.concurrency) this.#inUse.set(id, this.inUse(id) + cost);
      this.#countRecipient(after.lease.recipient, after.cost, 1);
    }
  }

  #countRecipient(id: string, cost: number, assigned: number): void {
    const known = this.#recipients.get(id) ?? { cost: this.state.leaseCost.get(id) ?? 0, assigned: 0 };
    this.#recipients.set(id, { cost: known.cost + cost, assigned: known.assigned + assigned });
  }

  #countHold(before: Item | null, after: Item): void {
    const was = before?.hold ?? "";
    if (was === after.hold) return;
    if (was) this.#park(was, after.classNo, -1);
    if (!after.hold) return;
    this.#park(after.hold, after.classNo, 1);
    const held = this.fuller.get(after.hold);
    if (held) held.add(after.id);
    else this.fuller.set(after.hold, new Set([after.id]));
  }

  #park(hold: string, classNo: number, by: number): void {
    const group = this.group(hold);
    if (group === undefined || kindOf(hold) === "singleton") return;
    const parked: Parked = withParked(group && "parked" in group ? group.parked : {}, classNo, by);
    if (kindOf(hold) === "throttle") {
      const { tat, wakeAt } = group?.kind === "throttle" ? group : { tat: 0, wakeAt: 0 };
      this.setGroup(hold, { kind: "throttle", tat, parked, wakeAt });
    } else this.setGroup(hold, Object.keys(parked).length === 0 ? null : { kind: "concurrency", parked });
  }

  #countDepth(before: Item | null, after: Item, gone: boolean): void {
    const was = before !== null && !isOver(before.state);
    const is = !gone && !isOver(after.state);
    if (was !== is) this.bytes += is ? after.bytes : -after.bytes;
    this.depth += (is && !after.lease ? 1 : 0) - (was && !before.lease ? 1 : 0);
  }

  /** It stopped waiting without a lease: whoever waits behind it in its groups may step forward. */
  #freeLine(item: Item): void {
    for (const { id, cost } of item.groups.concurrency) this.#free(holdOf("concurrency", id), cost);
    if (item.groups.throttle) this.#free(holdOf("throttle", item.groups.throttle), 1);
  }

  #free(hold: string, by: number): void {
    this.freed.set(hold, (this.freed.get(hold) ?? 0) + by);
  }
}

export function findItem(
  state: State,
  context: Context,
  id: string,
  missing: (RowRef | RangeRef)[],
): Item | null | undefined {
  const hot = state.leases.get(id) ?? state.ready.find(id);
  if (hot) return hot;
  let unknown = false;
  for (const collection of ["item", "done", "dead", "quarantined"]) {
    const ref = { collection, key: [id] };
    const row = context.row(ref);
    if (row === undefined) {
      missing.push(ref);
      unknown = true;
    } else if (row !== null) return fromRow(row);
  }
  return unknown ? undefined : null;
}

export function findBody(
  state: State,
  context: Context,
  id: string,
  missing: (RowRef | RangeRef)[],
): Body | null | undefined {
  const hot = state.bodies.get(id);
  if (hot) return hot;
  const ref = { collection: "body", key: [id] };
  const row = context.row(ref);
  if (row === undefined) missing.push(ref);
  return row ? bodyFromRow(row) : (row as null | undefined);
}
