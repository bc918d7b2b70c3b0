import type { Clock } from "../clock.ts";
import type { SwitchyardError } from "../errors.ts";
import type { QueueItem } from "../generated.ts";
import type { Socket, SocketEvents } from "../socket.ts";
import type { Progress } from "./outcome.ts";
import type { Call } from "./poll-line.ts";

export interface WorkerOptions {
  /** The name of the recipient that takes the items; it is made where it is missing. Default: the name of the host. */
  readonly recipient?: string;
  /** Handlers at a time, 1 to 1,000. Default 10. */
  readonly concurrency?: number;
  /** Default: the pool's. */
  readonly leaseSeconds?: number;
  /** How long handlers may go on after `stop()`. Default 20,000. */
  readonly graceMs?: number;
  /** SIGTERM and SIGINT stop the worker. Default true. */
  readonly signals?: boolean;
  /** Told of what the worker copes with by itself: lost connections and leases, refused settlements. */
  readonly onError?: (error: SwitchyardError, item?: QueueItem) => void;
}

export interface HandlerContext {
  /** Aborted when the lease is lost or the worker ends: what the handler does then is not taken any more. */
  readonly signal: AbortSignal;
  /** Shown with the item; sent once a second at most. */
  progress(progress: Progress): void;
  /** Leases are extended by themselves; this asks for a longer one. Resolves when the server has agreed. */
  extend(leaseSeconds?: number): Promise<void>;
}

export type Handler = (item: QueueItem, context: HandlerContext) => unknown;

/** What a worker needs of its surroundings. */
export interface WorkerParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly call: Call;
  connect(method: string, events: SocketEvents): Socket;
  /** The id of the recipient, made where it is missing. */
  join(): Promise<string>;
  heartbeat(recipientId: string): Promise<unknown>;
}
