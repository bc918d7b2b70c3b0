/** Threads that are terminated while they read tables and write the journal. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { Random } from "#base";
import { attachStorage, startStorage } from "#storage";
import { startThread } from "../../runtime/workers/start-thread.ts";
import { replayed, take } from "../../storage/journal.cases.ts";
import { flush, put, scanned } from "../../storage/tables.cases.ts";

test("threads are terminated during reads and writes: the others go on, and nothing they stored is lost", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.threads-"));
  const random = new Random("terminate");
  const host = await startStorage({ engine: "embedded", dir });
  const storage = await attachStorage(host.bootstrap(0).data);
  await storage.tables.write([
    flush(
      1,
      1,
      Array.from({ length: 60 }, (_, i) => put(`k${i}`, "v", 1)),
    ),
  ]);
  let lastHead = 0;
  for (let round = 0; round < 8; round++) {
    const bootstrap = host.bootstrap(1);
    const worker = startThread(new URL("./reader.ts", import.meta.url), {
      workerData: { bootstrap: bootstrap.data, shard: 2 },
      transferList: [...bootstrap.transfer],
    });
    await once(worker, "message");
    await sleep(random.int(60));
    await worker.terminate();
    const owner = await take(storage.journal, 2);
    t.true(owner.head > lastHead);
    const watermark = await storage.tables.watermark(2);
    t.true(watermark <= owner.head);
    const lines = await replayed(storage.journal, 2, watermark);
    t.is(lines.length, owner.head - watermark, "every entry behind the watermark is there");
    lastHead = owner.head;
    await storage.tables.write([flush(3, round + 1, [put("round", `${round}`, round + 1)])]);
    t.deepEqual(await scanned(storage, { shard: 3 }), [`round=${round}`]);
  }
  await storage.close();
  await host.close();
  await rm(dir, { recursive: true });
});
