import test from "ava";
import { isRefusal, limits } from "#base";
import { PoolBench } from "../../test/support/pool.ts";
import { QueueBench } from "../../test/support/queue.ts";

/** As many steps as an item may take: five rules that each end only because they have had enough. */
const condition = "item.attributes.a.all(x, item.attributes.a.all(y, x == x && y == y))";
const ruleCount = limits.celItemStepsMax / limits.celStepsMax;
const costly = { attributes: { a: Array.from({ length: 60 }, (_, index) => index) } };
const enough = limits.celCommandStepsMax / limits.celItemStepsMax;
const batch = Array.from({ length: enough + 3 }, () => costly);

const refusal = { reason: "EXPRESSIONS" };

test("a batch of items whose conditions take all they may is cut off, and says so", (t) => {
  const bench = new QueueBench();
  for (let i = 0; i < ruleCount; i++)
    bench.pool("RuleService.CreateRule", {
      name: `r${i}`,
      condition,
      action: { set_priority: { priority: 1 } },
    });
  const { results } = bench.ask("QueueService.EnqueueBatch", { items: batch }) as {
    results: readonly { readonly error?: object }[];
  };
  t.is(results.filter(({ error }) => error === undefined).length, enough);
  t.like(results.at(-1)!.error, { error_code: "RATE_LIMITED", retryable: true, ...refusal });
  t.false(isRefusal(bench.tryEnqueue(costly)), "by itself it has steps enough");
});

test("and so is a batch of routes", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  for (let i = 0; i < ruleCount; i++)
    bench.rule({ name: `r${i}`, condition, action: { set_priority: { priority: 1 } } });
  const results = bench.routes(batch) as readonly { readonly refusal?: object }[];
  t.is(results.filter(({ refusal }) => refusal === undefined).length, enough);
  t.like(results.at(-1), { refusal: { code: "RATE_LIMITED", ...refusal } });
  t.is(bench.route(costly).refusal, undefined, "by itself it has steps enough");
});
