import test from "ava";
import { isRefusal, limits } from "#base";
import { tenant } from "../../../test/support/pool.ts";
import { QueueBench } from "../../../test/support/queue.ts";
import type { State } from "./state.ts";

type Message = Record<string, unknown>;

const defaults = { threshold: 3, multiplier: 1.5, drop: 0.5, actions: ["alert", "log"] };
const everything = ["queue:admin", "recipient:write", "notification:write"];
const minute = 60_000;

function start() {
  const bench = new QueueBench();
  const { driver, poolId } = bench;
  const watch = bench.at("watch");
  const ask = (method: string, request: Message) =>
    driver.ask(watch, method.includes(".") ? method : `AnomalyService.${method}`, request) as Message;
  return {
    bench,
    driver,
    watch,
    ask,
    monitor(given: Message, may: readonly string[] = everything): Message {
      const settings = { metric: "enqueue_rate", method: "zscore", min_points: 5, ...given };
      return ask("CreateMonitor", { poolId, given: settings, defaults, may });
    },
    /** So many items in each of the next intervals. */
    minutes(...items: readonly number[]): void {
      for (const count of items) {
        for (let i = 0; i < count; i++) bench.enqueue();
        driver.advance(minute);
      }
    },
    anomalies: (request: Message = {}) => ask("ListAnomalies", request).anomalies as Message[],
    told: () => driver.published.map(({ kind }) => kind).filter((kind) => /^(anomaly|queue)\./.test(kind)),
  };
}

test("a value unlike those before it opens an anomaly with its events; values as before close it", (t) => {
  const { monitor, minutes, anomalies, driver, watch, told } = start();
  const { id } = monitor({ close_after: 2 });
  minutes(5, 6, 5, 4, 5);
  t.deepEqual(anomalies(), []);
  minutes(40);
  const [anomaly] = anomalies() as [Message];
  t.like(anomaly, { monitor_id: id, metric: "enqueue_rate", value: 40, expected: 5, baseline: "window" });
  t.like(anomaly, { state: "open", actions: [{ action: "alert", result: "done" }, { action: "log" }] });
  t.deepEqual(told(), ["anomaly.opened", "anomaly.alert"]);
  minutes(30, 5);
  t.is(anomalies().length, 1, "one that is open is the same one");
  driver.restart();
  minutes(5);
  t.like(anomalies(), [{ state: "closed", closed_by: "values" }]);
  t.deepEqual(told(), ["anomaly.opened", "anomaly.alert", "anomaly.closed"]);
  t.deepEqual(driver.unlikeReplay(watch), []);
});

test("after one that is closed none opens for cooldown_seconds", (t) => {
  const { monitor, minutes, anomalies } = start();
  monitor({ close_after: 1, cooldown_seconds: 120 });
  minutes(5, 6, 5, 4, 5, 40, 5, 40);
  t.is(anomalies().length, 1);
  minutes(5, 40);
  t.is(anomalies().length, 2);
});

test("auto-pause pauses the queue in the commit that opens, for its time; a resume by hand stands", (t) => {
  const { bench, monitor, minutes, anomalies, driver, told } = start();
  monitor({ actions: ["auto-pause"], pause_seconds: 600, close_after: 1 });
  minutes(5, 6, 5, 4, 5, 40);
  const [anomaly] = anomalies() as [Message];
  t.like(anomaly, { actions: [{ action: "auto-pause", result: "done" }] });
  t.like(bench.state.pause, {
    untilMs: driver.now + 600_000,
    reason: `anomaly ${anomaly.id}`,
    by: "anomaly",
  });
  driver.restart();
  t.true(bench.status().paused as boolean);
  bench.ask("QueueControlService.ResumeQueue");
  minutes(40, 40, 5, 40);
  t.false(bench.status().paused as boolean, "neither the open anomaly nor one that cools down pauses again");
  t.deepEqual(told(), ["queue.paused", "queue.resumed"]);
});

