import { isRefusal, limits, type Refusal, RefusalError } from "#base";
import type { ReadRecordsResponse, WorkflowStreamServiceSubscribeRequest } from "#protos";
import { tryAsk } from "../../../kit/ask.ts";
import { type CallContext, opened, RefusedMessage, type StreamHandler } from "../../../module.ts";
import { readRecords, withRoles } from "../service.ts";
import type { LiveStream, LiveStreams } from "./live-stream.ts";

type SubscribeRequest = WorkflowStreamServiceSubscribeRequest;

/** Rows up to where the live records begin, then those, and rows again for a reader that has fallen behind them. */
export function subscribeTo(streams: LiveStreams): StreamHandler<SubscribeRequest> {
  return async function* (requests, call) {
    const request = await firstOf(requests);
    const from = request.after_sequence ?? 0;
    const first = await readAfter(request, call, from);
    if (isRefusal(first)) {
      if (first.code !== "CURSOR_EXPIRED" || request.gone !== "event") throw new RefusalError(first);
      yield { gone: first.extra };
      return;
    }
    if (first.closed && from === first.latest_sequence) {
      yield { end: { latest_sequence: from } };
      return;
    }
    const live = streams.join(request, call, first.latest_sequence);
    const pause = new Pause(call);
    try {
      yield opened;
      yield* deliver(request, call, live, pause, first);
    } finally {
      pause.end();
      live.leave();
    }
  };
}

/** One comparison everywhere: a record is sent when its sequence is one more than that of the last one sent. */
async function* deliver(
  request: SubscribeRequest,
  call: CallContext,
  live: LiveStream,
  pause: Pause,
  first: ReadRecordsResponse,
) {
  let after = request.after_sequence ?? 0;
  let page: ReadRecordsResponse | undefined = first;
  while (!call.signal.aborted) {
    if (page !== undefined) {
      for (const record of page.records) yield { record };
      after = page.next_after_sequence;
      if (page.closed && after === page.latest_sequence) {
        yield { end: { latest_sequence: after } };
        return;
      }
      page = undefined;
    }
    const records = live.after(after);
    if (records === undefined) {
      const read = await readAfter(request, call, after);
      if (isRefusal(read)) {
        if (read.code !== "CURSOR_EXPIRED") throw new RefusalError(read);
        yield { gone: read.extra };
        return;
      }
      page = read;
    } else if (records.length > 0) {
      for (const one of records) yield one;
      after = records.at(-1)!.record.sequence;
    } else if (live.isClosed && after === live.latest) {
      yield { end: { latest_sequence: after } };
      return;
    } else if (live.refusal) throw new RefusalError(live.refusal);
    else await pause.until(live);
  }
}

/** As the subscriber itself: it may do so, or is told why not. */
async function readAfter(
  { run_id, stream_id }: SubscribeRequest,
  call: CallContext,
  after_sequence: number,
): Promise<ReadRecordsResponse | Refusal> {
  const request = { run_id, stream_id, after_sequence, limit: limits.pageSizeMax };
  const answer = await tryAsk(call, readRecords, { key: stream_id, request: withRoles(request, call) });
  return isRefusal(answer) ? answer : answer.response;
}

/** Waits for a change or for the end of the call; its one listener serves all the waits of a subscriber. */
class Pause {
  readonly #call: CallContext;
  #live: LiveStream | undefined;
  #wake: (() => void) | undefined;

  constructor(call: CallContext) {
    this.#call = call;
    call.signal.addEventListener("abort", this.#go);
  }

  until(live: LiveStream): Promise<void> {
    if (this.#call.signal.aborted) return Promise.resolve();
    this.#live = live;
    live.onChange(this.#go);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  end(): void {
    this.#call.signal.removeEventListener("abort", this.#go);
    this.#live?.forget(this.#go);
  }

  readonly #go = () => {
    this.#live?.forget(this.#go);
    this.#wake?.();
  };
}

async function firstOf(
  requests: AsyncIterable<SubscribeRequest | RefusedMessage>,
): Promise<SubscribeRequest> {
  for await (const request of requests) {
    if (request instanceof RefusedMessage) throw new RefusalError(request.refusal);
    return request;
  }
  throw new Error("a server stream has a request");
}
