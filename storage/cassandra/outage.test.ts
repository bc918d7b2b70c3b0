import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import {
  attachStorage,
  type OpenedShard,
  type Storage,
  StorageError,
  type StorageHost,
  startStorage,
} from "#storage";
import { type CassandraCluster, startCassandraNodes } from "../../test/support/cassandra.ts";
import { eventually } from "../../test/support/eventually.ts";
import { casesNeeding } from "../../test/support/needing.ts";
import { append, replayed, take } from "../journal.cases.ts";
import { flush, put, scanned } from "../tables.cases.ts";
import { migrateCassandra } from "./index.ts";

casesNeeding("outages of a real Cassandra", ["cassandra"], cases);

function cases(): void {
  let cluster: CassandraCluster;

  test.before(async () => {
    cluster = await startCassandraNodes({ nodes: 3 });
    await migrateCassandra(cluster.settings("outages"));
  });
  test.after.always(async () => {
    await cluster?.stop();
  });

  const outage = (name: string, shards: readonly number[], harm: (t: ExecutionContext) => Promise<void>) =>
    test.serial(name, async (t) => {
      const warned: string[] = [];
      const host = await startStorage({ engine: "cassandra", ...cluster.settings("outages") }, (sentence) =>
        warned.push(sentence),
      );
      const storage = await attachStorage(host.bootstrap(0).data);
      const writers = shards.map((shard) => startWriter(t, storage, shard));
      try {
        t.deepEqual(warned, [], "three replicas and a synced commit log: the start has no warning");
        await sleep(1_000);
        const before = writers.map((writer) => writer.acknowledged.length);
        await harm(t);
        await Promise.all(writers.map((writer) => writer.untilAcknowledgedAgain()));
        const logs = await Promise.all(writers.map((writer) => writer.stop()));
        for (const [at, log] of logs.entries()) {
          t.true(log.acknowledged.length > before[at]!, "appends go on afterwards");
          await checkLog(t, storage, shards[at]!, log);
        }
      } finally {
        await Promise.all(writers.map((writer) => writer.stop()));
        await storage.close();
        await host.close();
      }
    });

  outage(
    "one of three nodes is killed and restarted: nothing acknowledged is lost or doubled",
    [1, 2, 3],
    async () => {
      await cluster.nodes[2]!.kill();
      await sleep(3_000);
      await cluster.nodes[2]!.start();
    },
  );

  outage("one node is paused and resumed: nothing acknowledged is lost or doubled", [4, 5, 6], async () => {
    cluster.nodes[1]!.pause();
    await sleep(8_000);
    cluster.nodes[1]!.resume();
  });

  outage(
    "all nodes are killed in the middle and restarted: what was acknowledged is still there",
    [7, 8, 9],
    async () => {
      await Promise.all(cluster.nodes.map((node) => node.kill()));
      await sleep(1_000);
      // The others end if they find no ring to join, which on a busy machine the seed may be too slow to be.
      const [seed, ...others] = cluster.nodes;
      await seed!.start();
      await Promise.all(others.map((node) => node.start()));
    },
  );

  outage("two of three nodes are paused: nothing is acknowledged without a quorum", [10], async (t) => {
    const host = await startStorage({ engine: "cassandra", ...cluster.settings("outages") }, () => {});
    const storage = await attachStorage(host.bootstrap(0).data);
    try {
      await withoutQuorum(t, storage, host);
    } finally {
      await storage.close();
      await host.close();
    }
  });

  async function withoutQuorum(t: ExecutionContext, storage: Storage, host: StorageHost): Promise<void> {
    const { journal, tables } = storage;
    const shard = 20;
    const owner = await take(journal, shard);
    await append(journal, owner, 1, ["before"]);
    await tables.write([flush(shard, 1, [put("a", "1", 1)])]);
    for (const node of cluster.nodes.slice(1)) node.pause();
    try {
      const error = await t.throwsAsync(append(journal, owner, 2, ["without quorum"]), {
        instanceOf: StorageError,
      });
      t.is(error?.kind, "unknown", error?.message);
      t.regex(error?.message ?? "", /shard 20: whether 2\.\.2 was stored is not known: /);
      const write = tables.write([flush(shard, 2, [put("a", "2", 2)])]);
      t.is((await t.throwsAsync(write, { instanceOf: StorageError }))?.kind, "unavailable");
      t.is((await host.health()).state, "gone");
    } finally {
      for (const node of cluster.nodes) node.resume();
    }
    let attempts = 0;
    // After a failed append the head is not known: the shard is opened again, and the next append has a new value.
    const acknowledged = await retry(async () => {
      const again = await take(journal, shard);
      const value = `after ${++attempts}`;
      await append(journal, again, again.head + 1, [value]);
      return value;
    });
    const lines = await replayed(journal, shard, 0);
    t.is(lines[0], "1:before");
    t.is(lines.filter((line) => line.endsWith(`:${acknowledged}`)).length, 1);
    await retry(() => tables.write([flush(shard, 2, [put("a", "2", 2)])]));
    t.deepEqual(await scanned(storage, { shard }), ["a=2"]);
  }
}

