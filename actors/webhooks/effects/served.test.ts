import test from "ava";
import { refusalError } from "#base";
import { webhookAt } from "../record.ts";
import { pumpHandler } from "./pump.ts";
import { sendHandler } from "./send.ts";

const tenant = "01JTENANT00000000000000000";
const webhook = "01JWEBH00K0000000000000000";

test("given a suspended tenant, then its endpoints get no events, and nothing is sent to them", async (t) => {
  const sent: unknown[] = [];
  const parts = {
    isOn: true,
    loopback: true,
    metrics: { add: () => {} },
    clock: { now: () => 0, monotonic: () => 0 },
    outgoing: { request: async (request: unknown) => sent.push(request) },
    async call(name: string) {
      if (name === "WebhookService.GetWebhook")
        throw refusalError("PERMISSION_DENIED", "the tenant is suspended", { reason: "TENANT_SUSPENDED" });
      if (name === "events.Next") return { events: [{ kind: "pool.created" }], cursor: [0, 1] };
      return { webhook: { id: webhook, secret: {} }, delivery: {}, body: "{}" };
    },
  };
  const run = { address: webhookAt(tenant, webhook), signal: new AbortController().signal };
  const position = [0, 0];
  const asked = { webhook, tenant, kinds: ["pool"], environment: "", position };
  t.like(await pumpHandler(parts as never).run({ ...run, body: asked } as never), { off: true, events: [] });
  const delivery = { id: "d", generation: 1 };
  t.like(await sendHandler(parts as never).run({ ...run, body: delivery } as never), {
    off: true,
    status: 0,
  });
  t.deepEqual(sent, []);
});

test("given a delivery that is no longer to be sent, when its attempt begins, then nothing is sent and nothing has failed", async (t) => {
  const parts = { isOn: true, call: async () => null };
  const run = { address: webhookAt(tenant, webhook), signal: new AbortController().signal };
  const body = { id: "d", generation: 1 };
  t.like(await sendHandler(parts as never).run({ ...run, body } as never), { off: true, status: 0 });
});
