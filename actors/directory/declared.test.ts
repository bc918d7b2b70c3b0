import test from "ava";
import { handleOf } from "#base";
import { defineActor } from "#runtime";
import { EntityDriver } from "../../test/support/entity.ts";
import { type Directory, directoryOf } from "../kit/directory.ts";
import { listDirectory } from "../kit/entity-list.ts";
import { makeDirectory } from "./index.ts";

type Message = Record<string, unknown>;

const tenant = "01JTENANT00000000000000000";

/** An entity that is made and told nothing more. */
const shop = defineActor<Message, Message, Message>({
  kind: "shop",
  placement: "key",
  empty: () => ({}),
  resident: [],
  restore: () => {},
  decide: () => ({ events: [] }),
  apply: () => {},
  methods: {},
  onMessage: (message: Message) => message,
});

const shops: Directory<{ readonly name: string }> = {
  kind: "shop",
  filters: ["open"],
  order: "descending",
  uniqueName: true,
  limit: { most: 3, many: "shops" },
  create: {
    method: "ShopService.CreateShop",
    make: (id, { name }) => {
      const to = { kind: "shop", tenant, key: handleOf(id) };
      const entry = { id, name, open: true };
      return { entry, message: { to, body: { name } }, answer: entry };
    },
  },
};

const visits: Directory = { kind: "visit", filters: [] };

function start() {
  const driver = new EntityDriver([...makeDirectory([shops, visits]).actors, shop]);
  const at = directoryOf(tenant, "shop");
  return {
    driver,
    create: (name: string) => {
      driver.now += 1;
      return driver.ask(at, "ShopService.CreateShop", { name }) as Message;
    },
    list: (kind: string, filter: Message = {}) =>
      driver.ask(directoryOf(tenant, kind), listDirectory.name, { filter }) as {
        entries: Message[];
        total: number;
      },
    tell: (kind: string, message: Message) =>
      driver.tell(directoryOf(tenant, kind), { type: "note", message }),
  };
}

test("a unique name is refused while an entity has it, and stays what it is", (t) => {
  const { create, list, tell } = start();
  const { id } = create("one");
  t.like(create("one"), { code: "ALREADY_EXISTS" });
  tell("shop", { type: "changed", id: id as string, name: "two", open: false });
  t.deepEqual(list("shop").entries, [{ id, name: "one", open: false }]);
  tell("shop", { type: "deleted", id: id as string });
  t.like(create("one"), { name: "one" });
});

test("the entity after the last is refused, and has room after a delete", (t) => {
  const { create, list, tell } = start();
  const ids = ["a", "b", "c"].map((name) => create(name).id as string);
  t.like(create("d"), {
    code: "FAILED_PRECONDITION",
    reason: "LIMIT_REACHED",
    detail: "a tenant has at most 3 shops",
  });
  tell("shop", { type: "deleted", id: ids[0]! });
  t.like(create("d"), { name: "d" });
  t.deepEqual(
    list("shop").entries.map(({ name }) => name),
    ["d", "c", "b"],
  );
});

test("a directory that creates nothing knows what its entities tell, once each", (t) => {
  const { driver, list, tell } = start();
  const entry = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", name: "first" };
  tell("visit", { type: "noted", entry });
  tell("visit", { type: "noted", entry: { ...entry, name: "again" } });
  driver.restart();
  t.like(list("visit"), { entries: [{ ...entry, name: "again" }], total: 1 });
  tell("visit", { type: "deleted", id: entry.id });
  t.like(list("visit"), { entries: [], total: 0 });
});

test("declarations that cannot be kept stop the start", (t) => {
  t.throws(() => makeDirectory([shops, shops]).actors, { message: /one directory/ });
  t.throws(() => makeDirectory([{ ...visits, uniqueName: true }]), { message: /its directory creates it/ });
});
