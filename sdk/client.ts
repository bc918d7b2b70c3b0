import { systemClock } from "./clock.ts";
import { type ConsumeOptions, consume, type RecordHandler } from "./consume.ts";
import { enqueueAndWait, type WaitOptions } from "./enqueue-and-wait.ts";
import { isObject } from "./errors.ts";
import {
  type EnqueueRequest,
  Modules,
  type QueueItem,
  type Streams,
  table,
  type WatchPoolsRequest,
  type WatchPoolsResponse,
} from "./generated.ts";
import { methodsOf, modulesOver } from "./methods.ts";
import { type SwitchyardOptions, settingsOf } from "./settings.ts";
import { openSocket, type Socket, type SocketEvents } from "./socket.ts";
import { type CallOptions, Transport } from "./transport.ts";
import type { Handler, WorkerOptions } from "./worker/options.ts";
import { hostName, stopOnSignals } from "./worker/process.ts";
import { Worker } from "./worker/worker.ts";

const methods = methodsOf(table);

/** A client of one server. It keeps no state but its connections. */
export class Switchyard extends Modules {
  readonly #transport: Transport;

  /** The command line has a transport already. */
  constructor(options: SwitchyardOptions = {}, transport = new Transport(settingsOf(options))) {
    super();
    this.#transport = transport;
    Object.assign(this, modulesOver(this.#transport, methods));
  }

  /** Takes items of a pool until it is stopped. */
  worker(poolId: string, handler: Handler, options: WorkerOptions = {}): Worker {
    const transport = this.#transport;
    const worker = new Worker(poolId, handler, options, {
      clock: systemClock,
      random: Math.random,
      connect: (method, events) => openSocket(transport.settings, method, events),
      call: (verb, pool, body, signal) =>
        postBody(transport, `/api/queues/${encodeURIComponent(pool)}/items:${verb}`, body, signal),
      join: async () => {
        const name = options.recipient ?? hostName();
        const { id } = await this.recipients.create({ pool_id: poolId, name, if_absent: true });
        return id;
      },
      heartbeat: (id) => transport.send(heartbeatOf(id), {}, (answer) => answer.text()),
    });
    if (options.signals ?? true) {
      const forget = stopOnSignals(() => void worker.stop());
      worker.done.then(forget, forget);
    }
    return worker;
  }

  /** Handles every record of a stream, in order, from where this consumer has come to. Resolves at the end of the stream. */
  consume(runId: string, streamId: string, options: ConsumeOptions, handler: RecordHandler): Promise<void> {
    const parts = { transport: this.#transport, streams: this.streams };
    return consume(parts, { run_id: runId, stream_id: streamId }, options, handler);
  }

  /** Enqueues an item and resolves with it when it is completed; throws `ItemFailed` when it ends in another way. */
  enqueueAndWait(request: EnqueueRequest, options: WaitOptions = {}): Promise<QueueItem> {
    return enqueueAndWait(this.items, request, options);
  }

  /** What happens in the queues of these pools: all of them at first, then those that have changed. */
  watch(
    poolIds: readonly string[],
    options: Omit<WatchPoolsRequest, "pool_ids"> = {},
    call: CallOptions = {},
  ): AsyncIterable<WatchPoolsResponse> {
    return this.pools.watch({ ...options, pool_ids: poolIds }, call);
  }

  /** A streaming method in both directions over a WebSocket, such as `RoutingService/RouteStream`. */
  open(method: keyof Streams, events: SocketEvents, { headers }: Pick<CallOptions, "headers"> = {}): Socket {
    return openSocket(this.#transport.settings, method, events, headers);
  }
}

function postBody(
  transport: Transport,
  path: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return transport.send(
    { verb: "POST", path, body, headers, repeat: "key", waitMs: claimMs },
    signal === undefined ? {} : { signal },
    async (answer) => {
      const body: unknown = await answer.json();
      return isObject(body) ? body.data : undefined;
    },
  );
}

/** Sent once and without a key: the next one follows soon. */
function heartbeatOf(recipientId: string) {
  const path = `/api/recipients/${encodeURIComponent(recipientId)}/heartbeat`;
  const headers = { "content-type": "application/json" };
  return { verb: "POST", path, body: "{}", headers, repeat: "none" } as const;
}

/** How long a claim of a worker waits. */
const claimMs = 20_000;
