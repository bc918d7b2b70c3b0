import { assert, isRefusal, limits, newChildUlid, newUlid, Random, type Refusal } from "#base";
import type {
  Address,
  AnyActorDefinition,
  Caller,
  Context,
  Decided,
  Decision,
  EffectStep,
  KeyOf,
  Park,
  Range,
  RangeRef,
  RowKey,
  RowRef,
  StoredRow,
  ValueOf,
} from "#runtime";
import { type AskedEffect, EntityStore, idOf } from "./entity-store.ts";
import type { RowSet } from "./rows.ts";
import { seededSecret } from "./seeded-secret.ts";

/** Marks the end of a commit in the journal. */
const sealed = Symbol("sealed");
/** Bound of timers at one moment: more than any work in steps takes. */
const roundsMax = 1_000;

/**
 * Drives actor definitions synchronously and in memory: twins, rows, timers, outbox, parked commands, restarts. For
 * tests of what a module decides; durability, batching and failures are covered by the runtime's own tests.
 */
export class EntityDriver {
  now = 1_700_000_000_000;
  /** Collections whose rows commands asked for, in order. */
  readonly reads: string[] = [];
  /** Every event, as a journal would have it. */
  readonly #journal: { readonly address: Address; readonly event: unknown; readonly now: number }[] = [];
  readonly #definitions: Map<string, AnyActorDefinition>;
  readonly #store = new EntityStore();
  readonly #states = new Map<string, unknown>();
  readonly #parked = new Map<string, Parked[]>();
  #seed = 0;

  constructor(definitions: readonly AnyActorDefinition[]) {
    this.#definitions = new Map(definitions.map((definition) => [definition.kind, definition]));
  }

  /** Adds a kind of entity. */
  define(definition: AnyActorDefinition): void {
    this.#definitions.set(definition.kind, definition);
  }

  /** The answer, a refusal, or `"parked"`: then the later answer arrives in `later`. */
  ask(
    address: Address,
    method: string,
    request: unknown,
    options: { caller?: Partial<Caller>; later?: (answer: unknown) => void } = {},
  ): unknown {
    const definition = this.#definition(address.kind);
    const entry = definition.methods[method];
    assert(entry, `${address.kind} answers ${method}`);
    const caller = { ...testCaller(address.tenant), ...options.caller };
    const command = entry.command(request, caller);
    if (isRefusal(command)) return command;
    const respond: Run["respond"] = (context, events, answer, asked) =>
      structuredClone(entry.respond(this.state(address), events, asked, context, answer));
    const run = { address, command, caller, respond, later: options.later ?? (() => {}) };
    const answer = this.#run(run, false);
    this.#settle(address);
    return answer;
  }

  /** Runs a command as a timer or a message would. */
  tell(address: Address, command: unknown): Refusal | undefined {
    const answer = this.#run({ address, command, respond: () => undefined, later: () => {} }, false);
    this.#settle(address);
    return isRefusal(answer) ? answer : undefined;
  }

  /** Advances time; due timers fire in order. */
  advance(ms: number): void {
    const end = this.now + ms;
    let rounds = 0;
    for (let due = this.#nextDue(end); due !== undefined; due = this.#nextDue(end)) {
      rounds = due > this.now ? 0 : rounds + 1;
      assert(rounds < roundsMax, "time goes on: a timer does not ring again and again at the same moment");
      this.now = Math.max(this.now, due);
      this.#fireDue();
    }
    this.now = end;
  }

  /** Drops all memory; rows, timers and the outbox stay, as after a crash. Parked callers are gone. */
  restart(): void {
    this.#states.clear();
    this.#parked.clear();
  }

