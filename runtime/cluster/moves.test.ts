import test from "ava";
import type { Thread } from "../thread/thread.ts";
import { Holders } from "./holders.ts";
import { Moves } from "./moves.ts";
import type { Member } from "./view.ts";

const member: Member = {
  node: "a",
  incarnation: "a",
  address: "",
  zone: "",
  workers: 1,
  versions: { protocol: 1, format: 1 },
};

test("a shard whose holder's link is closed is taken a moment later, not within the same step", (t) => {
  const timers: (() => void)[] = [];
  const world = {
    clock: { monotonic: () => 0 },
    setTimer: (_ms: number, run: () => void) => {
      timers.push(run);
      return () => {
        timers.splice(timers.indexOf(run), 1);
      };
    },
  };
  const holders = new Holders();
  holders.set("b", [[0, 1]]);
  const taken: number[] = [];
  const moves = new Moves({
    self: "a",
    movesAtOnce: 1,
    holders,
    thread: { world, limits: { shardCount: 1, moveSettleMs: 1_000, moveLinksMs: 0 } } as unknown as Thread,
    isLinked: () => true,
    release: (_holder, _shard, _view, done) => done(true),
    take: (shards) => {
      taken.push(...shards);
      // What a worker holds is told at once, and its node looks again.
      moves.step();
    },
    changed: () => undefined,
  });
  moves.setView({ version: 2, members: [member] });
  t.deepEqual(taken, []);
  for (const run of timers.splice(0).slice(1)) run();
  t.deepEqual(taken, [0]);
});
