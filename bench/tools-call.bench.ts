// What does a tool call of an assistant (MCP) cost beside the same call over REST?
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 16;
const turns = Number(process.env.BENCH_TURNS ?? 5);
const seconds = 2;
const warmSeconds = Number(process.env.BENCH_WARM ?? 20);
const revision = "2026-07-28";

export default defineBench({
  question:
    "How many tool calls (MCP tools/call) a second beside the same REST calls, of a read and a route?",
  contenders: {
    read: () =>
      compare((pool) => ({
        rest: { method: "GET", path: `/api/pools/${pool}` },
        tool: { name: "api_poolservice_getpool", input: { pool_id: pool } },
      })),
    route: () =>
      compare((pool) => ({
        rest: { path: `/api/pools/${pool}:route`, body: JSON.stringify(routed) },
        tool: { name: "api_routingservice_route", input: { pool_id: pool, ...routed } },
      })),
  },
  rounds: 1,
});

const routed = { key: "customer-17", attributes: { region: "eu", tier: "gold" } };

interface Calls {
  readonly rest: Omit<Target, "pid" | "port">;
  readonly tool: { readonly name: string; readonly input: object };
}

/** One service is asked both ways in turns, so that other load on the machine affects both alike. */
function compare(callsOn: (pool: string) => Calls): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir, ["mcp.enabled=true"]);
    const { rest, tool } = callsOn(await service.createPool(10));
    const { pid, ports } = service;
    const targets = [
      { pid, port: ports.http, ...rest },
      { pid, port: ports.http, ...toolCall(tool) },
    ] as const;
    await checkTool(service, tool);
    for (const target of targets) await keepAliveLoad(target, connections, warmSeconds / 2);
    const runs: (readonly [rest: Stats, tool: Stats])[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const byRest = await keepAliveLoad(targets[0], connections, seconds);
      runs.push([byRest, await keepAliveLoad(targets[1], connections, seconds)]);
    }
    await service.stop();
    const of = (figure: string, index: 0 | 1) => median(runs.map((run) => run[index][figure]!));
    return {
      rest_per_s: of("per_s", 0),
      tool_per_s: of("per_s", 1),
      ratio: median(runs.map(([one, other]) => other.per_s! / one.per_s!)),
      rest_cpu_us: of("server_cpu_us", 0),
      tool_cpu_us: of("server_cpu_us", 1),
    };
  });
}

function toolCall({ name, input }: Calls["tool"]) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    path: "/mcp",
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: input, _meta },
    }),
  };
}

/** A tool that refuses answers 200 too. */
async function checkTool({ ports }: BenchService, tool: Calls["tool"]): Promise<void> {
  const { path, headers, body } = toolCall(tool);
  const answer = await fetch(`http://127.0.0.1:${ports.http}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true') || !text.includes('"structuredContent"'))
    throw new Error(`${tool.name} answered ${answer.status}: ${text}`);
}
