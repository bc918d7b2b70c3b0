/**
 * Owns the lists of a tenant: entity (directory, tenant, kind) knows every entity of that kind by id, name and what its module
 * lets lists filter by. A create commits here first, so a retry finds its record under an address that does not depend
 * on the new id; the outbox then makes the entity, and the answer waits for that.
 *
 * 1. No two entries of one directory share a handle, or a name where names are unique.
 * 2. Counters equal the entries: for every filter, `total` is the number of entries a full walk returns.
 * 3. Walking the pages of a list returns every entry that was there throughout once, in order of id.
 * 4. A cursor opens only the list it was made for.
 */
import { defineActor } from "#runtime";
import type { Directory, DirectoryMessage } from "../kit/directory.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type { Module } from "../module.ts";
import { type Command, decide } from "./decide.ts";
import { kindsOf } from "./kinds.ts";
import { methodsOf } from "./service.ts";
import { apply, emptyIn, purgeRows, restore } from "./state.ts";

/** The directories that modules declare. */
export function makeDirectory(directories: readonly Directory[]): Module {
  return {
    name: "directory",
    actors: [
      defineActor({
        kind: "directory",
        placement: "key",
        empty: emptyIn(kindsOf(directories)),
        // Every directory has its entries in the same collections.
        resident: ["counts", purgeRows],
        restore,
        decide,
        apply,
        methods: methodsOf(directories),
        onMessage: (message: DirectoryMessage | TenantPurge): Command =>
          message.type === "purge" ? message : { type: "note", message },
        onTimer: (): Command => ({ type: "purge" }),
      }),
    ],
  };
}
