import test from "ava";
import fc from "fast-check";
import { limits, Random } from "#base";
import { PoolBench } from "../../test/support/pool.ts";
import { listDirectory } from "../kit/entity-list.ts";

type Message = Record<string, unknown>;

function create(bench: PoolBench, settings: Message = {}, caller = {}): string {
  bench.driver.now += 1;
  const pool = bench.ask(
    bench.directory(),
    "PoolService.CreatePool",
    { name: "n", tenantKey: "key", ...settings },
    caller,
  ) as Message;
  return pool.id as string;
}

function list(
  bench: PoolBench,
  request: Message = {},
  caller = {},
): { entries: Message[]; total?: number; next_page_token: string } {
  return bench.ask(bench.directory(), listDirectory.name, request, caller) as never;
}

function walk(bench: PoolBench, filter: Message, size: number, named: Message = {}): string[] {
  const seen: string[] = [];
  let page_token = "";
  do {
    const page = list(bench, { ...named, filter, page_size: size, page_token });
    seen.push(...page.entries.map(({ id }) => id as string));
    page_token = page.next_page_token;
  } while (page_token !== "");
  return seen;
}

test("invariants 2 and 3: for every filter the total is what a walk returns, once each and in order", (t) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      const bench = new PoolBench();
      const all = new Map<string, Message>([
        [bench.poolId, { name: "p", status: "STATUS_ACTIVE", environment: "production", paused: false }],
      ]);
      for (let step = 0; step < 30; step++) {
        const roll = random.int(7);
        const id = random.pick([...all.keys()]);
        if (roll < 3) {
          const environment = random.pick(["production", "staging", "test"]);
          const status = random.pick(["STATUS_ACTIVE", "STATUS_DISABLED"]);
          all.set(create(bench, { status }, { environment }), {
            name: "n",
            status,
            environment,
            paused: false,
          });
        } else if (roll === 3) {
          const enabled = random.chance(0.5);
          bench.poolId = id;
          bench.pool("PoolService.SetPoolEnabled", { enabled });
          all.get(id)!.status = enabled ? "STATUS_ACTIVE" : "STATUS_DISABLED";
        } else if (roll === 4) {
          const paused = random.chance(0.5);
          bench.driver.tell(bench.directory(), { type: "note", message: { type: "changed", id, paused } });
          all.get(id)!.paused = paused;
        } else if (roll === 5) {
          const name = `n${step}`;
          bench.poolId = id;
          bench.pool("PoolService.UpdatePool", { name });
          all.get(id)!.name = name;
        } else if (all.size > 1) {
          bench.poolId = id;
          bench.pool("PoolService.DeletePool");
          all.delete(id);
        }
        if (random.chance(0.2)) bench.driver.restart();
      }
      const filters: Message[] = [
        {},
        { status: "STATUS_ACTIVE" },
        { environment: "staging" },
        { paused: true },
        { status: "STATUS_DISABLED", environment: "production", paused: false },
      ];
      for (const filter of filters) {
        const expected = [...all]
          .filter(([, entry]) => Object.entries(filter).every(([name, value]) => entry[name] === value))
          .map(([id]) => id)
          .sort();
        t.deepEqual(walk(bench, filter, 3), expected);
        const { entries } = list(bench, { filter, page_size: 1_000 });
        t.deepEqual(
          entries,
          expected.map((id) => ({ id, ...all.get(id) })),
        );
        t.is(list(bench, { filter }).total, expected.length);
        t.deepEqual(
          list(bench, { filter, offset: 2, page_size: 2 }).entries.map(({ id }) => id),
          expected.slice(2, 4),
        );
      }
    }),
    { numRuns: 20 },
  );
});

