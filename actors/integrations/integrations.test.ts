import test from "ava";
import { limits } from "#base";
import { defineActor } from "#runtime";
import { EntityDriver } from "../../test/support/entity.ts";
import {
  audienceKeys,
  type IntegrationsChanged,
  integrationsAddress,
  pacerAddress,
} from "../notify/outbound/types.ts";
import { integrationsActor, pacerActor } from "./index.ts";

type Message = Record<string, unknown>;

const tenant = "01JTENANT00000000000000000";
const at = integrationsAddress(tenant);
const settings = { channel: "email", name: "mail", provider_key: "smtp", connection_id: "static:mail" };

/** With audiences that keep the copies they are told of. */
function start() {
  const copies = new Map(audienceKeys.map((key) => [key, new Map<string, unknown>()]));
  const audience = defineActor<{ key: string }, IntegrationsChanged, never>({
    kind: "audience",
    placement: "key",
    empty: ({ key }) => ({ key }),
    resident: [],
    restore: () => undefined,
    decide: ({ key }, { put, removed }) => {
      for (const copy of put) copies.get(key)!.set(copy.id, copy);
      for (const id of removed) copies.get(key)!.delete(id);
      return { events: [] };
    },
    apply: () => undefined,
    methods: {},
    onMessage: (message: IntegrationsChanged) => message,
  });
  const driver = new EntityDriver([integrationsActor, pacerActor, audience]);
  const call = (method: string, request: Message = {}) =>
    driver.ask(at, `IntegrationService.${method}`, request) as Message;
  const make = (more: Message = {}) => call("CreateIntegration", { ...settings, ...more }).id as string;
  return { driver, call, make, copies };
}

test("given an integration, when it is created, changed, switched off and deleted, then all 64 audiences have it as it is", (t) => {
  const { call, make, copies } = start();
  const id = make({ metadata: { from: "a@example.com" } });
  const all = () => [...copies.values()].map((copy) => copy.get(id) as Message | undefined);
  t.true(all().every((copy) => copy?.providerKey === "smtp" && copy.priority === 100));
  const { channel: _, ...given } = settings;
  t.like(call("UpdateIntegration", { integration_id: id, ...given, priority: 5 }), {
    priority: 5,
    record_version: 2,
  });
  t.true(all().every((copy) => copy?.priority === 5));
  call("UpdateIntegration", { integration_id: id, ...given, active: false });
  t.true(all().every((copy) => copy === undefined));
  call("UpdateIntegration", { integration_id: id, ...given });
  t.true(all().every((copy) => copy !== undefined));
  call("DeleteIntegration", { integration_id: id });
  t.true(all().every((copy) => copy === undefined));
});

test("given a deleted integration, when it is read, then it says so; it is not listed and its name is free", (t) => {
  const { driver, call, make } = start();
  const id = make();
  t.like(call("CreateIntegration", settings), { code: "ALREADY_EXISTS" });
  make({ channel: "push", provider_key: "fcm" });
  call("DeleteIntegration", { integration_id: id });
  driver.restart();
  t.like(call("GetIntegration", { integration_id: id }), { active: false, name: "mail" });
  t.truthy(call("GetIntegration", { integration_id: id }).deleted_at);
  t.like(call("ListIntegrations", { channel: "email" }), { integrations: [], total: 0 });
  t.like(call("DeleteIntegration", { integration_id: id }), { code: "NOT_FOUND" });
  t.is(typeof make(), "string");
});

test("given as many integrations as there may be, when one more is created, then it is refused; deleted ones do not count", (t) => {
  const { call, make } = start();
  const ids = Array.from({ length: limits.integrationsMax }, (_, index) => make({ name: `n${index}` }));
  t.like(call("CreateIntegration", { ...settings, name: "more" }), { reason: "LIMIT_REACHED" });
  call("DeleteIntegration", { integration_id: ids[0] });
  t.is(typeof make({ name: "more" }), "string");
});

test("given more deleted integrations than are kept, when another is deleted, then the oldest is forgotten", (t) => {
  const { driver, call, make } = start();
  const ids: string[] = [];
  for (let round = 0; round <= limits.integrationsDeletedMax; round++) {
    ids.push(make());
    call("DeleteIntegration", { integration_id: ids.at(-1) });
    driver.now += 1;
  }
  t.like(call("GetIntegration", { integration_id: ids[0] }), { code: "NOT_FOUND" });
  t.like(call("GetIntegration", { integration_id: ids[1] }), { active: false });
});

test("given a rate, when it begins, changes, ends and begins again, then the pacer hears it, and the epoch tells the times apart", (t) => {
  const { driver, call, make, copies } = start();
  const id = make({ rate: { per_second: 50 } });
  const pace = () => driver.rows(pacerAddress(tenant, id), "pace").get([]) as Message | undefined;
  const epoch = () => (copies.get(audienceKeys[0]!)!.get(id) as Message).paceEpoch;
  t.like(call("GetIntegration", { integration_id: id }), { rate: { per_second: 50, burst: 50 } });
  t.like(pace(), { epoch: 1, perSecond: 50, burst: 50 });
  const { channel: _, ...given } = settings;
  call("UpdateIntegration", { integration_id: id, ...given, rate: { per_second: 5, burst: 2 } });
  t.like(pace(), { epoch: 1, perSecond: 5, burst: 2 });
  call("UpdateIntegration", { integration_id: id, ...given });
  t.falsy(pace());
  t.is(epoch(), 0);
  call("UpdateIntegration", { integration_id: id, ...given, rate: { per_second: 5 } });
  t.like(pace(), { epoch: 4 });
  t.is(epoch(), 4);
});

test("given a deleted tenant, when its integrations are purged, then no row is left, of pacers either", (t) => {
  const { driver, call, make } = start();
  make({ rate: { per_second: 1 } });
  call("DeleteIntegration", { integration_id: make({ name: "other" }) });
  call("ListIntegrations");
  driver.tell(at, { type: "purge" });
  t.deepEqual(driver.rowsOf(tenant), []);
});
