/** Real processes are killed while effects are under way; a server counts the calls. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import test from "ava";
import { Random } from "#base";
import { eventually } from "../support/eventually.ts";
import { sourceArguments } from "../support/typescript/arguments.ts";

const script = fileURLToPath(new URL("./errands.ts", import.meta.url));
const kills = Number(process.env.EFFECT_KILLS ?? 5);

test("repeated kill -9: every acknowledged effect reaches the server, and none that was not committed does", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.effects-"));
  const random = new Random("effects");
  const calls = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const [id] = (await text(request)).split(" ");
    calls.set(id!, (calls.get(id!) ?? 0) + 1);
    // Some are slow, so that kills hit them; some fail after they were counted.
    await sleep(random.chance(0.2) ? 200 : 1);
    response.statusCode = random.chance(0.02) ? 500 : 200;
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await rm(dir, { recursive: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const acknowledged: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const child = start(t, dir, url, `${kill}`);
    const said = linesOf(child);
    await eventually("some effects are asked for", () => said.length > 5 || undefined);
    await sleep(random.int(200));
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    acknowledged.push(...said.filter((line) => /^ack .*!$/.test(line)).map((line) => line.slice(4, -1)));
  }
  const said = linesOf(start(t, dir, url, "last", "finish"));
  const missing = () => {
    const results = said.findLast((line) => /^results .*!$/.test(line)) ?? "results []!";
    const done = new Set(JSON.parse(results.slice("results ".length, -1)) as string[]);
    return {
      neverCalled: acknowledged.filter((id) => !calls.has(id)),
      neverTold: acknowledged.filter((id) => !done.has(id)),
      neverCommitted: [...calls.keys()].filter((id) => !done.has(id)),
    };
  };
  const isDone = () => Object.values(missing()).every((ids) => ids.length === 0);
  // The next attempt after a failed one comes within seconds: what is still missing then is lost.
  for (let round = 0; round < 300 && !isDone(); round++) await sleep(200);
  t.deepEqual(missing(), { neverCalled: [], neverTold: [], neverCommitted: [] });
  const repeated = [...calls.values()].filter((times) => times > 1).length;
  t.log(`${acknowledged.length} acknowledged, ${calls.size} called, ${repeated} of them more than once`);
});

function start(
  t: { teardown(end: () => void): void },
  dir: string,
  url: string,
  ...more: string[]
): ChildProcess {
  const child = spawn(process.execPath, [...sourceArguments, script, dir, url, ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(() => void child.kill("SIGKILL"));
  return child;
}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  return lines;
}