test("a list by name has every pool of that name, or whose name begins so, by name and then by id", (t) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      const bench = new PoolBench();
      const all = new Map([[bench.poolId, { name: "p", environment: "production" }]]);
      const names = ["a", "ab", "abc", "b", "ä", "äb", "a\u{10fffe}"];
      for (let step = 0; step < 25; step++) {
        const name = random.pick(names);
        const roll = random.int(4);
        bench.poolId = random.pick([...all.keys()]);
        if (roll < 2) {
          const environment = random.pick(["production", "staging"]);
          all.set(create(bench, { name }, { environment }), { name, environment });
        } else if (roll === 2) {
          bench.pool("PoolService.UpdatePool", { name });
          all.get(bench.poolId)!.name = name;
        } else if (all.size > 1) {
          bench.pool("PoolService.DeletePool");
          all.delete(bench.poolId);
        }
      }
      bench.driver.restart();
      for (const text of names)
        for (const environment of [undefined, "staging"])
          for (const asked of ["name", "name_prefix"]) {
            const expected = [...all]
              .filter(([, pool]) => (asked === "name" ? pool.name === text : pool.name.startsWith(text)))
              .filter(([, pool]) => environment === undefined || pool.environment === environment)
              .map(([id, { name }]) => ({ id, name: Buffer.from(name) }))
              .sort((a, b) => Buffer.compare(a.name, b.name) || (a.id < b.id ? -1 : 1))
              .map(({ id }) => id);
            const request = { [asked]: text, filter: { environment } };
            t.deepEqual(walk(bench, request.filter, 2, { [asked]: text }), expected);
            t.false("total" in list(bench, request));
          }
      t.deepEqual(bench.driver.unlikeReplay(bench.directory()), []);
    }),
    { numRuns: 20 },
  );
});

test("a cursor of a list by name opens only that list; name and name_prefix are not asked together", (t) => {
  const bench = new PoolBench();
  for (let i = 0; i < 3; i++) create(bench);
  const { next_page_token: page_token } = list(bench, { name: "n", page_size: 1 });
  t.is(list(bench, { name: "n", page_size: 5, page_token }).entries.length, 2);
  for (const request of [{}, { name: "p" }, { name_prefix: "n" }])
    t.like(list(bench, { ...request, page_token }), { code: "INVALID_ARGUMENT" });
  t.like(list(bench, { name: "n", name_prefix: "n" }), {
    code: "INVALID_ARGUMENT",
    fields: [{ field: "name_prefix", reason: "cannot be combined with name" }],
  });
});

test("a look by name among many of other environments ends with a cursor, and the pages have all", (t) => {
  const bench = new PoolBench();
  for (let i = 0; i < limits.collectionLookMax; i++) create(bench, {}, { environment: "staging" });
  const id = create(bench);
  const first = list(bench, { name: "n", filter: { environment: "production" }, page_size: 5 });
  t.deepEqual(first.entries, []);
  t.not(first.next_page_token, "");
  t.deepEqual(walk(bench, { environment: "production" }, 5, { name: "n" }), [id]);
});

test("if_absent creates a pool once for a name and an environment, and answers with the oldest", (t) => {
  const bench = new PoolBench();
  const first = create(bench);
  const second = create(bench);
  const ask = (settings: Message, caller = {}) =>
    bench.ask(
      bench.directory(),
      "PoolService.CreatePool",
      { name: "n", tenantKey: "key", if_absent: true, ...settings },
      caller,
    );
  t.deepEqual(ask({}), { existing: first });
  const staged = ask({}, { environment: "staging" }) as Message;
  t.is(staged.environment, "staging");
  t.deepEqual(ask({}, { environment: "staging" }), { existing: staged.id });
  bench.poolId = first;
  bench.pool("PoolService.UpdatePool", { name: "other" });
  t.deepEqual(ask({}), { existing: second });
  t.deepEqual(ask({ name: "other" }), { existing: first });
});