  state<T>(address: Address): T {
    const id = idOf(address);
    if (!this.#states.has(id)) this.#activate(address);
    return this.#states.get(id) as T;
  }

  get published(): EntityStore["published"] {
    return this.#store.published;
  }

  rows(address: Address, collection: string): RowSet {
    return this.#store.rows(address, collection);
  }

  /** Counts of all rows of a tenant, by entity and collection. */
  rowsOf(tenant: string): string[] {
    return this.#store.rowsOf(tenant);
  }

  /** Ids of the timers that an entity has set. */
  timers(address: Address): string[] {
    return [...this.#store.timers.values()]
      .filter((one) => idOf(one.address) === idOf(address))
      .map(({ id }) => id);
  }

  /** The effects that an entity has requested and that have not ended. */
  effects(address: Address): AskedEffect[] {
    return [...this.#store.effects.values()].filter((one) => idOf(one.address) === idOf(address));
  }

  /** Reports a step of an effect to the entity; returns the answer of a `begin`, or its refusal. */
  stepEffect(address: Address, step: EffectStep): unknown {
    const name = `${idOf(address)}#${step.id}`;
    const asked = this.#store.effects.get(name);
    assert(asked, `${step.id} is an effect of ${address.kind}`);
    const command = this.#definition(address.kind).onEffect?.(step);
    assert(command !== undefined, `${address.kind} has effects`);
    const respond: Run["respond"] = (_context, _events, answer) => structuredClone(answer);
    const answer = this.#run({ address, command, respond, later: () => {} }, false);
    if (step.type === "done" && this.#store.effects.get(name) === asked) this.#store.effects.delete(name);
    this.#settle(address);
    return answer;
  }

  #definition(kind: string): AnyActorDefinition {
    const definition = this.#definitions.get(kind);
    assert(definition, `there is a definition of ${kind}`);
    return definition;
  }

  #activate(address: Address): void {
    const definition = this.#definition(address.kind);
    const state = definition.empty(address);
    this.#states.set(idOf(address), state);
    for (const collection of definition.resident)
      for (const row of this.rows(address, collection).scan({ collection, limit: Number.MAX_SAFE_INTEGER }))
        definition.restore(state, row);
  }

  #run(run: Run, expired: boolean): unknown {
    const definition = this.#definition(run.address.kind);
    const loaded = new Map<string, unknown>();
    const seed = `seed-${this.#seed++}`;
    for (let round = 0; round <= limits.needRoundsMax; round++) {
      const unread: (RowRef | RangeRef)[] = [];
      const context = this.#context(run, loaded, seed, expired, unread);
      const decision = this.#decide(definition, run, context, unread);
      for (const ref of unread) loaded.set(refKey(ref), this.#load(run.address, ref));
      if (decision === undefined || unread.length > 0) continue;
      if (isRefusal(decision)) return decision;
      if ("park" in decision && !("events" in decision)) {
        assert(!expired, "a command that has waited out its time answers");
        this.#park(run, decision.park);
        return "parked";
      }
      this.#apply(run.address, decision);
      if (decision.park) {
        this.#park(run, decision.park);
        return "parked";
      }
      const after = this.#context(run, loaded, seed, expired);
      return run.respond(after, decision.events, decision.answer, run.command);
    }
    throw new Error(`a command asked for rows more than ${limits.needRoundsMax} times`);
  }

  /** A decision must not change its command: the same command may be decided again. */
  #decide(
    definition: AnyActorDefinition,
    { address, command }: Run,
    context: Context,
    unread: readonly unknown[],
  ): Decision<unknown> | undefined {
    const before = membersOf(command);
    let decision: Decision<unknown> | undefined;
    try {
      decision = definition.decide(this.state(address), command, context);
    } catch (error) {
      if (unread.length === 0) throw error;
    }
    const after = membersOf(command);
    const same = before.length === after.length && before.every((member, i) => Object.is(member, after[i]));
    assert(same, `${definition.kind} edits a command`);
    return decision;
  }

  #apply(address: Address, decided: Decided<unknown>): void {
    for (const event of decided.events) this.#applyOne(address, event);
    for (const [kind, events] of Object.entries(decided.twins ?? {}))
      for (const event of events) this.#applyOne({ ...address, kind }, event);
    for (const kind of [address.kind, ...Object.keys(decided.twins ?? {})])
      this.#beforeCommit({ ...address, kind });
  }

