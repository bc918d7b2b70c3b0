import test from "ava";
import { limits } from "#base";
import { defineActor } from "#runtime";
import { connectionAt as at, connectedDriver } from "../../../test/support/connection.ts";

type Message = Record<string, unknown>;

/** One active connection, and an entity that notes what it is told as an origin. */
function connected() {
  const driver = connectedDriver();
  const told: unknown[] = [];
  driver.define(
    defineActor<object, unknown, never>({
      kind: "noted",
      placement: "key",
      empty: () => ({}),
      resident: [],
      restore: () => {},
      decide: (_state, message) => {
        told.push(message);
        return { events: [] };
      },
      apply: () => {},
      methods: {},
      onMessage: (message) => message,
    }),
  );
  const execute = (more: Message = {}, ref?: string) =>
    driver.ask(
      at,
      "connection.Execute",
      {
        action_key: "http.request",
        action_version: "1",
        mutation: "non_idempotent",
        scopes: [],
        input: { url: "/" },
        bytes: 10,
        deadline_ms: limits.executionDeadlineMs,
        limits: { rps: 1_000, burst: 1_000, concurrency: 10 },
        ...more,
      },
      ref === undefined ? {} : { caller: { origin: { kind: "noted", key: "n", ref } } },
    ) as Message & { id: string };
  const get = (id: string) =>
    driver.ask(at, "ConnectorService.GetExecution", { execution_id: id }) as Message;
  const cancel = (id: string) =>
    driver.ask(at, "ConnectorService.CancelExecution", { execution_id: id }) as Message;
  const begin = (id: string) => driver.stepEffect(at, { type: "begin", id: `${id}.1`, attempt: 1 });
  const done = (id: string, result: unknown) =>
    driver.stepEffect(at, { type: "done", id: `${id}.1`, attempt: 1, result });
  const effects = () => driver.effects(at).map(({ id }) => id);
  return { driver, told, execute, get, cancel, begin, done, effects };
}

const succeeded = { type: "succeeded", output: { paid: 1 }, outputInvalid: false };
const refused = { type: "failed", code: "PROVIDER_ERROR", message: "400", again: "no" };

test("an execution with an origin tells its end there, once; one without tells nobody", (t) => {
  const { driver, told, execute, cancel, begin, done } = connected();
  done(execute({}, "a").id, succeeded);
  const unknown = execute({}, "b").id;
  begin(unknown);
  driver.restart();
  done(unknown, { type: "unknown", message: "cut off" });
  done(execute({}, "c").id, refused);
  const cancelled = execute({}, "d").id;
  cancel(cancelled);
  cancel(cancelled);
  done(execute().id, succeeded);
  t.like(told, [
    { type: "finished", ref: "a", finished: { ok: true, state: "succeeded", result: { paid: 1 } } },
    {
      ref: "b",
      finished: { ok: false, state: "outcome_unknown", code: "OUTCOME_UNKNOWN", outcomeUnknown: true },
    },
    { ref: "c", finished: { ok: false, state: "failed", code: "PROVIDER_ERROR", retryable: false } },
    { ref: "d", finished: { ok: false, state: "cancelled", code: "CANCELLED" } },
  ]);
  t.is(told.length, 4);
});

test("more than may wait, by number or by bytes, are refused as CONNECTION_BUSY, and fit again after an end", (t) => {
  const { execute, done } = connected();
  const bytes = limits.executionsWaitingBytesMax / 4;
  const first = [1, 2, 3, 4].map(() => execute({ bytes }).id);
  t.like(execute({ bytes: 1 }), { code: "RATE_LIMITED", reason: "CONNECTION_BUSY" });
  done(first[0]!, succeeded);
  t.is(execute({ bytes }).status, "queued");
  const many = connected();
  for (let n = 0; n < limits.executionsWaitingMax; n++) many.execute();
  t.like(many.execute(), { code: "RATE_LIMITED", reason: "CONNECTION_BUSY" });
});

test("a cancelled execution sends nothing more; one whose request may have left says so", (t) => {
  const { driver, execute, get, cancel, begin, effects } = connected();
  const waiting = execute().id;
  t.like(cancel(waiting), { status: "cancelled", error: { code: "CANCELLED" } });
  t.deepEqual(effects(), []);
  const left = execute().id;
  begin(left);
  t.like(cancel(left), { status: "outcome_unknown", error: { code: "OUTCOME_UNKNOWN" } });
  const safe = execute({ mutation: "none" }).id;
  begin(safe);
  cancel(safe);
  driver.restart();
  t.is(get(safe).status, "cancelled");
  t.deepEqual(effects(), []);
  // Again: it is the same request.
  t.is(cancel(left).status, "outcome_unknown");
});

test("an execution is running while its request is at the provider, whatever a repeat of it means", (t) => {
  const { driver, execute, get, cancel } = connected();
  const attempt = (id: string) => driver.ask(at, "connection.Attempt", { id }) as Message;
  const ids = ["none", "idempotent"].map((mutation) => execute({ mutation }).id);
  for (const id of ids) {
    t.is(get(id).status, "queued");
    attempt(id);
    t.is(get(id).status, "running");
    // The same attempt after a crash.
    t.is((attempt(id) as { action_key: string }).action_key, "http.request");
  }
  t.is(cancel(ids[0]!).status, "cancelled");
  t.like(cancel(ids[1]!), { status: "outcome_unknown", error: { code: "OUTCOME_UNKNOWN" } });
});

test("ended executions go after their time with what they sent and got; open ones stay", (t) => {
  const { driver, execute, get, done } = connected();
  const open = execute({ deadline_ms: 86_400_000 }).id;
  const old = execute().id;
  done(old, succeeded);
  driver.advance(limits.executionKeptMs - 3_600_000);
  t.is(get(old).status, "succeeded");
  const young = execute().id;
  done(young, succeeded);
  driver.advance(2 * 3_600_000);
  t.is(get(old).code, "NOT_FOUND");
  t.is(get(young).status, "succeeded");
  t.is(get(open).status, "queued");
  t.deepEqual(driver.rows(at, "bodies").scan({ collection: "bodies", prefix: [old], limit: 9 }), []);
});

test("the oldest ended executions go where there are more than are kept", (t) => {
  const { driver, execute, get, done } = connected();
  const ids = Array.from({ length: limits.executionsKept + 3 }, () => {
    const { id } = execute();
    done(id, succeeded);
    driver.advance(1);
    return id;
  });
  driver.advance(3_600_000);
  t.deepEqual(
    ids.slice(0, 4).map((id) => get(id).code ?? "kept"),
    ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "kept"],
  );
});

test("the provider's pace: a burst leaves at once, then one each interval, and waiting time is not saved up", (t) => {
  const { driver, execute } = connected();
  const pace = { limits: { rps: 10, burst: 3, concurrency: 10 } };
  const due = () => driver.effects(at).map(({ dueMs }) => dueMs - driver.now);
  for (let n = 0; n < 6; n++) execute(pace);
  t.deepEqual(due(), [0, 0, 0, 100, 200, 300]);
  driver.advance(60_000);
  for (const id of driver.effects(at).map(({ id }) => id))
    driver.stepEffect(at, { type: "done", id, attempt: 1, result: succeeded });
  for (let n = 0; n < 5; n++) execute(pace);
  t.deepEqual(due(), [0, 0, 0, 100, 200]);
});
