import test from "ava";
import fc from "fast-check";
import { isRefusal } from "#base";
import { defineActor } from "#runtime";
import { EntityDriver } from "../../../test/support/entity.ts";
import { tenant } from "../../../test/support/pool.ts";
import type { RunEntry } from "../runs/record.ts";
import type { RunStats } from "./decide.ts";
import { beginRun, getStats, indexActor } from "./service.ts";

const stepMs = 300_000;
const index = { kind: indexActor.kind, tenant, key: "0" };

/** Hears what an index sends, and does nothing. */
const silent = defineActor({
  kind: "workflow_run",
  placement: "key",
  empty: () => ({}),
  resident: [],
  restore: () => {},
  decide: () => ({ events: [] }),
  apply: () => {},
  methods: {},
  onMessage: () => ({}),
});

function start() {
  const driver = new EntityDriver([indexActor, silent]);
  // A whole five minutes.
  driver.now -= driver.now % stepMs;
  const begin = (environment: string): RunEntry => {
    const definition = { id: "01J9ZC5T8N4W0QK7V3M2B6XH1D", key: "w", environment };
    const answer = driver.ask(index, beginRun.name, {
      ...{ type: "start", definition, version: 1, body: { steps: [] }, input: null, runKey: "" },
    }) as { run: { id: string } };
    if (isRefusal(answer)) throw new Error(JSON.stringify(answer));
    const rows = driver.rows(index, "entries").scan({ collection: "entries", limit: 100_000 });
    return rows.map(({ value }) => value as RunEntry).find(({ id }) => id === answer.run.id)!;
  };
  const end = (environment: string, failed: boolean) => {
    const entry = begin(environment);
    const status = failed ? ("failed" as const) : ("succeeded" as const);
    driver.tell(index, {
      type: "changed",
      entry: { ...entry, status, mark: failed ? "dead" : "none", endedAt: driver.now },
    });
    return { environment, failed, at: driver.now };
  };
  const figures = (environment: string, windowMs: number) =>
    driver.ask(index, getStats.name, { environment, windowMs }) as RunStats;
  return { driver, end, figures };
}

// At the edges of steps and between them.
const pause = fc.oneof(fc.constantFrom(0, 1, stepMs - 1, stepMs, stepMs + 1), fc.nat(7_200_000));
const ended = fc.record({ pause, failed: fc.boolean(), production: fc.boolean() });
const windows = [stepMs, 2 * stepMs, 3_600_000, 86_400_000] as const;

test("whenever runs end, a window counts those since its beginning, which is a whole five minutes, as a recount does", (t) => {
  fc.assert(
    fc.property(
      fc.array(ended, { minLength: 1, maxLength: 25 }),
      fc.constantFrom(...windows),
      (runs, windowMs) => {
        const { driver, end, figures } = start();
        const all: ReturnType<typeof end>[] = [];
        for (const { pause: ms, failed, production } of runs) {
          driver.advance(ms);
          all.push(end(production ? "production" : "staging", failed));
          const from = driver.now - (driver.now % stepMs) - windowMs;
          const counted = all.filter(({ environment, at }) => environment === "production" && at >= from);
          t.like(figures("production", windowMs), {
            terminals: counted.length,
            failed: counted.filter((one) => one.failed).length,
            total: all.filter(({ environment }) => environment === "production").length,
          });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("a run that ended at the very beginning of 24 hours is counted until five minutes later", (t) => {
  const { driver, end, figures } = start();
  end("production", true);
  driver.advance(86_400_000 + stepMs - 1);
  end("production", false);
  t.like(figures("production", 86_400_000), { terminals: 2, failed: 1 });
  driver.advance(1);
  t.like(figures("production", 86_400_000), { terminals: 1, failed: 0 });
});
