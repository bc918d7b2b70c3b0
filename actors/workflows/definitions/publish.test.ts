import test, { type ExecutionContext } from "ava";
import { handleOf, RefusalError } from "#base";
import { loadContract } from "../../../gateway/contract/index.ts";
import { letModulesCall, modules } from "../../../test/support/module-parts.ts";
import { startModules } from "../../../test/support/modules.ts";
import { orchestrate } from "../../../test/support/orchestrate.ts";
import { noticeAddress } from "../../notify/address.ts";
import { type StepType, stepTypes } from "../steps/index.ts";
import { activate } from "./service.ts";

type Message = Record<string, unknown>;

const service = "WorkflowDefinitionService";
const pause = { id: "pause", type: "wait", seconds: 1 };
const stock = "01JD0000000000000000000003";

/** One step of every type that calls another module. */
const calling: Readonly<Record<string, Message>> = {
  action: { action_key: "http.request", connection_id: stock },
  notify: { to: { subscriber_external_id: "ada" } },
  route: { pool_id: stock },
  enqueue: { pool_id: stock },
  assign: { experiment_id: stock, unit_id: "u" },
};

test.before(() => letModulesCall(async () => ({})));

/** Calls as a caller that holds all permissions but these. */
async function start(t: ExecutionContext) {
  const { context, ask } = await startModules(t);
  const all = Object.assign({}, ...modules.map(({ orchestrations }) => orchestrations));
  const call = async (method: string, request: Message, lacks: readonly string[] = []) => {
    const may = (permission: string) => !lacks.includes(permission);
    try {
      return (await orchestrate(all[`${service}.${method}`], request, { ...context(), may })) as Message;
    } catch (error) {
      if (error instanceof RefusalError) return error.refusal as unknown as Message;
      throw error;
    }
  };
  const create = async (key: string, draft: Message) =>
    (await ask("directory", "workflow_definition", `${service}.CreateDefinition`, { key, draft }))
      .id as string;
  const notice = (key: string, method = "GetNotice", request: Message = {}) =>
    ask("notice", noticeAddress("", key).key, `NoticeService.${method}`, { workflow_key: key, ...request });
  const inDefinition = (id: string, method: string, request: Message = {}) =>
    ask("workflow_definition", handleOf(id), method.includes(".") ? method : `${service}.${method}`, {
      id,
      ...request,
    });
  return { call, create, notice, inDefinition };
}

test("given a caller who lacks what one step needs, when it publishes or activates, then the step is named, for every type of step", async (t) => {
  t.deepEqual(
    Object.keys(stepTypes).filter((type) => stepTypes[type]!.call),
    Object.keys(calling),
    "those are all that call",
  );
  const { call, create } = await start(t);
  for (const [type, fields] of Object.entries(calling)) {
    const { permission } = stepTypes[type]!;
    const step = { id: "act", type, ...fields };
    const draft = {
      steps: [pause, { id: "both", type: "parallel", branches: [[{ ...pause, id: "p" }], [step]] }],
    };
    const id = await create(`flow-${type}`, draft);
    const reason = `needs ${permission}, which the caller lacks`;
    t.like(await call("PublishDefinition", { id }, [permission!]), {
      code: "PERMISSION_DENIED",
      detail: `draft.steps[1].branches[1][0] ${reason}`,
      fields: [{ field: "draft.steps[1].branches[1][0]", reason }],
    });
    const others = Object.values(stepTypes).flatMap((other) => other.permission ?? []);
    const lacks = others.filter((other) => other !== permission);
    t.like(await call("PublishDefinition", { id }, lacks), { status: "published" }, type);
    t.like(await call("ActivateVersion", { id, version: 1 }, [permission!]), {
      code: "PERMISSION_DENIED",
      fields: [{ field: "body.steps[1].branches[1][0]", reason }],
    });
    t.like(await call("ActivateVersion", { id, version: 1 }, lacks), { active_version: 1 }, type);
  }
});

