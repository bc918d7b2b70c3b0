import { RefusalError } from "#base";
import type { CalledAs } from "../../parts.ts";
import type { Parts } from "../parts.ts";

/** False: what is the tenant's is not sent now, since it is suspended. Asked through the pipeline, which knows that. */
export async function isServed(
  { call }: Pick<Parts, "call">,
  webhook: string,
  as: CalledAs,
): Promise<boolean> {
  try {
    await call("WebhookService.GetWebhook", { webhook_id: webhook }, as);
    return true;
  } catch (error) {
    return !(error instanceof RefusalError) || error.refusal.code !== "PERMISSION_DENIED";
  }
}