test("a pause ends by itself, and one that a person has made stays as it is", (t) => {
  const { bench, monitor, minutes, anomalies, driver } = start();
  monitor({ actions: ["auto-pause"], pause_seconds: 60 });
  minutes(5, 6, 5, 4, 5, 40);
  driver.advance(minute);
  t.false(bench.status().paused as boolean);
  const other = start();
  other.monitor({ actions: ["auto-pause"] });
  other.minutes(5, 6, 5, 4, 5);
  other.bench.ask("QueueControlService.PauseQueue", { reason: "by hand" });
  other.minutes(40);
  t.like(other.bench.state.pause, { untilMs: 0, reason: "by hand" });
  t.like(other.anomalies(), [{ actions: [{ result: "it was paused already" }] }]);
  t.is(anomalies().length, 1);
});

test("an interval in which nothing was done is a gap of a ratio, and 0 of a rate", (t) => {
  const { monitor, minutes, ask, bench } = start();
  const rate = monitor({ metric: "completion_rate" }).id;
  const ratio = monitor({ metric: "failure_ratio" }).id;
  const pointsOf = (id: unknown) => ask("GetMonitor", { monitor_id: id }).points;
  minutes(1, 0, 0);
  t.deepEqual([pointsOf(rate), pointsOf(ratio)], [3, 0]);
  bench.settle("complete", bench.claim()[0]!);
  minutes(0);
  t.deepEqual([pointsOf(rate), pointsOf(ratio)], [4, 1]);
});

test("an interval that was missed is a gap, and the next one is of its own time", (t) => {
  const { monitor, minutes, anomalies, driver, ask } = start();
  const { id } = monitor({});
  minutes(5, 6, 5, 4, 5);
  driver.now += 20 * minute;
  driver.advance(0);
  minutes(5, 5);
  t.deepEqual(anomalies(), []);
  t.is(ask("GetMonitor", { monitor_id: id }).points, 7);
});

test("what is counted in memory is a gap after a restart, and routes that find no recipient are", (t) => {
  const { monitor, minutes, driver, ask, bench } = start();
  const { id } = monitor({ metric: "unroutable_rate" });
  const points = () => ask("GetMonitor", { monitor_id: id }).points;
  bench.pool("RecipientService.PauseRecipient", { recipient_id: bench.recipientIds[0] });
  minutes(0);
  t.is(points(), 1);
  driver.restart();
  minutes(0);
  t.is(points(), 1);
  minutes(0);
  t.is(points(), 2);
});

test("depth, waits and the times of leases are measured", (t) => {
  const { monitor, minutes, bench, driver, watch } = start();
  const metrics = ["depth", "wait_seconds", "latency_ms", "dead_rate"];
  const ids = metrics.map((metric) => monitor({ metric }).id as string);
  minutes(2);
  const leased = bench.claim(1)[0]!;
  driver.advance(5_000);
  bench.settle("complete", leased);
  driver.advance(minute - 5_000);
  const { slots } = driver.state<State>(watch);
  t.deepEqual(
    ids.map((id) => slots.get(id)!.at(-1)!.value),
    [1, 60, 5_000, 0],
  );
});

test("what is wrong is said by field", (t) => {
  const { monitor } = start();
  const fieldOf = (given: Message, may?: readonly string[]) => {
    const { code, fields } = monitor(given, may) as { code?: string; fields?: { field: string }[] };
    return `${code} ${fields?.map(({ field }) => field).join(" ")}`;
  };
  t.is(fieldOf({ method: "pattern" }), "INVALID_ARGUMENT patterns");
  t.is(fieldOf({ patterns: ["trend"] }), "INVALID_ARGUMENT patterns");
  t.is(fieldOf({ min_points: 90 }), "INVALID_ARGUMENT min_points");
  t.is(fieldOf({ seasonality: "hour_of_day" }), "INVALID_ARGUMENT time_zone");
  t.is(fieldOf({ seasonality: "hour_of_day", time_zone: "Berlin" }), "INVALID_ARGUMENT time_zone");
  t.is(fieldOf({ actions: ["deprioritize"] }), "INVALID_ARGUMENT actions");
  t.is(fieldOf({ actions: ["auto-pause"] }, ["recipient:write"]), "PERMISSION_DENIED actions");
});

