import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import test from "ava";
import { Switchyard } from "#sdk";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { runExample } from "../support/example-readme.ts";
import { needing } from "../support/needing.ts";

const run = promisify(execFile);
const environment = { GOPROXY: "off" };

// One after the other: both generate the same folder.
needing(
  test.serial,
  "go",
  "curl",
)("the commands of the README of the worker in Go work as written", async (t) => {
  const said = await runExample(t, "worker-go", {
    environment: ({ native }) => ({
      ...environment,
      SWITCHYARD_GRPC_URL: `http://127.0.0.1:${native}`,
    }),
  });
  t.deepEqual(said.trim().split("\n").slice(-2).sort(), ["HELLO", "WORLD"]);
});

needing(test.serial, "go")(
  "the worker in Go fails what is no text, and ends at SIGTERM without a lease",
  async (t) => {
    t.timeout(480_000);
    const folder = mkdtempSync(path.join(tmpdir(), "worker-go-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const cwd = path.resolve(import.meta.dirname, "../../examples/worker-go");
    const env = { ...process.env, ...environment };
    const program = path.join(folder, "worker");
    await run("../../node_modules/.bin/buf", ["generate"], { cwd, env });
    await run("go", ["build", "-o", program, "."], { cwd, env });
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const sy = new Switchyard({ url: server.url });
    const { id: pool_id } = await sy.pools.create({ name: "letters", config: { max_attempts: 1 } });
    for (const payload of [42, "hello"]) await sy.items.enqueue({ pool_id, key: String(payload), payload });
    const worker = spawn(program, ["letters", "100"], {
      env: { ...env, SWITCHYARD_GRPC_URL: `http://127.0.0.1:${server.ports.native}` },
      stdio: ["ignore", "ignore", "inherit"],
    });
    t.teardown(() => worker.kill("SIGKILL"));
    const ended = new Promise((resolve) => worker.on("close", resolve));
    const states = async () => {
      const { data } = await sy.items.list({ pool_id }).page();
      return Object.fromEntries(data.map(({ key, state }) => [key, state]));
    };
    const expected = { 42: "dead", hello: "completed" };
    await eventually("both are settled", async () => {
      const { 42: failed, hello } = await states();
      return (failed === expected[42] && hello === expected.hello) || undefined;
    });
    worker.kill("SIGTERM");
    t.is(await ended, 0);
    await sy.items.enqueue({ pool_id, key: "next", payload: "next" });
    t.deepEqual(await states(), { ...expected, next: "ready" });
  },
);
