import { type Random, RefusalError } from "#base";
import type { WorkflowStreamServiceSubscribeRequest as Request } from "#protos";
import type { CallContext, StreamHandler } from "../../../actors/module.ts";
import type { Stage } from "../scenario.ts";
import { newOwner } from "../scheduler.ts";
import type { KnownStream, Message, RecordTold } from "./told.ts";

/**
 * Follows one stream through all crashes: leaves, comes back with its cursor, and starts over where that is too old.
 */
export class Reader {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly stream: KnownStream;
  readonly #subscribe: StreamHandler<Request>;
  readonly #context: () => CallContext;
  readonly #owner = newOwner("reader");
  #stop = new AbortController();
  #last = 0;
  stopped = false;
  /** True when it has read the stream to its end. */
  ended = false;

  constructor(
    stage: Stage,
    stream: KnownStream,
    parts: { readonly subscribe: StreamHandler<Request>; readonly context: () => CallContext },
  ) {
    this.#stage = stage;
    this.#random = stage.random;
    this.stream = stream;
    this.#subscribe = parts.subscribe;
    this.#context = parts.context;
  }

  get last(): number {
    return this.#last;
  }

  follow(settled = false): void {
    if (this.stopped || this.ended) return;
    if (this.stream.id === "") {
      this.#later(200, settled);
      return;
    }
    // A client that lost its state comes with an older cursor.
    if (!settled && this.#random.chance(0.1)) this.#last = this.#random.int(this.#last + 1);
    this.#stop = new AbortController();
    if (!settled)
      this.#stage.scheduler.schedule(this.#owner, this.#random.float() * 2_000, "leave", () => this.leave());
    void this.#read(settled).then(() => this.#later(settled ? 200 : this.#random.float() * 800, settled));
  }

  leave(): void {
    this.#stop.abort();
  }

  #later(ms: number, settled: boolean): void {
    this.#stage.scheduler.schedule(this.#owner, ms, "come back", () => this.follow(settled));
  }

  async #read(settled: boolean): Promise<void> {
    const { signal } = this.#stop;
    const { runId: run_id, id: stream_id } = this.stream;
    const request = { run_id, stream_id, after_sequence: this.#last, gone: "event" as const };
    const call = { ...this.#context(), signal };
    const frames = this.#subscribe(only(request), call)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await frames.next();
        if (done) return;
        // A client that has left gets nothing.
        if (!signal.aborted) this.#receive(value as Message);
        if (!settled && this.#random.chance(0.01))
          await this.#stage.scheduler.delay(this.#owner, this.#random.float() * 1_500, "read slowly");
        if (!signal.aborted && !this.ended) continue;
        await frames.return?.();
        return;
      }
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      const { code, detail, extra } = error.refusal;
      // A cut-off owner may know less than was told before.
      const isBehind = code === "INVALID_ARGUMENT" && Number(extra?.latest_sequence) >= this.stream.latestMin;
      const isNew = code === "NOT_FOUND" && this.stream.isNew;
      if (!signal.aborted && !passing.has(code) && !isBehind && !isNew)
        this.stream.violate(`a reader after ${this.#last} was refused: ${code} ${detail}`);
    }
  }

  #receive({ record, gone, end }: Message): void {
    const stream = this.stream;
    if (record) {
      const told = record as RecordTold;
      if (told.sequence !== this.#last + 1)
        stream.violate(`a reader got ${told.sequence} after ${this.#last}`);
      stream.tell(told);
      this.#last = told.sequence;
    } else if (gone) {
      const { requested_sequence, earliest_sequence } = gone as Record<string, number>;
      if (requested_sequence !== this.#last + 1 || earliest_sequence! <= requested_sequence)
        stream.violate(`a reader after ${this.#last} was told ${JSON.stringify(gone)}`);
      stream.floor(earliest_sequence!);
      this.#last = earliest_sequence! - 1;
    } else if (end) {
      if ((end as Record<string, number>).latest_sequence !== this.#last)
        stream.violate(`a reader after ${this.#last} was told the end ${JSON.stringify(end)}`);
      this.ended = true;
    }
  }
}

const passing = new Set(["UNAVAILABLE", "TIMEOUT", "RATE_LIMITED", "INTERNAL"]);

async function* only(request: Request): AsyncGenerator<Request> {
  yield request;
}
