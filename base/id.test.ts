import test from "ava";
import { isUlid, newChildUlid, newUlid, Random, ulidTimeMs } from "./index.ts";

test("the same seed makes the same ids for ever: journals are replayed with them", (t) => {
  const random = new Random("seed");
  t.is(newUlid(1_700_000_000_000, random), "01HF7YAT00KRR28C9BT8QRTWP0");
  t.is(newChildUlid(1_700_000_000_000, "ABCDEFGH", random), "01HF7YAT00ABCDEFGHAQZF591N");
  t.is(newUlid(1_700_000_000_000, random), "01HF7YAT00RZV8G6APJNMM4GCH");
});

test("ids of one command ascend, and keep their handle however many there are", (t) => {
  const random = new Random("seed");
  let id = newChildUlid(1_700_000_000_000, "ABCDEFGH", random);
  for (let i = 0; i < 5_000; i++) {
    const after = newChildUlid(1_700_000_000_000, "ABCDEFGH", random, id);
    t.true(isUlid(after) && after > id && after.startsWith("01HF7YAT00ABCDEFGH"));
    id = after;
  }
  t.is(newChildUlid(0, "ABCDEFGH", random, "01HF7YAT00ABCDEFGHAQZF59ZZ"), "01HF7YAT00ABCDEFGHAQZF5A00");
  t.not(newChildUlid(0, "HGFEDCBA", random, id).slice(10, 18), "ABCDEFGH");
});

test("an id is a ULID and tells its time", (t) => {
  const random = new Random(1);
  for (let i = 0; i < 1_000; i++) {
    const id = newUlid(1_700_000_000_000 + i, random);
    t.true(isUlid(id));
    t.is(ulidTimeMs(id), 1_700_000_000_000 + i);
  }
});
