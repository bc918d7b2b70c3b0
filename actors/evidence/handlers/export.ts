import { canonicalText, handleOf, limits } from "#base";
import { ask } from "../../kit/ask.ts";
import type { PackRef } from "../../kit/evidence.ts";
import { tenantSecretOf } from "../../kit/tenants.ts";
import type { CallContext, Handler } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { inTotoType, signEnvelope } from "../dsse.ts";
import { type Dumped, manifestOf } from "../manifest.ts";
import type { Receipt } from "../record.ts";
import { dumpPack } from "../service.ts";

/** The handler makes and signs it: the same pack has the same bytes, and Ed25519 the same signature for them. */
export function exportPack({ signer }: Pick<ModuleParts, "signer">): Handler<"EvidenceService.ExportPack"> {
  return async (request, call) => {
    const dumped = await dump(request, call);
    const manifest = manifestOf(dumped, await tenantSecretOf(call));
    const payload = Buffer.from(canonicalText(manifest));
    return { manifest, envelope: signEnvelope(payload, inTotoType, signer) };
  };
}

async function dump(ref: PackRef, call: CallContext): Promise<Dumped> {
  const receipts: Receipt[] = [];
  for (let page_token = ""; ; ) {
    const page_size = limits.pageSizeMax;
    const request = { ...ref, page_size, page_token };
    const page = await ask(call, dumpPack, { key: handleOf(ref.pack_id), request });
    receipts.push(...page.receipts);
    page_token = page.next_page_token;
    // Receipts that came between two pages are newer than the first page, and not in it.
    if (page_token === "") return { ...page, receipts };
  }
}
