import type { ModuleParts } from "../../parts.ts";
import { makeFcm } from "./providers/fcm.ts";
import { makeSlack } from "./providers/slack.ts";
import { makeSmtp } from "./providers/smtp.ts";
import { makeTwilio } from "./providers/twilio.ts";
import { makeWebPush } from "./providers/web-push.ts";
import { makeWebhook } from "./providers/webhook.ts";
import { sink } from "./sink.ts";
import type { Provider } from "./types.ts";

/** Every provider that this installation has, by key. */
export function makeProviders(
  parts: Pick<ModuleParts, "settings" | "outgoing" | "clock">,
): ReadonlyMap<string, Provider> {
  const made = [makeSmtp, makeWebhook, makeSlack, makeTwilio, makeFcm, makeWebPush].map((make) =>
    make(parts),
  );
  const sinks = parts.settings["notification.sink.enabled"] === true ? [sink] : [];
  return new Map([inbox, ...made, ...sinks].map((provider) => [provider.key, provider]));
}

/** Nothing leaves: the audience writes the message into the inbox in the commit that ends the attempt. */
const inbox: Provider = {
  key: "inbox",
  channels: ["in_app"],
  keyed: true,
  connected: false,
  send: ({ key }) => Promise.resolve({ type: "accepted", providerMessageId: key }),
};
