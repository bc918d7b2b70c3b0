import { isRefusal, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import { packAddress } from "../../kit/evidence.ts";
import type { Message } from "../../kit/record.ts";
import { tenantSetting } from "../../kit/tenant-setting.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { type PublicKey, publicKeyOf } from "../dsse.ts";
import { readSigned } from "../signed-receipt.ts";

type Parts = Pick<ModuleParts, "settings">;

/** Signatures are looked at here: which keys count is the tenant's to say, and no entity needs a key. */
export function addReceipt({ settings }: Parts): Orchestration {
  return async (request, call) => {
    const { dsse, ...given } = request as Message & { readonly pack_id: string; readonly dsse?: unknown };
    const signed = dsse === undefined ? undefined : readSigned(dsse, trustedKeys(settings, call));
    if (signed && isRefusal(signed)) throw new RefusalError(signed);
    if (given.canary !== undefined || signed?.type === "canary") throw new RefusalError(serviceOnly());
    return ask(call, {
      to: packAddress(call.caller.tenant, given.pack_id),
      method: "EvidencePack.AddReceipt",
      request: { ...given, ...(signed && { signed }) },
      step: "",
    });
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
