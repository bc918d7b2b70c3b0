import { readdir, readFile, writeFile } from "node:fs/promises";
import { type BarResult, type BenchResult, judged } from "./result.ts";

/** Writes RESULTS.md from all result files, so that every figure on the page is in a file. */
export async function writeReport(resultsDir: URL, page: URL): Promise<void> {
  const names = (await readdir(resultsDir)).filter((name) => name.endsWith(".json")).sort();
  const results = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(new URL(name, resultsDir), "utf8")) as BenchResult),
  );
  const head =
    "# Results\n\nWritten by `npm run bench`; do not edit. Medians, and beside them the raw values of every round. A comparison with another\n" +
    "contender is the median of the ratios of all rounds, which differs from the ratio of the medians.\n";
  await writeFile(page, [head, ...results.map(section)].join("\n"));
}

function section(result: BenchResult): string {
  const { machine } = result;
  const lines = [
    `## ${result.name}: ${result.question}`,
    "",
    `${result.at.slice(0, 10)}, commit ${result.commit}, ${result.rounds} rounds on ${machine.cores} × ${machine.cpu}, Node ${machine.node}.`,
    "",
    "| contender | figure | median | rounds |",
    "|---|---|---|---|",
  ];
  for (const [contender, stats] of Object.entries(result.contenders))
    for (const [figure, { median, values }] of Object.entries(stats))
      lines.push(`| ${contender} | ${figure} | ${number(median)} | ${values.map(number).join(", ")} |`);
  // Computed from the raw values, so that older results follow the present rule too.
  const bars = judged(result.bars, result.contenders);
  if (bars.length > 0) lines.push("", ...bars.map((bar) => `- ${sentence(bar)}`));
  return `${lines.join("\n")}\n`;
}

export function sentence(bar: BarResult): string {
  const what = bar.against === undefined ? bar.contender : `${bar.contender} / ${bar.against}`;
  const bounds = [
    bar.atLeast === undefined ? [] : [`at least ${bar.atLeast}`],
    bar.atMost === undefined ? [] : [`at most ${bar.atMost}`],
  ].flat();
  return `${bar.held ? "held" : "**missed**"}: ${bar.figure} of ${what} is ${number(bar.value)} (${bounds.join(", ")})`;
}

export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en-US")
    : String(Number(value.toPrecision(3)));
}
