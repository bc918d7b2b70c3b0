import { createHash } from "node:crypto";
import { limits } from "#base";

/** A deletion mark must be kept longer than the longest outage of a replica. No row expires by itself. */
const kept = "gc_grace_seconds = 864000 AND default_time_to_live = 0 AND speculative_retry = 'NONE'";

/**
 * The tables, version by version. A released version is never edited; changes are added below it. Every statement may
 * run twice and on several nodes at once. Tables have fixed ids, because two nodes that create a table at the same
 * moment would otherwise give it two ids.
 */
export function migrations(keyspace: string): readonly (readonly string[])[] {
  return [
    [
      `CREATE TABLE IF NOT EXISTS ${keyspace}.journal (
        shard int, first_seq bigint,
        epoch bigint STATIC, owner uuid STATIC, head bigint STATIC, "view" bigint STATIC, trimmed bigint STATIC,
        last_seq bigint, batch_epoch bigint, body blob,
        PRIMARY KEY (shard, first_seq)
      ) WITH id = ${tableId(keyspace, "journal")} AND ${kept}`,
      `CREATE TABLE IF NOT EXISTS ${keyspace}.rows (
        shard int, part blob, bucket int, key blob, value blob,
        PRIMARY KEY ((shard, part, bucket), key)
      ) WITH id = ${tableId(keyspace, "rows")} AND ${kept}`,
      `CREATE TABLE IF NOT EXISTS ${keyspace}.watermarks (shard int PRIMARY KEY, watermark bigint)
        WITH id = ${tableId(keyspace, "watermarks")} AND ${kept}`,
      `CREATE TABLE IF NOT EXISTS ${keyspace}.objects (key text PRIMARY KEY, id uuid, bytes bigint, digest blob)
        WITH id = ${tableId(keyspace, "objects")} AND ${kept}`,
      `CREATE TABLE IF NOT EXISTS ${keyspace}.object_chunks (
        id uuid, segment int, chunk int, body blob, digest blob,
        PRIMARY KEY ((id, segment), chunk)
      ) WITH id = ${tableId(keyspace, "object_chunks")} AND ${kept}`,
      `CREATE TABLE IF NOT EXISTS ${keyspace}.members (
        cluster int, node text, version bigint STATIC, incarnation uuid, info text,
        PRIMARY KEY (cluster, node)
      ) WITH id = ${tableId(keyspace, "members")} AND ${kept}`,
      `CREATE TABLE IF NOT EXISTS ${keyspace}.heartbeats (
        cluster int, incarnation uuid, beat bigint,
        PRIMARY KEY (cluster, incarnation)
      ) WITH id = ${tableId(keyspace, "heartbeats")} AND ${kept}`,
    ],
  ];
}

export const schemaVersion = migrations("any").length;

/** A new format comes with new shapes of rows (`ShapeStep`). */
export const newestFormat: number = limits.formatMax;

export function keyspaceStatement(keyspace: string, dataCenter: string, replicationFactor: number): string {
  return `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication =
    {'class': 'NetworkTopologyStrategy', '${dataCenter}': ${replicationFactor}} AND durable_writes = true`;
}

/** Facts about the keyspace, which every start compares. */
export function metaStatement(keyspace: string): string {
  return `CREATE TABLE IF NOT EXISTS ${keyspace}.meta (name text PRIMARY KEY, value text)
    WITH id = ${tableId(keyspace, "meta")} AND ${kept}`;
}

export function foundingFacts(homeDataCenter: string): readonly (readonly [string, string])[] {
  return [
    ["home_dc", homeDataCenter],
    ["shard_count", String(limits.shardCount)],
    ["schema_version", "0"],
    // Later the nodes raise it themselves, when all of them know the next one.
    ["format", String(newestFormat)],
  ];
}

function tableId(keyspace: string, table: string): string {
  const hash = createHash("sha256").update(`switchyard/${keyspace}/${table}`).digest("hex");
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
