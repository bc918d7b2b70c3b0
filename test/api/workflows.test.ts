/** Workflows end to end on a running service: definitions, runs, items and signals. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runCommand } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { api, type Message, test } from "./support.ts";

type Api = ReturnType<typeof api>;

async function published(call: Api, draft: object, key: string): Promise<string> {
  const made = await call("POST", "/api/workflow-definitions", { key, draft });
  const { status, body } = await call("POST", `/api/workflow-definitions/${made.data.id}/publish`, {});
  if (status !== 200) throw new Error(JSON.stringify(body));
  return made.data.id as string;
}

async function runEnds(call: Api, id: unknown, status: string): Promise<Message> {
  return eventually(`the run is ${status}`, async () => {
    const { data } = await call("GET", `/api/workflow-runs/${id}`);
    return data.status === status ? data : undefined;
  });
}

test("a run passes a route, a branch, an item with its result, a signal and an end", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "work" })).data.id as string;
  const recipient = (await call("POST", `/api/pools/${pool}/recipients`, { name: "w" })).data.id;
  const draft = {
    input: { type: "object", required: ["user"], properties: { user: { type: "string" } } },
    steps: [
      { id: "choose", type: "route", pool_id: pool, key: "${input.user}" },
      {
        id: "known",
        type: "branch",
        cases: [
          {
            when: "input.user.startsWith('u')",
            steps: [
              { id: "work", type: "enqueue", pool_id: pool, payload: { user: "${input.user}" }, wait: true },
            ],
          },
        ],
        else: [{ id: "no", type: "end", status: "failed" }],
      },
      { id: "paid", type: "wait_event", event_key: "paid", select: "output.payload" },
    ],
    output: {
      worked: "${has(steps.work.output) ? steps.work.output.result : null}",
      paid: "${steps.paid.output}",
    },
  };
  const definition = await published(call, draft, "onboarding");
  const bad = await call("POST", "/api/workflow-runs", { definition_id: definition, input: {} });
  t.is(bad.status, 400);
  t.like(bad.body, { errors: [{ field: "input.user", reason: "is required" }] });

  const body = { definition_key: "onboarding", input: { user: "u1" }, run_key: "u1" };
  const started = await call("POST", "/api/workflow-runs", body);
  t.is(started.status, 201);
  const { id } = started.data.run as Message;
  t.is(started.headers.get("location"), `/api/workflow-runs/${id}`);
  const again = await call("POST", "/api/workflow-runs", body);
  t.is(again.status, 200);
  t.like(again.data, { started: false, run: { id } });

  const claim = { recipient_id: recipient, max_items: 1, wait_seconds: 20 };
  const { items } = (await call("POST", `/api/queues/${pool}/items:claim`, claim)).data as {
    items: Message[];
  };
  const [{ item, lease_token }] = items as unknown as [{ item: Message; lease_token: string }];
  t.deepEqual(item.payload, { user: "u1" });
  await call("POST", `/api/queues/${pool}/items/${item.id}/complete`, { lease_token, result: { ok: 7 } });
  await call("POST", `/api/workflow-runs/${id}/signals`, { event_key: "paid", payload: 5 });
  const run = await runEnds(call, id, "succeeded");
  t.deepEqual(run.output, { worked: { ok: 7 }, paid: 5 });
  const steps = (await call("GET", `/api/workflow-runs/${id}/steps`)).body.data as Message[];
  t.deepEqual(
    steps.map((step) => [step.id, step.status, step.attempt]),
    ["choose", "known", "work", "paid"].map((step) => [step, "succeeded", 1]),
  );
  const listed = (await call("GET", `/api/workflow-runs?definition_id=${definition}`)).body;
  t.is(listed.total, 1);
});

test("a cancelled run cancels the item that it waits for", async (t) => {
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "work" })).data.id as string;
  const steps = [{ id: "work", type: "enqueue", pool_id: pool, wait: true }];
  const definition_id = await published(call, { steps }, "cancelled");
  const { id } = (await call("POST", "/api/workflow-runs", { definition_id })).data.run as Message;
  await eventually("the run waits for its item", async () => {
    const { waiting_for } = (await call("GET", `/api/workflow-runs/${id}`)).data as {
      waiting_for: Message[];
    };
    return waiting_for[0]?.kind === "item" || undefined;
  });
  await call("POST", `/api/workflow-runs/${id}/cancel`, {});
  await runEnds(call, id, "cancelled");
  await eventually("the item is cancelled", async () => {
    const [item] = (await call("GET", `/api/queues/${pool}/items`)).body.data as Message[];
    return item?.state === "cancelled" || undefined;
  });
  t.pass();
});

test("a run keeps its version when a new one is published and when the definition is archived", async (t) => {
  const call = api(t.context);
  const listen = { id: "listen", type: "wait_event", event_key: "go" };
  const definition_id = await published(call, { steps: [listen], output: "old" }, "pinned");
  const at = `/api/workflow-definitions/${definition_id}`;
  const { id } = (await call("POST", "/api/workflow-runs", { definition_id })).data.run as Message;
  await call("PATCH", `${at}/draft`, { draft: { output: "new" } });
  await call("POST", `${at}/publish`, {});
  const newer = (await call("POST", "/api/workflow-runs", { definition_id })).data.run as Message;
  await call("POST", `${at}/archive`, {});
  const refused = await call("POST", "/api/workflow-runs", { definition_id });
  t.like(refused.body, { errorCode: "FAILED_PRECONDITION", reason: "WORKFLOW_ARCHIVED" });
  for (const run of [id, newer.id])
    await call("POST", `/api/workflow-runs/${run}/signals`, { event_key: "go" });
  t.is((await runEnds(call, id, "succeeded")).output, "old");
  t.is((await runEnds(call, newer.id, "succeeded")).output, "new");
});

test("a step with a permanent error fails the run, which is a dead letter until it is dismissed", async (t) => {
  const call = api(t.context);
  const steps = [{ id: "lost", type: "route", pool_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }];
  const definition_id = await published(call, { steps }, "lost");
  const { id } = (await call("POST", "/api/workflow-runs", { definition_id })).data.run as Message;
  const run = await runEnds(call, id, "failed");
  t.like(run.error, { code: "NOT_FOUND", step_id: "lost", outcome_unknown: false });
  const dead = async () =>
    (await call("GET", `/api/workflow-runs?mark=dead&definition_id=${definition_id}`)).body.total;
  await eventually("it is a dead letter", async () => (await dead()) === 1 || undefined);
  await call("POST", `/api/workflow-runs/${id}/dismiss`, {});
  await eventually("it is no longer a dead letter", async () => (await dead()) === 0 || undefined);
  t.pass();
});

test("`service workflows` publishes a file, changes it, starts a run, watches it to its end and retries it", async (t) => {
  const url = `http://127.0.0.1:${t.context.service.ports.http}`;
  const folder = await mkdtemp(path.join(tmpdir(), "workflow-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "from-file.yaml");
  const run = (...args: string[]) => runCommand([...args, "--url", url]);
  await writeFile(file, "timeout_seconds: 60\nsteps: [{id: stop, type: end, status: failed}]\n");
  t.regex((await run("workflows", "publish", file)).said, /from-file .* version 1 is active/);
  const failed = (await run("runs", "start", "from-file", "-o", "name")).said.trim();
  const watched = await run("runs", "watch", failed);
  t.is(watched.code, 1);
  t.regex(watched.said, /failed: ENDED .*\(step stop\)/);
  t.is((await run("runs", "retry", failed)).code, 0);
  await writeFile(file, 'steps: [{id: stop, type: end, output: "${input.n}"}]\n');
  t.regex((await run("workflows", "publish", file)).said, /version 2 is active/);
  const started = await run(
    ...["runs", "start", "from-file", "--input", '{"n": 7}', "--run-key", "k", "-o", "name"],
  );
  const id = started.said.trim();
  t.regex((await run("runs", "watch", id)).said, /succeeded: 7\n$/);
  t.is((await run("runs", "start", "from-file", "--input", "{x")).code, 2);
});
