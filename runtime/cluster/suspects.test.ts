import test from "ava";
import { limits } from "#base";
import { Suspects } from "./suspects.ts";
import type { Member } from "./view.ts";

const versions = { protocol: 1, format: 1 };
const member = (node: string): Member => ({
  node,
  incarnation: node,
  address: "",
  zone: "",
  workers: 1,
  versions,
});
const members = [member("a"), member("b")];
const names = (silent: readonly Member[]) => silent.map(({ node }) => node);
const { memberBeatMs, memberSuspectMs } = limits;

test("a node whose count stands still for two seconds of our own clock is silent, one that counts is not", (t) => {
  const suspects = new Suspects();
  for (let ms = 0; ms < memberSuspectMs; ms += memberBeatMs)
    t.deepEqual(
      names(
        suspects.silent(
          members,
          new Map([
            ["a", 7],
            ["b", ms],
          ]),
          ms,
        ),
      ),
      [],
    );
  const beats = new Map([
    ["a", 7],
    ["b", -1],
  ]);
  t.deepEqual(names(suspects.silent(members, beats, memberSuspectMs)), ["a"]);
});

test("the moment at which a node is silent is known two seconds before, and each beat moves it", (t) => {
  const suspects = new Suspects();
  t.is(suspects.dueMs, Number.POSITIVE_INFINITY);
  const [only] = members as [Member];
  for (const [beat, ms] of [
    [1, 0],
    [2, 700],
    [2, 1_200],
  ] as const)
    suspects.silent([only], new Map([["a", beat]]), ms);
  t.is(suspects.dueMs, 700 + memberSuspectMs);
});

test("after a gap in our own rounds the wait begins anew: the store or this process stood still, not the others", (t) => {
  const suspects = new Suspects();
  const beats = new Map([
    ["a", 7],
    ["b", 7],
  ]);
  suspects.silent(members, beats, 0);
  suspects.silent(members, beats, memberBeatMs);
  const backMs = memberBeatMs + 60_000;
  t.deepEqual(names(suspects.silent(members, beats, backMs)), []);
  for (let ms = memberBeatMs; ms < memberSuspectMs; ms += memberBeatMs)
    t.deepEqual(names(suspects.silent(members, beats, backMs + ms)), []);
  t.deepEqual(names(suspects.silent(members, beats, backMs + memberSuspectMs)), ["a", "b"]);
});

test("a node that joins with the name of another is judged by its own incarnation", (t) => {
  const suspects = new Suspects();
  for (let ms = 0; ms < memberSuspectMs; ms += memberBeatMs)
    suspects.silent(
      members,
      new Map([
        ["a", 1],
        ["b", 1],
      ]),
      ms,
    );
  const again = [{ ...member("a"), incarnation: "a2" }, member("b")];
  t.deepEqual(
    names(
      suspects.silent(
        again,
        new Map([
          ["a2", 1],
          ["b", 1],
        ]),
        memberSuspectMs,
      ),
    ),
    ["b"],
  );
});
