/**
 * A process that appends, checkpoints and trims until it is killed, and prints every entry once it is acknowledged.
 * Started by process.test.ts with a folder and a number of handles.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { attachStorage, type OpenedShard, type Storage, startStorage } from "#storage";

const [dir, handleCount] = [process.argv[2]!, Number(process.argv[3])];
const host = await startStorage({ engine: "embedded", dir });
console.log(`started ${process.pid}`);
const shards = [0, 1, 2, 3, 4, 5, 6, 7];

for (let number = 0; number < handleCount; number++) {
  const storage = await attachStorage(host.bootstrap(number).data);
  const own = shards.filter((shard) => shard % handleCount === number);
  for (const owner of await storage.journal.open(own, 1)) void write(storage, owner);
}

async function write(storage: Storage, owner: OpenedShard): Promise<never> {
  const { shard, epoch } = owner;
  const rows: { seq: number; value: string }[] = [];
  // Entries of an earlier process are checkpointed first, as the runtime does.
  let stored = await storage.tables.watermark(shard);
  for await (const { seq, bytes } of storage.journal.replay(shard, stored))
    rows.push({ seq, value: Buffer.from(bytes).toString() });
  let head = owner.head;
  for (let round = 0; ; round++) {
    const values = Array.from(
      { length: 1 + (round % 3) },
      (_, i) => `${process.pid}.${shard}.${head + 1 + i}.${"x".repeat((round * 37) % 900)}!`,
    );
    await storage.journal.append({
      shard,
      epoch,
      firstSeq: head + 1,
      entries: values.map((value) => Buffer.from(value)),
    });
    let lines = "";
    for (const value of values) {
      rows.push({ seq: ++head, value });
      lines += `ack ${shard} ${head} ${value}\n`;
    }
    process.stdout.write(lines);
    if (round % 40 === 39) {
      const partition = "rows";
      const changes = rows
        .splice(0)
        .map(({ seq, value }) => ({ partition, key: keyOf(seq), value: Buffer.from(value), seq }));
      await storage.tables.write([{ shard, deletedRanges: [], changes, watermark: head }]);
      stored = head;
      await storage.journal.trim(shard, epoch, stored);
    }
    if (round % 10 === 0) await sleep(1);
  }
}

function keyOf(seq: number): string {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(BigInt(seq));
  return key.toString("latin1");
}
