import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createTls } from "node:https";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { gzipSync } from "node:zlib";
import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { Authority } from "../../test/support/certificates.ts";
import { needing } from "../../test/support/needing.ts";
import type { Outgoing, OutgoingRequest } from "../outgoing.ts";
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

async function call(base: string, mutation: Mutation, client: Outgoing = outgoing): Promise<CallResult> {
  const values = { input: { url: "/", method: "POST", body: {} }, config: { base_url: base }, now };
  const { signal } = new AbortController();
  const about = { action, mutation, values, credential: {}, credentialVersion: 4, key: "k", signal };
  return perform(client, prepare(action, values), about);
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
});

test("a redirect to a private address is not followed; what sent it may have acted on the request", async (t) => {
  for (const status of [302, 303, 307, 308]) {
    const redirecting = await http(t, (response) =>
      response.writeHead(status, { location: "http://10.0.0.1/" }).end(),
    );
    await comesTo(t, redirecting, ["EGRESS_DENIED no", "EGRESS_DENIED no", "unknown"]);
  }
});

test("a name that is bound to another address after it was allowed is not called there", async (t) => {
  let resolved = 0;
  const rebinding = createOutgoing(
    { mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] },
    { resolve: async () => (resolved++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]) },
  );
  t.teardown(() => rebinding.close());
  const server = await http(t, (response) => void response.writeHead(200, { connection: "close" }).end("{}"));
  const named = server.replace("127.0.0.1", "rebinding.example");
  t.like(await call(named, "none", rebinding), { type: "succeeded" });
  t.is(resolved, 1, "what was checked is what is called");
  t.like(await call(named, "non_idempotent", rebinding), { type: "failed", code: "EGRESS_DENIED" });
});

needing(test, "openssl")("TLS that is not trusted: nothing was sent, whatever the mutation", async (t) => {
  const authority = new Authority();
  t.teardown(() => authority.remove());
  const { certFile, keyFile } = authority.issue("api", "IP:127.0.0.1");
  let asked = 0;
  const server = createTls(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    () => void asked++,
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => void server.close());
  await comesTo(t, `https://127.0.0.1:${(server.address() as AddressInfo).port}`, all("NETWORK unsent"));
  t.is(asked, 0);
});

test("no answer in time: only what is safe to repeat is tried again", async (t) => {
  const hasty = {
    ...outgoing,
    request: (one: OutgoingRequest) => outgoing.request({ ...one, timeoutMs: 300 }),
  };
  const silent = await http(t, () => {});
  const slow = await http(t, (response) => void response.writeHead(200).write("never more"));
  for (const base of [silent, slow])
    for (const mutation of mutations) {
      const result = await call(base, mutation, hasty);
      if (mutation === "non_idempotent") t.is(result.type, "unknown");
      else t.like(result, { type: "failed", code: "TIMEOUT", again: "repeatable" });
    }
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

test("a small answer that inflates to more than the bound is stopped there", async (t) => {
  const bomb = gzipSync(Buffer.alloc(64 * 1_024 * 1_024));
  const bombs = await http(t, (response) =>
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end(bomb),
  );
  t.true(bomb.length < 100_000);
  await comesTo(t, bombs, ["ANSWER_TOO_LARGE no", "ANSWER_TOO_LARGE no", "unknown"]);
});
