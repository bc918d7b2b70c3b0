import test from "ava";
import { handleOf } from "#base";
import { EntityDriver } from "../../../test/support/entity.ts";
import { modules, testParts } from "../../../test/support/module-parts.ts";
import { makeDirectory } from "../../directory/index.ts";
import { describeVersion } from "../../kit/activation.ts";
import { directoryOf } from "../../kit/directory.ts";
import { workflows } from "../index.ts";
import { digestOf } from "./record.ts";
import { activate, pin, publishDraft } from "./service.ts";

type Message = Record<string, unknown>;

const tenant = "01JD0000000000000000000001";
const pause = { id: "pause", type: "wait", seconds: 1 };

function start(all = modules) {
  const driver = new EntityDriver(all.flatMap(({ actors }) => actors));
  const directory = directoryOf(tenant, "workflow_definition");
  const create = (key: string, draft: object = { steps: [pause] }) =>
    driver.ask(directory, "WorkflowDefinitionService.CreateDefinition", { key, draft }) as Message;
  const ask = (id: unknown, method: string, request: Message = {}) =>
    driver.ask(
      { kind: "workflow_definition", tenant, key: handleOf(id as string) },
      method.includes(".") ? method : `WorkflowDefinitionService.${method}`,
      { id, ...request },
    ) as Message;
  const publish = (id: unknown, request: Message = {}) => {
    const { draft } = ask(id, "GetDefinition") as { draft: Message };
    return ask(id, publishDraft.name, { digest: digestOf(draft), ...request });
  };
  const patch = (id: unknown, draft: Message) =>
    ask(id, "PatchDraft", { draft, update_mask: Object.keys(draft).map((name) => `draft.${name}`) });
  return { driver, directory, create, ask, publish, patch };
}

test("a version of production is not described to a caller that is kept from production", (t) => {
  const { driver, create, ask, publish } = start();
  const { id } = create("flow");
  publish(id);
  t.like(ask(id, describeVersion.workflow.name, { version: 1 }), { kind: "workflow" });
  const limited = driver.ask(
    { kind: "workflow_definition", tenant, key: handleOf(id as string) },
    describeVersion.workflow.name,
    { id, version: 1 },
    { caller: { environmentMode: "non_production_only" } },
  );
  t.like(limited, { code: "PERMISSION_DENIED", reason: "ENVIRONMENT_MODE" });
});

test("invariant 1: a version never changes, and an unchanged draft is not published twice", (t) => {
  const { driver, create, ask, publish, patch } = start();
  const { id } = create("flow");
  t.like(publish(id), { status: "published", active_version: 1, latest_version: 1 });
  const first = ask(id, "GetVersion", { version: 1 });
  t.like(publish(id), { latest_version: 1 });
  patch(id, { timeout_seconds: 9 });
  t.like(publish(id, { activate: false }), { active_version: 1, latest_version: 2 });
  driver.restart();
  t.deepEqual(ask(id, "GetVersion", { version: 1 }), first);
  t.like(ask(id, "GetVersion", { version: 2 }), { body: { steps: [pause], timeout_seconds: 9 } });
  t.like(ask(id, activate.name, { version: 2 }), { active_version: 2 });
  t.like(ask(id, activate.name, { version: 3 }), { code: "NOT_FOUND" });
  const { versions, total } = ask(id, "ListVersions") as { versions: Message[]; total: number };
  t.deepEqual(
    [total, versions.map(({ version, body }) => [version, body])],
    [
      2,
      [
        [1, undefined],
        [2, undefined],
      ],
    ],
  );
});

test("invariant 2: a draft with problems is stored and not published, and all of them are named", (t) => {
  const { create, publish, patch } = start();
  const { id, problems } = create("flow", {
    steps: [
      { id: "a", type: "wait" },
      { id: "b", type: "notify" },
    ],
  });
  t.is((problems as unknown[]).length, 2);
  t.like(publish(id), {
    code: "INVALID_ARGUMENT",
    fields: [{ field: "draft.steps[0]" }, { field: "draft.steps[1].to" }],
  });
  t.deepEqual(patch(id, { steps: [pause] }).problems, []);
  t.like(publish(id), { status: "published" });
});

test("given a build without notifications, when a notify step is published, then it is refused with MODULE_ABSENT", (t) => {
  const installed = { hasModule: (name: string) => name !== "audience", actionProblem: () => undefined };
  const own = workflows(testParts(), installed);
  const { create, publish, patch } = start([makeDirectory(own.directories!), own]);
  const tell = { id: "b", type: "notify", to: { topic: "news" } };
  const { id, problems } = create("flow", { steps: [tell] });
  t.like(problems, [{ path: "steps[0].type", code: "MODULE_ABSENT" }]);
  t.like(publish(id), { code: "INVALID_ARGUMENT", reason: "MODULE_ABSENT" });
  t.like(patch(id, { steps: [pause, tell] }), {
    problems: [{ path: "steps[1].type", code: "MODULE_ABSENT" }],
  });
});

test("a draft that was changed since its permissions were asked for is not published", (t) => {
  const { create, ask, publish } = start();
  const { id } = create("flow");
  t.like(publish(id, { digest: "other" }), { code: "VERSION_CONFLICT" });
  t.like(publish(id, { record_version: 7 }), { code: "VERSION_CONFLICT" });
  t.like(ask(id, "GetDefinition"), { status: "draft" });
});

test("an archived definition takes no patch, publish or run, and comes back as it was", (t) => {
  const { create, ask, publish, patch } = start();
  const { id } = create("flow");
  publish(id);
  t.like(ask(id, pin.name), { version: 1, body: { steps: [pause] } });
  t.like(ask(id, "ArchiveDefinition"), { status: "archived" });
  for (const refused of [patch(id, { schema: 1 }), publish(id), ask(id, pin.name)])
    t.like(refused, { code: "FAILED_PRECONDITION", reason: "WORKFLOW_ARCHIVED" });
  t.like(ask(id, "RestoreDefinition"), { status: "published", active_version: 1 });
});

test("invariant 3: a key is taken once, and a purge leaves nothing", (t) => {
  const { driver, directory, create, publish } = start();
  const { id } = create("flow");
  t.like(create("flow"), { code: "ALREADY_EXISTS" });
  publish(id);
  driver.tell(directory, { type: "purge" });
  driver.advance(5_000);
  t.deepEqual(driver.rowsOf(tenant), []);
});
