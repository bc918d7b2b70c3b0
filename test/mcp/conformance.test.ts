/** The suites of the protocol itself through our door, on both HTTP servers. The files of expected failures say what fails, and why. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";
import test from "ava";
import { limits } from "#base";
import { createFront } from "../../gateway/http/front.ts";
import { createPathDoor } from "../../gateway/mcp/door.ts";
import { servers } from "../http/support.ts";
import { testBounds } from "../support/bounds.ts";
import { needing } from "../support/needing.ts";
import { mcpConformance, newestNodePath } from "../support/parts.ts";
import { fixtureServer } from "./fixture.ts";

const suites = {
  "2026-07-28, whole": { folder: "conformance-2026", args: ["--requirements", "2026-07-28"] },
  "2025-11-25, of the latest tag": { folder: "conformance-2025", args: ["--suite", "all"] },
};

/** Only what the suite calls is the test's; everything before it is the service's. */
async function startFixture(t: ExecutionContext, adapter: string): Promise<string> {
  const errorsUrl = "https://errors.test";
  const mcp = createPathDoor({
    invoker: { plane: "external", guard: async () => undefined, log: console },
    path: "/mcp",
    legacy: true,
    errorsUrl,
    metadataUrl: () => "",
    serverOf: fixtureServer,
  });
  const front = createFront({
    mcp,
    rest: { longBody: () => undefined, again: () => false, first: () => false, nearest: () => undefined },
    rpc: { handle: () => undefined, unknown: () => undefined },
    pages: new Map(),
    allowedHosts: ["127.0.0.1", "localhost"],
    cors: { allowedOrigins: [] },
    errorsUrl,
  });
  const server = await servers[adapter]!({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: limits.bodyBytesMax,
    bodyTimeoutMs: 5_000,
    ...front,
    onError: (error) => t.log(error),
  });
  t.teardown(() => server.close());
  return `http://127.0.0.1:${server.port}/mcp`;
}

for (const adapter of Object.keys(servers))
  for (const [title, { folder, args }] of Object.entries(suites))
    needing(
      test.serial,
      "newest node",
      "mcp conformance",
    )(`${adapter}: the suite of ${title}`, async (t) => {
      t.timeout(240_000);
      const url = await startFixture(t, adapter);
      const results = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
      t.teardown(() => rmSync(results, { recursive: true }));
      const failures = fileURLToPath(new URL(`expected-failures.${folder}.yaml`, import.meta.url));
      const command = [
        join(mcpConformance()!, folder, "dist/index.js"),
        ...["server", "--url", url, ...args, "--expected-failures", failures, "--output-dir", results],
      ];
      const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) => {
        execFile(newestNodePath()!, command, { maxBuffer: 64 * 1_024 ** 2 }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, said: stdout + stderr }),
        );
      });
      t.is(code, 0, said.slice(-6_000));
      t.regex(said, /✓/);
    });
