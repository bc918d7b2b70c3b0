/**
 * Runs all test files, then lists the slowest and what was skipped. `--shard 2/3`: the second of three parts, for those
 * with more machines; the files are dealt out by their length.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ava from "../ava.config.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values } = parseArgs({ options: { shard: { type: "string", default: "1/1" } } });
const [shard = 0, shards = 0] = values.shard.split("/").map(Number);
if (!(shard >= 1 && shard <= shards)) throw new Error(`--shard ${values.shard}: 2/3 is the second of three`);

const groups = "test/groups";
/** As many as keep both processors busy to the end; in one group no two tests may have the same title. */
const groupCount = 12;
/**
 * A file with none of these only computes (a wait at its top level would keep the next one from declaring its tests). Loading the product takes longer than such tests, so many of them share a process. What
 * reaches out, waits, counts time or changes its process has one of its own.
 */
const needsProcess =
  /\b(before|after)Each\b|test\.serial|\bprocess\.|\bset(Timeout|Interval|Immediate)\b|\bWorker\b|"node:(child_process|net|http|http2|tls|fs|worker_threads|timers\/promises|async_hooks|diagnostics_channel)|\b(eventually|performance|globalThis|timeout|needing)\b|import\.meta|Date\.now|support\/(runtime|embedded|cassandra|streams|redis|chromium|channel|connection)|contract\/cases|await import|^\S.*\bawait\b/m;

rmSync(root + groups, { recursive: true, force: true });
const [, folders = ""] = /^{(.*)}/.exec(ava.files[0]) ?? [];
const all = folders
  .split(",")
  .flatMap((folder) => readdirSync(root + folder, { recursive: true }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith(".test.ts"))
  .sort((a, b) => ava.sortTestFiles(`/${a}`, `/${b}`));
const alone = all.filter(
  (file) => file.startsWith("test/") || needsProcess.test(readFileSync(root + file, "utf8")),
);
const together = all.filter((file) => !alone.includes(file));

mkdirSync(root + groups);
const grouped = Array.from({ length: groupCount }, (_, group) => {
  const imports = together
    .filter((_, at) => at % groupCount === group)
    .map((file) => `import "../../${file}";\n`);
  writeFileSync(`${root}${groups}/${group + 1}.test.ts`, imports.join(""));
  return `${groups}/${group + 1}.test.ts`;
});
const files = [...alone, ...grouped].filter((_, at) => at % shards === shard - 1);
const { status } = spawnSync("ava", files, { cwd: root, stdio: "inherit" });
rmSync(root + groups, { recursive: true, force: true });
if (status !== 0) process.exit(status ?? 1);
await import("./slowest.ts");
await import("./skipped.ts");
