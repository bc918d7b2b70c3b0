import test from "ava";
import type { Thread } from "../thread/thread.ts";
import { Holders } from "./holders.ts";
import { Moves, type MovesOptions } from "./moves.ts";
import type { Member } from "./view.ts";

const member: Member = {
  node: "a",
  incarnation: "a",
  address: "",
  zone: "",
  workers: 1,
  versions: { protocol: 1, format: 1 },
};

/** Node "a" with one shard; its timers run when they are told to. */
function start(options: Pick<MovesOptions, "holders" | "release" | "take">) {
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
  const moves = new Moves({
    ...options,
    self: "a",
    movesAtOnce: 1,
    thread: { world, limits: { shardCount: 1, moveSettleMs: 1_000, moveLinksMs: 0 } } as unknown as Thread,
    isLinked: () => true,
    changed: () => undefined,
  });
  return { moves, timers };
}

test("a shard whose holder's link is closed is taken a moment later, not within the same step", (t) => {
  const holders = new Holders();
  holders.set("b", [[0, 1]]);
  const taken: number[] = [];
  const { moves, timers } = start({
    holders,
    release: (_holder, _shard, _view, done) => done(true),
    take: (shards) => {
      taken.push(...shards);
      // What a worker holds is told at once, and its node looks again.
      moves.step();
    },
  });
  moves.setView({ version: 2, members: [member] });
  t.deepEqual(taken, []);
  for (const run of timers.splice(0).slice(1)) run();
  t.deepEqual(taken, [0]);
});

test("a shard is given to a node with a newer view: it is not taken back before that view is known", (t) => {
  const holders = new Holders();
  holders.set(0, [[0, 1]]);
  const taken: number[] = [];
  const { moves } = start({
    holders,
    release: (worker, _shard, _view, done) => {
      moves.heard(worker as number, []);
      holders.set(worker, []);
      moves.step();
      done(true);
      moves.step();
    },
    take: (shards) => taken.push(...shards),
  });
  moves.setView({ version: 1, members: [member] });
  const released: boolean[] = [];
  moves.give(0, 2, (one) => released.push(one));
  t.deepEqual(released, [true]);
  t.deepEqual(taken, []);
  moves.setView({ version: 3, members: [member] });
  t.deepEqual(taken, [0], "a later view gives it back");
});
