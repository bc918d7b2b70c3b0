import test from "ava";
import { limits, Random } from "#base";
import { ownersOf } from "./rendezvous.ts";

const { shardCount } = limits;
const sets = Array.from({ length: 100 }, (_, seed) => {
  const random = new Random(seed + 1);
  return Array.from({ length: 4 }, (_, at) => ({
    node: `${at}-${random.uint32().toString(36)}`,
    workers: 2,
  }));
});

test("a fourth node beside three moves 25 % of the shards (mean of 100 sets of ids), and each of them to itself", (t) => {
  const shares = sets.map((nodes) => {
    const before = ownersOf(nodes.slice(0, 3), shardCount);
    const after = ownersOf(nodes, shardCount);
    const moved = after.flatMap((owner, shard) => (owner === before[shard] ? [] : [owner]));
    t.true(
      moved.every((owner) => owner === nodes[3]!.node),
      "a shard moves once: to the new node",
    );
    return moved.length / shardCount;
  });
  const mean = (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length;
  t.true(mean > 24 && mean < 26, `${mean.toFixed(2)} %`);
  t.log(`${mean.toFixed(2)} % of the shards move`);
});

test("when a node leaves, only its shards move", (t) => {
  for (const nodes of sets) {
    const before = ownersOf(nodes, shardCount);
    const after = ownersOf(nodes.slice(1), shardCount);
    for (const [shard, owner] of before.entries()) if (owner !== nodes[0]!.node) t.is(after[shard], owner);
  }
});

test("a node with three times the workers has three times the shards, and the order of the list does not matter", (t) => {
  let large = 0;
  for (const [one, other] of sets) {
    const members = [
      { ...one!, workers: 3 },
      { ...other!, workers: 1 },
    ];
    const owners = ownersOf(members, shardCount);
    t.deepEqual(ownersOf([...members].reverse(), shardCount), owners);
    large += owners.filter((owner) => owner === one!.node).length;
  }
  const share = (100 * large) / (sets.length * shardCount);
  t.true(share > 74 && share < 76, `${share.toFixed(2)} %`);
});

test("without nodes a shard has no owner", (t) => {
  t.deepEqual(ownersOf([], 2), [undefined, undefined]);
});
