import { limits } from "#base";
import type { Context, Decided } from "#runtime";
import { fullBudget } from "../../../cel/command-budget.ts";
import { mismatch, type Requirements } from "../../eligibility.ts";
import type { RouterView } from "../../router.ts";
import type { ClassSpec } from "../memory/classes.ts";
import { isInline } from "../rows/body.ts";
import { type Cause, type Change, type ChangeRow, isFiring, toChangeRow } from "../rows/change.ts";
import { type ChangedEvent, inMemory } from "../rows/changed.ts";
import { dedupKey } from "../rows/dedup-key.ts";
import type { Due } from "../rows/due.ts";
import { type Group, nameOfGroup } from "../rows/group.ts";
import { type Body, copyItem, type Item, isFinished, isOver, isWaiting } from "../rows/item.ts";
import type { Remembered } from "../rows/retained.ts";
import type { Event, State } from "../state.ts";
import { findBody, findItem } from "./find.ts";
import { UnitGroups } from "./unit-groups.ts";
import { UnitRouter } from "./unit-router.ts";
import { endCode } from "./variants.ts";

interface ChangeParts {
  readonly body?: Body;
  readonly result?: unknown;
  readonly gone?: true;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const nothing: ChangeParts = {};
const none: readonly never[] = [];

/**
 * What a command is about to change, over the state it does not touch. Later entries of a batch see the earlier ones here.
 * Ends as one `changed` event. It is the `answer` of its decision: responses are made from it.
 */
export class UnitOfWork {
  readonly state: State;
  readonly context: Context;
  readonly router: RouterView;
  readonly #changes = new Map<string, Change>();
  // Most commands need none of these: they are made when something goes into them.
  #groups: UnitGroups | undefined;
  #flows: Map<string, number> | undefined;
  #dedups: Map<string, string> | undefined;
  #remembered: Remembered[] | undefined;
  #met: Map<string, Item> | undefined;
  #classes: ClassSpec[] | undefined;
  #forRouter: UnitRouter | undefined;
  #wakes: { added: Due[]; removed: Due[] } | undefined;
  #virtualTime: number[] | undefined;
  #order: number;
  #finishes = false;
  /** What the caller is told of each entry, where it is more than the changes. */
  results: unknown = undefined;
  /** For the conditions and keys of its entries. */
  readonly commandBudget = fullBudget();
  /** Items that wait, and bytes, on top of the state's. */
  depth = 0;
  bytes = 0;
  /** Items that may wait in a pool of this tenant, beside the pool's own `max_depth`. */
  depthMax = Number.POSITIVE_INFINITY;

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
    return (
      this.#changes.size === 0 &&
      !this.#remembered &&
      !this.#groups?.changes() &&
      !this.#wakes?.removed.length
    );
  }

  get groups(): UnitGroups {
    this.#groups ??= this.#newGroups();
    return this.#groups;
  }

