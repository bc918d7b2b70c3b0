import test from "ava";
import fc from "fast-check";
import { limits, Random } from "#base";
import { type Book, books } from "../../test/support/books.ts";
import { EntityDriver } from "../../test/support/entity.ts";
import { Collection, type Order } from "./collection.ts";
import { recordActor } from "./methods.ts";

type Message = Record<string, unknown>;

const at = { kind: "books", tenant: "01JTENANT00000000000000000", key: "" };

function start(order: Order = "ascending") {
  const driver = new EntityDriver([recordActor("books", books({ order }))]);
  const call = (method: string, request: Message = {}, caller = {}): Message =>
    driver.ask(at, `BookService.${method}`, request, { caller }) as Message;
  const create = (request: Message, caller = {}): Message => {
    driver.now += 1;
    return call("CreateBook", request, caller);
  };
  return { driver, call, create };
}

type Started = ReturnType<typeof start>;

function walk({ call }: Started, filter: Message, page_size: number, caller = {}): string[] {
  const seen: string[] = [];
  let page_token = "";
  do {
    const page = call("ListBooks", { ...filter, page_size, page_token }, caller);
    seen.push(...(page.books as Book[]).map(({ id }) => id));
    page_token = page.next_page_token as string;
  } while (page_token !== "");
  return seen;
}

for (const order of ["ascending", "descending"] as const)
  test(`invariants 1 and 2, ${order}: for every filter the total is what a walk returns, once each and in order`, (t) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = new Random(seed);
        const started = start(order);
        const all = new Map<string, Message>();
        for (let step = 0; step < 30; step++) change(started, all, random, step);
        for (const filter of [{}, { shelf: "a" }, { lent: true }, { shelf: "b", lent: false }])
          for (const caller of [{}, { environment: "test" }, { environmentMode: "production_only" }]) {
            const expected = [...all]
              .filter(([, book]) => Object.entries(filter).every(([name, value]) => book[name] === value))
              .filter(([, book]) => isSeen(book, caller))
              .map(([id]) => id)
              .sort();
            if (order === "descending") expected.reverse();
            t.deepEqual(walk(started, filter, 3, caller), expected);
            t.is(started.call("ListBooks", filter, caller).total, expected.length);
            const { books: some } = started.call("ListBooks", { ...filter, offset: 2, page_size: 2 }, caller);
            t.deepEqual(
              (some as Book[]).map(({ id }) => id),
              expected.slice(2, 4),
            );
          }
        t.deepEqual(started.driver.unlikeReplay(at), []);
      }),
      { numRuns: 15 },
    );
  });

function change({ driver, call, create }: Started, all: Map<string, Message>, random: Random, step: number) {
  const settings = { shelf: random.pick(["a", "b", "c"]), lent: random.chance(0.5) };
  const roll = random.int(4);
  if (roll < 2 || all.size === 0) {
    const environment = random.pick(["production", "test"]);
    const book = create({ name: `book ${step}`, ...settings }, { environment });
    all.set(book.id as string, { ...settings, environment });
  } else {
    const id = random.pick([...all.keys()]);
    if (roll === 2) {
      call("UpdateBook", { book_id: id, ...settings });
      Object.assign(all.get(id)!, settings);
    } else {
      call("DeleteBook", { book_id: id });
      all.delete(id);
    }
  }
  if (random.chance(0.1)) driver.restart();
}

function isSeen({ environment }: Message, caller: Message): boolean {
  if (caller.environment !== undefined && caller.environment !== environment) return false;
  return caller.environmentMode !== "production_only" || environment === "production";
}

test("invariant 3: a cursor opens only its own list", (t) => {
  const { call, create } = start();
  for (let i = 0; i < 4; i++) create({ name: `${i}` });
  const { next_page_token: page_token } = call("ListBooks", { page_size: 2 });
  t.is((call("ListBooks", { page_size: 2, page_token }).books as Book[]).length, 2);
  for (const refused of [
    call("ListBooks", { page_token, shelf: "a" }),
    call("ListBooks", { page_token }, { environment: "production" }),
    call("ListBooks", { page_token: "nonsense" }),
    call("ListBooks", { page_token, offset: 1 }),
  ])
    t.like(refused, { code: "INVALID_ARGUMENT" });
});

test("a list writes nothing", (t) => {
  const { driver, call, create } = start();
  for (let i = 0; i < 4; i++) create({ name: `${i}` });
  const before = driver.rowsOf(at.tenant);
  t.not(call("ListBooks", { page_size: 2 }).next_page_token, "");
  t.deepEqual(driver.rowsOf(at.tenant), before);
});

test("a unique text is refused while another value has it, and free when that has changed or gone", (t) => {
  const { call, create } = start();
  const { id } = create({ name: "one" });
  t.like(create({ name: "one" }), { code: "ALREADY_EXISTS" });
  const other = create({ name: "two" }).id;
  t.like(call("UpdateBook", { book_id: other, name: "one" }), { code: "ALREADY_EXISTS" });
  t.like(call("UpdateBook", { book_id: id, shelf: "b" }), { name: "one", shelf: "b" });
  t.like(call("UpdateBook", { book_id: id, name: "three" }), { name: "three" });
  t.like(call("UpdateBook", { book_id: other, name: "one" }), { name: "one" });
  call("DeleteBook", { book_id: id });
  t.like(create({ name: "three" }), { name: "three" });
});

test("what is deleted leaves no row", (t) => {
  const { driver, call, create } = start();
  const { id } = create({ name: "one" });
  call("ListBooks");
  call("DeleteBook", { book_id: id });
  for (const collection of ["entries", "index", "counts", "name"])
    t.is(driver.rows(at, collection).size, 0, collection);
});

test("collections of one entity have names, and rows of their own", (t) => {
  t.is(`${new Collection({ name: "copies", filters: [] }).countsName}`, "copies.counts");
  const filters = Array.from({ length: limits.collectionFiltersMax + 1 }, (_, index) => `${index}`);
  t.throws(() => new Collection({ filters }), { message: /at most 4 filters/ });
});
