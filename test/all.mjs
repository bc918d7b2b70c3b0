/**
 * Runs all test files, then lists the slowest and what was skipped. `--shard 2/3`: the second of three parts, for those
 * with more machines; the files are dealt out by their length.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ava from "../ava.config.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values } = parseArgs({ options: { shard: { type: "string", default: "1/1" } } });
const [shard = 0, shards = 0] = values.shard.split("/").map(Number);
if (!(shard >= 1 && shard <= shards)) throw new Error(`--shard ${values.shard}: 2/3 is the second of three`);

const [, folders = ""] = /^{(.*)}/.exec(ava.files[0]) ?? [];
const files = folders
  .split(",")
  .flatMap((folder) => readdirSync(root + folder, { recursive: true }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith(".test.ts"))
  .sort((a, b) => ava.sortTestFiles(`/${a}`, `/${b}`))
  .filter((_, at) => at % shards === shard - 1);
const { status } = spawnSync("ava", files, { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
await import("./slowest.ts");
await import("./skipped.ts");