  /** Not where it is asked for: a function with another one inside keeps a place in memory for what they share at every call. */
  #newGroups(): UnitGroups {
    return new UnitGroups(this.state, this.context, (id) => this.item(id));
  }

  /** What the router is told. */
  get forRouter(): UnitRouter {
    this.#forRouter ??= new UnitRouter(this.router);
    return this.#forRouter;
  }

  /** The item, `null` where there is none, `undefined` where it has to be read. */
  item(id: string): Item | null | undefined {
    const change = this.#changes.get(id);
    if (change) return change.gone ? null : change.item;
    return findItem(this.state, this.context, id);
  }

  /** The payload of an item that is stored already, as it is there; or the one this command gives it. */
  body(item: Item): Body | null | undefined {
    const changed = this.#changes.get(item.id)?.body;
    return changed ?? findBody(this.state, this.context, item);
  }

  group(groupName: string): Group | null | undefined {
    return this.groups.get(groupName);
  }

  setGroup(groupName: string, group: Group | null): void {
    this.groups.set(groupName, group);
  }

  dedup(dedupId: string): string | null | undefined {
    return this.#dedups?.get(dedupId) ?? this.state.dedups.get(dedupKey(dedupId), this.context);
  }

  /** A repetition of this request is answered with this item. */
  remember(dedupId: string, id: string): void {
    this.#noteDedup(dedupId, id);
    this.#remembered ??= [];
    this.#remembered.push({ key: dedupKey(dedupId), id, order: this.nextOrder() });
  }

  #noteDedup(dedupId: string, id: string): void {
    this.#dedups ??= new Map();
    this.#dedups.set(dedupId, id);
  }

  /** The answer shows an item that was there already, as it is now: memory may let go of it in this very step. */
  meet(item: Item): void {
    this.#met ??= new Map();
    this.#met.set(item.id, item);
  }

  met(id: string): Item | undefined {
    return this.#met?.get(id);
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
    return this.#flows?.get(key) ?? this.state.flows.get(key, this.context);
  }

  setFlow(key: string, finish: number): void {
    this.#flows ??= new Map();
    this.#flows.set(key, finish);
  }

  /** The class that asks for this, a new one where there is none; `undefined` where there are too many. */
  classFor(requirements: Requirements): number | undefined {
    if (requirements.restrictions.length === 0 && requirements.preferences.length === 0) return 0;
    const known = this.state.classes.find(requirements);
    if (known !== undefined) return known;
    const text = JSON.stringify(requirements);
    this.#classes ??= [];
    const drafted = this.#classes.find((spec) => JSON.stringify(spec.requirements) === text);
    if (drafted) return drafted.no;
    if (this.state.classes.size + this.#classes.length >= limits.queueClassesMax) return undefined;
    const spec = { no: this.state.classes.nextNo(this.#classes.map(({ no }) => no)), requirements };
    this.#classes.push(spec);
    return spec.no;
  }

  /** A recipient the class excludes, whatever it is doing now. */
  excludes(classNo: number, recipient: Parameters<typeof mismatch>[0]): boolean {
    if (classNo === 0) return false;
    const spec = this.state.classes.get(classNo) ?? this.#classes?.find(({ no }) => no === classNo);
    return spec !== undefined && mismatch(recipient, spec.requirements.restrictions) !== undefined;
  }

  /** Puts `after` in the place of `before`; everything that follows from the step itself is noted here, once. */
  change(before: Item | null, next: Item, cause: Cause, more: ChangeParts = nothing): void {
    const after = next.tells ? this.#keepKey(next) : next;
    const earlier = this.#changes.get(after.id);
    // A claim answers in the order of its leases, also of an item that it let go a moment ago.
    if (earlier && cause === "leased") this.#changes.delete(after.id);
    this.#changes.set(after.id, {
      // Standing in line somewhere else is no step of its own.
      cause: earlier && cause === "held" ? earlier.cause : cause,
      from: earlier ? earlier.from : before,
      item: after,
      body: more.body ?? this.#bodyToWrite(before, after, earlier, more),
      shown: undefined,
      result: more.result,
      gone: more.gone,
    });
    if (before === null && after.dedupId) this.#noteDedup(after.dedupId, after.id);
    if (isFinished(after)) this.#finishes = true;
    this.#countLease(before, after);
    const { canary } = this.router;
    if (canary !== undefined && before !== null) {
      const code = endCode(canary, before, after, cause);
      if (code > 0) this.forRouter.countVariant(code);
    }
    if ((before?.heldBy ?? "") !== after.heldBy) this.groups.moveHeld(before, after);
    this.#countDepth(before, after, more.gone === true);
    if (before && isWaiting(before.state) && !isWaiting(after.state) && !after.lease) this.#freeLine(after);
  }

  /** An item tells of its singleton key while it is recent or leased; elsewhere the key needs a row. */
  #keepKey(item: Item): Item {
    if (item.recent || item.lease || isOver(item.state)) return item;
    const { singleton } = item.groups;
    const key = this.groups.key(singleton);
    if (key) this.setGroup(nameOfGroup("singleton", singleton), key);
    const untold = copyItem(item);
    untold.tells = false;
    return untold;
  }

  /** A payload that is stored with the item is written whenever the item's own row is: it may have to be read for that. */
  #bodyToWrite(
    before: Item | null,
    after: Item,
    earlier: Change | undefined,
    { gone }: ChangeParts,
  ): Body | undefined {
    if (gone || after.lease) return undefined;
    if (isFiring(earlier ? earlier.from : before, after)) return earlier?.body;
    if (earlier?.body || before === null || !isInline(after)) return earlier?.body;
    const stored = earlier?.from ? { ...before, ...earlier.from } : before;
    return findBody(this.state, this.context, stored) ?? undefined;
  }

  /** The payload that the answer shows with a change; memory may let go of it before the answer is made. */
  show(id: string, body: Body): void {
    const change = this.#changes.get(id);
    if (change) change.shown = body;
  }

  changes(): Iterable<Change> {
    return this.#changes.values();
  }

  /** Changed by this command already. */
  touched(id: string): boolean {
    return this.#changes.has(id);
  }

  changed(id: string): Item | undefined {
    return this.#changes.get(id)?.item;
  }

  changeOf(id: string): Change | undefined {
    return this.#changes.get(id);
  }

  addWake(due: Due): void {
    this.#wakes ??= { added: [], removed: [] };
    this.#wakes.added.push(due);
  }

  removeWake(due: Due): void {
    this.#wakes ??= { added: [], removed: [] };
    this.#wakes.removed.push(due);
  }

  decided(more: readonly Event[] = none): Decided<Event> {
    const router = this.#forRouter?.events();
    if (more.length === 0 && this.isEmpty && this.router.canary === undefined)
      return { events: none, answer: this };
    const events = this.isEmpty && more.length === 0 ? none : [this.event(), ...more];
    return router ? { events, twins: { router }, answer: this } : { events, answer: this };
  }

  /** With what its caller is told of each entry. */
  decidedWith(results: unknown, more: readonly Event[] = none): Decided<Event> {
    this.results = results;
    return this.decided(more);
  }

  /** How many items were changed for this reason. */
  countOf(cause: Cause): number {
    let count = 0;
    for (const change of this.#changes.values()) if (change.cause === cause) count++;
    return count;
  }

  event(): ChangedEvent {
    const changes: ChangeRow[] = [];
    for (const change of this.#changes.values()) changes.push(toChangeRow(change, this.state));
    const event: Writable<ChangedEvent> = { type: "changed", changes, order: this.#order };
    const groups = this.#groups?.changes();
    if (groups) event.groups = groups;
    if (this.#flows) event.flows = [...this.#flows];
    const classes = this.#classes?.filter(({ no }) => this.#asksFor(no));
    if (classes?.length) event.classes = classes;
    if (this.#wakes) event.wakes = this.#wakes;
    if (this.#virtualTime) event.virtualTime = this.#virtualTime;
    if (this.#remembered) event.remembered = this.#remembered;
    if (this.#finishes || this.#remembered) event.retentionMs = this.router.config.retention_seconds * 1_000;
    event[inMemory] = this.#changes;
    return event;
  }

  /** An entry that was debounced, skipped or replaced by a later one needs no class: no later step would count it down. */
  #asksFor(classNo: number): boolean {
    for (const { item, gone } of this.#changes.values())
      if (item.classNo === classNo && !gone && !isFinished(item)) return true;
    return false;
  }

  #countLease(before: Item | null, after: Item): void {
    const had = before?.lease ?? null;
    if (had && !after.lease) {
      for (const { id, cost } of before!.groups.concurrency) {
        this.groups.use(id, -cost);
        this.groups.free("concurrency", id, cost);
      }
      if (had.tat > 0) this.#keepCharge(before!.groups.throttle, had.tat);
      this.#countRecipient(had.recipient, -before!.cost, 0);
    } else if (!had && after.lease) {
      for (const { id, cost } of after.groups.concurrency) this.groups.use(id, cost);
      this.#countRecipient(after.lease.recipient, after.cost, 1);
    }
  }

  /** The lease that said how far its throttle key is charged is over: what still counts of it gets a row. */
  #keepCharge(groupId: string, tat: number): void {
    if (tat <= this.now - 1) return;
    const group = this.groups.throttle(groupId);
    // A later lease says more, or has left a row that does.
    if (group && tat >= group.tat) this.setGroup(nameOfGroup("throttle", groupId), group);
  }

  #countRecipient(id: string, cost: number, assigned: number): void {
    this.forRouter.countRecipient(id, this.state.leaseCost.get(id) ?? 0, cost, assigned);
  }

  #countDepth(before: Item | null, after: Item, gone: boolean): void {
    const was = before !== null && !isOver(before.state);
    const is = !gone && !isOver(after.state);
    this.bytes += (is ? after.bytes : 0) - (was ? before.bytes : 0);
    this.depth += (is && !after.lease ? 1 : 0) - (was && !before.lease ? 1 : 0);
  }

  /** It stopped waiting without a lease: items behind it in its groups may step forward. */
  #freeLine(item: Item): void {
    for (const { id, cost } of item.groups.concurrency) this.groups.free("concurrency", id, cost);
    if (item.groups.throttle) this.groups.free("throttle", item.groups.throttle, 1);
  }
}
