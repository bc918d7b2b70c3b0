import test from "ava";
import type { Formats } from "#storage";
import { FormatAgreement, misfit } from "./versions.ts";
import type { Member, Versions } from "./view.ts";

test("versions that are one apart run together; two apart are refused by name and number", (t) => {
  const others = [node("a", { protocol: 2, format: 3 }), node("b", { protocol: 1, format: 2 })];
  t.is(misfit({ protocol: 2, format: 3 }, others), undefined);
  t.is(misfit({ protocol: 1, format: 2 }, others), undefined);
  t.regex(misfit({ protocol: 3, format: 3 }, others)!, /node b has protocol 1, this one 3/);
  t.regex(misfit({ protocol: 2, format: 1 }, others)!, /node a has format 3, this one 1/);
});

test("a format is raised when all nodes know it, and used after the list was read once more", async (t) => {
  const store = new Store(1);
  const agreement = new FormatAgreement(store.formats(2));
  const list = [node("a", { protocol: 1, format: 2 }), node("b", { protocol: 1, format: 1 })];
  await saw(agreement, list, 1);
  await saw(agreement, list, 2);
  t.deepEqual([store.format, store.used], [1, 1], "an old node is in the list");
  const upgraded = [list[0]!, node("b", { protocol: 1, format: 2 })];
  await saw(agreement, upgraded, 3);
  t.deepEqual([store.format, store.used], [2, 1], "the list was read before the raise");
  await saw(agreement, upgraded, 4);
  t.deepEqual([store.format, store.used], [2, 2]);
});

test("an old node joins between the list and the raise: the new format is not written while it is there", async (t) => {
  const store = new Store(1);
  const agreement = new FormatAgreement(store.formats(2));
  const self = node("a", { protocol: 1, format: 2 });
  await saw(agreement, [self], 1);
  t.is(store.format, 2);
  await saw(agreement, [self, node("old", { protocol: 1, format: 1 })], 3);
  t.is(store.used, 1);
  await saw(agreement, [self], 5);
  t.is(store.used, 2);
});

test("a list that was read before the store's format was known decides nothing", async (t) => {
  const store = new Store(2);
  const agreement = new FormatAgreement(store.formats(2));
  const list = [node("a", { protocol: 1, format: 2 })];
  await agreement.saw({ members: list, readMs: 1, nowMs: () => 2 });
  t.is(store.used, 1);
  await agreement.saw({ members: list, readMs: 2, nowMs: () => 3 });
  t.is(store.used, 1, "begun in the same instant is not after");
  await agreement.saw({ members: list, readMs: 3, nowMs: () => 4 });
  t.is(store.used, 2);
});

test("a node that is held back raises nothing and uses what it knows", async (t) => {
  const store = new Store(1);
  const agreement = new FormatAgreement(store.formats(1));
  for (let ms = 1; ms < 4; ms++) await saw(agreement, [node("a", { protocol: 1, format: 1 })], ms);
  t.deepEqual([store.format, store.used], [1, 1]);
});

test("a node starts where all nodes know the format of the store: it uses it before it joins, and raises nothing", async (t) => {
  const store = new Store(2);
  const others = [node("a", { protocol: 1, format: 3 }), node("b", { protocol: 1, format: 2 })];
  await new FormatAgreement(store.formats(3)).begin(async () => others);
  t.deepEqual([store.format, store.used], [2, 2]);
});

test("a node starts where an old node is in the list that is read after the format: the format is not used", async (t) => {
  const store = new Store(2);
  const others = async () => (store.reads > 0 ? [node("old", { protocol: 1, format: 1 })] : []);
  await new FormatAgreement(store.formats(2)).begin(others);
  t.is(store.used, 1);
});

test("a raise that fails is tried again with the next list", async (t) => {
  const store = new Store(1);
  store.failures = 1;
  const agreement = new FormatAgreement(store.formats(2));
  const list = [node("a", { protocol: 1, format: 2 })];
  await t.throwsAsync(saw(agreement, list, 1));
  await saw(agreement, list, 2);
  await saw(agreement, list, 3);
  t.deepEqual([store.format, store.used], [2, 2]);
});

class Store {
  format: number;
  used = 1;
  failures = 0;
  reads = 0;
  constructor(format: number) {
    this.format = format;
  }
  formats(known: number): Formats {
    return {
      known,
      read: async () => {
        this.reads++;
        return this.format;
      },
      raise: async (format) => {
        if (this.failures-- > 0) throw new Error("no quorum");
        this.format = Math.max(this.format, format);
      },
      use: (format) => {
        this.used = format;
      },
    };
  }
}

function saw(agreement: FormatAgreement, members: readonly Member[], ms: number): Promise<void> {
  return agreement.saw({ members, readMs: ms, nowMs: () => ms + 0.5 });
}

function node(name: string, versions: Versions): Member {
  return { node: name, incarnation: name, address: "", zone: "", workers: 1, versions };
}
