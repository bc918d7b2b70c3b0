import { limits, toFault } from "#base";
import { sizeOfPlain } from "#runtime";
import { batchError } from "../../kit/batch.ts";
import { type CallContext, RefusedMessage, type StreamHandler } from "../../module.ts";
import { resultOf, routeAll } from "./handlers/routes.ts";
import type { RouteMessage } from "./wire.ts";

interface StreamRequest {
  readonly ref: string;
  readonly route: RouteMessage & { readonly pool_id: string };
}

/**
 * Routes what has come in since the last answer in one question per pool: the busier the stream, the larger its batches.
 * Reading stops while a full batch waits, so a fast sender is held back by its own connection.
 */
export const routeStream: StreamHandler = async function* (requests, call) {
  const inbox = new Inbox(requests as AsyncIterable<Incoming>);
  try {
    for (let batch = await inbox.take(); batch.length > 0; batch = await inbox.take()) {
      const sound: StreamRequest[] = [];
      for (const request of batch)
        if (request instanceof RefusedMessage) yield refused(request);
        else sound.push(request);
      for (const [poolId, entries] of byPool(sound)) yield* answersOf(poolId, entries, call);
    }
  } finally {
    inbox.close();
  }
};

/** One request that breaks the contract is answered by itself. */
function refused({ message, refusal }: RefusedMessage) {
  const { ref } = message as Partial<StreamRequest>;
  return { ref: typeof ref === "string" ? ref : "", error: batchError(refusal) };
}

function byPool(batch: readonly StreamRequest[]): Map<string, StreamRequest[]> {
  const groups = new Map<string, StreamRequest[]>();
  for (const request of batch) {
    const group = groups.get(request.route.pool_id);
    if (group) group.push(request);
    else groups.set(request.route.pool_id, [request]);
  }
  return groups;
}

async function* answersOf(poolId: string, entries: readonly StreamRequest[], call: CallContext) {
  const deadlineMs = Math.min(call.deadlineMs, call.clock.now() + limits.requestTimeoutMs);
  const routes = entries.map(({ route }) => route);
  try {
    const answers = await routeAll(poolId, routes, { ...call, deadlineMs });
    for (const [index, answer] of answers.entries()) yield { ref: entries[index]!.ref, ...resultOf(answer) };
  } catch (error) {
    // One pool's refusal answers its own requests; the stream goes on.
    const fault = toFault(error);
    if (!("refusal" in fault)) throw error;
    for (const { ref } of entries) yield { ref, error: batchError(fault.refusal) };
  }
}

type Incoming = StreamRequest | RefusedMessage;

/** What has arrived and not been taken. */
class Inbox {
  #waiting: Incoming[] = [];
  #bytes = 0;
  #ended = false;
  #closed = false;
  #failure: unknown;
  #arrived: () => void = () => {};
  #taken: () => void = () => {};

  constructor(requests: AsyncIterable<Incoming>) {
    void this.#read(requests);
  }

  /** Everything that waits, at least one; empty at the end of the stream. */
  async take(): Promise<readonly Incoming[]> {
    while (this.#waiting.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    if (this.#waiting.length === 0 && this.#failure !== undefined) throw this.#failure;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#taken();
    return batch;
  }

  /** The reader takes no more: the sender is told to stop. */
  close(): void {
    this.#closed = true;
    this.#taken();
  }

  async #read(requests: AsyncIterable<Incoming>): Promise<void> {
    try {
      for await (const request of requests) {
        if (this.#closed) break;
        this.#waiting.push(request);
        this.#bytes += sizeOfPlain(request);
        this.#arrived();
        if (this.#waiting.length >= limits.routeBatchMax || this.#bytes >= limits.streamAheadBytesMax)
          await this.#room();
        if (this.#closed) break;
      }
    } catch (error) {
      this.#failure = error;
    }
    this.#ended = true;
    this.#arrived();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }
}
