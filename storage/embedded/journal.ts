import { StorageError } from "../error.ts";
import type { Journal, JournalBatch, JournalEntry, OpenedShard } from "../journal.ts";
import type { PortClient } from "../port.ts";
import type { Tables } from "../tables.ts";
import type { ControlRequest } from "./control.ts";
import type { Fence } from "./fence.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { JournalReader } from "./reader.ts";

/** A worker's journal: appends go to its own segments; the host does everything else. */
export class EmbeddedJournal implements Journal {
  readonly #control: PortClient<ControlRequest>;
  readonly #fence: Fence;
  readonly #writer: JournalWriter;
  readonly #tables: Tables;
  readonly #reader: JournalReader;
  #trims: Trims | undefined;

  constructor(control: PortClient<ControlRequest>, fence: Fence, writer: JournalWriter, tables: Tables) {
    this.#control = control;
    this.#fence = fence;
    this.#writer = writer;
    this.#tables = tables;
    this.#reader = new JournalReader((shard) => control.call({ type: "files", shard }), fence);
  }

  /** The membership view is not used: the folder's lock keeps other processes out. */
  async open(shards: readonly number[], _view: number): Promise<readonly OpenedShard[]> {
    const opened = await this.#control.call<OpenedShard[]>({ type: "open", shards });
    for (const shard of opened) this.#writer.opened(shard);
    this.#reader.refresh();
    return opened;
  }

  append(batch: JournalBatch): Promise<void> {
    return this.#writer.append(batch);
  }

  replay(shard: number, after: number): AsyncIterable<JournalEntry> {
    return this.#reader.replay(shard, after);
  }

  async trim(shard: number, epoch: number, upTo: number): Promise<void> {
    if (!this.#fence.holds(shard, epoch))
      throw new StorageError("fenced", `shard ${shard} has another owner than epoch ${epoch}`);
    // Entries that are not in the synced tables are kept, even if the caller asks to trim them.
    const stored = await this.#tables.watermark(shard);
    await this.#trim(shard, Math.min(upTo, stored));
  }

  /** The trims of one iteration of the event loop are sent as one message. */
  #trim(shard: number, upTo: number): Promise<void> {
    if (!this.#trims) {
      const marks: Trims["marks"] = new Map();
      const sent = new Promise<void>((resolve) => {
        setImmediate(() => {
          this.#trims = undefined;
          resolve(this.#control.call({ type: "trim", marks: [...marks] }));
        });
      });
      this.#trims = { marks, sent };
    }
    this.#trims.marks.set(shard, upTo);
    return this.#trims.sent;
  }
}

interface Trims {
  readonly marks: Map<number, number>;
  readonly sent: Promise<void>;
}
