import { Client, types as driver, policies, type QueryOptions, type types } from "cassandra-driver";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { CassandraSettings } from "../settings.ts";
import { clientOptions } from "./client-options.ts";
import { guardDriver, stopTimers } from "./driver-guard.ts";
import { orUnavailable } from "./errors.ts";

export interface Statement {
  readonly query: string;
  readonly params: readonly unknown[];
}

/** The answer to a conditional write. `row` has the stored values if the condition did not hold. */
export interface Verdict {
  readonly applied: boolean;
  readonly row: types.Row | undefined;
}

/** The connections of one thread, and the three kinds of requests that this engine sends over them. */
export class Session {
  readonly #client: Client;
  readonly #keyspace: string;
  readonly #qualified = new Map<string, string>();
  #closed = false;

  private constructor(client: Client, keyspace: string) {
    this.#client = client;
    this.#keyspace = keyspace;
  }

  static async connect(settings: CassandraSettings): Promise<Session> {
    const client = await orUnavailable("Cassandra cannot be reached", connected(settings));
    return new Session(client, settings.keyspace);
  }

  /** Must not be used after the close: the driver would start timers that are never stopped. */
  get client(): Client {
    if (this.#closed) throw new StorageError("closed", "the session with Cassandra is closed");
    return this.#client;
  }

  /**
   * The driver never repeats it: before sending it again, the caller must know whether the first one can still arrive.
   */
  async conditional(statements: readonly Statement[]): Promise<Verdict> {
    const options = {
      prepare: true,
      consistency: driver.consistencies.localQuorum,
      serialConsistency: driver.consistencies.localSerial,
      isIdempotent: false,
      retry: rethrow,
    };
    const result = await this.#send(statements, options, true);
    return { applied: result.wasApplied(), row: result.first() ?? undefined };
  }

  /**
   * A serial read: it sees every conditional write that was applied, and completes or discards one that is half done.
   */
  async serial(query: string, params: readonly unknown[]): Promise<types.ResultSet> {
    return await this.client.execute(this.#name(query), [...params], {
      prepare: true,
      consistency: driver.consistencies.localSerial,
      isIdempotent: true,
      fetchSize: limits.batchEntriesMax,
    });
  }

  async read(query: string, params: readonly unknown[]): Promise<types.ResultSet> {
    return await this.client.execute(this.#name(query), [...params], {
      ...plain,
      fetchSize: limits.cassandraPageRows,
    });
  }

  /** All pages of a read of bounded length, or of a whole table for `data verify`. */
  async *readAll(query: string, params: readonly unknown[]): AsyncIterable<types.Row> {
    let pageState: string | undefined;
    do {
      const result: types.ResultSet = await this.client.execute(this.#name(query), [...params], {
        ...plain,
        fetchSize: limits.cassandraPageRows,
        ...(pageState === undefined ? {} : { pageState }),
      });
      yield* result.rows;
      pageState = result.pageState ?? undefined;
    } while (pageState !== undefined);
  }

  /** Plain writes of one partition. Each carries its own write time, so repeating them changes nothing. */
  async write(statements: readonly Statement[]): Promise<void> {
    await this.#send(statements, plain, false);
  }

  #send(statements: readonly Statement[], options: QueryOptions, logged: boolean): Promise<types.ResultSet> {
    const named = statements.map(({ query, params }) => ({ query: this.#name(query), params: [...params] }));
    const [first] = named;
    return named.length === 1
      ? this.client.execute(first!.query, first!.params, options)
      : this.client.batch(named, { ...options, logged });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.shutdown();
    stopTimers(this.#client);
  }

  #name(query: string): string {
    let named = this.#qualified.get(query);
    if (named === undefined) {
      named = qualified(this.#keyspace, query);
      this.#qualified.set(query, named);
    }
    return named;
  }
}

async function connected(settings: CassandraSettings): Promise<Client> {
  const client = new Client(await clientOptions(settings));
  guardDriver(client);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.shutdown().catch(() => undefined);
    throw error;
  }
}

const rethrow = new policies.retry.FallthroughRetryPolicy();
const plain = { prepare: true, consistency: driver.consistencies.localQuorum, isIdempotent: true };

/** Statements name their keyspace, so that a server prepares them again by itself after a restart. */
function qualified(keyspace: string, query: string): string {
  return query.replace(/\b(FROM|INTO|UPDATE) (\w+)/, `$1 ${keyspace}.$2`);
}
