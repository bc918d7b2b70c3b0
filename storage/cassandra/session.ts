import { readFile } from "node:fs/promises";
import { Client, types as driver, policies, type types } from "cassandra-driver";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { CassandraSettings } from "../index.ts";
import { guardDriver, stopTimers } from "./driver-guard.ts";

export interface Statement {
  readonly query: string;
  readonly params: readonly unknown[];
}

/** What a conditional write answered, when it answered. `row` holds what stood there if it was not applied. */
export interface Verdict {
  readonly applied: boolean;
  readonly row: types.Row | undefined;
}

/** Connections of one thread, and the three ways in which this engine talks over them. */
export class Session {
  readonly #client: Client;
  #closed = false;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** `keyspace: undefined` before there is one. */
  static async connect(settings: CassandraSettings, keyspace: string | undefined): Promise<Session> {
    const client = new Client(await clientOptions(settings, keyspace));
    guardDriver(client);
    try {
      await client.connect();
    } catch (error) {
      await client.shutdown().catch(() => undefined);
      throw error;
    }
    return new Session(client);
  }

  /** Not to be used once closed: the driver would start timers that nobody stops. */
  get client(): Client {
    if (this.#closed) throw new StorageError("closed", "the session with Cassandra is closed");
    return this.#client;
  }

  /** Never repeated by the driver: whoever sends it again must know whether the first one can still arrive. */
  async conditional(statements: readonly Statement[]): Promise<Verdict> {
    const options = {
      prepare: true,
      consistency: driver.consistencies.localQuorum,
      serialConsistency: driver.consistencies.localSerial,
      isIdempotent: false,
      retry: rethrow,
    };
    const [first] = statements;
    const result =
      statements.length === 1
        ? await this.client.execute(first!.query, [...first!.params], options)
        : await this.client.batch(statements.map(mutable), { ...options, logged: true });
    return { applied: result.wasApplied(), row: result.first() ?? undefined };
  }

  /** Sees every conditional write that was applied, and decides those that are half done. */
  async serial(query: string, params: readonly unknown[]): Promise<types.ResultSet> {
    return await this.client.execute(query, [...params], {
      prepare: true,
      consistency: driver.consistencies.localSerial,
      isIdempotent: true,
      fetchSize: limits.batchEntriesMax,
    });
  }

  async read(query: string, params: readonly unknown[]): Promise<types.ResultSet> {
    return await this.client.execute(query, [...params], { ...plain, fetchSize: limits.cassandraPageRows });
  }

  /** All pages of a read of bounded length, or of a whole table when it is being checked. */
  async *readAll(query: string, params: readonly unknown[]): AsyncIterable<types.Row> {
    let pageState: string | undefined;
    do {
      const result: types.ResultSet = await this.client.execute(query, [...params], {
        ...plain,
        fetchSize: limits.cassandraPageRows,
        ...(pageState === undefined ? {} : { pageState }),
      });
      yield* result.rows;
      pageState = result.pageState ?? undefined;
    } while (pageState !== undefined);
  }

  /** Plain writes of one partition; each carries its own time, so a repeat changes nothing. */
  async write(statements: readonly Statement[]): Promise<void> {
    const [first] = statements;
    if (statements.length === 1) await this.client.execute(first!.query, [...first!.params], plain);
    else await this.client.batch(statements.map(mutable), { ...plain, logged: false });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.shutdown();
    stopTimers(this.#client);
  }
}

const rethrow = new policies.retry.FallthroughRetryPolicy();
const plain = { prepare: true, consistency: driver.consistencies.localQuorum, isIdempotent: true };

function mutable(statement: Statement): { query: string; params: unknown[] } {
  return { query: statement.query, params: [...statement.params] };
}

async function clientOptions(settings: CassandraSettings, keyspace: string | undefined) {
  const [firstPoint] = settings.contactPoints;
  const port = Number(/:(\d+)$/.exec(firstPoint ?? "")?.[1] ?? 9042);
  return {
    contactPoints: [...settings.contactPoints],
    protocolOptions: { port },
    localDataCenter: settings.localDataCenter,
    ...(keyspace === undefined ? {} : { keyspace }),
    ...(settings.username === undefined
      ? {}
      : { credentials: { username: settings.username, password: settings.password ?? "" } }),
    ...(settings.tls === undefined ? {} : { sslOptions: await tlsOptions(settings.tls) }),
    socketOptions: {
      readTimeout: limits.cassandraRequestMsMax,
      connectTimeout: limits.cassandraRequestMsMax,
    },
    // A dead connection is found, and its timer gone, within seconds.
    pooling: { heartBeatInterval: limits.cassandraRequestMsMax },
    // A node that comes back is used again within two seconds, not within ten minutes.
    policies: { reconnection: new policies.reconnection.ExponentialReconnectionPolicy(100, 2_000, false) },
    encoding: { useUndefinedAsUnset: false },
  };
}

async function tlsOptions(tls: NonNullable<CassandraSettings["tls"]>) {
  return {
    ...(tls.caFile === undefined ? {} : { ca: await readFile(tls.caFile) }),
    ...(tls.certFile === undefined ? {} : { cert: await readFile(tls.certFile) }),
    ...(tls.keyFile === undefined ? {} : { key: await readFile(tls.keyFile) }),
    rejectUnauthorized: true,
  };
}
