import type { Refusal } from "#base";
import type { Address, Context } from "#runtime";
import type { Filter, Order } from "./collection.ts";
import type { PageRequest } from "./list.ts";

/**
 * The directory of a tenant's entities of one kind: (directory, tenant, kind). The entities tell it what lists show and filter
 * by. A list may lag behind a get, never the other way. A module declares its directories; actors/directory serves them all.
 */
export interface Directory<Request = never> {
  /** Of the entities; the key of the directory. */
  readonly kind: string;
  /** Fields of an entry that lists filter by. Where `environment` is one, a list shows what its caller may see. */
  readonly filters: readonly string[];
  readonly order?: Order;
  /** Of an entity; absent: (kind, tenant, the id's handle). */
  readonly addressOf?: (tenant: string, id: string) => Address;
  /** No two entities of a tenant share a name. It is set once: an entity that is there already cannot be refused another one. */
  readonly uniqueName?: boolean;
  /** Lists find entries by their names too, which several may share. */
  readonly byName?: boolean;
  /** How many one tenant may have: of all, or of those that fit `where`. */
  readonly limit?: { readonly most: number; readonly many: string; readonly where?: Filter };
  /** A create commits in the directory first, and its outbox makes the entity. Absent: an entity that exists tells of itself. */
  readonly create?: DirectoryCreate<Request>;
}

interface DirectoryCreate<Request> {
  /** Of the contract: `PoolService.CreatePool`. */
  readonly method: string;
  /** From the request to the entry, the message that makes the entity, and what the caller is answered. */
  readonly make: (id: string, request: Request, context: Context) => Made | Refusal;
}

interface Made extends Created {
  readonly answer: unknown;
  /** Of a directory with `byName`: none is made where there is one of the same name and environment. */
  readonly ifAbsent?: boolean;
}

export interface Created {
  readonly entry: DirectoryEntry;
  /** What makes the entity, and where it goes. */
  readonly message: { readonly to: Address; readonly body: unknown };
}

export interface DirectoryEntry {
  readonly id: string;
  readonly name: string;
  /** What lists filter by. */
  readonly [field: string]: string | number | boolean;
}

export function directoryOf(tenant: string, kind: string): Address {
  return { kind: "directory", tenant, key: kind };
}

/** From an entity to its directory. */
export type DirectoryMessage =
  | { readonly type: "noted"; readonly entry: DirectoryEntry }
  /** Fields that are named have changed. */
  | { readonly type: "changed"; readonly id: string; readonly [field: string]: string | number | boolean }
  | { readonly type: "deleted"; readonly id: string };

/** From a directory to an entity of a deleted tenant, again and again until it says `deleted`. */
export interface EntityPurge {
  readonly type: "purge";
  readonly id: string;
  readonly tenant: string;
}

/** What other modules ask for a page of entries. */
export interface DirectoryListRequest extends PageRequest {
  readonly filter?: Filter;
  /** Of directories with `byName`: the whole name, or its beginning. */
  readonly name?: string;
  readonly name_prefix?: string;
  /** Where who asked has cut the page: its cursor stands after this entry, whatever has come or gone since. */
  readonly cut_after?: DirectoryEntry;
}

export interface DirectoryPage {
  readonly entries: readonly DirectoryEntry[];
  readonly next_page_token: string;
  /** Absent where entries are found by name. */
  readonly total?: number;
}
