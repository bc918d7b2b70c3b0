import { assert, type Refusal } from "#base";
import type { Address, AnyActorDefinition, Caller, EntityMethod } from "../actor.ts";
import type { Answer, Cancellation, IdempotencyRef } from "../ask.ts";
import type { EffectStep } from "../effects/effect.ts";
import { Fifo } from "../fifo.ts";
import { LazyMap } from "../lazy-map.ts";
import { shapeOf } from "../row-shape.ts";
import type { EffectRow } from "./effect-row.ts";
import { entityPartition, type Partition } from "./partition.ts";
import { Waiting } from "./waiting.ts";

/** Of an ownership term over a shard. */
export type ShardStatus = "opening" | "ready" | "dropped";

/** What a cell knows of the shard it is in. */
export interface CellShard {
  readonly status: ShardStatus;
  readonly commit: { readonly durableSeq: number };
  mailboxDepth: number;
  mailboxBytes: number;
  /** One turn of the cell. Returns how many commands it ran, large ones counted as several. */
  run(cell: Cell): number;
  /** Something of the runtime threw: the ownership term ends. */
  failed(error: unknown): void;
  forget(cell: Cell): void;
  forgetIdle(cell: Cell): void;
}

/** What a thread keeps of one tenant while it has cells of it: what waits, and which cells are ready to run. */
export interface TenantShare {
  readonly tenant: string;
  depth: number;
  bytes: number;
  /** Commands that wait inside its entities. */
  readonly waiting: Waiting;
  cells: number;
  readonly ready: Fifo<Cell>;
}

/**
 * The unit that runs: one entity, or the twins that share a key. Its commands run one after the other; it is evicted
 * when idle and comes back from its rows.
 */
export class Cell {
  readonly shard: CellShard;
  readonly hash: number;
  readonly tenant: string;
  readonly key: string;
  readonly family: readonly AnyActorDefinition[];
  readonly share: TenantShare;
  readonly entities: readonly Entity[];
  /** The next cell with the same hash. */
  next: Cell | undefined = undefined;
  status: "cold" | "loading" | "ready" = "cold";
  /** Waits for rows: nothing else of this cell runs meanwhile. */
  blocked = false;
  /** The command that waits for rows. */
  loading: Work | undefined = undefined;
  /** In the run queue, or in the list its shard keeps while it cannot run. */
  scheduled = false;
  /** Messages and timers; they run before what callers ask. */
  readonly system = new Fifo<Work>();
  /** Parked commands that were woken; they run before new ones. */
  readonly woken = new Fifo<AskWork>();
  readonly asks = new Fifo<AskWork>();
  /** Position of the last change: reads of the cell wait until it is durable. */
  lastSeq = 0;
  /** Something changed since parked commands were last looked at. */
  changed = false;
  /** When it was used last, on the monotonic clock. */
  touchedMs = 0;
  /** How many of the next asks have had their idempotency record looked up, and the read that keeps it true. */
  lookedUp = 0;
  lookupRead = 0;
  readonly parkedScopes = new LazyMap<string, AskWork>();
  /** When it failed lately, and until when it rests, on the monotonic clock: a clock that is set back makes no rest longer. */
  failures: number[] = [];
  isolatedUntilMs = 0;
  lastFailure = "";
  /** Bytes of the rows that its last activation read. */
  loadedBytes = 0;
  /** Index in the thread's list of resident cells; -1 while cold. */
  residentAt = -1;

  constructor(shard: CellShard, hash: number, address: Address, place: CellPlace) {
    const { family, share } = place;
    this.shard = shard;
    this.hash = hash;
    this.tenant = address.tenant;
    this.key = address.key;
    this.family = family;
    this.share = share;
    this.entities = family.map((definition) => new Entity(this, definition, address));
  }

  get idle(): boolean {
    if (this.blocked || this.scheduled || this.system.length + this.woken.length + this.asks.length > 0)
      return false;
    for (const entity of this.entities) if (entity.parked.length > 0) return false;
    return true;
  }

  entity(kind: string): Entity | undefined {
    for (const entity of this.entities) if (entity.address.kind === kind) return entity;
    return undefined;
  }
}

interface CellPlace {
  readonly family: readonly AnyActorDefinition[];
  readonly share: TenantShare;
}

export class Entity {
  readonly cell: Cell;
  readonly definition: AnyActorDefinition;
  readonly address: Address;
  state: unknown;
  /** What waits in the mailbox. */
  depth = 0;
  bytes = 0;
  readonly parked: AskWork[] = [];
  readonly waiting = new Waiting();
  /** The same commands as in `parked`, for `wake`. */
  readonly parkedCommands: unknown[] = [];
  /** Due times this activation knows; a timer that is not here is looked up in its row. */
  readonly timers = new LazyMap<string, number>();
  /** Effects that this activation has asked for, as their rows are; one that is not here is looked up in its row. */
  readonly effects = new LazyMap<string, EffectRow>();
  /** Last message number taken per source shard, as far as this activation knows. */
  readonly inbox = new LazyMap<number, number>();
  /** Source shards whose messages wait here, or at the gate. */
  readonly delivering = new LazyMap<number, boolean>();
  /** Events were applied since its last `beforeCommit`. */
  unwritten = false;
  /** Hours for which the shard already lists this entity as holding idempotency records. */
  recordHour = -1;
  /** The period for which the shard already lists this entity as having applied messages. */
  inboxHour = -1;
  readonly #partitions = new Map<string, Partition>();

