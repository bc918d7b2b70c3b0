import { api, test } from "./support.ts";

/** Updates through the real doors of `service dev`: merge patches, masks, versions. */

test("a patch whose objects are all empty changes nothing", async (t) => {
  const call = api(t.context);
  const config = { lease_seconds: 60, fairness: { key: "item.key", weights: { a: 2 } } };
  const pool = (await call("POST", "/api/pools", { name: "still", config })).data;
  const at = `/api/pools/${pool.id}`;
  for (const empty of [{ priority: {} }, { fairness: { weights: {} } }, { admission: { throttle: {} } }]) {
    t.is((await call("PATCH", at, { config: empty })).status, 200);
    t.deepEqual((await call("GET", at)).data.config, pool.config);
  }
  const metadata = { a: { b: 1 }, c: 2 };
  const recipient = (await call("POST", `${at}/recipients`, { name: "r", metadata })).data;
  const patched = await call("PATCH", `/api/recipients/${recipient.id}`, { metadata: { a: {} } });
  t.deepEqual(patched.data.metadata, metadata);
});
