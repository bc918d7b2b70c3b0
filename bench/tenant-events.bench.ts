// How fast are the events of one tenant among 1,000 read, against a reader that passes over those of all?
import { limits } from "#base";
import { defineActor, startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { eventOf } from "../runtime/shard/published.ts";
import { eventsPartition } from "../runtime/shard/recorder.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const tenants = Number(process.env.BENCH_TENANTS ?? 1_000);
const eventsEach = 200;
const tenantOf = (n: number) => `tenant-${n % tenants}`;
const one = tenantOf(7);

const speaker = defineActor<null, number, number>({
  kind: "speaker",
  placement: "key",
  empty: () => null,
  resident: [],
  restore: () => undefined,
  decide: (_state, number) => ({ events: [number] }),
  apply: (_state, number, rows) => rows.publish("speaker.said", "subject", { number, text: "x".repeat(100) }),
  methods: { say: { command: (request) => request as number, respond: () => null } },
});

export default defineBench({
  question:
    "How fast are the events of one tenant among 1,000 read, against a reader that passes over those of all?",
  contenders: { own: () => filled(readOwn), all: () => filled(readAll) },
  bars: [{ figure: "events_per_s", contender: "own", against: "all", atLeast: 10 }],
});

type Opened = Awaited<ReturnType<typeof open>>;

async function open(dir: string) {
  const host = await startStorage({ engine: "embedded", dir });
  const storage = await attachStorage(host.bootstrap(0).data);
  const runtime = await startRuntime({
    storage,
    shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
    definitions: [speaker],
    world: systemWorld(),
    limits: { mailboxDepthMax: 100_000, tenantMailboxDepthMax: 100_000, threadMailboxDepthMax: 100_000 },
  });
  return { host, storage, runtime };
}

/** A tenth of the tenant's events is read again and again; all of them are in the tables. */
function filled(read: (opened: Opened) => Promise<number>): Promise<Stats> {
  return inFolder(async (dir) => {
    const first = await open(dir);
    const caller = {
      subject: "bench",
      owner: "bench",
      principalKind: "user",
      requestId: "",
      platform: false,
    } as const;
    for (let n = 0; n < tenants * eventsEach; n += 1_000)
      await Promise.all(
        Array.from({ length: 1_000 }, (_, i) => {
          const tenant = tenantOf(n + i);
          const to = { kind: "speaker", tenant, key: String(i % 16) };
          const asking = { ...caller, tenant, environmentMode: "any" as const };
          return first.runtime.ask({
            to,
            method: "say",
            request: n + i,
            caller: asking,
            deadlineMs: Date.now() + 60_000,
          });
        }),
      );
    await close(first);
    const opened = await open(dir);
    await read(opened);
    const rounds = 5;
    const begin = performance.now();
    for (let round = 0; round < rounds; round++) {
      const found = await read(opened);
      if (found !== eventsEach) throw new Error(`${found} events of ${eventsEach}`);
    }
    const seconds = (performance.now() - begin) / 1_000;
    await close(opened);
    return { events_per_s: (rounds * eventsEach) / seconds };
  });
}

async function readOwn({ runtime }: Opened): Promise<number> {
  const cursor = new Map(Array.from({ length: limits.shardCount }, (_, shard) => [shard, 0]));
  let found = 0;
  for await (const { events } of runtime.subscribe({ tenant: one, cursor }, new AbortController().signal)) {
    found += events.length;
    if (found >= eventsEach) break;
  }
  return found;
}

/** What a reader would do whose rows are not by tenant: it reads and decodes all of them. */
async function readAll({ storage }: Opened): Promise<number> {
  let found = 0;
  for (let shard = 0; shard < limits.shardCount; shard++)
    for (let from = ""; ; ) {
      const rows = await storage.tables.scan({ shard, partition: eventsPartition.text, from, limit: 256 });
      for (const row of rows) if (eventOf(shard, row).tenant === one) found++;
      if (rows.length < 256) break;
      from = `${rows.at(-1)!.key}\0`;
    }
  return found;
}

async function close({ host, storage, runtime }: Opened): Promise<void> {
  await runtime.drain();
  runtime.stop();
  await storage.close();
  await host.close();
}
