import { randomBytes } from "node:crypto";
import test from "ava";
import { startConnectors } from "../../test/support/connectors.ts";

interface Status {
  readonly keys: readonly { readonly key_id: string; readonly webhooks: number }[];
}

test("given endpoints with a secret and one before it, when the keys are rotated, then nothing is encrypted under the old key", async (t) => {
  const [k1, k2] = [randomBytes(32), randomBytes(32)];
  const world = await startConnectors({ keys: { k1, k2 } });
  t.teardown(() => world.close());
  const settings = { name: "w", url: "https://hooks.example.com/in", kinds: ["pool"] };
  const { id } = await world.call<{ id: string }>("WebhookService.CreateWebhook", settings);
  await world.call("WebhookService.RotateSecret", { webhook_id: id, overlap_seconds: 3_600 });
  await world.call("WebhookService.CreateWebhook", { ...settings, headers: { authorization: "x" } });
  world.useKey("k2");
  const done = await world.call("ConnectorService.RotateCredentials", { page_token: "webhooks." });
  t.like(done, { rotated: 2, unreadable: 0 });
  t.like(await world.call("ConnectorService.RotateCredentials", { page_token: "webhooks." }), { rotated: 0 });
  const { keys } = await world.call<Status>("ConnectorService.GetEncryptionStatus", {});
  t.is(keys.find(({ key_id }) => key_id === "k1")?.webhooks ?? 0, 0);
  t.is(keys.find(({ key_id }) => key_id === "k2")?.webhooks, 2);
  // What is encrypted can be used: another rotation of the secret reads it.
  t.like(await world.call("WebhookService.RotateSecret", { webhook_id: id }), { id });
});