interface WriterLog {
  readonly acknowledged: readonly string[];
  readonly denied: readonly string[];
  readonly errors: readonly StorageError[];
}

/** Appends one value after the other, as the owner of a shard does: after any error it opens the shard again. */
function startWriter(t: ExecutionContext, { journal }: Storage, shard: number) {
  const acknowledged: string[] = [];
  const denied: string[] = [];
  const errors: StorageError[] = [];
  let stopped = false;
  const run = async () => {
    let owner: OpenedShard | undefined;
    let head = 0;
    for (let round = 0; !stopped; round++) {
      const value = `${shard}/${round}`;
      try {
        if (owner === undefined) {
          owner = await take(journal, shard);
          head = owner.head;
        }
        await append(journal, owner, head + 1, [value]);
        head++;
        acknowledged.push(value);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        errors.push(error);
        t.true(["unknown", "unavailable"].includes(error.kind), `${error.kind}: ${error.message}`);
        if (error.kind === "unavailable") denied.push(value);
        owner = undefined;
        await sleep(100);
      }
    }
  };
  const running = run();
  return {
    acknowledged,
    async untilAcknowledgedAgain(): Promise<void> {
      const from = acknowledged.length;
      await eventually(`shard ${shard} is written again`, () => acknowledged.length >= from + 3 || undefined);
    },
    async stop(): Promise<WriterLog> {
      stopped = true;
      await running;
      return { acknowledged, denied, errors };
    },
  };
}

async function checkLog(
  t: ExecutionContext,
  { journal }: Storage,
  shard: number,
  log: WriterLog,
): Promise<void> {
  const lines = await replayed(journal, shard, 0);
  const values = lines.map((line) => line.slice(line.indexOf(":") + 1));
  t.is(new Set(values).size, values.length, "nothing twice");
  const stored = new Set(values);
  t.deepEqual(
    log.acknowledged.filter((value) => !stored.has(value)),
    [],
    "nothing acknowledged is lost",
  );
  t.deepEqual(
    log.denied.filter((value) => stored.has(value)),
    [],
    "nothing denied is stored",
  );
  const order = values.map((value) => Number(value.split("/")[1]));
  t.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
    "in the order of the appends",
  );
  for (const { message } of log.errors)
    t.regex(
      message,
      /^(shard \d+.*|the format of the data could not be read): .+/,
      "an error says of what, and why",
    );
}

async function retry<T>(act: () => Promise<T>): Promise<T> {
  const done = await eventually("the cluster answers again", async () => {
    try {
      return { result: await act() };
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind === "corrupt") throw error;
      return undefined;
    }
  });
  return done.result;
}
