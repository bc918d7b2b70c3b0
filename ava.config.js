import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How long each file of this run took, a line each: `test/slowest.ts` reads it. */
const durations = fileURLToPath(new URL("./node_modules/.cache/test-durations", import.meta.url));
mkdirSync(fileURLToPath(new URL("./node_modules/.cache", import.meta.url)), { recursive: true });
rmSync(durations, { force: true });

/** The longest files first: one that begins last would run alone at the end. */
const longest = JSON.parse(readFileSync(new URL("./test/longest.json", import.meta.url), "utf8"));
const place = (path) => {
  const found = longest.findIndex((file) => path.endsWith(`/${file}`));
  return found < 0 ? longest.length : found;
};

export default {
  files: ["{base,storage,runtime,actors,gateway,cli,protos,bench,test}/**/*.test.ts"],
  extensions: { ts: "module" },
  nodeArguments: ["--import=./test/support/typescript/register.mjs", "--conditions=source"],
  require: ["./test/support/duration.ts"],
  environmentVariables: { TEST_DURATIONS: durations },
  sortTestFiles: (a, b) => place(a) - place(b) || (a < b ? -1 : 1),
  workerThreads: false,
  timeout: "5m",
  concurrency: 2,
};
