import { readFileSync } from "node:fs";
import test from "ava";
import { startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { metricsMarkdown } from "../telemetry/catalogue.ts";
import { exposition } from "../telemetry/index.ts";
import { runtimeSnapshot, threadSnapshot } from "./runtime-metrics.ts";

/** The page of a runtime with two shards; with threads, each of them says the same. */
async function pageOf(threads = 1): Promise<string> {
  const host = await startStorage({ engine: "memory" });
  const storage = await attachStorage(host.bootstrap(0).data);
  const world = systemWorld();
  const runtime = await startRuntime({ storage, definitions: [], world, shards: [3, 8] });
  const [own] = await runtime.stats();
  runtime.stop();
  await storage.close();
  await host.close();
  const shards = own!.shards.map((shard) => ({
    ...shard,
    mailboxDepth: shard.shard,
    commits: 2,
    commitMs: 1_500,
    commitBuckets: shard.commitBuckets.map((_, at) => (at < 2 ? 1 : 0)),
  }));
  const allStats = Array.from({ length: threads }, (_, worker) => ({ ...own!, worker, shards }));
  return exposition([threadSnapshot(0), await runtimeSnapshot({ stats: async () => allStats })]);
}

test("what waits, what is resident and how commits go is told by shard", async (t) => {
  const page = await pageOf();
  t.regex(page, /\nservice_shard_mailbox_depth\{shard="8"\} 8\n/);
  t.regex(page, /\nservice_shard_mailbox_bytes\{shard="8"\} 0\n/);
  t.regex(page, /\nservice_shard_entities\{shard="3"\} 0\n/);
  t.regex(page, /\nservice_shard_commits_total\{shard="3"\} 2\n/);
  t.regex(page, /\nservice_shard_commit_seconds_total\{shard="3"\} 1.5\n/);
  t.regex(page, /\nservice_shard_tenures_total\{shard="3"\} 1\n/);
});

test("how busy a thread was is counted while it works", async (t) => {
  const busy = async () =>
    Number(/\nservice_thread_busy_seconds_total\{thread="0"\} (\S+)\n/.exec(await pageOf())![1]);
  const before = await busy();
  t.true((await busy()) > before);
});

test("how full a thread's heap is stands beside what it may have", async (t) => {
  const page = await pageOf();
  const told = (name: string) =>
    Number(new RegExp(`\nservice_thread_${name}{thread="0"} (\\S+)\n`).exec(page)![1]);
  t.true(told("heap_bytes") > 0);
  t.true(told("heap_bytes") < told("heap_limit_bytes"));
});

test("every metric of the runtime says what it is", async (t) => {
  const page = await pageOf();
  for (const [, name, text] of page.matchAll(/^# HELP (\S+) (.*)$/gm)) t.true(text!.length > 10, name);
});

test("commit latency and timer lateness are histograms by thread, in the runtime's own buckets", async (t) => {
  const page = await pageOf(2);
  for (const thread of [0, 1]) {
    t.regex(page, new RegExp(`\nservice_commit_duration_seconds_bucket{thread="${thread}",le="0.001"} 2\n`));
    t.regex(page, new RegExp(`\nservice_commit_duration_seconds_bucket{thread="${thread}",le="0.002"} 4\n`));
    t.regex(page, new RegExp(`\nservice_commit_duration_seconds_bucket{thread="${thread}",le="\\+Inf"} 4\n`));
    t.regex(page, new RegExp(`\nservice_commit_duration_seconds_sum{thread="${thread}"} 3\n`));
    t.regex(page, new RegExp(`\nservice_timer_lateness_seconds_count{thread="${thread}"} 0\n`));
    t.regex(page, new RegExp(`\nservice_entities_in_memory{thread="${thread}"} 0\n`));
  }
  t.regex(page, /\nservice_shards_ready 4\n/);
});

test("docs/operations.md has the table of metrics as it is", (t) => {
  const docs = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8").split("\n");
  const table = metricsMarkdown().split("\n");
  const start = docs.indexOf(table[0]!);
  t.deepEqual(docs.slice(start, docs.indexOf("", start)), table);
});

test("every metric of the runtime is in the table, with its labels, and none has a tenant's", async (t) => {
  const table = metricsMarkdown();
  const families = new Map<string, string>();
  for (const [, name, , labels] of (await pageOf()).matchAll(/^(service_\w+?)(_bucket)?(?:\{(\S+)\})? /gm)) {
    if (/_(sum|count)$/.test(name!)) continue;
    const names = [...(labels ?? "").matchAll(/([a-z_]+)="/g)].map(([, label]) => label!);
    families.set(name!, names.filter((label) => label !== "le").join(", ") || "–");
  }
  t.true(families.size > 20, [...families.keys()].join());
  for (const [name, labels] of families) t.true(table.includes(`| \`${name}\` | ${labels} | `), name);
  t.deepEqual(new Set(families.values()), new Set(["thread", "shard", "–"]));
});
