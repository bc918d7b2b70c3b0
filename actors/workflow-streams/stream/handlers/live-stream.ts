import { setTimeout as pause } from "node:timers/promises";
import { isRefusal, limits, type Refusal } from "#base";
import type { ReadRecordsResponse, StreamRecord } from "#protos";
import type { Caller } from "#runtime";
import { tryAsk } from "../../../kit/ask.ts";
import type { CallContext } from "../../../module.ts";
import { moduleCaller } from "../record.ts";
import { readRecords } from "../service.ts";

/** An answer of `Subscribe`; all subscribers of a thread get the same one, so that it is written once. */
interface LiveRecord {
  readonly record: StreamRecord;
}

/** What a subscriber is of. */
interface Scope {
  readonly run_id: string;
  readonly stream_id: string;
}

/** Lets some time pass. */
type Rest = (ms: number) => Promise<unknown>;

/** The streams that this thread has subscribers of: one question to the entity waits for all of them. */
export class LiveStreams {
  readonly #streams = new Map<string, LiveStream>();
  readonly #rest: Rest;

  constructor(rest: Rest = pause) {
    this.#rest = rest;
  }

  /** Comes before the backfill: from here on every record after `latest` arrives. A reader that joins also leaves. */
  join(scope: Scope, call: CallContext, latest: number): LiveStream {
    const key = `${call.caller.tenant}/${scope.stream_id}`;
    let stream = this.#streams.get(key);
    if (stream === undefined) {
      const left = () => this.#streams.get(key) === made && this.#streams.delete(key);
      const made = new LiveStream(scope, call, { latest, left, rest: this.#rest });
      stream = made;
      this.#streams.set(key, stream);
    }
    stream.readers++;
    return stream;
  }
}

interface Kept {
  readonly latest: number;
  readonly left: () => unknown;
  readonly rest: Rest;
}

/**
 * The end of one stream as this thread knows it. Subscribers take from it what comes after their own position, and read rows
 * where it does not reach back so far: nothing is kept for a slow one, and no other reader waits for it.
 */
export class LiveStream {
  readers = 0;
  isClosed = false;
  /** Why there is no more of it: the stream was purged. */
  refusal: Refusal | undefined;
  latest: number;
  readonly #scope: Scope;
  readonly #call: Pick<CallContext, "asker" | "clock">;
  readonly #caller: Caller;
  readonly #left: () => unknown;
  readonly #rest: Rest;
  readonly #records: LiveRecord[] = [];
  readonly #sizes: number[] = [];
  #bytes = 0;
  readonly #waiting = new Set<() => void>();
  readonly #gone = new AbortController();

  constructor(scope: Scope, { asker, clock, caller }: CallContext, { latest, left, rest }: Kept) {
    this.#scope = scope;
    this.#call = { asker, clock };
    this.#caller = moduleCaller(caller);
    this.latest = latest;
    this.#left = left;
    this.#rest = rest;
    void this.#follow();
  }

  leave(): void {
    if (--this.readers > 0) return;
    this.#left();
    this.#gone.abort();
  }

  /** The records after this one; `undefined`: rows have to be read. */
  after(sequence: number): readonly LiveRecord[] | undefined {
    if (sequence >= this.latest) return none;
    const first = this.latest - this.#records.length + 1;
    return sequence + 1 >= first ? this.#records.slice(sequence + 1 - first) : undefined;
  }

  /** Calls back at the next change. */
  onChange(changed: () => void): void {
    this.#waiting.add(changed);
  }

  forget(changed: () => void): void {
    this.#waiting.delete(changed);
  }

  async #follow(): Promise<void> {
    while (!this.#gone.signal.aborted && !this.isClosed && this.refusal === undefined) {
      const answer = await this.#ask().catch(() => undefined);
      if (answer === undefined) await this.#rest(limits.streamLiveRetryMs);
      else if (!isRefusal(answer)) this.#receive(answer.response);
      else if (answer.code === "NOT_FOUND") this.#refuse(answer);
      else if (!this.#catchUp(answer)) await this.#rest(limits.streamLiveRetryMs);
    }
  }

  #ask() {
    const { asker, clock } = this.#call;
    const deadlineMs = clock.now() + limits.streamLiveWaitMs + limits.longPollGraceMs;
    const request = {
      run_id: this.#scope.run_id,
      stream_id: this.#scope.stream_id,
      after_sequence: this.latest,
      limit: limits.streamLiveRecordsMax,
      wait_ms: limits.streamLiveWaitMs,
    };
    const call = { asker, caller: this.#caller, deadlineMs, signal: this.#gone.signal };
    return tryAsk(call, readRecords, { key: request.stream_id, request });
  }

  #receive({ records, closed, latest_sequence }: ReadRecordsResponse): void {
    for (const record of records) {
      const size = JSON.stringify(record).length;
      this.#records.push({ record });
      this.#sizes.push(size);
      this.#bytes += size;
      this.latest = record.sequence;
    }
    while (
      this.#records.length > 1 &&
      (this.#records.length > limits.streamLiveRecordsMax || this.#bytes > limits.streamLiveBytesMax)
    ) {
      this.#records.shift();
      this.#bytes -= this.#sizes.shift()!;
    }
    this.isClosed = closed && this.latest === latest_sequence;
    if (records.length > 0 || this.isClosed) this.#wake();
  }

  /** Retention has passed even this: subscribers read rows, and are told so. */
  #catchUp({ code, extra }: Refusal): boolean {
    const latest = extra?.latest_sequence;
    if (code !== "CURSOR_EXPIRED" || typeof latest !== "number") return false;
    this.#records.length = 0;
    this.#sizes.length = 0;
    this.#bytes = 0;
    this.latest = latest;
    this.#wake();
    return true;
  }

  /** Its subscribers are told, and those who come next ask for themselves. */
  #refuse(refusal: Refusal): void {
    this.refusal = refusal;
    this.#left();
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const changed of waiting) changed();
  }
}

const none: readonly LiveRecord[] = [];
