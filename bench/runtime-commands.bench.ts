// How many durable commands a second does one hot entity take on the embedded engine?
import { defineBench, type Figures } from "./support/bench.ts";
import { counterAsk } from "./support/counter.ts";
import { closedLoop } from "./support/load.ts";
import { withRuntime } from "./support/runtime.ts";

export default defineBench({
  question: "How many durable commands a second does one hot entity take on the embedded engine?",
  contenders: {
    hot_entity: () => commands(1),
    hot_entity_idempotent: () => commands(1, true),
    many_entities: () => commands(1_000),
  },
  rounds: 3,
  bars: [{ figure: "per_s", contender: "hot_entity", atLeast: 50_000 }],
});

function commands(entities: number, idempotent = false): Promise<Figures> {
  return withRuntime(async (runtime) => {
    let asked = 0;
    const figures = await closedLoop(1_024, 4, async () => {
      const ask = counterAsk("Counter.Add", `counter-${asked++ % entities}`);
      const answer = await runtime.ask(
        idempotent ? { ...ask, idempotency: { scope: `bench:${asked}`, fingerprint: "f" } } : ask,
      );
      if ("refused" in answer) throw new Error(answer.detail);
    });
    const [insight] = await runtime.insight();
    const commits = insight!.shards.reduce((sum, shard) => sum + shard.commits, 0);
    const entries = insight!.shards.reduce((sum, shard) => sum + shard.committedEntries, 0);
    return { ...figures, commands_per_commit: entries / commits };
  });
}
