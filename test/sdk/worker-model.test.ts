import test from "ava";
import { runModel } from "./model/worker-model.ts";

/** `SDK_SEEDS=500` by hand. */
const seeds = Number(process.env.SDK_SEEDS ?? 60);
const first = Number(process.env.SDK_SEED ?? 1);

test("whatever happens to its server, a worker settles each item once, tells its handlers, and leaves nothing leased", async (t) => {
  t.timeout(300_000);
  const found: string[] = [];
  for (let seed = first; seed < first + seeds; seed++)
    found.push(...(await runModel(seed)).map((problem) => `seed ${seed}: ${problem}`));
  t.deepEqual(found.slice(0, 20), []);
});
