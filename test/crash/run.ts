/** Real crashes: `npm run chaos -- --kills 100 [--seed 1] [--set storage.engine=…]`. Needs `npm run build` first. */
import { parseArgs } from "node:util";
import { killUnderLoad } from "./kills.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    set: { type: "string", multiple: true, default: [] },
  },
});

const report = await killUnderLoad({
  kills: Number(values.kills),
  seed: Number(values.seed),
  settings: values.set,
});
console.log(
  `${report.kills} kills, ${report.acknowledged} acknowledged operations, ${report.broken.length} broken`,
);
for (const sentence of report.broken.slice(0, 20)) console.error(sentence);
process.exitCode = report.broken.length > 0 || report.acknowledged === 0 ? 1 : 0;
