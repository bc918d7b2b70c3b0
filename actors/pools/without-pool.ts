import type { Refusal } from "#base";
import type { DirectoryEntry } from "../kit/directory.ts";
import { withoutEntity } from "../kit/entity-list.ts";

/** As the contract's `UnavailablePool`. */
export function withoutPool(entry: DirectoryEntry, refusal: Refusal): object {
  const { id, ...rest } = withoutEntity(entry, refusal);
  return { pool_id: id, ...rest };
}
