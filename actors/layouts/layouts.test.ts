import test from "ava";
import { limits } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import { layoutsAddress } from "../notify/outbound/types.ts";
import { layoutsActor } from "./index.ts";

type Message = Record<string, unknown>;

const at = layoutsAddress("01JTENANT00000000000000000");
const settings = { channel: "email", name: "first", engine: "liquid", body: "{{ content }}" };

function start() {
  const driver = new EntityDriver([layoutsActor]);
  const call = (method: string, request: Message = {}) => driver.ask(at, method, request) as Message;
  const one = (method: string, request: Message = {}) => call(`LayoutService.${method}`, request);
  const make = (more: Message = {}) => one("CreateLayout", { ...settings, ...more }).id as string;
  return { driver, call, one, make };
}

test("given two layouts, when the second is made the default, then the first is not, and both have a new version", (t) => {
  const { driver, one, make } = start();
  const first = make({ is_default: true });
  const second = make();
  const sms = make({ channel: "sms", is_default: true });
  driver.restart();
  t.like(one("SetDefaultLayout", { layout_id: second }), { is_default: true, version: 2 });
  t.like(one("GetLayout", { layout_id: first }), { is_default: false, version: 2 });
  t.like(one("GetLayout", { layout_id: sms }), { is_default: true, version: 1 });
  t.like(one("SetDefaultLayout", { layout_id: second }), { is_default: true, version: 2 }, "nothing changes");
});

test("given a default, when it is duplicated, then the copy has a new id and name and is not the default", (t) => {
  const { one, make } = start();
  const id = make({ is_default: true, name: "n".repeat(limits.layoutNameLengthMax) });
  const copy = one("DuplicateLayout", { layout_id: id });
  t.like(copy, { is_default: false, version: 1, body: settings.body });
  t.not(copy.id, id);
  t.regex(copy.name as string, /^n+ \(copy\)$/);
  t.is((copy.name as string).length, limits.layoutNameLengthMax);
});

test("given workflows that name a layout, when it is deleted, then only with force, and messages get the default", (t) => {
  const { driver, call, one, make } = start();
  const id = make({ body: "named {{ content }}" });
  const other = make({ body: "default {{ content }}", is_default: true });
  const pick = (layout_id?: string) =>
    call("layouts.Pick", { channel: "email", layout_id }).layout as Message | null;
  driver.tell(at, { type: "layouts_used", workflowKey: "welcome", layoutIds: [id] });
  driver.tell(at, { type: "layouts_used", workflowKey: "reset", layoutIds: [id, other] });
  t.deepEqual(one("GetLayoutUsage", { layout_id: id }).workflow_keys, ["reset", "welcome"]);
  t.like(one("DeleteLayout", { layout_id: id }), { code: "FAILED_PRECONDITION", reason: "LAYOUT_IN_USE" });
  driver.tell(at, { type: "layouts_used", workflowKey: "reset", layoutIds: [] });
  t.deepEqual(one("GetLayoutUsage", { layout_id: id }).workflow_keys, ["welcome"]);
  t.is(pick(id)?.body, "named {{ content }}");
  t.is(pick()?.body, "default {{ content }}");
  t.like(one("DeleteLayout", { layout_id: id, force: true }), { deleted: true });
  t.is(pick(id)?.body, "default {{ content }}");
  one("DeleteLayout", { layout_id: other });
  t.is(pick(id), null);
});

test("given a layout of another channel, when it is named, then the channel's default is taken", (t) => {
  const { call, make } = start();
  const sms = make({ channel: "sms", body: "sms {{ content }}" });
  make({ is_default: true, body: "mail {{ content }}" });
  t.like(call("layouts.Pick", { channel: "email", layout_id: sms }), {
    layout: { body: "mail {{ content }}" },
  });
  t.deepEqual(call("layouts.Pick", { channel: "push", layout_id: sms }), { layout: null });
});

test("given inapp, when layouts are listed by channel, then in_app is the same", (t) => {
  const { one, make } = start();
  const id = make({ channel: "inapp" });
  make();
  for (const channel of ["inapp", "in_app"])
    t.like(one("ListLayouts", { channel }), { layouts: [{ id, channel: "inapp" }], total: 1 });
});

test("given as many layouts as there may be, when one more is created, then it is refused", (t) => {
  const { one, make } = start();
  for (let made = 0; made < limits.layoutsMax; made++) make();
  t.like(one("CreateLayout", settings), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
});

test("given a deleted tenant, when its layouts are purged, then no row is left", (t) => {
  const { driver, one, make } = start();
  const id = make({ is_default: true });
  driver.tell(at, { type: "layouts_used", workflowKey: "welcome", layoutIds: [id] });
  one("ListLayouts");
  driver.tell(at, { type: "purge" });
  t.deepEqual(driver.rowsOf(at.tenant), []);
});
