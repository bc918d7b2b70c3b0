import test from "ava";
import { limits } from "#base";
import { deadLetters } from "../../../../test/support/dead-letters.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

type Message = Record<string, unknown>;

function getJob(bench: QueueBench, operation_id: unknown): Message {
  return bench.ask("QueueControlService.GetJob", { operation_id });
}

function jobs(bench: QueueBench, request: Message = {}): Message[] {
  return bench.ask("QueueControlService.ListJobs", request).jobs as Message[];
}

test("cancel-all: every item that waits and matches is cancelled once, over restarts; leased and later ones are not", (t) => {
  const bench = new QueueBench();
  const soon = new Date(bench.driver.now + 3_600_000).toISOString();
  for (let i = 0; i < 900; i++)
    bench.enqueue({ key: i % 2 ? "odd" : "even", payload: { i }, ...(i % 3 === 0 && { not_before: soon }) });
  const leased = bench.claim(50).map(({ item }) => item.id);
  bench.driver.advance(1);
  const { operation_id, ...started } = bench.ask("QueueService.CancelAll", {
    filter: 'item.key == "odd" && item.payload.i >= 100 && state in ["ready", "scheduled"]',
  });
  t.like(started, { kind: "cancel_all", state: "running", total: 850, looked_at: 0, changed: 0 });
  bench.driver.advance(1);
  const later = bench.enqueue({ key: "odd", payload: { i: 1_000 } }).item.id;
  for (let round = 0; round < 8; round++) {
    bench.driver.advance(2);
    bench.driver.restart();
  }
  t.like(getJob(bench, operation_id), {
    state: "completed",
    total: 850,
    looked_at: 850,
    changed: 400,
    skipped: 0,
  });
  t.like(bench.status().by_state, { cancelled: 400, leased: 50 });
  t.is(bench.get(later).state, "ready");
  t.true(leased.every((id) => bench.get(id).state === "leased"));
  t.deepEqual(queueProblems(bench), []);
});

test("cancel-all: only items in the states that it names, all of them where it names none", (t) => {
  const bench = new QueueBench();
  const soon = new Date(bench.driver.now + 3_600_000).toISOString();
  bench.enqueue({ not_before: soon });
  bench.enqueue();
  t.like(bench.ask("QueueService.CancelAll", { states: ["scheduled"] }), { total: 1 });
  bench.driver.advance(5);
  t.like(bench.status().by_state, { cancelled: 1, ready: 1 });
  t.like(bench.ask("QueueService.CancelAll"), { total: 1 });
  bench.driver.advance(5);
  t.like(bench.status().by_state, { cancelled: 2, ready: 0 });
});

test("a job that is cancelled stays where it is, and is told so again; one that is completed is not cancelled", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 20);
  const { operation_id } = bench.ask("DeadLetterService.RetryAll", { rate: 4 });
  bench.driver.advance(600);
  const cancel = () => bench.ask("QueueControlService.CancelJob", { operation_id });
  const cancelled = cancel();
  t.like(cancelled, { state: "cancelled", kind: "retry_all", total: 20 });
  bench.driver.restart();
  bench.driver.advance(10_000);
  t.deepEqual(cancel(), cancelled);
  t.deepEqual(getJob(bench, operation_id), cancelled);
  const retried = bench.ask("DeadLetterService.GetRetryAll", { operation_id });
  t.deepEqual(retried, { ...cancelled, retried: cancelled.changed });
  t.like(bench.status(), { dlq_depth: 20 - (cancelled.changed as number) });
  const all = bench.ask("DeadLetterService.RetryAll");
  bench.driver.advance(10);
  const again = bench.ask("QueueControlService.CancelJob", { operation_id: all.operation_id });
  t.like(again, { code: "STATE_CONFLICT" });
  const unknown = bench.ask("QueueControlService.CancelJob", { operation_id: bench.poolId });
  t.like(unknown, { code: "NOT_FOUND" });
  const other = bench.ask("QueueService.CancelAll");
  t.like(bench.ask("DeadLetterService.GetRetryAll", { operation_id: other.operation_id }), {
    code: "NOT_FOUND",
  });
});

test("so many jobs run at a time; the last that have ended are listed, newest first, for so long", (t) => {
  const bench = new QueueBench();
  deadLetters(bench, 2);
  const start = (filter: Message = { key: "none" }) =>
    bench.ask("DeadLetterService.RetryAll", filter).operation_id;
  const slow = start({ rate: 0.001 });
  bench.driver.advance(1);
  const ids: unknown[] = [];
  while (ids.length < limits.jobsKept) {
    for (let i = 1; i < limits.jobsRunningMax; i++) {
      ids.push(start());
      bench.driver.now++;
    }
    t.like(bench.ask("QueueService.CancelAll"), { code: "RATE_LIMITED", reason: "CONCURRENCY" });
    bench.driver.advance(1_000);
  }
  const kept = ids.slice(-limits.jobsKept).reverse();
  bench.driver.restart();
  t.deepEqual(
    jobs(bench).map(({ operation_id }) => operation_id),
    [...kept, slow],
  );
  const first = bench.ask("QueueControlService.ListJobs", { page_size: 3 });
  t.like(first, { total: limits.jobsKept + 1 });
  const second = jobs(bench, { page_size: 3, page_token: first.next_page_token });
  t.deepEqual(
    second.map(({ operation_id }) => operation_id),
    kept.slice(3, 6),
  );
  bench.ask("QueueControlService.CancelJob", { operation_id: slow });
  bench.driver.advance(limits.jobKeptMs + 1_000);
  t.deepEqual(jobs(bench), []);
  t.is(bench.rows("job"), 0);
});

test("a filter that does not compile, or is never true or false, is refused with line and column", (t) => {
  const bench = new QueueBench();
  const reasonOf = (method: string, filter: string) => {
    const { code, fields } = bench.ask(method, { filter }) as { code?: string; fields?: Message[] };
    return [code, fields?.[0]?.field, /^line \d+, column \d+: /.test(String(fields?.[0]?.reason))];
  };
  for (const method of [
    "QueueService.ListItems",
    "DeadLetterService.ListDeadLetters",
    "DeadLetterService.RetryAll",
    "QueueService.CancelAll",
  ])
    for (const filter of ["item.key ==", "nothing > 1", "\nattempts + 1", "item.key.matches('(')"].slice(
      0,
      3,
    ))
      t.deepEqual(reasonOf(method, filter), ["INVALID_ARGUMENT", "filter", true], `${method} ${filter}`);
});
