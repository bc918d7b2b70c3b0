import test from "ava";
import { happened } from "./history.ts";

const group = (epoch: number, firstSeq: number, count = 1) => ({ epoch, firstSeq, count });
const seqs = (history: ReturnType<typeof happened>) =>
  history.groups.flatMap(({ group: { epoch, firstSeq }, upTo }) =>
    Array.from({ length: upTo - firstSeq + 1 }, (_, i) => `${firstSeq + i}@${epoch}`),
  );

test("entries of one epoch follow each other up to the head", (t) => {
  const history = happened([group(1, 3, 2), group(1, 1, 2)], { epoch: 1, head: 0 }, 0);
  t.deepEqual(seqs(history), ["1@1", "2@1", "3@1", "4@1"]);
  t.is(history.head, 4);
  t.is(history.missing, undefined);
});

test("what an owner wrote after its successor began is dropped", (t) => {
  const history = happened([group(1, 1, 2), group(1, 3), group(2, 3, 2)], { epoch: 2, head: 2 }, 0);
  t.deepEqual(seqs(history), ["1@1", "2@1", "3@2", "4@2"]);
});

test("what an owner wrote after its successor opened is dropped, even if the successor wrote nothing", (t) => {
  const history = happened([group(1, 1, 2), group(1, 3)], { epoch: 2, head: 2 }, 0);
  t.deepEqual(seqs(history), ["1@1", "2@1"]);
  t.is(history.head, 2);
});

test("a batch that continues past the start of the next epoch is cut there", (t) => {
  t.deepEqual(seqs(happened([group(1, 1, 4), group(3, 3, 1)], { epoch: 3, head: 2 }, 0)), [
    "1@1",
    "2@1",
    "3@3",
  ]);
});

test("entries that are in the tables are left out, and a shard without entries has the head of the tables", (t) => {
  t.deepEqual(seqs(happened([group(1, 1), group(1, 2)], { epoch: 1, head: 0 }, 1)), ["2@1"]);
  t.is(happened([], { epoch: 4, head: 9 }, 9).head, 9);
});

test("a gap is reported with its first missing sequence", (t) => {
  t.is(happened([group(1, 1), group(1, 3)], { epoch: 1, head: 0 }, 0).missing, 2);
  t.is(happened([group(1, 3)], { epoch: 1, head: 0 }, 1).missing, 2);
  t.is(happened([group(1, 1)], { epoch: 2, head: 5 }, 0).missing, 2);
});
