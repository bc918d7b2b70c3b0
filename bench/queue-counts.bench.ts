// Which share of the processor time of an item's life cycle do the counts of its queue take?
import { fileURLToPath } from "node:url";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { cycleBatch, newQueue, warmMs } from "./support/life-cycle.ts";
import { startService } from "./support/service.ts";
import { compareCosts, type Side } from "./support/turns.ts";

const rounds = Number(process.env.BENCH_TURNS ?? 40);
const size = 100;

export default defineBench({
  question:
    "Which share of the processor time of an item's life cycle (enqueue, claim, complete) do the counts of its queue take?",
  contenders: { counts },
  rounds: 1,
  bars: [{ figure: "share", contender: "counts", atMost: 0.02 }],
});

/** Life cycles in two queues of one service, in turns; a switch that is built in for this bench leaves the counts of one out. */
function counts(): Promise<Stats> {
  return inFolder(async (dir) => {
    const countsSwitch = fileURLToPath(new URL("support/counts-switch.mjs", import.meta.url));
    const service = await startService(dir, [], ["--import", countsSwitch]);
    const lane = new Lane(service.ports.http);
    const side = async (key: string): Promise<Side> => {
      const target = await newQueue(service);
      const makeItem = () => ({ key, payload: "x".repeat(100) });
      return { turn: async () => void (await cycleBatch(lane, target, size, makeItem)) };
    };
    const sides = [await side("uncounted"), await side("counted")] as const;
    for (const until = performance.now() + warmMs; performance.now() < until; )
      for (const { turn } of sides) await turn();
    const { us, ratio } = await compareCosts(service.pid, sides, { turns: 25, restMs: 200, rounds });
    lane.close();
    await service.stop();
    return { share: ratio - 1, cpu_us: us[1] / size, without_cpu_us: us[0] / size };
  });
}
