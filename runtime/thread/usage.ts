import { decodeTuple, encodeTuple } from "#base";
import type { Tables } from "#storage";

/** What each of these tenants has stored, in bytes of keys and values; what is not in the tables yet is not counted. */
export async function storedBytes(
  tables: Tables,
  tenants: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map(tenants.map((tenant) => [tenant, 0]));
  const wanted = [...tenants].sort();
  await tables.measure({
    next(partition) {
      const [kind, tenant] = namesIn(partition);
      if (bytes.has(tenant)) return partition;
      const later = isEntity(kind) ? wanted.find((one) => one > tenant) : undefined;
      return later === undefined ? afterKind(kind) : encodeTuple([kind, later]);
    },
    count(partition, more) {
      const [, tenant] = namesIn(partition);
      bytes.set(tenant, bytes.get(tenant)! + more);
    },
  });
  return bytes;
}

/** As `entityPartition` writes it. The shard's own partitions have no tenant, and a collection in its place. */
function namesIn(partition: string): readonly [kind: string, tenant: string] {
  const [kind, tenant] = decodeTuple(partition) as [string, string];
  return [kind, isEntity(kind) ? tenant : ""];
}

function isEntity(kind: string): boolean {
  return !kind.startsWith("~");
}

/** No name of a kind ends in a zero: the next one begins behind this. */
function afterKind(kind: string): string {
  return `${encodeTuple([kind]).slice(0, -1)}\x01`;
}
