import { handleOf, isRefusal, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { addReceipt } from "../../kit/evidence.ts";
import { tenantSetting } from "../../kit/tenant-setting.ts";
import type { CallContext, Handler } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { type PublicKey, publicKeyOf } from "../dsse.ts";
import { readSigned } from "../signed-receipt.ts";

type Parts = Pick<ModuleParts, "settings">;

/** Signatures are looked at here: which keys count is the tenant's to say, and no entity needs a key. */
export function acceptReceipt({ settings }: Parts): Handler<"EvidenceService.AddReceipt"> {
  return async (request, call) => {
    const { dsse, ...given } = request;
    const signed = dsse === undefined ? undefined : readSigned(dsse, trustedKeys(settings, call));
    if (signed && isRefusal(signed)) throw new RefusalError(signed);
    if (given.canary !== undefined || signed?.type === "canary") throw new RefusalError(serviceOnly());
    const receipt = { ...given, ...(signed && { signed }) };
    return ask(call, addReceipt, { key: handleOf(given.pack_id), request: receipt, step: "" });
  };
}

/** One that cannot be read vouches for nothing. */
function trustedKeys(settings: Parts["settings"], call: CallContext): readonly PublicKey[] {
  const texts = tenantSetting<readonly string[]>(settings, call, "evidence.trusted_keys");
  return texts.flatMap((text) => {
    try {
      return [publicKeyOf(text)];
    } catch {
      return [];
    }
  });
}

function serviceOnly() {
  return refuse("PERMISSION_DENIED", "only the service itself gives canary receipts", {
    reason: "SERVICE_ONLY",
  });
}
