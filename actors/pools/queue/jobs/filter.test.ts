import test from "ava";
import { limits, Random } from "#base";
import {
  type Condition,
  Expressions,
  holds,
  type ShownItem,
} from "../../../../test/support/filter-expressions.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

/** 5,000 in the long run: `FILTER_RUNS=5000 npx ava actors/pools/queue/jobs/filter.test.ts`. */
const runs = Number(process.env.FILTER_RUNS ?? 200);
const seed = Number(process.env.FILTER_SEED ?? 1);

type Draw = () => number;
type Page = { readonly items: readonly ShownItem[]; readonly next_page_token: string };

function drawsOf(from: number): Draw {
  const random = new Random(from);
  return () => random.float();
}

/** Items in many states, some with payloads in rows of their own, some with members of other types or none at all. */
function filled(random: Draw, count: number): QueueBench {
  const bench = new QueueBench({ max_attempts: 2, backoff: { initial_ms: 1, max_ms: 1 } });
  bench.driver.now = Date.UTC(2026, 0, 1);
  const pick = <T>(...values: T[]) => values[Math.floor(random() * values.length)]!;
  for (let i = 0; i < count; i++) {
    bench.driver.advance(pick(1, 1_000, 60_000));
    const payload = pick<unknown>(
      undefined,
      {},
      { n: pick<unknown>(0, 1, 2.5, 5, "1", null), s: pick("a", "b", "time"), list: [1, 2, 3] },
      { n: 3, list: [], large: "x".repeat(2_000) },
    );
    bench.enqueue({
      key: pick("a", "b", "abc", ""),
      ...(payload !== undefined && { payload }),
      attributes: pick<object>({}, { customer: pick("c1", "c2") }, { customer: 1 }),
      priority: pick(1, 2, 5),
      cost: pick(1, 3),
      ...(random() < 0.3 && { not_before: new Date(bench.driver.now + 10 ** 9).toISOString() }),
    });
    if (random() < 0.5)
      for (const leased of bench.claim(1))
        bench.settle(pick("fail", "release", "reject", "complete"), leased, {
          error_type: pick("timeout", "a", ""),
        });
    if (random() < 0.1) bench.claim(1);
  }
  return bench;
}

function listed(bench: QueueBench, request: Record<string, unknown>): ShownItem[] {
  const items: ShownItem[] = [];
  for (let page_token = ""; ; ) {
    const page = bench.ask("QueueService.ListItems", {
      ...request,
      page_size: 7,
      ...(page_token && { page_token }),
    }) as unknown as Page;
    if (!page.items) throw new Error(JSON.stringify([request, page]));
    items.push(...page.items);
    page_token = page.next_page_token;
    if (page_token === "") return items;
  }
}

function idsOf(items: readonly ShownItem[]): string[] {
  return items.map(({ id }) => id);
}

test("filters: lists show the items for which an independent evaluator says true", (t) => {
  const random = drawsOf(seed);
  const expressions = new Expressions(random);
  let [bench, all, matched] = [filled(random, 40), [] as ShownItem[], 0];
  for (let run = 0; run < runs; run++) {
    if (run % 250 === 0) {
      bench = filled(random, 40);
      all = listed(bench, {});
    }
    const condition: Condition = expressions.condition(3);
    if (condition.text.length > 1_024) continue;
    const wanted = idsOf(all.filter((item) => holds(condition, item)));
    t.deepEqual(idsOf(listed(bench, { filter: condition.text })), wanted, condition.text);
    if (wanted.length > 0 && wanted.length < all.length) matched++;
  }
  t.true(matched > runs / 4, `${matched} of ${runs} filters tell items apart`);
});

test("filters: a job takes the items that the list shows", (t) => {
  const random = drawsOf(seed + 1);
  const expressions = new Expressions(random);
  const waiting = ["scheduled", "ready", "retry_wait"];
  for (let run = 0; run < Math.max(5, runs / 20); run++) {
    const bench = filled(random, 25);
    const { text: filter } = expressions.condition(2);
    const before = idsOf(listed(bench, { states: ["cancelled"] }));
    const shown = idsOf(listed(bench, { states: waiting, filter }));
    const total = listed(bench, { states: waiting }).length;
    const { operation_id } = bench.ask("QueueService.CancelAll", { filter });
    bench.driver.advance(10);
    t.like(bench.ask("QueueControlService.GetJob", { operation_id }), {
      state: "completed",
      ...{ total, looked_at: total, changed: shown.length },
    });
    t.deepEqual(idsOf(listed(bench, { states: ["cancelled"] })), [...before, ...shown].sort(), filter);
    t.deepEqual(queueProblems(bench), []);
  }
});

test("filters: a page ends where its rows, payload bytes or steps do, and the next goes on from there", (t) => {
  const bench = new QueueBench();
  const payload = "x".repeat(200 * 1_024);
  for (let i = 0; i < 45; i++) bench.enqueue({ payload, key: `${i}` });
  const pages = (filter: string) => {
    const found: ShownItem[] = [];
    for (let token = "", count = 1; ; count++) {
      const page = bench.ask("QueueService.ListItems", {
        filter,
        ...(token && { page_token: token }),
      }) as unknown as Page;
      found.push(...page.items);
      token = page.next_page_token;
      if (token === "") return { count, keys: found.map(({ key }) => key) };
    }
  };
  // 20 payloads of 200 KiB are within 4 MiB.
  t.deepEqual(pages('item.key == "44"'), { count: 3, keys: ["44"] });
  for (let i = 0; i < 120; i++) bench.enqueue({ key: "small", attributes: { list: Array(400).fill(1) } });
  const steps = pages(
    'item.key == "small" && item.attributes.list.all(x, item.attributes.list.exists(y, y == x))',
  );
  t.true(steps.count > 3, `${steps.count} pages`);
  t.is(pages(`item.key == "small" && ${limits.queueFilterStepsMax} > 0`).keys.length, 120);
});
