/** Publishes and runs every example in docs/workflows.md. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ExecutionContext } from "ava";
import { parse } from "yaml";
import { eventually } from "../support/eventually.ts";
import { api, connectedTo, type Message, test } from "./support.ts";

const page = readFileSync(new URL("../../docs/workflows.md", import.meta.url), "utf8");
const [, steps = ""] = page.split("\n## Steps\n");
const examples = [...steps.matchAll(/^\*\*(\w+)\*\*[\s\S]*?```yaml\n([\s\S]*?)```/gm)];

/** The output of each example. */
const outputs: Readonly<Record<string, (pool: string) => unknown>> = {
  route: (pool) => pool,
  enqueue: () => "enqueued",
  wait: () => "succeeded",
  wait_event: () => true,
  branch: () => "small",
  parallel: () => "cancelled",
  assign: () => true,
  end: () => ({ user: "u1" }),
  action: () => "u1",
  notify: () => "in_app",
};

test("every step type has an example in docs/workflows.md that runs", async (t) => {
  t.deepEqual(
    examples.map(([, type]) => type),
    Object.keys(outputs),
  );
  const call = api(t.context);
  const pool = (await call("POST", "/api/pools", { name: "work" })).data.id as string;
  await call("POST", `/api/pools/${pool}/recipients`, { name: "w" });
  const experiment = await runningExperiment(call);
  const greeter = await startGreeter(t);
  const connection = await connectedTo(call, greeter);
  for (const [, type, yaml] of examples) {
    const draft = parse(
      yaml!
        .replaceAll("POOL", pool)
        .replaceAll("EXPERIMENT", experiment)
        .replaceAll("CONNECTION", connection),
    ) as object;
    const made = (await call("POST", "/api/workflow-definitions", { key: `example-${type}`, draft })).data;
    t.deepEqual(made.problems, [], type);
    t.is((await call("POST", `/api/workflow-definitions/${made.id}/publish`, {})).status, 200);
    const body = { definition_id: made.id, input: { user: "u1" } };
    const { id } = (await call("POST", "/api/workflow-runs", body)).data.run as Message;
    const run = await eventually(`the example of ${type} ends`, async () => {
      const { data } = await call("GET", `/api/workflow-runs/${id}`);
      return data.ended_at === undefined ? undefined : data;
    });
    t.is(run.status, "succeeded", `${type}: ${JSON.stringify(run.error)}`);
    t.deepEqual(run.output, outputs[type!]!(pool), type);
  }
});

/** An HTTP server that greets the user of the query. */
async function startGreeter(t: ExecutionContext): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ hello: new URL(url, "http://x").searchParams.get("user") }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function runningExperiment(call: ReturnType<typeof api>): Promise<string> {
  const { id } = (
    await call("POST", "/api/experiments", {
      key: "split",
      name: "split",
      variants: [
        { key: "a", weight: 0.5 },
        { key: "b", weight: 0.5 },
      ],
      metrics: [{ key: "paid", kind: "binary", role: "primary" }],
    })
  ).data;
  await call("POST", `/api/experiments/${id}/start`, {});
  return id as string;
}