test("an update that measures something else begins anew; another threshold does not", (t) => {
  const { monitor, minutes, ask, anomalies } = start();
  const { id } = monitor({});
  const update = (given: Message) =>
    ask("UpdateMonitor", { id, given: { patterns: [], actions: [], ...given }, defaults, may: everything });
  minutes(5, 6, 5, 4, 5, 40);
  t.like(update({ threshold: 4, record_version: 1 }), { threshold: 4, points: 6, record_version: 2 });
  t.like(update({ threshold: 4 }), { record_version: 2 });
  t.like(update({ threshold: 5, record_version: 1 }), { code: "VERSION_CONFLICT" });
  t.like(update({ update_mask: ["threshold"] }), { threshold: 3, record_version: 3 });
  t.like(update({ update_mask: ["metric"] }), { code: "INVALID_ARGUMENT" });
  t.like(update({ interval_seconds: 30 }), { interval_seconds: 30, points: 0 });
  t.like(anomalies(), [{ state: "closed", closed_by: "the monitor measures something else" }]);
});

test("one closed by hand waits like any other; a deleted monitor leaves no row but its anomalies", (t) => {
  const { monitor, minutes, ask, anomalies, driver, watch } = start();
  const { id } = monitor({});
  minutes(5, 6, 5, 4, 5, 40);
  const [{ id: anomaly_id }] = anomalies() as [Message];
  for (let i = 0; i < 2; i++)
    t.like(ask("CloseAnomaly", { anomaly_id }), { state: "closed", closed_by: "tester" });
  minutes(40);
  t.is(anomalies().length, 1);
  t.like(ask("DeleteMonitor", { monitor_id: id }), { id, deleted: true });
  for (const rows of ["monitor", "progress", "point", "streak"]) t.is(driver.rows(watch, rows).size, 0, rows);
  t.is(anomalies({ state: "closed" }).length, 1);
  t.deepEqual(anomalies({ state: "open" }), []);
  driver.advance(limits.anomalyKeptMs);
  t.deepEqual(anomalies(), []);
  t.deepEqual(driver.timers(watch), []);
});

test("a pool has 16 monitors at most, and with it all goes", (t) => {
  const { monitor, bench, driver, watch, minutes, ask } = start();
  for (let i = 0; i < limits.monitorsMax; i++) t.false(isRefusal(monitor({})));
  t.like(monitor({}), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
  const page = ask("ListMonitors", { pool_id: bench.poolId, page_size: 10 }) as { monitors: Message[] };
  t.is(page.monitors.length, 10);
  minutes(5, 6, 5, 4, 5, 40);
  bench.pool("PoolService.DeletePool", { force: true });
  for (const rows of ["monitor", "progress", "point", "streak", "anomaly"])
    t.is(driver.rows(watch, rows).size, 0, rows);
  t.deepEqual(driver.timers(watch), []);
  t.like(ask("ListMonitors", { pool_id: bench.poolId }), { code: "NOT_FOUND" });
  t.is(driver.rows({ kind: "directory", tenant, key: "anomaly" }, "entries").size, 0);
});

test("the points of a monitor are as many rows as its window", (t) => {
  const { monitor, minutes, driver, watch, ask } = start();
  const { id } = monitor({ window_points: 10, method: "iqr" });
  minutes(...new Array(25).fill(1));
  t.is(driver.rows(watch, "point").size, 10);
  driver.restart();
  t.is(ask("GetMonitor", { monitor_id: id }).points, 10);
});
