import test from "ava";
import { limits } from "#base";
import { books } from "../../test/support/books.ts";
import { EntityDriver } from "../../test/support/entity.ts";
import { recordActor } from "./methods.ts";
import { snakeCase } from "./resource.ts";

type Message = Record<string, unknown>;

const at = { kind: "books", tenant: "01JTENANT00000000000000000", key: "" };
const nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function start(most?: number) {
  const driver = new EntityDriver([recordActor("books", books(most === undefined ? {} : { most }))]);
  const call = (method: string, request: Message = {}, caller = {}): Message =>
    driver.ask(at, `BookService.${method}`, request, { caller }) as Message;
  return { driver, call };
}

test("a record is created with its defaults, version and times, in the environment that was named", (t) => {
  const { driver, call } = start();
  const created = call("CreateBook", { name: "one" }, { environment: "test" });
  const now = new Date(driver.now).toISOString();
  const id = created.id as string;
  t.deepEqual(created, {
    id,
    name: "one",
    shelf: "a",
    lent: false,
    text: "",
    tags: [],
    tenant_id: at.tenant,
    environment: "test",
    created_at: now,
    updated_at: now,
    record_version: 1,
  });
  driver.restart();
  t.deepEqual(call("GetBook", { book_id: id }), created);
  t.like(call("GetBook", { book_id: id }, { environment: "production" }), { code: "NOT_FOUND" });
  t.like(call("GetBook", { book_id: nobody }), { code: "NOT_FOUND" });
});

test("an update changes what its mask names, and its version; nothing where nothing changes", (t) => {
  const { driver, call } = start();
  const { id: book_id } = call("CreateBook", { name: "one", shelf: "b" });
  driver.now += 1_000;
  const changed = call("UpdateBook", { book_id, shelf: "c", lent: true, update_mask: ["lent"] });
  t.like(changed, { name: "one", shelf: "b", lent: true, record_version: 2 });
  t.is(changed.updated_at, new Date(driver.now).toISOString());
  driver.now += 1_000;
  t.deepEqual(call("UpdateBook", { book_id, lent: true }), changed);
  t.like(call("UpdateBook", { book_id, update_mask: ["shelf"] }), { shelf: "a", record_version: 3 });
  t.deepEqual(
    driver.published.map(({ kind, payload }) => [kind, payload]),
    [
      ["book.created", { record_version: 1 }],
      ["book.updated", { record_version: 2 }],
      ["book.updated", { record_version: 3 }],
    ],
  );
});

test("given an update without a mask, then a list that it does not send stays, and an empty one that its mask names is set", (t) => {
  const { call } = start();
  const { id: book_id } = call("CreateBook", { name: "one", tags: ["new"] });
  t.like(call("UpdateBook", { book_id, lent: true, tags: [] }), { lent: true, tags: ["new"] });
  t.deepEqual(call("UpdateBook", { book_id, tags: [], update_mask: ["tags"] }).tags, []);
});

test("a method that reads answers about one record that the caller may see, and changes nothing", (t) => {
  const { driver, call } = start();
  const created = call("CreateBook", { name: "one", text: "To be" }, { environment: "test" });
  const book_id = created.id as string;
  t.deepEqual(call("QuoteBook", { book_id, at: 3 }), { quote: "be" });
  t.like(call("QuoteBook", { book_id }), { code: "INVALID_ARGUMENT" });
  t.like(call("QuoteBook", { book_id, at: 3 }, { environment: "production" }), { code: "NOT_FOUND" });
  t.like(call("QuoteBook", { book_id: nobody, at: 3 }), { code: "NOT_FOUND" });
  t.deepEqual(call("GetBook", { book_id }), created);
  t.is(driver.published.length, 1);
});

test("an old version, a field that is no field, a missing one and a bad one are refused and change nothing", (t) => {
  const { call } = start();
  const created = call("CreateBook", { name: "one" });
  const { id: book_id } = created;
  const refused = (request: Message, code: string) =>
    t.like(call("UpdateBook", { book_id, ...request }), { code });
  refused({ lent: true, record_version: 2 }, "VERSION_CONFLICT");
  refused({ update_mask: ["tenant_id"] }, "INVALID_ARGUMENT");
  refused({ update_mask: ["name"] }, "INVALID_ARGUMENT");
  refused({ shelf: "none" }, "INVALID_ARGUMENT");
  t.like(call("CreateBook", { name: "two", shelf: "none" }), { code: "INVALID_ARGUMENT" });
  t.deepEqual(call("GetBook", { book_id }), created);
  t.is(call("ListBooks").total, 1);
});

test("an action changes the record, its version and its place in lists, and publishes its kind once", (t) => {
  const { driver, call } = start();
  const { id: book_id } = call("CreateBook", { name: "one" });
  driver.now += 1_000;
  t.like(call("LendBook", { book_id, record_version: 9 }), { code: "VERSION_CONFLICT" });
  t.like(call("LendBook", { book_id: nobody }), { code: "NOT_FOUND" });
  const lent = call("LendBook", { book_id, record_version: 1, until: "May" });
  t.like(lent, { lent: true, text: `May ${driver.now}`, record_version: 2 });
  t.is(lent.updated_at, new Date(driver.now).toISOString());
  t.like(call("LendBook", { book_id }), { code: "FAILED_PRECONDITION" });
  driver.restart();
  t.like(call("ListBooks", { lent: true }), { books: [lent], total: 1 });
  t.is(call("ListBooks", { lent: false }).total, 0);
  t.is(driver.published.at(-1)!.kind, "book.lent");
});

test("an action without a kind of its own publishes an update, and nothing where nothing changes", (t) => {
  const { driver, call } = start();
  const { id: book_id } = call("CreateBook", { name: "one" }, { environment: "test" });
  t.like(call("ShelveBook", { book_id, shelf: "a" }), { shelf: "a", record_version: 1 });
  const elsewhere = { environment: "production" };
  t.like(call("ShelveBook", { book_id, shelf: "b" }, elsewhere), { code: "NOT_FOUND" });
  t.like(call("ShelveBook", { book_id, shelf: "b" }), { shelf: "b", record_version: 2 });
  t.deepEqual(
    driver.published.map(({ kind }) => kind),
    ["book.created", "book.updated"],
  );
});

test("a delete answers with the id, and refuses an old version", (t) => {
  const { driver, call } = start();
  const { id: book_id } = call("CreateBook", { name: "one" });
  t.like(call("DeleteBook", { book_id, record_version: 9 }), { code: "VERSION_CONFLICT" });
  t.deepEqual(call("DeleteBook", { book_id, record_version: 1 }), { id: book_id, deleted: true });
  t.like(call("DeleteBook", { book_id }), { code: "NOT_FOUND" });
  t.is(driver.published.at(-1)!.kind, "book.deleted");
});

test("the record after the last is refused, and has room after a delete", (t) => {
  const { call } = start(2);
  const { id: book_id } = call("CreateBook", { name: "1" });
  call("CreateBook", { name: "2" });
  t.like(call("CreateBook", { name: "3" }), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
  call("DeleteBook", { book_id });
  t.like(call("CreateBook", { name: "3" }), { name: "3" });
});

test("given a resource that names no number, an entity has at most limits.recordsMax", (t) => {
  const { call } = start();
  for (let n = 0; n < limits.recordsMax; n++) call("CreateBook", { name: `${n}` });
  t.like(call("CreateBook", { name: "one more" }), { reason: "LIMIT_REACHED" });
});

test("names of the contract follow from the name of the resource", (t) => {
  t.is(snakeCase("ApiKey"), "api_key");
  t.is(snakeCase("Webhooks"), "webhooks");
});
