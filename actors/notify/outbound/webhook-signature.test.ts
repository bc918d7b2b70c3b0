import { readFileSync } from "node:fs";
import test from "ava";
import { webhookHeaders } from "./webhook-signature.ts";

interface Sample {
  readonly secret: string;
  readonly id: string;
  readonly at: number;
  readonly body: string;
  readonly signature: string;
}

test("webhooks are signed as PyPI's standardwebhooks signs them", (t) => {
  const file = new URL("../../../test/oracles/webhooks.json", import.meta.url);
  const samples = JSON.parse(readFileSync(file, "utf8")) as Sample[];
  t.is(samples.length, 50);
  for (const { secret, id, at, body, signature } of samples)
    t.deepEqual(webhookHeaders(secret, { id, now: at * 1_000 + 999, body }), {
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": signature,
    });
});
