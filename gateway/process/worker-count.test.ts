import test from "ava";
import { workerCount } from "./worker-count.ts";

function count(settings: { workers: number; engine: "embedded" | "memory" }, cores: number): number {
  return workerCount(
    { "server.workers": settings.workers, "storage.engine": settings.engine } as never,
    cores,
  );
}

test("one core is left to the threads beside the workers, and a single one has a worker all the same", (t) => {
  t.deepEqual(
    [1, 2, 3, 16].map((cores) => count({ workers: 0, engine: "embedded" }, cores)),
    [1, 1, 2, 15],
  );
});

test("a number that is set counts; the memory engine has one", (t) => {
  t.is(count({ workers: 4, engine: "embedded" }, 2), 4);
  t.is(count({ workers: 4, engine: "memory" }, 8), 1);
});
