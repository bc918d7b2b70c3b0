import { hash as digest, randomBytes } from "node:crypto";
import type { KeyHasher } from "#actors";
import { limits, type RefusalError, refusalError } from "#base";

/**
 * bcrypt, in the thread pool of the process. The journal writes there too, so one thread hashes one secret at a time; what
 * waits is bounded, because each takes tens of milliseconds of a core.
 */
export function createKeyHasher(cost: number = limits.apiKeyHashCost): ClosableKeyHasher {
  const queue = new HashQueue();
  // Of no secret: what is compared with it takes as long as with any other, and never matches.
  const nothing = `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
  return {
    drawSecret: () => randomBytes(limits.apiKeySecretBytes).toString("base64url"),
    hash: (secret) => queue.run(async () => (await bcrypt()).hash(hashed(secret), cost)),
    verify: (secret, hash) =>
      queue.run(async () => {
        const matches = await (await bcrypt()).compare(hashed(secret), hash ?? nothing);
        return matches && hash !== undefined;
      }),
    close: () => queue.close(),
  };
}

interface ClosableKeyHasher extends KeyHasher {
  /**
   * Refuses what waits, and resolves when no hash is under way. A thread must not end before: the library would bring the
   * whole process down when it hands over a result to a thread that is gone.
   */
  close(): Promise<void>;
}

/** bcrypt reads 72 bytes and stops at a zero: this is 44 characters of any secret. */
function hashed(secret: string): string {
  return digest("sha256", secret, "base64");
}

/** A native library: loaded where keys are in use. */
async function bcrypt(): Promise<typeof import("bcrypt")> {
  return (await import("bcrypt")).default;
}

/** So many at once, so many waiting, the others are refused. */
class HashQueue {
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #idle: (() => void) | undefined;
  #isClosed = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw busy();
    if (this.#running >= limits.keyHashesAtOnce) {
      if (this.#waiting.length >= limits.keyHashesWaitingMax) throw busy();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      if (this.#isClosed) throw busy();
      return await work();
    } finally {
      // The place goes to the next one as it is.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
      if (this.#running === 0) this.#idle?.();
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

function busy(): RefusalError {
  const options = { retryAfterMs: limits.retryAfterMs };
  return refusalError("UNAVAILABLE", "too many keys are being verified", options);
}
