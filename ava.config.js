import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Lists of this run: how long each file took (`test/slowest.ts` reads it), and what was skipped (`test/skipped.ts`). */
const lists = process.env.TEST_LISTS ?? fileURLToPath(new URL("./node_modules/.cache", import.meta.url));
mkdirSync(lists, { recursive: true });
const [durations, skipped] = ["test-durations", "test-skipped"].map((name) => join(lists, name));
for (const list of [durations, skipped]) rmSync(list, { force: true });

/** The longest files first: one that begins last would run alone at the end. */
const longest = JSON.parse(readFileSync(new URL("./test/longest.json", import.meta.url), "utf8"));
const place = (path) => {
  const found = longest.findIndex((file) => path.endsWith(`/${file}`));
  return found < 0 ? longest.length : found;
};

/** For the processes that tests start, too. */
const everywhere = ["short-lived", "loopback-only"]
  .map((name) => `--import=${new URL(`./test/support/${name}.mjs`, import.meta.url).href}`)
  .join(" ");

export default {
  files: ["{base,sdk,storage,runtime,actors,gateway,cli,protos,bench,test}/**/*.test.ts"],
  extensions: { ts: "module" },
  nodeArguments: ["--import=./test/support/typescript/register.mjs", "--conditions=source"],
  require: ["./test/support/duration.ts"],
  environmentVariables: { TEST_DURATIONS: durations, TEST_SKIPPED: skipped, NODE_OPTIONS: everywhere },
  sortTestFiles: (a, b) => place(a) - place(b) || (a < b ? -1 : 1),
  workerThreads: false,
  timeout: "5m",
  concurrency: 2,
};
