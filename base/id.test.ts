import test from "ava";
import { isUlid, newChildUlid, newUlid, Random, ulidTimeMs } from "./index.ts";

test("the same seed makes the same ids for ever: journals are replayed with them", (t) => {
  const random = new Random("seed");
  t.is(newUlid(1_700_000_000_000, random), "01HF7YAT00KRR28C9BT8QRTWP0");
  t.is(newChildUlid(1_700_000_000_000, "ABCDEFGH", random), "01HF7YAT00ABCDEFGHAQZF591N");
  t.is(newUlid(1_700_000_000_000, random), "01HF7YAT00RZV8G6APJNMM4GCH");
});

test("an id is a ULID and tells its time", (t) => {
  const random = new Random(1);
  for (let i = 0; i < 1_000; i++) {
    const id = newUlid(1_700_000_000_000 + i, random);
    t.true(isUlid(id));
    t.is(ulidTimeMs(id), 1_700_000_000_000 + i);
  }
});