test("every step that lacks its permission is named at once, and so are the channels", async (t) => {
  const { call, create } = await start(t);
  const draft = {
    channels: { email: { engine: "liquid", body: "Hello" } },
    steps: [
      { id: "choose", type: "route", pool_id: stock },
      {
        id: "size",
        type: "branch",
        cases: [{ when: "true", steps: [{ id: "put", type: "enqueue", pool_id: stock }] }],
        else: [{ id: "again", type: "route", pool_id: stock }],
      },
    ],
  };
  const id = await create("flow", draft);
  const lacks = ["routing:write", "queue_item:write", "notification:write"];
  const { fields } = (await call("PublishDefinition", { id }, lacks)) as { fields: { field: string }[] };
  t.deepEqual(
    fields.map(({ field }) => field),
    ["draft.steps[0]", "draft.steps[1].cases[0].steps[0]", "draft.steps[1].else[0]", "draft.channels"],
  );
});

test("the permission of a step is that of the methods that it calls", (t) => {
  const { byName } = loadContract();
  const permissionOf = (method: string) => {
    const { resource, action } = byName.get(method)!.governance;
    return `${resource}:${action}`;
  };
  for (const [type, { permission, call, undo }] of Object.entries(stepTypes) as [string, StepType][]) {
    if (!call || permission === undefined) continue;
    t.is(permissionOf(call({}, { id: "a" }, { id: "r", definitionKey: "k" }).method), permission, type);
    if (undo) t.is(permissionOf(undo({}).method), permission, `${type}, taken back`);
  }
});

test("given channels, when a version becomes active, then the notice of its key is what it says, until the definition is archived", async (t) => {
  const { call, create, notice, inDefinition } = await start(t);
  t.like(await notice("welcome", "PutNotice", { channels: { sms: { engine: "liquid", body: "old" } } }), {
    version: 1,
  });
  const email = (subject: string) => ({ email: { engine: "handlebars", subject, body: "Hello" } });
  const preference = { all: { enabled: true } };
  const id = await create("welcome", { channels: email("one"), preference, ttl_seconds: 60, steps: [pause] });
  t.like(await notice("welcome"), { version: 1 }, "a draft changes nothing");
  await call("PublishDefinition", { id });
  const first = { channels: email("one"), preference, ttl_seconds: 60 };
  t.like(await notice("welcome"), { ...first, version: 2 });
  for (const method of ["PutNotice", "DeleteNotice"])
    t.like(await notice("welcome", method), { code: "FAILED_PRECONDITION", reason: "OWNED_BY_DEFINITION" });

  const patch = (draft: Message) =>
    inDefinition(id, "PatchDraft", { draft, update_mask: Object.keys(draft).map((name) => `draft.${name}`) });
  await patch({ channels: email("two") });
  await call("PublishDefinition", { id, activate: false });
  t.like(await notice("welcome"), first, "a version that is not active changes nothing");
  await inDefinition(id, activate.name, { version: 2 });
  t.like(await notice("welcome"), { channels: email("two") });
  await inDefinition(id, activate.name, { version: 1 });
  t.like(await notice("welcome"), first);

  await inDefinition(id, "ArchiveDefinition");
  t.like(await notice("welcome"), first, "it stays for runs that are open");
  t.like(await notice("welcome", "PutNotice", { channels: {} }), { channels: {} });
  await inDefinition(id, "RestoreDefinition");
  t.like(await notice("welcome"), first, "it is taken back");
  t.like(await notice("welcome", "DeleteNotice"), { reason: "OWNED_BY_DEFINITION" });
});

test("a definition without channels leaves notices alone; one that drops them hands over none", async (t) => {
  const { call, create, notice, inDefinition } = await start(t);
  const plain = await create("plain", { steps: [pause] });
  await call("PublishDefinition", { id: plain });
  t.like(await notice("plain"), { code: "NOT_FOUND" });
  const id = await create("flow", { channels: { sms: { engine: "liquid", body: "x" } }, steps: [pause] });
  await call("PublishDefinition", { id });
  await inDefinition(id, "PatchDraft", { draft: {}, update_mask: ["draft.channels"] });
  t.like(await call("PublishDefinition", { id }), { active_version: 2 });
  t.like(await notice("flow"), { channels: {} });
});
