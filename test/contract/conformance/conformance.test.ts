import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { packageRoot } from "../../../protos/image.ts";
import { needing } from "../../support/needing.ts";
import { conformancePath } from "../../support/parts.ts";

/**
 * The Connect project's own suite against our handlers and our `invoke`. It needs the suite's runner: `go install
 * connectrpc.com/conformance/cmd/connectconformance@v1.0.6`. No failure is tolerated: there is no list of known
 * failures.
 */
const runner = conformancePath();
const program = runner === undefined ? "" : bundled();
test.after.always(() => program !== "" && rmSync(dirname(program), { recursive: true }));

for (const { name, server, config } of [
  { name: "HTTP/1.1 on uWebSockets.js (:8080)", server: "uws", config: "http1.yaml" },
  { name: "HTTP/1.1 on node:http", server: "node", config: "http1.yaml" },
  { name: "HTTP/2, plain and TLS (:50052)", server: "native", config: "http2.yaml" },
]) {
  const title = `the Connect conformance suite passes over ${name}`;
  needing(test.serial, "connectconformance")(title, async (t) => {
    const { code, output } = await run(runner!, server, config);
    const counts = /Total cases: (\d+)\n(\d+) passed, (\d+) failed/.exec(output);
    t.log(counts?.[0].replace("\n", ", ") ?? output.slice(-2_000));
    const failures = (output.match(/^FAILED.*\n.*/gm) ?? []).slice(0, 5);
    t.deepEqual(failures, []);
    t.is(code, 0);
    t.true(Number(counts?.[2]) > 500, "the suite ran");
  });
}

function run(
  command: string,
  server: string,
  config: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    command,
    [
      "--mode=server",
      // Each server is a separate process, and slow to start while the others keep the machine busy.
      "--max-servers=2",
      `--conf=${fileURLToPath(new URL(config, import.meta.url))}`,
      "--",
      process.execPath,
      program,
      server,
    ],
    { stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    // A server that outlives the runner would hold its output open: so the whole process group is ended.
    child.on("exit", () => endGroup(child.pid!));
    child.on("close", (code) => resolve({ code, output }));
  });
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // The process group is gone already.
  }
}

/**
 * The runner starts dozens of servers and waits ten seconds for each: compiling our source in each would take longer.
 */
function bundled(): string {
  const cache = join(packageRoot(), "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outfile = join(mkdtempSync(join(cache, "conformance-")), "server.mjs");
  const require = createRequire(import.meta.url);
  const { buildSync } = createRequire(require.resolve("tsx"))("esbuild") as Bundler;
  buildSync({
    entryPoints: [fileURLToPath(new URL("server.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["source"],
  });
  return outfile;
}

/** What we use of esbuild, which comes with tsx. */
interface Bundler {
  buildSync(options: object): unknown;
}
