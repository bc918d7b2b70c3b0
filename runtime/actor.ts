import type { Refusal, TuplePart } from "#base";
import type { Address } from "./address.ts";
import type { EffectRequest, EffectStep } from "./effects/effect.ts";
import type { ShapeStep } from "./row-shape.ts";

export type { Address } from "./address.ts";

/**
 * What a module says about one kind of entity. `decide`, `apply`, `beforeCommit`, `restore` and `respond` are synchronous and pure
 * but for edits of their own state inside `apply`, `beforeCommit` and `restore`. `Given` is what comes from outside: a request, a
 * message, the result of an effect. A module names the types of its own there.
 */
export interface ActorDefinition<State, Command, Event, Given = never> {
  readonly kind: string;
  /** Entities of one tenant placed by "tenant" share a shard; placed by "key", those with the same key do. */
  readonly placement: "key" | "tenant";
  /** Kinds with the same placement that are activated together and may be changed in one commit. */
  readonly twins?: readonly string[];
  readonly empty: (address: Address) => State;
  /** Rows read whole at activation; the others are read when a decision asks its context for them. */
  readonly resident: readonly string[];
  readonly restore: (state: State, row: StoredRow) => void;
  /**
   * By collection and version: leads from that version of its values to the next. A collection's version is one more
   * than the number of its steps; rows are read in today's shape, and written in it when they next change.
   */
  readonly shapeSteps?: Readonly<Record<string, Readonly<Record<number, ShapeStep>>>>;
  /**
   * Roughly how many bytes of memory this state takes beyond an empty one, from counts that are at hand: idle entities
   * are evicted by it. Absent: all states of this kind are small.
   */
  readonly bytesOf?: (state: State) => number;
  /** In which environment it is: that of the events it publishes. Absent: in none, and events say so where they are in one. */
  readonly environmentOf?: (state: State, twin: <T>(kind: string) => T) => string | undefined;
  /**
   * After so long without a command an idle one is evicted, where that is sooner than others are: for kinds of which very many
   * wait for something at a time.
   */
  readonly restMs?: number;
  readonly decide: (state: State, command: Command, context: Context) => Decision<Event>;
  readonly apply: (state: State, event: Event, rows: RowWriter) => void;
  /**
   * After the last event of a commit: writes what every commit writes once, however many events it has. What an entity
   * knows at this point and has not written is lost with its memory.
   */
  readonly beforeCommit?: (state: State, rows: RowWriter) => void;
  /** By method name (`PoolService.GetPool`): what callers may ask. */
  readonly methods: Readonly<Record<string, EntityMethod<State, Command, Event, Given>>>;
  /** A message from another entity's outbox, applied once. */
  readonly onMessage?: (message: Given, from: Address) => Command;
  readonly onTimer?: (timerId: string) => Command;
  /** An effect asked for by `rows.effect` begins or is done; the `answer` of a `begin` is what its handler is told. */
  readonly onEffect?: (step: EffectStep<Given>) => Command;
  /** After every change: which parked commands to run again now, in this order (indexes into `parked`). */
  readonly wake?: (state: State, parked: readonly Command[], context: Context) => readonly number[];
}

export interface EntityMethod<State, Command, Event, Given = never> {
  readonly command: (request: Given, caller: Caller) => Command | Refusal;
  /** `answer`: what `decide` handed over. */
  readonly respond: (
    state: State,
    events: readonly Event[],
    command: Command,
    context: Context,
    answer: unknown,
  ) => unknown;
  /** Waits for a fenced no-op commit first, so that a cut-off owner cannot answer. */
  readonly confirmed?: boolean;
  /**
   * What `respond` makes stays as it is: it shares nothing with the state that anybody edits later. Of others a copy waits at the
   * gate. The simulator looks whether it is so.
   */
  readonly fresh?: boolean;
}

