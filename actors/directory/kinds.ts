import { assert, handleOf } from "#base";
import { Collection } from "../kit/collection.ts";
import type { Directory, DirectoryEntry } from "../kit/directory.ts";

/** A directory as its module declared it, with the collection of its entries. */
export interface Kind extends Directory {
  readonly entries: Collection<DirectoryEntry>;
  readonly addressOf: NonNullable<Directory["addressOf"]>;
}

/** By the key of the entity. */
export type Kinds = ReadonlyMap<string, Kind>;

export function kindsOf(directories: readonly Directory[]): Kinds {
  const kinds = new Map<string, Kind>();
  for (const directory of directories) {
    const { kind, filters, order, uniqueName, byName, create } = directory;
    assert(!kinds.has(kind), `${kind} has one directory`);
    assert(create || !uniqueName, `the names of ${kind} are unique: its directory creates it`);
    const entries = new Collection<DirectoryEntry>({
      filters,
      ...(order && { order }),
      unique: {
        // The handle alone addresses the entity.
        handles: (entry) => handleOf(entry.id),
        ...(uniqueName && { names: (entry) => entry.name }),
      },
      ...(byName && { text: { name: "by_name", of: (entry) => entry.name } }),
    });
    const addressOf = (tenant: string, id: string) => ({ kind, tenant, key: handleOf(id) });
    kinds.set(kind, { addressOf, ...directory, entries });
  }
  return kinds;
}

export function kindOf(kinds: Kinds, key: string): Kind {
  const kind = kinds.get(key);
  assert(kind, `there is a directory of ${key}`);
  return kind;
}
