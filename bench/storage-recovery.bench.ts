// How long does a start take that finds a journal without a checkpoint?
import { attachStorage, startStorage } from "#storage";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const shardCount = 64;
const entriesPerShard = 4_000;
const record = Buffer.alloc(256, 7);

export default defineBench({
  question: "How fast are 256,000 entries of 256 B on 64 shards recovered and replayed after a start?",
  contenders: { embedded },
});

function embedded(): Promise<Stats> {
  return inFolder(async (dir) => {
    const shards = Array.from({ length: shardCount }, (_, shard) => shard);
    const first = await startStorage({ engine: "embedded", dir });
    const writer = await attachStorage(first.bootstrap(0).data);
    const owners = await writer.journal.open(shards, 1);
    const entries = Array.from({ length: 50 }, () => record);
    for (let firstSeq = 1; firstSeq <= entriesPerShard; firstSeq += entries.length)
      await Promise.all(
        owners.map(({ shard, epoch }) => writer.journal.append({ shard, epoch, firstSeq, entries })),
      );
    await writer.close();
    await first.close();

    const start = performance.now();
    const host = await startStorage({ engine: "embedded", dir });
    const { journal, close } = await attachStorage(host.bootstrap(0).data);
    const opened = performance.now();
    let replayed = 0;
    for (const { shard } of await journal.open(shards, 1))
      for await (const { bytes } of journal.replay(shard, 0))
        replayed += bytes.length === record.length ? 1 : 0;
    const end = performance.now();
    if (replayed !== shardCount * entriesPerShard) throw new Error(`replayed ${replayed}`);
    await close();
    await host.close();
    return { start_ms: opened - start, replayed_per_s: replayed / ((end - opened) / 1_000) };
  });
}
