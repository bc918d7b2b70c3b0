import test from "ava";
import { isRefusal, limits } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { apiKeyAddress } from "../kit/api-key-record.ts";
import { directoryOf } from "../kit/directory.ts";
import { listDirectory } from "../kit/entity-list.ts";

type Message = Record<string, unknown>;
const tenant = "0000000000000000000000000A";
const directory = directoryOf(tenant, "api_key");
const request = { name: "k", roles: ["viewer"], scopes: [], environment_mode: "any", hash: "hash" };

function start(caller: object = {}) {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const create = () => driver.ask(directory, "ApiKeyService.CreateApiKey", request, { caller }) as Message;
  const of = (id: unknown, method: string, as: object = { tenant }) =>
    driver.ask(apiKeyAddress(id as string), method, { id }, { caller: as }) as Message;
  const list = (filter: Message = {}, as: object = {}) =>
    driver.ask(directory, listDirectory.name, { filter }, { caller: as }) as {
      entries: Message[];
      total: number;
    };
  return { driver, create, of, list };
}

test("a create makes the key's entity, and neither answer has the hash", (t) => {
  const { create, of } = start({ subject: "anna", owner: "olga" });
  const made = create();
  const got = of(made.id, "ApiKeyService.GetApiKey");
  t.deepEqual(got, made);
  t.like(got, { created_by: "anna", prefix: `sy_${made.id}`, environment_mode: "any", scopes: [] });
  t.false(JSON.stringify(got).includes("hash"));
  t.like(of(made.id, "api_key.Look"), { hash: "hash", owner: "olga", tenant });
});

test("invariant 3: callers of another tenant find nothing", (t) => {
  const { create, of } = start();
  const { id } = create();
  for (const method of ["ApiKeyService.GetApiKey", "ApiKeyService.RevokeApiKey"])
    t.like(of(id, method, { tenant: "other" }), { code: "NOT_FOUND" });
  t.is(of(id, "ApiKeyService.GetApiKey").revoked_at, undefined);
});

test("invariant 2: a revoked key stays revoked; the second revoke changes nothing; the list knows", (t) => {
  const { driver, create, of, list } = start();
  const { id } = create();
  const first = of(id, "ApiKeyService.RevokeApiKey");
  driver.now += 5_000;
  t.deepEqual(of(id, "ApiKeyService.RevokeApiKey"), first);
  t.is(list({ status: "revoked" }).total, 1);
  t.is(list({ status: "active" }).total, 0);
});

test("invariant 4: uses within a minute are written once; those of a revoked key are not", (t) => {
  const { driver, create, of } = start();
  const { id } = create();
  const lastUse = () => of(id, "ApiKeyService.GetApiKey").last_used_at;
  of(id, "api_key.Use");
  const first = lastUse();
  t.truthy(first);
  driver.now += limits.apiKeyUsedEveryMs - 1;
  of(id, "api_key.Use");
  t.is(lastUse(), first);
  driver.now += 1;
  of(id, "api_key.Use");
  t.not(lastUse(), first);
  of(id, "ApiKeyService.RevokeApiKey");
  const last = lastUse();
  driver.now += limits.apiKeyUsedEveryMs;
  of(id, "api_key.Use");
  t.is(lastUse(), last);
});

test("keys are in no environment: a list has all of them", (t) => {
  const { create, list } = start();
  create();
  t.is(list({}, { environment: "staging", environmentMode: "non_production_only" }).total, 1);
});

test("a tenant has so many active keys, and room again after a revoke", (t) => {
  const { create, of } = start();
  let last: Message = {};
  for (let i = 0; i < limits.apiKeysActiveMax; i++) last = create();
  const refused = create();
  t.true(isRefusal(refused) && refused.reason === "LIMIT_REACHED");
  of(last.id, "ApiKeyService.RevokeApiKey");
  t.false(isRefusal(create()));
});
