export type StorageSettings =
  | { readonly engine: "memory" }
  | { readonly engine: "embedded"; readonly dir: string }
  | ({ readonly engine: "cassandra" } & CassandraSettings);

export interface CassandraSettings {
  readonly contactPoints: readonly string[];
  readonly keyspace: string;
  readonly localDataCenter: string;
  readonly replicationFactor: number;
  /** A larger partition is divided; absent: `limits.cassandraBucketBytesMax`. */
  readonly partitionBytesMax?: number;
  /** The newest data format that is announced and written; absent: the newest that this program knows. */
  readonly formatMax?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