test("a page that ends with the list has no cursor, whatever the filter", (t) => {
  const bench = new PoolBench();
  for (let i = 0; i < 3; i++) create(bench);
  for (const filter of [{}, { status: "STATUS_ACTIVE" }]) {
    t.is(list(bench, { filter, page_size: 4 }).next_page_token, "");
    const { next_page_token: page_token } = list(bench, { filter, page_size: 2 });
    t.is(list(bench, { filter, page_size: 2, page_token }).next_page_token, "");
    t.is(list(bench, { filter, page_size: 2, offset: 2 }).next_page_token, "");
  }
});

test("what is told of an entry that is gone changes nothing", (t) => {
  const bench = new PoolBench();
  const { poolId: id } = bench;
  bench.pool("PoolService.DeletePool");
  for (const message of [
    { type: "changed", id, name: "late", paused: true },
    { type: "deleted", id },
  ])
    t.is(bench.driver.tell(bench.directory(), { type: "note", message }), undefined);
  for (const filter of [{}, { paused: true }]) t.like(list(bench, { filter }), { entries: [], total: 0 });
  for (const collection of ["entries", "index", "counts", "handles", "by_name"])
    t.is(bench.driver.rows(bench.directory(), collection).size, 0, collection);
});

test("invariant 4: a cursor opens only its own list", (t) => {
  const bench = new PoolBench();
  for (let i = 0; i < 4; i++) create(bench);
  const { next_page_token: page_token } = list(bench, { page_size: 2 });
  t.is(list(bench, { page_size: 2, page_token }).entries.length, 2);
  const foreign = bench.driver.ask(
    { kind: "directory", tenant: "01JOTHER000000000000000000", key: "pool" },
    listDirectory.name,
    {
      page_token,
    },
  );
  for (const refused of [
    list(bench, { page_token, filter: { paused: true } }),
    list(bench, { page_token: `A${page_token.slice(1)}` }),
    list(bench, { page_token: "nonsense" }),
    list(bench, { page_token, offset: 1 }),
    list(bench, { page_token }, { environment: "production" }),
    foreign,
  ])
    t.like(refused, { code: "INVALID_ARGUMENT" });
});

test("page sizes are brought into range, offsets beyond 10,000 are refused", (t) => {
  const bench = new PoolBench();
  for (let i = 0; i < 60; i++) create(bench);
  t.is(list(bench, { page_size: -3 }).entries.length, 50);
  t.is(list(bench, { page_size: 5_000 }).entries.length, 61);
  t.is(list(bench, { offset: -1 }).entries.length, 50);
  t.like(list(bench, { offset: 10_001 }), { code: "INVALID_ARGUMENT" });
});

test("a principal bound to one side of the environments lists that side", (t) => {
  const bench = new PoolBench();
  create(bench, {}, { environment: "staging" });
  t.is(list(bench, {}, { environmentMode: "production_only" }).total, 1);
  t.deepEqual(
    list(bench, {}, { environmentMode: "non_production_only" }).entries.map(({ environment }) => environment),
    ["staging"],
  );
  t.is(list(bench, {}, { environment: "test" }).total, 0);
});

test("invariant 1: a handle that is taken is not given again", (t) => {
  const bench = new PoolBench();
  // The driver draws ids from a seed: the same draw again would take the same handle.
  const taken = bench.driver.rows(bench.directory(), "handles");
  const before = taken.size;
  const ids = Array.from({ length: 200 }, () => create(bench));
  t.is(new Set(ids.map((id) => id.slice(18))).size, 200);
  t.is(taken.size, before + 200);
});

test("invariant 1: where the first draw is taken, another is drawn", (t) => {
  const bench = new PoolBench();
  const handles = bench.driver.rows(bench.directory(), "handles");
  const get = handles.get.bind(handles);
  const drawn: unknown[] = [];
  handles.get = ([handle]) => (drawn.push(handle) === 1 ? "taken" : get([handle!]));
  const id = create(bench);
  t.deepEqual(drawn.slice(1), [id.slice(18)]);
});
