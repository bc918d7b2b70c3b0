/** Real processes on one data folder: killed, stopped, and a second one on the same folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import test from "ava";
import { Random } from "#base";
import { attachStorage, type Storage, StorageError, startStorage } from "#storage";
import { take } from "../../storage/journal.cases.ts";
import { sourceArguments } from "../support/typescript/arguments.ts";

const script = fileURLToPath(new URL("./writer.ts", import.meta.url));

interface RunningWriter {
  readonly child: ChildProcess;
  readonly acknowledged: string[];
  readonly started: Promise<void>;
  errors(): string;
}

function startWriter(dir: string, handles: number): RunningWriter {
  const child = spawn(process.execPath, [...sourceArguments, script, dir, String(handles)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const acknowledged: string[] = [];
  let errors = "";
  child.stderr!.on("data", (data) => {
    errors += data;
  });
  const started = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (line.startsWith("started")) resolve();
      // A kill may cut the last line short.
      if (line.startsWith("ack ") && line.endsWith("!")) acknowledged.push(line.slice("ack ".length));
    });
    child.once("exit", () => reject(new Error(errors)));
  });
  return { child, acknowledged, started, errors: () => errors };
}

async function kill({ child }: RunningWriter): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Everything in a folder, from rows and from the journal after them: "shard seq value". */
async function contentOf(storage: Storage, shard: number): Promise<string[]> {
  const watermark = await storage.tables.watermark(shard);
  const rows = await storage.tables.scan({ shard, partition: "rows", limit: 1_000_000 });
  const lines = rows.map(
    ({ key, value }) => `${shard} ${Buffer.from(key, "latin1").readBigUInt64BE()} ${Buffer.from(value)}`,
  );
  if (lines.length !== watermark)
    throw new Error(`shard ${shard} has ${lines.length} rows up to ${watermark}`);
  for await (const { seq, bytes } of storage.journal.replay(shard, watermark))
    lines.push(`${shard} ${seq} ${Buffer.from(bytes)}`);
  return lines;
}

test("repeated kill -9 of a writer with one to three journals: no acknowledged entry is lost or stored twice", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.kill-"));
  const random = new Random("kill -9");
  const acknowledged: string[] = [];
  for (const handles of [2, 1, 3, 2, 4]) {
    const writer = startWriter(dir, handles);
    await writer.started;
    const before = writer.acknowledged.length;
    while (writer.acknowledged.length < before + 50) await sleep(5);
    await sleep(random.int(150));
    await kill(writer);
    acknowledged.push(...writer.acknowledged);
    const host = await startStorage({ engine: "embedded", dir }, () => {});
    const storage = await attachStorage(host.bootstrap(0).data);
    const found = new Set<string>();
    for (const { shard, head } of await storage.journal.open([0, 1, 2, 3, 4, 5, 6, 7], 1)) {
      const content = await contentOf(storage, shard);
      t.is(content.length, head, "every sequence once");
      for (const [index, line] of content.entries()) t.is(line.split(" ")[1], String(index + 1));
      for (const line of content) found.add(line);
    }
    const lost = acknowledged.filter((line) => !found.has(line));
    t.deepEqual(lost, [], `${acknowledged.length} acknowledged so far`);
    await storage.close();
    await host.close();
  }
  t.true(acknowledged.length > 250);
  await rm(dir, { recursive: true });
});

test("a second process on the folder is refused with the pid of the first, also while that one is stopped", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.lock-"));
  const writer = startWriter(dir, 1);
  await writer.started;
  const refusal = {
    instanceOf: StorageError,
    message: `storage.dir: ${dir} is in use by process ${writer.child.pid}: stop it, or choose another folder`,
  };
  await t.throwsAsync(startStorage({ engine: "embedded", dir }), refusal);
  writer.child.kill("SIGSTOP");
  await t.throwsAsync(startStorage({ engine: "embedded", dir }), refusal);
  writer.child.kill("SIGCONT");
  await kill(writer);
  const host = await startStorage({ engine: "embedded", dir }, () => {});
  t.is((await readdir(join(dir, "lock"))).length, 1, "the killed process's leftovers are gone");
  await host.close();
  await rm(dir, { recursive: true });
});

test("a failed sync ends the process at once with a clear error, and entries acknowledged before are there", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.fsync-"));
  const failing = fileURLToPath(new URL("./failing-writer.ts", import.meta.url));
  const child = spawn(process.execPath, [...sourceArguments, failing, dir]);
  let [output, errors] = ["", ""];
  child.stdout.on("data", (data) => {
    output += data;
  });
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const [, signal] = await once(child, "close");
  t.is(signal, "SIGKILL");
  t.regex(
    errors,
    /storage: a write or sync of .*\.seg failed: EIO.*stopping, because it is not known what is on disk/,
  );
  t.deepEqual(output.trim().split("\n"), ["ack 1 1 v1", "ack 1 2 v2", "ack 1 3 v3", "ack 1 4 v4"]);
  const host = await startStorage({ engine: "embedded", dir }, () => {});
  const storage = await attachStorage(host.bootstrap(0).data);
  const { head } = await take(storage.journal, 1);
  t.true(head === 4 || head === 5, "the fifth was not acknowledged; it may be stored");
  await storage.close();
  await host.close();
  await rm(dir, { recursive: true });
});

test("several processes start on one folder at once: one stays, and the errors of the others name it", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.lock-"));
  for (let round = 0; round < 5; round++) {
    const starts = await Promise.allSettled(
      Array.from({ length: 4 }, () => startStorage({ engine: "embedded", dir }, () => {})),
    );
    const hosts = starts.filter((start) => start.status === "fulfilled");
    t.is(hosts.length, 1);
    for (const start of starts)
      if (start.status === "rejected")
        t.regex(String(start.reason), new RegExp(`in use by process ${process.pid}`));
    await hosts[0]!.value.close();
  }
  await rm(dir, { recursive: true });
});

const losses = {
  "the folder lock/ is removed": (dir: string) => rm(join(dir, "lock"), { recursive: true }),
  "the socket in lock/ is removed": async (dir: string) => {
    for (const name of await readdir(join(dir, "lock"))) await rm(join(dir, "lock", name));
  },
  "the folder lock/ is renamed": (dir: string) => rename(join(dir, "lock"), join(dir, "lock.old")),
  "tables/data.mdb is removed": (dir: string) => rm(join(dir, "tables", "data.mdb")),
};

for (const [loss, inflict] of Object.entries(losses))
  test(`${loss} while a process runs: the process says so and ends within a second, and acknowledges nothing more`, async (t) => {
    const dir = await mkdtemp(join(tmpdir(), "switchyard.lost-"));
    const writer = startWriter(dir, 2);
    t.teardown(() => kill(writer));
    await writer.started;
    while (writer.acknowledged.length < 10) await sleep(10);
    const exited = once(writer.child, "exit");
    const inflicted = performance.now();
    await inflict(dir);
    const [code, signal] = await exited;
    // A generous bound, as the machine may be busy; a process that does not check goes on for ever.
    t.true(performance.now() - inflicted < 10_000);
    t.true(code !== 0, `${code} ${signal}`);
    t.regex(
      writer.errors(),
      /storage: .*(lock\/|data\.mdb).* was removed while it was in use; stopping, because /,
    );
    await rm(dir, { recursive: true });
  });
