import { errorCodes, type Refusal, RefusalError } from "#base";
import type { CallContext } from "../module.ts";
import { ask } from "./ask.ts";
import { batchError } from "./batch.ts";
import {
  type DirectoryEntry,
  type DirectoryListRequest,
  type DirectoryPage,
  directoryOf,
} from "./directory.ts";

/** The entries of one page of a list over many: who asks adds what they do not carry. */
export function listEntries(
  request: DirectoryListRequest,
  call: CallContext,
  kind = "pool",
): Promise<DirectoryPage> {
  return ask(call, { to: directoryOf(call.caller.tenant, kind), method: "Directory.List", request });
}

/**
 * A pool that a list over many goes on without (`UnavailablePool`): one entity that is isolated, full or moving does not
 * take the others' answers away. Any other refusal is that of the whole list.
 */
export function withoutPool({ id, name }: DirectoryEntry, refusal: Refusal): object {
  if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") throw new RefusalError(refusal);
  return { pool_id: id, name, error: batchError(refusal) };
}