  #beforeCommit(address: Address): void {
    this.#journal.push({ address, event: sealed, now: this.now });
    this.#definition(address.kind).beforeCommit?.(this.state(address), this.#store.writer(address, this.now));
  }

  #applyOne(address: Address, event: unknown): void {
    const definition = this.#definition(address.kind);
    this.#journal.push({ address, event: structuredClone(event), now: this.now });
    definition.apply(this.state(address), structuredClone(event), this.#store.writer(address, this.now));
  }

  /** The collections of an entity whose rows differ from what `apply` makes of its events, starting empty. */
  unlikeReplay(address: Address): string[] {
    const replayed = new EntityDriver([...this.#definitions.values()]);
    for (const { address: at, event, now } of this.#journal) {
      if (idOf(at) !== idOf(address)) continue;
      replayed.now = now;
      if (event === sealed) replayed.#beforeCommit(at);
      else replayed.#applyOne(at, event);
    }
    const collections = this.#store.collectionsOf(address);
    const rowsIn = (driver: EntityDriver, collection: string) =>
      JSON.stringify(driver.rows(address, collection).scan({ collection, limit: Number.MAX_SAFE_INTEGER }));
    return collections.flatMap((collection) => {
      const [stored, applied] = [rowsIn(this, collection), rowsIn(replayed, collection)];
      return stored === applied ? [] : [`${collection}: stored ${stored}, applied ${applied}`];
    });
  }

  #load(address: Address, ref: RowRef | RangeRef): unknown {
    this.reads.push(ref.collection);
    const rows = this.rows(address, ref.collection);
    return "key" in ref ? rows.get(ref.key) : rows.scan(ref);
  }

  #context(
    run: Run,
    loaded: ReadonlyMap<string, unknown>,
    seed: string,
    expired: boolean,
    unread: (RowRef | RangeRef)[] = [],
  ): Context {
    const random = new Random(seed);
    let lastId = "";
    const read = (ref: RowRef | RangeRef): unknown => {
      const found = loaded.get(refKey(ref));
      if (found === undefined) unread.push(ref);
      return found;
    };
    const readAll = (refs: readonly (RowRef | RangeRef)[]): unknown[] => {
      const found = refs.map(read);
      if (found.includes(undefined)) throw new Error("rows that are not in memory");
      return found;
    };
    return {
      address: run.address,
      now: this.now,
      seed,
      expired,
      ...(run.caller && { caller: run.caller }),
      newId: (handle) => {
        if (handle === undefined) return newUlid(this.now, random);
        lastId = newChildUlid(this.now, handle, random, lastId);
        return lastId;
      },
      random: () => random.float(),
      secret: seededSecret(random),
      get: <Value>(collection: string, key: RowKey) => readAll([{ collection, key }])[0] as Value | null,
      getMany: <Value>(collection: string, keys: readonly RowKey[]) =>
        readAll(keys.map((key) => ({ collection, key }))) as (Value | null)[],
      scan: <Value, Key extends RowKey>(collection: string, range: Range) =>
        readAll([{ ...range, collection }])[0] as readonly StoredRow<Value, Key>[],
      prefetch: (refs) => void refs.map(read),
      row: <Name extends string>(ref: RowRef<Name>) => read(ref) as ValueOf<Name> | null | undefined,
      range: <Name extends string>(ref: RangeRef<Name>) =>
        read(ref) as readonly StoredRow<ValueOf<Name>, KeyOf<Name>>[] | undefined,
      twin: <T>(kind: string) => this.state<T>({ ...run.address, kind }),
      spend: () => {},
    };
  }

  #park(run: Run, { untilMs, command = run.command }: Park["park"]): void {
    const id = idOf(run.address);
    const parked = this.#parked.get(id) ?? [];
    this.#parked.set(id, [...parked, { run: { ...run, command }, untilMs }]);
  }

  /** What the runtime does after a change: deliver the outbox, then wake parked commands, until nothing changes. */
  #settle(address: Address): void {
    for (let sent = this.#store.outbox.shift(); sent; sent = this.#store.outbox.shift()) {
      const command = this.#definition(sent.to.kind).onMessage?.(sent.message, sent.from);
      assert(command !== undefined, `${sent.to.kind} takes messages`);
      const answer = this.#run(
        { address: sent.to, command, respond: () => undefined, later: () => {} },
        false,
      );
      assert(!isRefusal(answer), `${sent.to.kind} applies a message: ${JSON.stringify(answer)}`);
    }
    const kinds = [address.kind, ...(this.#definition(address.kind).twins ?? [])];
    for (const kind of kinds) this.#wake({ ...address, kind });
  }

  #wake(address: Address): void {
    const definition = this.#definitions.get(address.kind);
    for (let moved = true; moved && definition?.wake; ) {
      moved = false;
      const parked = this.#parked.get(idOf(address)) ?? [];
      if (parked.length === 0) return;
      const context = this.#context(
        { address, command: undefined, respond: () => 0, later: () => 0 },
        new Map(),
        "wake",
        false,
      );
      const woken = definition.wake(
        this.state(address),
        parked.map((waiting) => waiting.run.command),
        context,
      );
      for (const waiting of woken.map((index) => parked[index]!))
        moved = this.#retry(address, waiting, false) || moved;
    }
  }

  #retry(address: Address, waiting: Parked, expired: boolean): boolean {
    const id = idOf(address);
    const others = (this.#parked.get(id) ?? []).filter((other) => other !== waiting);
    this.#parked.set(id, others);
    const before = this.#journal.length;
    const answer = this.#run(waiting.run, expired);
    // A command that stays parked may have changed something all the same.
    if (answer === "parked") return this.#journal.length > before;
    waiting.run.later(answer);
    return true;
  }

  #nextDue(end: number): number | undefined {
    let due: number | undefined;
    for (const timer of this.#store.timers.values())
      if (timer.due <= end && timer.due < (due ?? Infinity)) due = timer.due;
    for (const parked of this.#parked.values())
      for (const waiting of parked)
        if (waiting.untilMs <= end && waiting.untilMs < (due ?? Infinity)) due = waiting.untilMs;
    return due;
  }

  #fireDue(): void {
    for (const [key, timer] of [...this.#store.timers]) {
      if (timer.due > this.now || this.#store.timers.get(key) !== timer) continue;
      this.#store.timers.delete(key);
      const command = this.#definition(timer.address.kind).onTimer?.(timer.id);
      assert(command !== undefined, `${timer.address.kind} takes timers`);
      this.tell(timer.address, command);
    }
    for (const [id, parked] of [...this.#parked])
      for (const waiting of parked)
        if (waiting.untilMs <= this.now && this.#parked.get(id)?.includes(waiting))
          this.#retry(waiting.run.address, waiting, true);
  }
}

/** Thrown where a decision asks for rows that were not loaded. */
interface Run {
  readonly address: Address;
  readonly command: unknown;
  readonly caller?: Caller;
  readonly respond: (
    context: Context,
    events: readonly unknown[],
    answer: unknown,
    command: unknown,
  ) => unknown;
  readonly later: (answer: unknown) => void;
}

interface Parked {
  readonly run: Run;
  readonly untilMs: number;
}

export function testCaller(tenant: string): Caller {
  return {
    tenant,
    subject: "tester",
    owner: "tester",
    principalKind: "user",
    requestId: "test",
    environmentMode: "any",
    platform: false,
  };
}

/** Names and values of all members, four levels deep: further down a command only refers to what others own. */
function membersOf(value: unknown, found: unknown[] = [], levels = 4): unknown[] {
  found.push(value);
  if (typeof value !== "object" || value === null || levels === 0) return found;
  for (const [name, member] of Object.entries(value)) {
    found.push(name);
    membersOf(member, found, levels - 1);
  }
  return found;
}

function refKey(ref: RowRef | RangeRef): string {
  return JSON.stringify(ref);
}
