import type { Address } from "#runtime";

/**
 * The directory of a tenant's entities of one kind: (directory, tenant, kind). A create commits there first, and its
 * outbox makes the entity; the entities tell it what lists filter by. A list may lag behind a get, never the other way.
 */
export function directoryOf(tenant: string, kind: "pool" | "api_key"): Address {
  return { kind: "directory", tenant, key: kind };
}

/** From an entity to its directory. */
export type DirectoryMessage =
  | {
      readonly type: "changed";
      readonly id: string;
      readonly name?: string;
      readonly status?: string;
      readonly paused?: boolean;
    }
  | { readonly type: "deleted"; readonly id: string };

/** `Directory.List`: what other modules ask for a page of entries. */
export interface DirectoryListRequest {
  readonly page_size?: number;
  readonly page_token?: string;
  readonly offset?: number;
  readonly filter?: DirectoryFilter;
  /** Where who asked has cut the page: its cursor stands after this id, whatever has come or gone since. */
  readonly cut_after?: string;
}

export interface DirectoryFilter {
  readonly status?: string;
  readonly environment?: string;
  readonly paused?: boolean;
}

export interface DirectoryEntry {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly environment: string;
  readonly paused: boolean;
}

export interface DirectoryPage {
  readonly entries: readonly DirectoryEntry[];
  readonly next_page_token: string;
  readonly total: number;
}
