/** Two and more owners of one shard of the embedded engine; every old handle stays open. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import test from "ava";
import { Random } from "#base";
import { attachStorage, type OpenedShard, type Storage, StorageError, startStorage } from "#storage";
import { startThread } from "../../runtime/workers/start-thread.ts";
import { append, replayed, take } from "../../storage/journal.cases.ts";
import type { FighterReport } from "./fighter.ts";

const withHost = async (run: (host: Awaited<ReturnType<typeof startStorage>>) => Promise<void>) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.takeover-"));
  const host = await startStorage({ engine: "embedded", dir });
  try {
    await run(host);
  } finally {
    await host.close();
    await rm(dir, { recursive: true });
  }
};

test("300 take-overs among eight handles: no append of an old epoch is ever acknowledged", (t) =>
  withHost(async (host) => {
    const random = new Random("take-overs");
    const handles: Storage[] = [];
    for (let i = 0; i < 8; i++) handles.push(await attachStorage(host.bootstrap(i).data));
    const shard = 5;
    const old: { storage: Storage; owner: OpenedShard; head: number }[] = [];
    const acknowledged: string[] = [];
    for (let round = 0; round < 300; round++) {
      const storage = random.pick(handles);
      const owner = await take(storage.journal, shard);
      const current = { storage, owner, head: owner.head };
      // The new owner writes while a few of the old ones try, at their own sequence and at the current one.
      const zombies = Array.from({ length: Math.min(3, old.length) }, () => random.pick(old));
      const attempts = zombies.map(async (zombie) => {
        const seq = random.chance(0.5) ? zombie.head + 1 : owner.head + 1;
        const error = await t.throwsAsync(append(zombie.storage.journal, zombie.owner, seq, ["stale"]));
        t.true(error instanceof StorageError && error.kind === "fenced", String(error));
      });
      for (let i = 0; i < random.int(3); i++) {
        const value = `v${round}.${i}`;
        await append(storage.journal, owner, current.head + 1, [value]);
        acknowledged.push(`${++current.head}:${value}`);
      }
      await Promise.all(attempts);
      old.push(current);
    }
    t.deepEqual(await replayed(handles[0]!.journal, shard, 0), acknowledged);
    for (const handle of handles) await handle.close();
  }));

test("three writing threads take one shard from each other 240 times: exactly the acknowledged entries are replayed", (t) =>
  withHost(async (host) => {
    const fighters = await Promise.all(
      [0, 1, 2].map((number) => startFighter(host.bootstrap(number), number)),
    );
    const reports = await Promise.all(fighters.map(reportOf));
    const takeovers = reports.reduce((sum, report) => sum + report.takeovers, 0);
    t.is(takeovers, 240);
    const storage = await attachStorage(host.bootstrap(9).data);
    const { head } = await take(storage.journal, 7);
    const lines = await replayed(storage.journal, 7, 0);
    t.is(lines.length, head);
    const found = new Set(lines);
    t.is(found.size, lines.length, "nothing twice");
    const acknowledged = reports.flatMap((report) => report.acknowledged);
    t.true(acknowledged.length > 0);
    for (const line of acknowledged) t.true(found.has(line), `${line} was acknowledged`);
    const refused = new Set(reports.flatMap((report) => report.refused));
    t.true(refused.size > 0, "some appends met a take-over");
    // A refused append may be in the journal only if it was durable before its successor began.
    for (const line of lines) t.true(refused.has(line) || acknowledged.includes(line), `${line} was written`);
    await storage.close();
  }));

function startFighter(
  bootstrap: ReturnType<Awaited<ReturnType<typeof startStorage>>["bootstrap"]>,
  number: number,
): Worker {
  return startThread(new URL("./fighter.ts", import.meta.url), {
    workerData: { bootstrap: bootstrap.data, number, shard: 7, takeovers: 80 },
    transferList: [...bootstrap.transfer],
  });
}

function reportOf(worker: Worker): Promise<FighterReport> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
