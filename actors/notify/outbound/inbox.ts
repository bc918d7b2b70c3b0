import type { Provider } from "./types.ts";

/** Nothing leaves: the audience writes the message into the inbox in the commit that ends the attempt. */
export const inbox: Provider = {
  key: "inbox",
  channels: ["in_app"],
  keyed: true,
  connected: false,
  send: ({ key }) => Promise.resolve({ type: "accepted", providerMessageId: key }),
};
