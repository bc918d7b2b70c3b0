/**
 * One connection as Node's servers have it, of HTTP/1.1 or HTTP/2: how much of its answers it has not taken, how many of its
 * requests are in progress, and which wait until there are fewer of both.
 */
export class ClientConnection {
  readonly #bounds: { readonly unreadBytesMax: number; readonly inProgressMax: number };
  readonly #waiting: (() => void)[] = [];
  #unreadBytes = 0;
  #inProgress = 0;

  constructor(bounds: { readonly unreadBytesMax: number; readonly inProgressMax: number }) {
    this.#bounds = bounds;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs `go` at once, or when earlier requests have been answered and read; in the order they came. */
  begin(go: () => void): void {
    if (this.#waiting.length > 0 || this.#isBusy()) this.#waiting.push(go);
    else this.#go(go);
  }

  /** A request that began has been answered, or its client has gone. */
  ended(): void {
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
    while (this.#waiting.length > 0 && !this.#isBusy()) this.#go(this.#waiting.shift()!);
  }

  #go(go: () => void): void {
    this.#inProgress++;
    go();
  }

  #isBusy(): boolean {
    return this.#unreadBytes > this.#bounds.unreadBytesMax || this.#inProgress >= this.#bounds.inProgressMax;
  }
}
