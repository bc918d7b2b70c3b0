import test from "ava";
import type { Module, RouteContext } from "#actors";
import type { Asker } from "#runtime";
import { HeaderTable } from "./headers.ts";
import { moduleRoutes } from "./module-routes.ts";
import type { HttpRequest } from "./server.ts";

type Tenants = NonNullable<Parameters<typeof moduleRoutes>[0]["providers"]["tenants"]>;
type Facts = ReturnType<Tenants["peek"]>;

const active = { status: "active" } as Facts;
const suspended = { status: "suspended" } as Facts;

const modules: readonly Module[] = [
  {
    name: "pages",
    routes: [
      {
        path: "/pages/{tenant}",
        methods: {
          GET: {
            handle: async ({ part }: { readonly part: string }, { admit }: RouteContext) => {
              await admit(part);
              return { status: 200, headers: {}, body: "in" };
            },
          },
          DELETE: {
            handle: async () => ({
              status: 204,
              headers: { "set-cookie": ["a=", "b="], vary: "a" },
              body: "",
            }),
          },
        },
      },
    ],
  } as unknown as Module,
];

/** `peek` knows the tenant already; else it has to be loaded. */
function doorTo(facts: Facts, isKnown: boolean) {
  const tenants = {
    peek: () => (isKnown ? facts : undefined),
    load: () => Promise.resolve(facts ?? null),
  } as unknown as Tenants;
  return moduleRoutes({ modules, asker: {} as Asker, providers: { tenants }, errorsUrl: "/docs/errors" });
}

const headers = new HeaderTable();
const get = (path: string, method = "GET") => ({ method, path, query: "", headers }) as HttpRequest;

for (const isKnown of [true, false]) {
  const how = isKnown ? "known here" : "asked for";
  test(`a page of an active tenant, ${how}, is answered`, async (t) => {
    t.is((await doorTo(active, isKnown)(get("/pages/a")))?.status, 200);
  });
  for (const [name, facts] of [
    ["a suspended tenant", suspended],
    ["no tenant", null],
  ] as const)
    test(`a page of ${name}, ${how}, is not there`, async (t) => {
      const refused = await doorTo(facts, isKnown)(get("/pages/a"));
      t.is(refused?.status, 404);
      t.like(JSON.parse(String(refused?.body)), { errorCode: "NOT_FOUND" });
    });
}

test("other paths are for other doors", (t) => {
  const door = doorTo(active, true);
  for (const path of ["/pages", "/pages/", "/pages/a/b", "/page/a", "/"]) t.is(door(get(path)), undefined);
});

test("a DELETE is answered, and a header with several values is sent once for each", async (t) => {
  const answer = await doorTo(active, true)(get("/pages/a", "DELETE"));
  t.deepEqual(answer, {
    status: 204,
    headers: [
      ["set-cookie", "a="],
      ["set-cookie", "b="],
      ["vary", "a"],
    ],
    body: "",
  });
});

test("a verb that a route does not have is refused, and the answer names those that it has", async (t) => {
  const answer = await doorTo(active, true)(get("/pages/a", "POST"));
  t.like(answer, { status: 405, headers: [["allow", "GET, DELETE"]] });
});
