/**
 * Child of range-slices.test.ts: deletes all rows of shard 1 by range, and kills itself when a flush of shard 2 is
 * stored meanwhile.
 */
import { attachStorage, startStorage } from "#storage";

const host = await startStorage({ engine: "embedded", dir: process.argv[2]! });
const { tables } = await attachStorage(host.bootstrap(0).data);
const range = { partition: "p", from: "k", to: "l", seq: 3 };
void tables.write([{ shard: 1, deletedRanges: [range], changes: [], watermark: 3 }]);
const change = { partition: "p", key: "a", value: Buffer.from("v"), seq: 1 };
await tables.write([{ shard: 2, deletedRanges: [], changes: [change], watermark: 1 }]);
process.kill(process.pid, "SIGKILL");
