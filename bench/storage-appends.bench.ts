// How close do durable appends of 256 B come to a bare group-commit loop on the same disk?
import { fdatasync, openSync, write } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "#base";
import { attachStorage, type ShardFlush, startStorage } from "#storage";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { closedLoop } from "./support/load.ts";

const inFlight = 256;
const seconds = 4;
const record = Buffer.alloc(256, 7);

export default defineBench({
  question:
    "How close do durable appends of 256 B at 256 in flight come to a bare group-commit loop on the same disk?",
  contenders: { embedded, bare },
  rounds: 5,
  bars: [{ figure: "per_s", contender: "embedded", against: "bare", atLeast: 0.7 }],
});

/** One thread, one shard per client, every append fenced, checksummed and synced. */
function embedded(): Promise<Stats> {
  return inFolder(async (dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const { journal, tables, close } = await attachStorage(host.bootstrap(0).data);
    const owners = await journal.open(
      Array.from({ length: inFlight }, (_, shard) => shard),
      1,
    );
    const heads = owners.map(({ head }) => head);
    let running = true;
    // As the runtime does: checkpointed entries are trimmed, and their files are reused.
    const checkpoints = (async () => {
      while (running) {
        await sleep(limits.checkpointIntervalMs);
        // The last append of each client may still be under way.
        const marks = heads.map((head) => Math.max(0, head - 1));
        await tables.write(owners.map(({ shard }) => flushOf(shard, marks[shard]!)));
        await Promise.all(owners.map(({ shard, epoch }) => journal.trim(shard, epoch, marks[shard]!)));
      }
    })();
    const stats = await closedLoop(inFlight, seconds, (client) => {
      const { shard, epoch } = owners[client]!;
      return journal.append({ shard, epoch, firstSeq: ++heads[client]!, entries: [record] });
    });
    running = false;
    await checkpoints;
    for (const { shard, head } of await journal.open(
      owners.map((owner) => owner.shard),
      1,
    ))
      if (head !== heads[shard])
        throw new Error(`shard ${shard} is at ${head}, acknowledged up to ${heads[shard]}`);
    await close();
    await host.close();
    return stats;
  });
}

function flushOf(shard: number, watermark: number): ShardFlush {
  return { shard, deletedRanges: [], changes: [], watermark };
}

/** What any durable log must do: collect, write, fdatasync, acknowledge. No checksum, no fence, no index. */
function bare(): Promise<Stats> {
  return inFolder(async (dir) => {
    const fd = openSync(join(dir, "log"), "w");
    let waiting: { bytes: Buffer; done: () => void }[] = [];
    let busy = false;
    const commit = () => {
      if (waiting.length === 0) {
        busy = false;
        return;
      }
      const group = waiting;
      waiting = [];
      write(fd, Buffer.concat(group.map(({ bytes }) => bytes)), (writeError) => {
        if (writeError) throw writeError;
        fdatasync(fd, (syncError) => {
          if (syncError) throw syncError;
          for (const { done } of group) done();
          setImmediate(commit);
        });
      });
    };
    return closedLoop(inFlight, seconds, (_client) => {
      return new Promise((done) => {
        waiting.push({ bytes: record, done });
        if (busy) return;
        busy = true;
        setImmediate(commit);
      });
    });
  });
}
