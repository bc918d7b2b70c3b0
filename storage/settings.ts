export type StorageSettings =
  | { readonly engine: "memory" }
  | { readonly engine: "embedded"; readonly dir: string }
  | ({ readonly engine: "cassandra" } & CassandraSettings);

export interface CassandraSettings {
  readonly contactPoints: readonly string[];
  readonly keyspace: string;
  readonly localDataCenter: string;
  readonly replicationFactor: number;
  /** A partition that has more is divided; absent: `limits.cassandraBucketBytesMax`. */
  readonly partitionBytesMax?: number;
  /** No newer format of data is announced or written; absent: the newest that this program knows. */
  readonly formatMax?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
