import test from "ava";
import { CallerGone } from "./cancellation.ts";

test("those who listen are told once, those who stopped listening are not", (t) => {
  const gone = new CallerGone();
  const told: string[] = [];
  const stopped = () => told.push("stopped");
  gone.addEventListener("abort", () => told.push("first"));
  gone.addEventListener("abort", stopped);
  gone.addEventListener("abort", () => told.push("second"));
  gone.removeEventListener("abort", stopped);
  t.false(gone.aborted);
  gone.abort();
  gone.abort();
  t.true(gone.aborted);
  t.deepEqual(told, ["first", "second"]);
});
