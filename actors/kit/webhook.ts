/** What the rotation of keys asks of webhooks. */
import { method } from "./ask.ts";
import type { EncryptedSecret } from "./secrets.ts";

export const webhookKind = "webhook";

interface WebhookSecrets {
  readonly id: string;
  readonly tenant: string;
  readonly environment: string;
  /** What signs now, and what signs until an overlap is over. */
  readonly secrets: readonly EncryptedSecret[];
}

export const webhookSecrets = method<object, WebhookSecrets>(webhookKind, "Secrets");
export const reencryptWebhook = method<{ readonly secrets: readonly EncryptedSecret[] }, unknown>(
  webhookKind,
  "Reencrypt",
);
