import { errorCodes, type Refusal } from "#base";
import { batchError } from "./batch.ts";

/**
 * A pool that a list over many goes on without (`UnavailablePool`): one entity that is isolated, full or moving does not
 * take the others' answers away. `undefined`: the refusal is that of the whole list.
 */
export function unavailablePool(
  { id, name }: { readonly id: string; readonly name: string },
  refusal: Refusal,
): Record<string, unknown> | undefined {
  if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") return undefined;
  return { pool_id: id, name, error: batchError(refusal) };
}
