import test from "ava";
import { handleOfChild, isUlid, limits, RefusalError, systemClock } from "#base";
import { type Book, books } from "../../test/support/books.ts";
import { testCaller } from "../../test/support/entity.ts";
import { startFixture } from "../../test/support/runtime/fixture.ts";
import { makeDirectory } from "../directory/index.ts";
import type { CallContext } from "../module.ts";
import { poolDirectory } from "../pools/pool/directory.ts";
import { ask, contractMethod } from "./ask.ts";
import type { Order } from "./collection.ts";
import { recordActor } from "./methods.ts";
import { partitionedMethods, partitionOf, partitionOfId } from "./partitioned.ts";

type Message = Record<string, unknown>;

const tenant = "01JTENANT00000000000000000";
const partitions = { kind: "books", count: 5 };

async function start(t: { teardown(end: () => unknown): void }, order: Order) {
  const resource = books({ order });
  const { runtime, world } = await startFixture({
    definitions: [recordActor("books", resource), ...makeDirectory([poolDirectory]).actors],
  });
  t.teardown(() => runtime.stop());
  const methods = partitionedMethods(resource, partitions, {
    textOf: ({ name }) => name as string,
    order,
  });
  const context = (): CallContext => ({
    caller: testCaller(tenant),
    asker: runtime,
    deadlineMs: world.nowMs + 600_000,
    signal: new AbortController().signal,
    clock: systemClock,
    may: () => true,
    roles: [],
    headers: { get: () => undefined },
  });
  const call = async (method: string, request: Message, key?: string): Promise<Message> => {
    const idempotency = key !== undefined && { idempotency: { scope: key, fingerprint: "f" } };
    try {
      return (await methods[`BookService.${method}`]!(request as never, {
        ...context(),
        ...idempotency,
      })) as Message;
    } catch (error) {
      if (error instanceof RefusalError) return { ...error.refusal };
      throw error;
    }
  };
  return { call, context, world };
}

async function walk(call: (method: string, request: Message) => Promise<Message>, request: Message) {
  const seen: string[] = [];
  const { offset = 0, ...same } = request;
  let page_token = "";
  do {
    const page = await call("ListBooks", page_token ? { ...same, page_token } : { ...same, offset });
    seen.push(...(page.books as Book[]).map(({ id }) => id));
    page_token = page.next_page_token as string;
  } while (page_token !== "");
  return seen;
}

for (const order of ["ascending", "descending"] as const)
  test(`${order}: a list over several entities has everything once, in order, with the total of all`, async (t) => {
    const { call, world } = await start(t, order);
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) {
      world.nowMs += 1;
      const { id } = await call("CreateBook", { name: `${i}`, shelf: i % 4 === 0 ? "b" : "a" });
      ids.push(id as string);
    }
    t.true(new Set(ids.map(handleOfChild)).size > 1, "they are in several entities");
    const expected = order === "ascending" ? ids : ids.toReversed();
    for (const page_size of [1, 7, 100]) t.deepEqual(await walk(call, { page_size }), expected);
    const onShelf = expected.filter((id) => ids.indexOf(id) % 4 === 0);
    t.deepEqual(await walk(call, { page_size: 3, shelf: "b" }), onShelf);
    t.is((await call("ListBooks", { shelf: "b", page_size: 1 })).total, 10);
    t.is((await call("ListBooks", {})).total, 40);
    const { books: some } = await call("ListBooks", { offset: 5, page_size: 3 });
    t.deepEqual(
      (some as Book[]).map(({ id }) => id),
      expected.slice(5, 8),
    );
  });

test("parts that are too large for one answer are told in several pages, and none is left out", async (t) => {
  const { call, world } = await start(t, "ascending");
  const ids: string[] = [];
  // Two of them fill an answer.
  const text = "t".repeat(limits.pageBytesMax / 2 - 1_000);
  for (let i = 0; i < 11; i++) {
    world.nowMs += 1;
    ids.push((await call("CreateBook", { name: `${i}`, text })).id as string);
  }
  t.true(
    ids.some((id) => ids.filter((other) => handleOfChild(other) === handleOfChild(id)).length > 2),
    "one entity has more than fit",
  );
  t.deepEqual(await walk(call, {}), ids);
  t.deepEqual(await walk(call, { offset: 3 }), ids.slice(3));
});

test("equal texts meet in one entity, and a repeat with the same key is the same record", async (t) => {
  const { call, context } = await start(t, "ascending");
  const { id } = await call("CreateBook", { name: "one" }, "key");
  t.is((await call("CreateBook", { name: "one" }, "key")).id, id);
  t.like(await call("CreateBook", { name: "one" }), { code: "ALREADY_EXISTS" });
  const to = partitionOfId("books", tenant, id as string);
  t.deepEqual(to, partitionOf(partitions, tenant, "one"));
  t.true(isUlid(id as string));
  t.regex(to.key, /^0005000[0-4]$/);
  const getBook = contractMethod<object, object>("books", "BookService.GetBook");
  const found = await ask(context(), getBook, { ...to, request: { book_id: id } });
  t.like(found, { name: "one" });
});

test("a cursor opens only its own list", async (t) => {
  const { call, world } = await start(t, "ascending");
  for (let i = 0; i < 4; i++) {
    world.nowMs += 1;
    await call("CreateBook", { name: `${i}` });
  }
  const { next_page_token: page_token } = await call("ListBooks", { page_size: 2 });
  t.like(await call("ListBooks", { page_token, shelf: "a" }), { code: "INVALID_ARGUMENT" });
  t.like(await call("ListBooks", { page_token, offset: 1 }), { code: "INVALID_ARGUMENT" });
});

test("a collection is spread over a bounded number of entities", (t) => {
  const options = { textOf: () => "" };
  const count = limits.partitionsMax + 1;
  t.throws(() => partitionedMethods(books(), { kind: "books", count }, options), { message: /at most 64/ });
});
