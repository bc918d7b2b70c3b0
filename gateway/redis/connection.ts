import { Redis } from "ioredis";
import { asError, limits } from "#base";

export interface RedisSettings {
  readonly url: string;
  /** How long a call waits for an answer. */
  readonly timeoutMs: number;
  readonly keyPrefix: string;
}

export interface RedisConnection {
  readonly isUp: boolean;
  /** Rejects at once while Redis cannot be reached, and after the timeout when it does not answer. */
  run<T>(work: (client: Redis) => Promise<T>): Promise<T>;
  close(): void;
}

interface ConnectOptions {
  readonly settings: RedisSettings;
  /** What shows that Redis does its work again after it did not. */
  readonly probe: (client: Redis) => Promise<unknown>;
  /** Told once when Redis is lost, and once when it is back. The error itself has the password in it. */
  readonly onChange: (isUp: boolean, cause?: string) => void;
}

/** Resolves when Redis has answered, or has had its chance to: a service starts without it. */
export async function connectRedis(options: ConnectOptions): Promise<RedisConnection> {
  const connection = new Connection(options);
  await connection.begun;
  return connection;
}

class Connection implements RedisConnection {
  readonly #client: Redis;
  readonly #options: ConnectOptions;
  readonly begun: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #isUp = true;
  #failures = 0;
  #closed = false;

  constructor(options: ConnectOptions) {
    const { settings } = options;
    this.#options = options;
    this.#client = new Redis(settings.url, {
      keyPrefix: settings.keyPrefix,
      commandTimeout: settings.timeoutMs,
      connectTimeout: limits.redisConnectMs,
      // A connection on which nothing comes any more is given up, with all that waits on it.
      socketTimeout: limits.redisSilenceMs,
      // What was not sent, or not answered, is answered otherwise: nothing waits, and nothing is sent twice.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), limits.redisRetryMs),
    });
    // The cause of a loss; `close` follows.
    let cause: Error | undefined;
    this.#client.on("error", (error) => {
      cause = error;
    });
    this.#client.on("close", () => this.#lost(cause));
    this.#client.on("ready", () => void this.#probe());
    this.begun = new Promise((resolve) => {
      const timer = setTimeout(resolve, limits.redisConnectMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#client.once("ready", done);
      this.#client.once("close", done);
    });
  }

  get isUp(): boolean {
    return this.#isUp && this.#client.status === "ready";
  }

  async run<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp) throw new Error("Redis cannot be reached");
    try {
      const result = await work(this.#client);
      this.#failures = 0;
      return result;
    } catch (error) {
      // One late answer may be our own pause; a server that hangs is late for all that is under way.
      if (++this.#failures >= limits.redisFailuresMax) this.#lost(asError(error));
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#client.disconnect();
  }

  #lost(cause: Error | undefined): void {
    if (this.#closed) return;
    if (this.#isUp) this.#options.onChange(false, cause?.message);
    this.#isUp = false;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#probe();
    }, limits.redisRetryMs).unref();
  }

  /** It is back when it does its work, not when it takes connections: it may be full, or only a replica. */
  async #probe(): Promise<void> {
    if (this.#isUp || this.#closed) return;
    try {
      await this.#options.probe(this.#client);
    } catch (error) {
      this.#lost(asError(error));
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#failures = 0;
    this.#isUp = true;
    this.#options.onChange(true);
  }
}
