import type { MessagePort, TransferListItem } from "node:worker_threads";
import { asError } from "#base";
import { StorageError, type StorageErrorKind } from "./error.ts";

/** What one side of a port does for the other: functions of values that can be cloned. */
type Methods<M> = { readonly [Name in keyof M]: (...args: never[]) => unknown };

/** Calls the methods of the other side of a MessagePort; errors keep their kind. */
export class PortClient<M extends Methods<M>> {
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

  call<Name extends keyof M>(
    name: Name,
    args: Parameters<M[Name]>,
    transfer: readonly TransferListItem[] = [],
  ): Promise<Awaited<ReturnType<M[Name]>>> {
    if (this.#closed) return Promise.reject(new StorageError("closed", "the storage is closed"));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      // Only a request under way keeps the thread alive.
      if (this.#waiting.size === 0) this.#port.ref();
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ id, name, args } satisfies Question<M>, transfer);
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
    if ("error" in reply) {
      const { kind, message, shard } = reply.error;
      waiter.reject(new StorageError(kind, message, { shard }));
    } else waiter.resolve(reply.result);
  }

  #end(): void {
    this.#closed = true;
    for (const waiter of this.#waiting.values())
      waiter.reject(new StorageError("closed", "the storage is closed"));
    this.#waiting.clear();
  }
}

/** Answers every call with what its method returns, or with the StorageError it throws. */
export function serve<M extends Methods<M>>(port: MessagePort, methods: M): void {
  port.on("message", async ({ id, name, args }: Question<M>) => {
    try {
      port.postMessage({ id, result: await methods[name](...args) } satisfies Reply);
    } catch (error) {
      port.postMessage({ id, error: told(error) } satisfies Reply);
    }
  });
  port.unref();
}

interface Question<M extends Methods<M>> {
  readonly id: number;
  readonly name: keyof M;
  readonly args: Parameters<M[keyof M]>;
}

type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ToldError };

/** A StorageError in the form in which threads send it. */
interface ToldError {
  readonly kind: StorageErrorKind;
  readonly message: string;
  readonly shard?: number | undefined;
}

function told(error: unknown): ToldError {
  if (error instanceof StorageError) return { kind: error.kind, message: error.message, shard: error.shard };
  return { kind: "unavailable", message: asError(error).message };
}