export type Decision<Event> =
  /** The events happen, now and together; none: a read. */
  | Decided<Event>
  | Refusal
  /** Not now: run again when `wake` names it, or at `untilMs` with `context.expired` set. */
  | Park;

export interface Decided<Event> {
  readonly events: readonly Event[];
  /** What `decide` worked out for the answer: given to `respond`, computed once. */
  readonly answer?: unknown;
  /** Events of twins, by kind, in the same commit. */
  readonly twins?: Readonly<Record<string, readonly unknown[]>>;
  /** The reply waits until the outbox messages of these events have been applied by their targets. */
  readonly awaitDelivery?: boolean;
  /** The caller got nothing, and may get something later: the answer is not stored under its idempotency key. */
  readonly unrecorded?: true;
  /** It deletes: while the disk is full it is let through, into room that is kept for it, and all others are refused. */
  readonly frees?: true;
  /** Not answered yet: the events happen, and the command waits as a parked one does. */
  readonly park?: Park["park"];
}

export interface Park {
  readonly park: {
    readonly untilMs: number;
    /** Counted in a bound of its own (`watchingMax`): who only watches takes no place of those that wait for work. */
    readonly watches?: true;
    /** What waits and runs again in place of the command: what it is to remember until then. */
    readonly command?: unknown;
  };
}

export interface RowRef<Name extends string = string> {
  readonly collection: Name;
  readonly key: readonly TuplePart[];
}

export interface RangeRef<Name extends string = string> extends Range {
  readonly collection: Name;
}

export interface Range {
  /** Rows whose key starts with these parts. */
  readonly prefix?: readonly TuplePart[];
  /** Whole keys, in key order whichever way it is read: `from` is inside the range, `to` is its exclusive end. */
  readonly from?: readonly TuplePart[];
  readonly to?: readonly TuplePart[];
  readonly limit: number;
  readonly reverse?: boolean;
}

export type RowKey = readonly TuplePart[];

declare const shape: unique symbol;

/** The name of rows of one kind, which says what their keys and values are. */
export type Rows<Value, Key extends RowKey = readonly [string]> = string & {
  readonly [shape]: readonly [Value, Key];
};

export type KeyOf<Name> = Name extends Rows<infer _, infer Key> ? Key : RowKey;
export type ValueOf<Name> = Name extends Rows<infer Value, infer _> ? Value : unknown;

export function rowsOf<Value, Key extends RowKey = readonly [string]>(name: string): Rows<Value, Key> {
  return name as Rows<Value, Key>;
}

/** Key and value are read when they are asked for; one that cannot be understood throws then, which its entity answers for. */
export interface StoredRow<Value = unknown, Key extends RowKey = RowKey> {
  readonly collection: string;
  readonly key: Key;
  readonly value: Value;
}

export function isRowOf<Value, Key extends RowKey>(
  row: StoredRow,
  rows: Rows<Value, Key>,
): row is StoredRow<Value, Key> {
  return row.collection === rows;
}

