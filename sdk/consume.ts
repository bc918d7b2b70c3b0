import { SwitchyardError } from "./errors.ts";
import { follow } from "./follow.ts";
import type { StreamGone, StreamRecord, StreamsModule } from "./generated.ts";
import { persistently } from "./retry.ts";
import type { Transport } from "./transport.ts";

export interface ConsumeOptions {
  /** Its acknowledgement is kept by the server: it goes on where it has come to, also in another process. */
  readonly consumer: string;
  /** Begins after this sequence instead of its acknowledgement. */
  readonly after?: number;
  /** Records between two acknowledgements, at most. Default 100. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
  /** Retention has removed the next records: returns the sequence to go on after. Default: it throws CURSOR_EXPIRED. */
  readonly onGone?: (gone: StreamGone) => number | Promise<number>;
}

export type RecordHandler = (record: StreamRecord) => unknown;

export interface ConsumeParts {
  readonly transport: Transport;
  readonly streams: Pick<StreamsModule, "putConsumer" | "ack">;
}

/**
 * Hands the records of a stream to the handler, each once and in order, and acknowledges what was handled. Ends with the stream,
 * or by the signal. What a process had handled and not acknowledged when it died comes again.
 */
export async function consume(
  { transport, streams }: ConsumeParts,
  { run_id, stream_id }: StreamAddress,
  options: ConsumeOptions,
  handler: RecordHandler,
): Promise<void> {
  const { consumer, batch = 100, signal, onGone } = options;
  const own = { run_id, stream_id, consumer_id: consumer };
  const { acknowledged_sequence: stored } = await persistently(() => streams.putConsumer(own), signal);
  const progress = new Acknowledged(stored, (sequence) => streams.ack({ ...own, sequence }));
  progress.handled = options.after ?? stored;
  const timer = setInterval(() => void progress.tell().catch(() => {}), tellEveryMs);
  const base = `/api/workflow-streams/runs/${encodeURIComponent(run_id)}/streams/${encodeURIComponent(stream_id)}`;
  try {
    for (let isOver = false; !isOver && !signal?.aborted; ) {
      isOver = true;
      const path = `${base}/subscribe?gone=event&after_sequence=${progress.handled}`;
      for await (const { event, data } of follow(transport, { path, last: "end", signal })) {
        if (event === "gone") {
          const gone: StreamGone = JSON.parse(data);
          if (onGone === undefined) throw goneError(gone);
          progress.handled = await onGone(gone);
          isOver = false;
          break;
        }
        if (event !== "record") continue;
        const record: StreamRecord = JSON.parse(data);
        // A connection that was opened anew begins where the address says, if nothing had come by the old one.
        if (record.sequence <= progress.handled) continue;
        await handler(record);
        progress.handled = record.sequence;
        if (signal?.aborted) break;
        if (progress.unacknowledged >= batch) await progress.tell();
      }
    }
    await persistently(() => progress.tell(true), signal);
  } catch (error) {
    // What was handled is acknowledged, whatever ended it.
    await progress.tell().catch(() => {});
    throw error;
  } finally {
    clearInterval(timer);
  }
}

interface StreamAddress {
  readonly run_id: string;
  readonly stream_id: string;
}

/** How far a consumer is, and what the server knows of it. */
class Acknowledged {
  handled = 0;
  #acknowledged: number;
  readonly #send: (sequence: number) => Promise<unknown>;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(acknowledged: number, send: (sequence: number) => Promise<unknown>) {
    this.#acknowledged = acknowledged;
    this.#send = send;
  }

  get unacknowledged(): number {
    return this.handled - this.#acknowledged;
  }

  /** One after the other, since they only go forward. One that gets no answer is made up for by the next, unless it `must`. */
  async tell(must = false): Promise<void> {
    const sent = this.#sending.then(async () => {
      const sequence = this.handled;
      if (sequence <= this.#acknowledged) return;
      await this.#send(sequence);
      this.#acknowledged = sequence;
    });
    this.#sending = sent.catch(() => {});
    try {
      await sent;
    } catch (error) {
      if (must || !(error instanceof SwitchyardError) || !error.retryable) throw error;
    }
  }
}

/** A record that was handled is acknowledged within this time. */
const tellEveryMs = 1_000;

function goneError({ requested_sequence, earliest_sequence, resync_reason }: StreamGone): SwitchyardError {
  return new SwitchyardError({
    code: "CURSOR_EXPIRED",
    reason: resync_reason,
    detail: `record ${requested_sequence} is not kept any more; the first one that is has the sequence ${earliest_sequence}`,
    status: 410,
  });
}
