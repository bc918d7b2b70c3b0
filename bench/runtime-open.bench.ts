// How long does it take to open a folder in which one entity has a million rows, until it answers?
import { defineBench, type Stats } from "./support/bench.ts";
import { counterAsk } from "./support/counter.ts";
import { withRuntime } from "./support/runtime.ts";

const rows = 1_000_000;
const rowsPerCommand = 500;

export default defineBench({
  question:
    "How long does it take to open a folder in which one entity has a million rows, until it answers?",
  contenders: { runtime },
  rounds: 1,
  bars: [{ figure: "first_answer_ms", contender: "runtime", atMost: 5_000 }],
});

function runtime(): Promise<Stats> {
  return withRuntime(async (first, again) => {
    const begin = performance.now();
    for (let from = 0; from < rows; from += rowsPerCommand * 8)
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          first.ask(
            counterAsk("Counter.Fill", "large", { from: from + i * rowsPerCommand, rows: rowsPerCommand }),
          ),
        ),
      );
    const filled = performance.now() - begin;
    const { runtime: second, openMs } = await again();
    const asked = performance.now();
    await second.ask(counterAsk("Counter.Read", "large"));
    const firstAnswerMs = openMs + performance.now() - asked;
    return { rows_per_s: rows / (filled / 1_000), open_ms: openMs, first_answer_ms: firstAnswerMs };
  });
}
