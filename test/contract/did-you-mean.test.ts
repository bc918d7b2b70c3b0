import anyTest, { type TestFn } from "ava";
import { WebSocket } from "ws";
import { nobody } from "./cases/case.ts";
import { send } from "./support/rest-client.ts";
import { startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context = { service: await startTestService({ runtime: true }) };
});

test.after.always((t) => t.context.service.close());

const pool = `/api/pools/${nobody}`;

const requests: readonly [verb: string, path: string, body: object | undefined, hint: string][] = [
  ["POST", "/api/pools", { name: "p", strateggy: "round_robin" }, "did you mean strategy?"],
  ["POST", "/api/pools", { name: "p", strategy: "roundrobin" }, "did you mean round_robin?"],
  ["POST", "/api/pools", { name: "p", config: { leas_second: 3 } }, "did you mean lease_seconds?"],
  ["PATCH", pool, { confg: {} }, "did you mean config?"],
  ["GET", "/api/pools?limt=3", undefined, "did you mean limit?"],
  ["GET", "/api/pools?curser=3", undefined, "did you mean cursor?"],
  ["GET", "/api/pools?page_sizes=3", undefined, ""],
  ["GET", "/api/pools?environmnt=x", undefined, "did you mean environment?"],
  ["GET", "/api/pool", undefined, "did you mean /api/pools?"],
  ["GET", `/api/pols/${nobody}`, undefined, `did you mean ${pool}?`],
  ["POST", `${pool}:rout`, {}, `did you mean ${pool}:route?`],
  ["GET", `/api/queues/${nobody}/statsu`, undefined, `did you mean /api/queues/${nobody}/status?`],
  ["GET", "/api/nothing-like-it", undefined, ""],
  ["POST", "/service.api.PoolService/GetPol", {}, "did you mean /service.api.PoolService/GetPool?"],
  ["POST", "/service.api.PoolService/CreatePool", { nam: "p" }, "did you mean name?"],
  ["POST", "/service.api.PoolService/Frobnicate", {}, ""],
];

for (const [verb, path, body, hint] of requests)
  test(`given ${verb} ${path} ${JSON.stringify(body)}, then the error asks "${hint}"`, async (t) => {
    for (const port of [t.context.service.ports.uws, t.context.service.ports.node]) {
      const { status, text } = await send(port, verb, path, body && JSON.stringify(body), {});
      t.true(status >= 400 && status < 500, text);
      const { detail, message = detail } = JSON.parse(text) as { detail: string; message?: string };
      if (hint === "") t.notRegex(message, /did you mean/);
      else t.true(message.includes(`; ${hint}`), message);
    }
  });

test("an update mask and a WebSocket are told the nearest name", async (t) => {
  const { ports } = t.context.service;
  const mask = { pool_id: nobody, update_mask: "config.leaseSecond" };
  const masked = await send(
    ports.uws,
    "POST",
    "/service.api.PoolService/UpdatePool",
    JSON.stringify(mask),
    {},
  );
  t.regex(masked.text, /is no field to update; did you mean config\.lease_seconds\?/);
  const socket = new WebSocket(`ws://127.0.0.1:${ports.uws}/api/streams/QueueService/Wrk`);
  const refused = new Promise<string>((resolve, reject) => {
    socket.on("unexpected-response", (_request, answer) =>
      answer.on("data", (text) => resolve(String(text))),
    );
    socket.on("open", () => reject(new Error("it was opened")));
  });
  t.regex(
    await refused,
    /there is no stream at this path; did you mean \/api\/streams\/QueueService\/Work\?/,
  );
});

test("what is not told: a field that only the service sets, and a name too far away", async (t) => {
  const { ports } = t.context.service;
  for (const field of ["i", "tenant_ids", "x".repeat(5_000)]) {
    const { text } = await send(
      ports.uws,
      "POST",
      "/api/pools",
      JSON.stringify({ name: "p", [field]: 1 }),
      {},
    );
    t.notRegex(text, /did you mean (id|tenant_id)\b/);
  }
});
