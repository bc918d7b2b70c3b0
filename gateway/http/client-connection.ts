import type { ThreadBounds } from "./bounds.ts";

export interface ClientRequest {
  begin(): void;
}

type ConnectionBounds = Pick<ThreadBounds, "answers" | "connectionUnreadMax">;

/**
 * One connection as Node's servers have it, of HTTP/1.1 or HTTP/2: how much of its answers it has not taken, how many of its
 * requests are in progress, and which wait until there are fewer of both.
 */
export class ClientConnection {
  readonly #bounds: ConnectionBounds;
  readonly #inProgressMax: number;
  readonly #waiting = new Set<ClientRequest>();
  #unreadBytes = 0;
  #inProgress = 0;

  constructor(bounds: ConnectionBounds, inProgressMax: number) {
    this.#bounds = bounds;
    this.#inProgressMax = inProgressMax;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Begins `request` at once, or when earlier requests have been answered and read; in the order they came. */
  begin(request: ClientRequest): void {
    if (this.#waiting.size > 0 || this.#isBusy()) this.#waiting.add(request);
    else this.#go(request);
  }

  /** `request` has been answered, or its client has cancelled it. One that still waits never begins. */
  ended(request: ClientRequest): void {
    if (this.#waiting.delete(request)) return;
    this.#inProgress--;
    this.#goOn();
  }

  /** Counts so much of an answer. False: the thread has no room for more, and this client has not read those it has. */
  hold(bytes: number): boolean {
    if (this.#bounds.answers.isFull && this.#unreadBytes > 0) return false;
    this.#bounds.answers.add(bytes);
    this.#unreadBytes += bytes;
    return true;
  }

  /** The client has read so much, or is gone. */
  letGo(bytes: number): void {
    this.#bounds.answers.give(bytes);
    this.#unreadBytes -= bytes;
    this.#goOn();
  }

  #goOn(): void {
    for (const request of this.#waiting) {
      if (this.#isBusy()) return;
      this.#waiting.delete(request);
      this.#go(request);
    }
  }

  #go(request: ClientRequest): void {
    this.#inProgress++;
    request.begin();
  }

  #isBusy(): boolean {
    return this.#unreadBytes > this.#bounds.connectionUnreadMax || this.#inProgress >= this.#inProgressMax;
  }
}

/** By socket of HTTP/1.1 or session of HTTP/2. */
export class ClientConnections {
  readonly #bounds: ConnectionBounds;
  readonly #connections = new WeakMap<object, ClientConnection>();

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  of(key: object, inProgressMax: number): ClientConnection {
    let connection = this.#connections.get(key);
    if (connection === undefined) {
      connection = new ClientConnection(this.#bounds, inProgressMax);
      this.#connections.set(key, connection);
    }
    return connection;
  }
}
