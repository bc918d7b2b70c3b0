import { randomBytes } from "node:crypto";
import test from "ava";
import { devTenantId, handleOf } from "#base";
import { startConnectors } from "../../test/support/connectors.ts";
import { ask } from "../kit/ask.ts";
import { keyIdOf } from "../kit/secrets.ts";
import { secrets } from "./provider-config/methods.ts";

test("given a provider config with several client secrets, a rotation encrypts those of its old versions too", async (t) => {
  const [k1, k2] = [randomBytes(32), randomBytes(32)];
  const world = await startConnectors({ keys: { k1, k2 } });
  t.teardown(() => world.close());
  const { id } = await world.call<{ id: string }>("ProviderConfigService.CreateProviderConfig", {
    name: "a",
    provider_key: "github",
    auth: "oauth",
    client_id: "c",
    client_secret: "first",
  });
  const update = (change: object) =>
    world.call("ProviderConfigService.UpdateProviderConfig", { provider_config_id: id, ...change });
  await update({ client_secret: "second" });
  await update({ name: "b" });
  const caller = {
    tenant: devTenantId,
    subject: "t",
    owner: "t",
    principalKind: "user",
    requestId: "",
    environmentMode: "any",
    platform: false,
  } as const;
  const call = { caller, asker: world.asker, deadlineMs: Date.now() + 60_000 };
  const keys = async () => {
    const found = await ask(call, secrets, { key: handleOf(id), request: {} });
    return found.secrets.map(({ version, encrypted }) => [version, keyIdOf(world.keyRing, encrypted)]);
  };
  const sorted = async () => (await keys()).sort((a, b) => (a[0] as number) - (b[0] as number));
  t.deepEqual(await sorted(), [
    [1, "k1"],
    [2, "k1"],
  ]);
  world.useKey("k2");
  const done = await world.call("ConnectorService.RotateCredentials", {});
  t.like(done, { rotated: 1, unreadable: 0 });
  t.deepEqual(await sorted(), [
    [1, "k2"],
    [2, "k2"],
  ]);
  t.like(await world.call("ConnectorService.RotateCredentials", {}), { rotated: 0, unchanged: 1 });
});
