import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { freePort } from "../../test/support/free-port.ts";
import type { Stats } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { closedLoop } from "./load.ts";

/** Connections of the pool: more than half of the workflows in flight write at a time. */
const poolSize = 40;

/** Runs of five steps with DBOS, on its own PostgreSQL that syncs every commit. */
export function dbosRuns(inFlight: number, seconds: number, warmSeconds: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const { url, stop } = await startPostgres(dir);
    const flow = DBOS.registerWorkflow(fiveSteps, { name: "five-steps" });
    DBOS.setConfig({
      name: "bench",
      systemDatabaseUrl: url,
      systemDatabasePoolSize: poolSize,
      logLevel: "error",
      enableOTLP: false,
    });
    await DBOS.launch();
    const round = async (client: number) => {
      const handle = await DBOS.startWorkflow(flow)(`user-${client}`);
      await DBOS.send(handle.workflowID, "paid", "go");
      const output = await handle.getResult();
      if (output !== `user-${client}: paid`) throw new Error(`the workflow answered ${output}`);
    };
    const stats = await closedLoop(inFlight, seconds, round, warmSeconds);
    await DBOS.shutdown();
    await stop();
    return stats;
  });
}

/** As ours: choose, branch, store, wait for an event, end. */
async function fiveSteps(user: string): Promise<string> {
  const chosen = await DBOS.runStep(async () => user, { name: "route" });
  const large = await DBOS.runStep(async () => chosen !== "", { name: "branch" });
  if (large) await DBOS.runStep(async () => ({ stored: chosen }), { name: "enqueue" });
  const event = await DBOS.recv<string>("go", 60);
  return DBOS.runStep(async () => `${chosen}: ${event}`, { name: "end" });
}

/** With the settings of Debian, `synchronous_commit` and `fsync` on: every commit is on disk before it is answered. */
async function startPostgres(dir: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const bin = execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
  const data = join(dir, "postgres");
  const owner = ownerOfPostgres();
  chmodSync(dir, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (owner.uid !== undefined) chownSync(data, owner.uid, owner.gid!);
  const options = { ...owner, cwd: data, stdio: "ignore" } as const;
  execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "postgres"], options);
  const port = await freePort();
  const set = [
    "listen_addresses=127.0.0.1",
    "synchronous_commit=on",
    "fsync=on",
    `unix_socket_directories=${data}`,
  ];
  const args = ["-D", data, "-p", String(port), ...set.flatMap((pair) => ["-c", pair])];
  const server = spawn(join(bin, "postgres"), args, options);
  const ended = new Promise<void>((resolve) => void server.once("exit", () => resolve()));
  const isReady = () => {
    try {
      execFileSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], options);
      return true;
    } catch {
      return false;
    }
  };
  while (!isReady()) await sleep(100);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/bench`,
    stop: () => {
      server.kill("SIGINT");
      return ended;
    },
  };
}

/** PostgreSQL refuses to run as root, so it runs under the account that Debian makes for it. */
function ownerOfPostgres(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
