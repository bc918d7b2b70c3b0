// How many durable commands a second does one hot entity take on the embedded engine, and what does one cost?
import { defineBench, type Stats } from "./support/bench.ts";
import { counterAsk } from "./support/counter.ts";
import { closedLoop } from "./support/load.ts";
import { withRuntime } from "./support/runtime.ts";

export default defineBench({
  question:
    "How many durable commands a second does one hot entity take on the embedded engine, and what does one cost?",
  contenders: {
    hot_entity: () => commands("Counter.Add", 1),
    hot_entity_idempotent: () => commands("Counter.Add", 1, true),
    many_entities: () => commands("Counter.Add", 1_000),
    // Like an enqueue: four rows of 200 bytes and a counter, a published event, an idempotency record with the answer.
    five_rows_idempotent: () => commands("Counter.Enqueue", 4, true),
  },
  rounds: 3,
  bars: [{ figure: "per_s", contender: "hot_entity", atLeast: 50_000 }],
});

function commands(method: string, entities: number, idempotent = false): Promise<Stats> {
  return withRuntime(async (runtime) => {
    let asked = 0;
    const begin = process.cpuUsage();
    const stats = await closedLoop(1_024, 4, async () => {
      const ask = counterAsk(method, `counter-${asked++ % entities}`);
      const answer = await runtime.ask(
        idempotent ? { ...ask, idempotency: { scope: `bench:${asked}`, fingerprint: "f" } } : ask,
      );
      if ("refused" in answer) throw new Error(answer.detail);
    });
    const { user, system } = process.cpuUsage(begin);
    const [thread] = await runtime.stats();
    const commits = thread!.shards.reduce((sum, shard) => sum + shard.commits, 0);
    const commands = thread!.shards.reduce((sum, shard) => sum + shard.committedCommands, 0);
    // Of all threads: the writers of journal and tables are part of the cost of a command.
    return { ...stats, cpu_us: (user + system) / asked, commands_per_commit: commands / commits };
  });
}
