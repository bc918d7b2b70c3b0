/** `npm run bench -- [name…] [--rounds=n]`: runs benches, writes bench/results/<name>.json and bench/RESULTS.md. */
import { execFileSync, fork } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { missingParts, partKinds } from "../test/support/parts.ts";
import type { Bench, Stats } from "./support/bench.ts";
import { number, sentence, writeReport } from "./support/report.ts";
import { type BenchResult, judged, measured } from "./support/result.ts";

const here = new URL("./", import.meta.url);
const resultsDir = new URL("./results/", here);

const { names, rounds } = readArguments(process.argv.slice(2));
const known = (await readdir(here))
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.slice(0, -".bench.ts".length));
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no bench called ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  process.exit(2);
}

const benches = new Map<string, Bench>();
for (const name of names.length > 0 ? names : known) benches.set(name, await load(name));
const missing = [...benches].flatMap(([name, { needs = [] }]) =>
  missingParts(needs).map((part) => `${name} needs ${part}: ${partKinds[part].install}`),
);
if (missing.length > 0) {
  console.error(`nothing was measured, because parts are missing:\n  ${missing.join("\n  ")}`);
  process.exit(2);
}

await mkdir(resultsDir, { recursive: true });
let missed = 0;
for (const [name, bench] of benches) {
  const result = await run(name, bench);
  await writeFile(new URL(`${name}.json`, resultsDir), `${JSON.stringify(result, null, 2)}\n`);
  for (const bar of result.bars) console.log(`  ${sentence(bar)}`);
  missed += result.bars.filter((bar) => !bar.held).length;
}
await writeReport(resultsDir, new URL("./RESULTS.md", here));
process.exitCode = missed > 0 ? 1 : 0;

async function load(name: string): Promise<Bench> {
  return ((await import(fileOf(name).href)) as { default: Bench }).default;
}

function fileOf(name: string): URL {
  return new URL(`./${name}.bench.ts`, here);
}

async function run(name: string, bench: Bench): Promise<BenchResult> {
  const file = fileOf(name);
  console.log(`${name}: ${bench.question}`);
  const contenders = Object.keys(bench.contenders);
  const runs: Record<string, Stats[]> = Object.fromEntries(contenders.map((contender) => [contender, []]));
  const roundCount = rounds ?? bench.rounds ?? 3;
  for (let round = 0; round < roundCount; round++)
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const stats = await inFreshProcess(file, contender);
      runs[contender]!.push(stats);
      const shown = Object.entries(stats).map(([figure, value]) => `${figure} ${number(value)}`);
      console.log(`  ${contender}: ${shown.join(", ")}`);
    }
  const stats = measured(runs);
  return {
    schema: 1,
    name,
    question: bench.question,
    at: new Date().toISOString(),
    commit: git("rev-parse", "--short", "HEAD"),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: cpus().length,
      memory_gib: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    },
    rounds: roundCount,
    contenders: stats,
    bars: judged(bench.bars ?? [], stats),
  };
}

function inFreshProcess(file: URL, contender: string): Promise<Stats> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("./support/contender.ts", import.meta.url)), [
      file.href,
      contender,
    ]);
    let stats: Stats | undefined;
    child.once("message", (message) => {
      stats = message as Stats;
    });
    child.once("exit", (code) => {
      if (stats) resolve(stats);
      else reject(new Error(`${contender} ended with ${code} and no stats`));
    });
  });
}

function readArguments(args: readonly string[]): { names: string[]; rounds: number | undefined } {
  const flag = args.find((arg) => arg.startsWith("--rounds="));
  return {
    names: args.filter((arg) => !arg.startsWith("--")),
    rounds: flag === undefined ? undefined : Number(flag.slice("--rounds=".length)),
  };
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync("git", [...args], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
