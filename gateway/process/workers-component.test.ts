import test from "ava";
import { workersComponent } from "./workers-component.ts";

const steady = { clock: "steady", clockSeconds: 0, corruptShards: [] } as const;

test("all threads serve and nothing is wrong: healthy", (t) => {
  t.deepEqual(workersComponent({ ready: [0, 1], count: 2, health: [steady, steady] }), {
    status: "healthy",
    detail: "2 of 2 threads serve their shards",
  });
});

test("a thread that does not serve is named; without any the instance is unhealthy", (t) => {
  t.deepEqual(workersComponent({ ready: [0, 2], count: 3, health: [steady] }), {
    status: "degraded",
    detail: "2 of 3 threads serve their shards; missing: thread 1",
  });
  t.is(workersComponent({ ready: [], count: 2, health: [] }).status, "unhealthy");
});

test("corrupt shards and a clock that jumped are degraded, with what they are", (t) => {
  const corrupt = [
    { ...steady, corruptShards: [17] },
    { ...steady, corruptShards: [4, 12] },
  ];
  t.deepEqual(workersComponent({ ready: [0, 1], count: 2, health: corrupt }), {
    status: "degraded",
    detail: "2 of 2 threads serve their shards; stored data is corrupt in shard 4, 12, 17",
  });
  const behind = { ...steady, clock: "behind", clockSeconds: 86_400 } as const;
  t.deepEqual(workersComponent({ ready: [0, 1], count: 2, health: [steady, behind] }), {
    status: "degraded",
    detail: "2 of 2 threads serve their shards; the clock is 86400 s behind the service's time",
  });
  const ahead = { ...steady, clock: "ahead", clockSeconds: 3_600 } as const;
  t.regex(workersComponent({ ready: [0], count: 1, health: [ahead] }).detail, /jumped 3600 s ahead/);
});
