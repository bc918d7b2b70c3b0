import type { MessagePort, TransferListItem } from "node:worker_threads";
import { StorageError, type StorageErrorKind } from "./error.ts";

/** Requests and replies over a MessagePort; errors keep their kind. */
export class PortClient<Request> {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #lastId = 0;
  #closed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (reply: Reply) => this.#settle(reply));
    port.on("close", () => this.#end());
    port.unref();
  }

  call<T>(request: Request, transfer: readonly TransferListItem[] = []): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageError("closed", "the storage is closed"));
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      // Only a request under way keeps the thread alive.
      if (this.#waiting.size === 0) this.#port.ref();
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#port.postMessage({ id, request } satisfies Question<Request>, transfer);
    });
  }

  close(): void {
    this.#port.close();
    this.#end();
  }

  #settle(reply: Reply): void {
    const waiter = this.#waiting.get(reply.id);
    if (!waiter) return;
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#port.unref();
    if ("error" in reply) waiter.reject(asError(reply.error));
    else waiter.resolve(reply.result);
  }

  #end(): void {
    this.#closed = true;
    for (const waiter of this.#waiting.values())
      waiter.reject(new StorageError("closed", "the storage is closed"));
    this.#waiting.clear();
  }
}

/** Answers every request with what `answer` returns, or with the StorageError it throws. */
export function serve<Request>(port: MessagePort, answer: (request: Request) => unknown): void {
  port.on("message", async ({ id, request }: Question<Request>) => {
    try {
      const result = await answer(request);
      port.postMessage({ id, result } satisfies Reply);
    } catch (error) {
      port.postMessage({ id, error: told(error) } satisfies Reply);
    }
  });
  port.unref();
}

export interface Question<Request> {
  readonly id: number;
  readonly request: Request;
}

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ToldError };

/** A StorageError in the form in which threads send it. */
export interface ToldError {
  readonly kind: StorageErrorKind;
  readonly message: string;
  readonly shard?: number | undefined;
}

export function told(error: unknown): ToldError {
  if (error instanceof StorageError) return { kind: error.kind, message: error.message, shard: error.shard };
  return { kind: "unavailable", message: error instanceof Error ? error.message : String(error) };
}

function asError({ kind, message, shard }: ToldError): StorageError {
  return new StorageError(kind, message, { shard });
}
