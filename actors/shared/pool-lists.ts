import { errorCodes, isRefusal, type Refusal, RefusalError } from "#base";
import type { CallContext } from "../module.ts";
import { batchError } from "./batch.ts";
import {
  type DirectoryEntry,
  type DirectoryListRequest,
  type DirectoryPage,
  directoryOf,
} from "./directory.ts";

/** The entries of one page of a list over many: who asks adds what they do not carry. */
export async function listEntries(
  request: DirectoryListRequest,
  call: CallContext,
  kind: Parameters<typeof directoryOf>[1] = "pool",
): Promise<DirectoryPage> {
  const { caller, asker, deadlineMs, signal } = call;
  const to = directoryOf(caller.tenant, kind);
  const answer = await asker.ask({ to, method: "Directory.List", request, caller, deadlineMs, signal });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response as DirectoryPage;
}

/**
 * A pool that a list over many goes on without (`UnavailablePool`): one entity that is isolated, full or moving does not
 * take the others' answers away. Any other refusal is that of the whole list.
 */
export function withoutPool({ id, name }: DirectoryEntry, refusal: Refusal): object {
  if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") throw new RefusalError(refusal);
  return { pool_id: id, name, error: batchError(refusal) };
}
