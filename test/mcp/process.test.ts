/** The built service: kill -9 between a tool call and its answer, and its own suite where the settings are others. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { loadContract } from "../../gateway/contract/index.ts";
import { startDev } from "../process/support.ts";
import { connects } from "./clients.ts";

type Message = Record<string, unknown>;

async function rest(port: number, path: string, body?: object): Promise<Message> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  return (await answer.json()) as Message;
}

test("given kill -9 between a call and its answer, when it is repeated with its idempotency_key, then there is one effect", async (t) => {
  t.timeout(240_000);
  const folder = mkdtempSync(join(tmpdir(), "mcp-kill-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const start = () => startDev(t, [...["--set", "mcp.enabled=true", "--set", `storage.dir=${folder}/data`]]);
  let service = await start();
  const { id: pool_id } = (await rest(service.ports.http, "/api/pools", { name: "p" })).data as Message;
  const keys = [0, 5, 30].map((ms) => [`call-${ms}`, ms] as const);
  for (const [idempotency_key, ms] of keys) {
    const args = { pool_id, payload: { key: idempotency_key }, idempotency_key };
    const enqueue = async () => {
      const assistant = await connects["client 2.4.0"](`http://127.0.0.1:${service.ports.http}/mcp`);
      return { assistant, answer: assistant.call("api_queueservice_enqueue", args) };
    };
    const lost = await enqueue();
    lost.answer.catch(() => undefined);
    await sleep(ms);
    service.signal("SIGKILL");
    await service.ended;
    await lost.assistant.close();
    service = await start();
    for (const _ of [1, 2]) {
      const { assistant, answer } = await enqueue();
      t.falsy((await answer).isError, idempotency_key);
      await assistant.close();
    }
  }
  const { data } = await rest(service.ports.http, `/api/queues/${pool_id}/items`);
  t.is((data as object[]).length, keys.length);
});

test("given another path and no clients of 2025, then the service's own suite follows, and the contract is in serverInfo", async (t) => {
  const settings = ["mcp.enabled=true", "mcp.path=/assistants/tools", "mcp.legacy=false"];
  const { ports } = await startDev(
    t,
    settings.flatMap((pair) => ["--set", pair]),
  );
  const body = { environment_id: "staging", mode: "sandbox" };
  const { data } = await rest(ports.http, "/api/runtime-conformance/suites/mcp:run", body);
  const { verdict, results } = data as { verdict: string; results: { case_id: string; status: string }[] };
  t.is(verdict, "conformant", JSON.stringify(results));
  t.is(results.find(({ case_id }) => case_id === "mcp.initialize")!.status, "not_applicable");
  const capability = await rest(ports.http, "/api/v2/capabilities/mcp");
  t.like(capability.data as Message, { mode: "active" });
  const listed = await fetch(`http://127.0.0.1:${ports.http}/assistants/tools`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/list",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        },
      },
    }),
  });
  t.is(listed.headers.get("cache-control"), "no-store");
  const { result } = (await listed.json()) as { result: Message & { _meta: Message } };
  t.like(result, { ttlMs: 300_000, cacheScope: "private" });
  const { sha256: contract_sha256 } = loadContract();
  t.like(result._meta["io.modelcontextprotocol/serverInfo"] as Message, {
    name: "switchyard",
    contract_sha256,
  });
});

test("given it is off, then its capability is disabled", async (t) => {
  const { ports } = await startDev(t);
  t.like((await rest(ports.http, "/api/v2/capabilities/mcp")).data as Message, { mode: "disabled" });
  t.is((await fetch(`http://127.0.0.1:${ports.http}/mcp`, { method: "POST", body: "{}" })).status, 404);
});
