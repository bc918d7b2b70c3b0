/** One of several processes that share the seeds of a run: simulates what it is sent. */
import { type SimulationOptions, simulate } from "./simulate.ts";

process.on("message", async (options) => {
  process.send!(await simulate(options as SimulationOptions));
});
