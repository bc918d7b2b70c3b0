import { assert, newChildUlid, newSeed, newUlid, Random, seedWords } from "#base";
import type {
  Address,
  Caller,
  Context,
  KeyOf,
  Range,
  RangeRef,
  RowKey,
  RowRef,
  Rows,
  StoredRow,
  ValueOf,
} from "../actor.ts";
import type { World } from "../world.ts";
import type { Entity, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { nameOfRange, nameOfRow } from "./load.ts";
import { keyOf, type Partition } from "./partition.ts";

/** Rows as the next command finds them, where they are in memory. */
interface BufferedRows {
  buffered(partition: Partition, key: string): Uint8Array | null | undefined;
}

/** Thrown where a decision cannot go on without rows that are not in memory; `takeUnread` has their names. */
const unread = Symbol("rows that are not in memory");

/** What a decision may know. One object serves all commands of a shard in turn; a seed is drawn only when it is used. */
export class CommandContext implements Context {
  address!: Address;
  now = 0;
  caller: Caller | undefined = undefined;
  expired = false;
  readonly #rows: BufferedRows;
  readonly #world: World;
  #entity!: Entity;
  #loaded: Map<string, unknown> | undefined;
  #work: Work | undefined;
  #seed = "";
  #draws: Random | undefined;
  #lastId = "";
  #spent = 0;
  #unread: (RowRef | RangeRef)[] = [];

  constructor(rows: BufferedRows, world: World) {
    this.#rows = rows;
    this.#world = world;
  }

  begin(entity: Entity, work: Work | undefined, now: number): void {
    this.address = entity.address;
    this.now = now;
    this.caller = work?.origin.type === "ask" ? work.origin.caller : undefined;
    this.expired = work?.expired ?? false;
    this.#entity = entity;
    this.#loaded = work?.loaded;
    this.#work = work;
    this.#seed = "";
    this.#draws = undefined;
    this.#lastId = "";
    if (this.#unread.length > 0) this.#unread = [];
  }

  get seed(): string {
    if (this.#seed === "") {
      this.#seed = this.#work?.seed || newSeed(this.#world.random);
      if (this.#work !== undefined) this.#work.seed = this.#seed;
    }
    return this.#seed;
  }

  /** The seed if anything was drawn from it: what the journal keeps. */
  get usedSeed(): string {
    return this.#seed;
  }

  newId(handle?: string): string {
    if (handle === undefined) return newUlid(this.now, this.#random());
    this.#lastId = newChildUlid(this.now, handle, this.#random(), this.#lastId);
    return this.#lastId;
  }

  random(): number {
    return this.#random().float();
  }

  secret(bytes: number): string {
    return this.#world.secret(bytes);
  }

  get<Value, Key extends RowKey>(rows: Rows<Value, Key>, key: Key): Value | null {
    const found = this.row({ collection: rows, key });
    if (found === undefined) throw unread;
    return found as Value | null;
  }

  getMany<Value, Key extends RowKey>(
    rows: Rows<Value, Key>,
    keys: readonly Key[],
  ): readonly (Value | null)[] {
    const values = keys.map((key) => this.row({ collection: rows, key }) as Value | null);
    if (values.includes(undefined as never)) throw unread;
    return values;
  }

  scan<Value, Key extends RowKey>(rows: Rows<Value, Key>, range: Range): readonly StoredRow<Value, Key>[] {
    const found = this.range({ ...range, collection: rows });
    if (found === undefined) throw unread;
    return found as readonly StoredRow<Value, Key>[];
  }

  prefetch(refs: readonly (RowRef | RangeRef)[]): void {
    for (const ref of refs)
      if ("key" in ref) this.row(ref);
      else this.range(ref);
  }

  /** It asked for rows that are not in memory: whatever it decided or threw, it decides again with them. */
  get lacksRows(): boolean {
    return this.#unread.length > 0;
  }

  /** What the decision asked for and did not get. */
  takeUnread(): readonly (RowRef | RangeRef)[] {
    const needed = this.#unread;
    this.#unread = [];
    return needed;
  }

  row<Name extends string>(ref: RowRef<Name>): ValueOf<Name> | null | undefined {
    const found = this.#find(ref);
    if (found === undefined) this.#unread.push(ref);
    return found as ValueOf<Name> | null | undefined;
  }

  #find(ref: RowRef): unknown {
    const partition = this.#entity.partition(ref.collection);
    const key = keyOf(ref.key);
    if (this.#loaded !== undefined) {
      const found = this.#loaded.get(nameOfRow(partition, key));
      if (found !== undefined) return found;
    }
    const bytes = this.#rows.buffered(partition, key);
    return bytes instanceof Uint8Array ? unpackValue(bytes, partition) : bytes;
  }

  range<Name extends string>(
    ref: RangeRef<Name>,
  ): readonly StoredRow<ValueOf<Name>, KeyOf<Name>>[] | undefined {
    const found = this.#loaded?.get(nameOfRange(ref));
    if (found === undefined) this.#unread.push(ref);
    return found as readonly StoredRow<ValueOf<Name>, KeyOf<Name>>[] | undefined;
  }

  twin<T>(kind: string): T {
    const twin = this.#entity.cell.entity(kind);
    assert(twin !== undefined, `${kind} is a twin of ${this.address.kind}`);
    return twin.state as T;
  }

  spend(steps: number): void {
    this.#spent += steps;
  }

  /** What the commands since the last look did beyond the ordinary, in ordinary commands. */
  takeSpent(commandSteps: number): number {
    const commands = Math.floor(this.#spent / commandSteps);
    this.#spent = 0;
    return commands;
  }

  #random(): Random {
    this.#draws ??= new Random(seedWords(this.seed));
    return this.#draws;
  }
}
