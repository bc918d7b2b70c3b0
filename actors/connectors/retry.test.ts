import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { loadCatalogue } from "./catalogue/load.ts";
import type { Mutation } from "./catalogue/types.ts";
import type { CallResult } from "./connection/execution-results.ts";
import { perform } from "./effects/perform.ts";
import { prepare } from "./effects/request.ts";

const outgoing = createOutgoing(
  { mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] },
  {
    resolve: async (host) =>
      host === "inside.example" ? ["10.0.0.1"] : Promise.reject(new Error("no such name")),
  },
);
test.after.always(() => outgoing.close());
const action = loadCatalogue({ disabled: [] }).actions.get("http.request")!;
const now = 1_700_000_000_000;

async function call(
  base: string,
  mutation: Mutation,
  signal = new AbortController().signal,
): Promise<CallResult> {
  const values = { input: { url: "/", method: "POST", body: {} }, config: { base_url: base }, now };
  const about = { action, mutation, values, credential: {}, credentialVersion: 4, key: "k", signal };
  return perform(outgoing, prepare(action, values), about);
}

async function http(t: ExecutionContext, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => request.resume().on("end", () => answer(response)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const mutations: readonly Mutation[] = ["none", "idempotent", "non_idempotent"];

/** What each class of mutation comes to: `unsent` and, but for the last, `repeatable` are tried again. */
async function comesTo(
  t: ExecutionContext,
  base: string,
  expected: readonly [string, string, string],
): Promise<void> {
  for (const [index, mutation] of mutations.entries()) {
    const result = await call(base, mutation);
    const said = result.type === "failed" ? `${result.code} ${result.again}` : result.type;
    t.is(said, expected[index]!, `${mutation}: ${JSON.stringify(result)}`);
  }
}
const all = (said: string) => [said, said, said] as const;

test("nothing was sent: every mutation is tried again", async (t) => {
  await comesTo(t, "http://127.0.0.1:1", all("NETWORK unsent"));
  await comesTo(t, "http://nowhere.example", all("NETWORK unsent"));
  const plain = await http(t, (response) => response.end());
  await comesTo(t, plain.replace("http:", "https:"), all("NETWORK unsent"));
});

test("a private address is not called, and not tried again", async (t) => {
  await comesTo(t, "http://10.0.0.1", all("EGRESS_DENIED no"));
  await comesTo(t, "http://inside.example", all("EGRESS_DENIED no"));
  const redirecting = await http(t, (response) =>
    response.writeHead(307, { location: "http://10.0.0.1/" }).end(),
  );
  await comesTo(t, redirecting, all("EGRESS_DENIED no"));
});

test("the answer was cut off: only what is safe to repeat is tried again", async (t) => {
  const resets = createTcp((socket) => socket.once("data", () => socket.resetAndDestroy())).listen(
    0,
    "127.0.0.1",
  );
  await once(resets, "listening");
  t.teardown(() => resets.close());
  const lost = ["NETWORK repeatable", "NETWORK repeatable", "unknown"] as const;
  await comesTo(t, `http://127.0.0.1:${(resets.address() as AddressInfo).port}`, lost);
  const half = await http(t, (response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setTimeout(() => response.destroy(), 20);
  });
  await comesTo(t, half, lost);
});

test("answers: 408, 425 and 5xx where a repeat is safe, 429 for all, other refusals for none", async (t) => {
  const status = (code: number) => http(t, (response) => response.writeHead(code).end());
  for (const code of [408, 425, 500, 502, 503])
    await comesTo(t, await status(code), all("PROVIDER_ERROR repeatable"));
  await comesTo(t, await status(429), all("RATE_LIMITED unsent"));
  for (const code of [400, 403, 404, 409, 422])
    await comesTo(t, await status(code), all("PROVIDER_REFUSED no"));
  await comesTo(t, await status(401), all("UNAUTHORIZED no"));
  t.like(await call(await status(401), "none"), { unauthorized: { credentialVersion: 4 } });
});

test("how long to wait: seconds, a date, or a time since the epoch", async (t) => {
  const after = async (value: string) => {
    const result = await call(
      await http(t, (response) => response.writeHead(429, { "retry-after": value }).end()),
      "none",
    );
    return result.type === "failed" ? result.retryAfterMs : undefined;
  };
  t.is(await after("7"), 7_000);
  t.is(await after(new Date(now + 9_000).toUTCString()), 9_000);
  t.is(await after(String(now / 1_000 + 11)), 11_000);
  t.is(await after("soon"), undefined);
});

test("an endless body is stopped at the bound", async (t) => {
  const endless = await http(t, (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", more);
    more();
  });
  t.like(await call(endless, "none"), { type: "failed", code: "ANSWER_TOO_LARGE", again: "no" });
  t.is((await call(endless, "non_idempotent")).type, "unknown");
  t.true(limits.executionAnswerBytesMax <= 4 * 1_024 * 1_024);
});
