import test from "ava";
import type { LeasedItem } from "../generated.ts";
import { Job } from "./job.ts";

const leased = {
  item: { id: "i", updated_at: "2026-01-01T00:00:00Z" },
  lease_token: "t",
} as LeasedItem;

test("a handler that looks at its signal before or after its lease is lost finds the same: the first reason", (t) => {
  const [early, late] = [new Job(leased, 30, 0), new Job(leased, 30, 0)];
  const { signal } = early;
  for (const job of [early, late]) {
    t.false(job.isAborted);
    job.abort(new Error("the worker stops"));
    job.lose("expired");
    t.true(job.isAborted);
    t.true(job.signal.aborted);
    t.is(job.signal.reason.message, "the worker stops");
    t.is(job.signal, job.signal);
  }
  t.is(early.signal, signal);
});
