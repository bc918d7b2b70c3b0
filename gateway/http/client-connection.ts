export interface ClientRequest {
  begin(): void;
}

/**
 * One connection as Node's servers have it, of HTTP/1.1 or HTTP/2: how much of its answers it has not taken, how many of its
 * requests are in progress, and which wait until there are fewer of both.
 */
export class ClientConnection {
  readonly #bounds: { readonly unreadBytesMax: number; readonly inProgressMax: number };
  readonly #waiting = new Set<ClientRequest>();
  #unreadBytes = 0;
  #inProgress = 0;

  constructor(bounds: { readonly unreadBytesMax: number; readonly inProgressMax: number }) {
    this.#bounds = bounds;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
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

  addUnread(bytes: number): void {
    this.#unreadBytes += bytes;
  }

  hasRead(bytes: number): void {
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
    return this.#unreadBytes > this.#bounds.unreadBytesMax || this.#inProgress >= this.#bounds.inProgressMax;
  }
}

/** By socket of HTTP/1.1 or session of HTTP/2. */
export class ClientConnections {
  readonly #unreadBytesMax: number;
  readonly #connections = new WeakMap<object, ClientConnection>();

  constructor(unreadBytesMax: number) {
    this.#unreadBytesMax = unreadBytesMax;
  }

  of(key: object, inProgressMax: number): ClientConnection {
    let connection = this.#connections.get(key);
    if (connection === undefined) {
      connection = new ClientConnection({ unreadBytesMax: this.#unreadBytesMax, inProgressMax });
      this.#connections.set(key, connection);
    }
    return connection;
  }
}