  constructor(cell: Cell, definition: AnyActorDefinition, address: Address) {
    this.cell = cell;
    this.definition = definition;
    this.address = { kind: definition.kind, tenant: address.tenant, key: address.key };
  }

  partition(collection: string): Partition {
    let partition = this.#partitions.get(collection);
    if (partition === undefined) {
      partition = entityPartition(this.address, shapeOf(this.definition, collection));
      this.#partitions.set(collection, partition);
    }
    return partition;
  }

  /** Of the events it publishes. */
  get environment(): string {
    const twin = <T>(kind: string) => this.cell.entity(kind)!.state as T;
    return this.definition.environmentOf?.(this.state, twin) ?? "";
  }

  forget(): void {
    this.state = undefined;
    this.timers.clear();
    this.effects.clear();
    this.inbox.clear();
    this.recordHour = -1;
    this.inboxHour = -1;
    this.unwritten = false;
  }
}

type Origin = AskOrigin | MessageOrigin | TimerOrigin | EffectOrigin;

/** One command on its way: from a caller, from another entity's outbox, from a timer, or from an effect under way. */
export class Work<Of extends Origin = Origin> {
  readonly entity: Entity;
  readonly origin: Of;
  readonly bytes: number;
  /** Built once, from the request, when the work is first run. */
  command: unknown = undefined;
  built = false;
  expired = false;
  /** Shares its turn with no other command: one of those it shared the last one with failed it. */
  alone = false;
  rounds = 0;
  /** Why it cannot run: rows were read and could not be understood. */
  failure: unknown = undefined;
  /** Drawn once: a command that ran again after loading rows draws the same numbers. */
  seed = "";
  /** Rows and ranges loaded for this command, by name. */
  loaded: Map<string, unknown> | undefined = undefined;
  /** The stored idempotency record: its bytes, `null` for none, `undefined` while it has not been looked up. */
  record: Uint8Array | null | undefined = undefined;
  /** Why that could not be read. */
  recordFailure: unknown = undefined;
  /** The key of that record, once it is known. */
  recordKey: string | undefined = undefined;
  /** Counted among the commands that wait inside entities, as one of these. */
  waits: keyof Waiting | undefined = undefined;
  /** It waits, and some of what it does has happened. */
  begun = false;
  /** Requests with the same idempotency key that wait for this parked one. */
  followers: AskWork[] | undefined = undefined;
  unpark: (() => void) | undefined = undefined;
  /** Of a step of an effect: the effect as its row has it, `null` for none, `undefined` while it has not been looked up. */
  effect: EffectRow | null | undefined = undefined;
  /** Of a step of an effect that has run: what its handler is told when that is durable. */
  told: unknown = undefined;

  constructor(entity: Entity, origin: Of, bytes: number) {
    this.entity = entity;
    this.origin = origin;
    this.bytes = bytes;
  }
}

export type AskWork = Work<AskOrigin>;

export function isAsk(work: Work): work is AskWork {
  return work.origin.type === "ask";
}

/** Where only what a caller asks can come. */
export function asked(work: Work): AskWork {
  assert(isAsk(work), "a caller asks this");
  return work;
}

export interface AskOrigin {
  readonly type: "ask";
  readonly method: EntityMethod<unknown, unknown, unknown, unknown>;
  readonly request: unknown;
  readonly caller: Caller;
  readonly idempotency: IdempotencyRef | undefined;
  readonly deadlineMs: number;
  readonly signal: Cancellation | undefined;
  readonly reply: (answer: Answer) => void;
}

export interface MessageOrigin {
  readonly type: "message";
  readonly from: Address;
  readonly source: number;
  readonly number: number;
  readonly message: unknown;
  readonly delivery: DeliveryState;
  /** Called when the message has durably been applied, or refused by its target, or could not be handled now. */
  readonly reply: (refusal: Refusal | undefined) => void;
}

/** What the messages of one delivery share: after a failure the later ones are not applied. */
interface DeliveryState {
  remaining: number;
  refusal: Refusal | undefined;
}

export interface EffectOrigin {
  readonly type: "effect";
  readonly id: string;
  /** Which request under that id. */
  readonly asked: number;
  readonly step: EffectStep;
  /** Called when the step has durably been applied, or could not be. */
  readonly reply: (refusal: Refusal | undefined, answer?: unknown) => void;
}

export interface TimerOrigin {
  readonly type: "timer";
  readonly timerId: string;
  readonly dueMs: number;
}
