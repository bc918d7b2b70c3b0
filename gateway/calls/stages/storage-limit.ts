import type { TenantFacts } from "#actors";
import { refusalError } from "#base";
import type { ContractMethod } from "../../contract/method.ts";
import type { Call } from "../call.ts";
import type { PipelineParts } from "./stage.ts";

/** Refuses what would add to the data of a tenant that has stored its `storage_bytes`. Everything else goes on, deletes above all. */
export function storageCheck({ methods, providers }: Pick<PipelineParts, "methods" | "providers">) {
  const growing = new Set(methods.filter(grows));
  const { tenants } = providers;
  return ({ method }: Call, { id, limits }: TenantFacts): void => {
    const { storage_bytes: bytesMax } = limits;
    if (bytesMax === undefined || !growing.has(method)) return;
    const bytes = tenants!.storedBytes(id);
    if (bytes > bytesMax)
      throw refusalError(
        "QUOTA_EXCEEDED",
        `the tenant has stored ${bytes} bytes, and its limit is ${bytesMax}`,
        {
          reason: "STORAGE",
        },
      );
  };
}

/** Of methods that make no resource and have no quota, the first word says whether they add rows. */
const addingWords = /\.(Add|Append|Assign|Attach|Batch|Expand|Import|Put|Record|Replace|Submit|Upsert)/;

function grows({ name, creates, quota, readOnly }: ContractMethod): boolean {
  return !readOnly && (creates !== undefined || quota !== undefined || addingWords.test(name));
}
