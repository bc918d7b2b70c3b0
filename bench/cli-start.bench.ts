// How long does `service pools list` take from its start to its end, against `node -e 0`?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { median } from "./support/result.ts";
import { startService } from "./support/service.ts";

const turns = Number(process.env.BENCH_TURNS ?? 20);
const pools = 20;

export default defineBench({
  question:
    "How long does `service pools list` over 20 pools take from its start to its end, against `node -e 0`?",
  contenders: { command },
  rounds: 1,
  bars: [{ figure: "ratio", contender: "command", atMost: 2.5 }],
});

/** Both are started in turns, so that other load on the machine affects both alike. */
function command(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    for (let i = 0; i < pools; i++) await service.createPool(0);
    const url = `http://127.0.0.1:${service.ports.http}`;
    const list = () => timed(["dist/cli/service.js", "--url", url, "pools", "list"], pools);
    const node = () => timed(["-e", "0"], 0);
    for (const run of [list, node]) await run();
    const runs: (readonly [list: number, node: number])[] = [];
    for (let turn = 0; turn < turns; turn++)
      if (turn % 2 === 0) runs.push([await list(), await node()]);
      else {
        const bare = await node();
        runs.push([await list(), bare]);
      }
    await service.stop();
    return {
      list_ms: median(runs.map(([ms]) => ms)),
      node_ms: median(runs.map(([, ms]) => ms)),
      ratio: median(runs.map(([own, bare]) => own / bare)),
    };
  });
}

/** Milliseconds of wall time; it has to write a line for each pool. */
async function timed(args: readonly string[], linesMin: number): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  const ms = performance.now() - started;
  if (code !== 0 || text.split("\n").length < linesMin)
    throw new Error(`${args.join(" ")} ended with ${code} and said ${text}`);
  return ms;
}