export interface Context {
  readonly address: Address;
  /** Shard time: never goes back, journaled with the events. */
  readonly now: number;
  /** Journaled with the events; `newId` and `random` draw from it, `secret` does not. */
  readonly seed: string;
  /** Who asks; absent for timers and messages. */
  readonly caller?: Caller | undefined;
  /** True when a parked command has waited out its time. */
  readonly expired: boolean;
  /** A new ULID that carries `handle` at characters 10..17, or a plain one. Those of one handle ascend within a command. */
  newId(handle?: string): string;
  /** A number in [0, 1) from the seed. */
  random(): number;
  /**
   * This many bytes of the operating system's generator, in base64url. Nothing that callers see determines them, unlike
   * what `newId` and `random` draw. An event holds what was drawn, so the journal has it.
   */
  secret(bytes: number): string;
  /**
   * The value of a row, `null` where there is none. A row that is not in memory ends this run of the decision: it is read, and
   * the decision runs again. The same holds for `getMany` and `scan`; only `decide` may call them.
   */
  get<Value, Key extends RowKey>(rows: Rows<Value, Key>, key: Key): Value | null;
  getMany<Value, Key extends RowKey>(rows: Rows<Value, Key>, keys: readonly Key[]): readonly (Value | null)[];
  scan<Value, Key extends RowKey>(rows: Rows<Value, Key>, range: Range): readonly StoredRow<Value, Key>[];
  /** Names what the decision is going to read, so that all of it is read at once. */
  prefetch(refs: readonly (RowRef | RangeRef)[]): void;
  /**
   * As `get`, and `undefined` where the row is not in memory: the decision goes on, to find what else it needs, and runs again
   * with all of it. What a run without all of its rows decides or throws counts for nothing.
   */
  row<Name extends string>(ref: RowRef<Name>): ValueOf<Name> | null | undefined;
  range<Name extends string>(
    ref: RangeRef<Name>,
  ): readonly StoredRow<ValueOf<Name>, KeyOf<Name>>[] | undefined;
  /** The state of a twin: to read, never to change. */
  twin<T>(kind: string): T;
  /** Tells of work beyond that of an ordinary command, in steps of a quarter of a microsecond: the turn ends the sooner. */
  spend(steps: number): void;
}

/** What an event changes in the tables, as whole values; recorded in the journal with the event. */
export interface RowWriter {
  readonly now: number;
  /** A list stays as it is until the commit ends: rows and events that have the very same one share it in the journal. */
  put<Name extends string>(rows: Name, key: KeyOf<Name>, value: ValueOf<Name>): void;
  delete<Name extends string>(rows: Name, key: KeyOf<Name>): void;
  deletePrefix(collection: string, prefix: readonly TuplePart[]): void;
  deleteRange(collection: string, from: readonly TuplePart[], to: readonly TuplePart[]): void;
  /** Replaces an earlier timer of the same id. */
  setTimer(timerId: string, dueMs: number): void;
  clearTimer(timerId: string): void;
  /** To be done outside once this is durable: at least once, and told to `onEffect`. Replaces one of the same id. */
  effect(id: string, effect: EffectRequest): void;
  /** It is not wanted any more: not run again, and what an attempt under way returns is refused. */
  endEffect(id: string): void;
  /** Delivered at least once and applied once by its target, also after a crash. */
  send(to: Address, message: unknown): void;
  /** An event for subscribers (`EventService.Subscribe`), kept with the commit. `environment`: where the entity has records of several. */
  publish(kind: string, subject: string, payload: unknown, environment?: string): void;
  /** Reaches every thread and node within a second. */
  broadcast(topic: string, payload: unknown): void;
}

/** An entity of the caller's tenant that hears how what a call starts has ended; `ref` is its own. */
export interface Origin {
  readonly kind: string;
  readonly key: string;
  readonly ref: string;
}

/** What an entity may know of its caller. */
export interface Caller {
  readonly tenant: string;
  readonly principalKind: "user" | "api_key" | "service" | "anonymous" | "module";
  readonly subject: string;
  /** Who answers for the subject: the maker of an API key, else the subject. Two persons are two owners. */
  readonly owner: string;
  readonly requestId: string;
  /** From `X-Environment`; absent means the caller named none. */
  readonly environment?: string;
  readonly environmentMode: "any" | "production_only" | "non_production_only";
  readonly platform: boolean;
  readonly origin?: Origin;
  /** The call's place in a trace, as a W3C `traceparent`; absent: it is not traced. */
  readonly trace?: string;
}

/** Checks the shape of a definition against its own types and hides them, so that a runtime can hold many. */
export function defineActor<State, Command, Event>(
  definition: ActorDefinition<State, Command, Event>,
): AnyActorDefinition {
  return definition as unknown as AnyActorDefinition;
}

export type AnyActorDefinition = ActorDefinition<unknown, unknown, unknown, unknown>;
