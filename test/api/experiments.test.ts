import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../support/cli.ts";
import { needing } from "../support/needing.ts";
import { api, type Message, test } from "./support.ts";

const variants = [
  { key: "old", weight: 0.5 },
  { key: "new", weight: 0.5 },
];
const metrics = [{ key: "paid", kind: "binary", role: "primary" }];

async function started(call: ReturnType<typeof api>, key: string, fields: object = {}): Promise<string> {
  const made = await call("POST", "/api/experiments", { key, name: key, variants, metrics, ...fields });
  await call("POST", `/api/experiments/${made.data.id}/start`, {});
  return `/api/experiments/${made.data.id}`;
}

needing(test, "curl")("the calls in docs/experiments.md work as written", (t) => {
  const page = readFileSync(new URL("../../docs/experiments.md", import.meta.url), "utf8");
  const calls = /```sh\n([\s\S]*?)```/.exec(page)![1]!;
  const lines = calls.split(/\n(?=curl)/);
  t.is(lines.length, 5);
  let id = "";
  for (const line of lines) {
    const ours = line.replace("localhost:8080", `127.0.0.1:${t.context.service.ports.http}`);
    const { stdout } = spawnSync("sh", ["-c", ours.replace("curl", "curl -s")], {
      env: { ...process.env, ID: id },
    });
    const { data } = JSON.parse(stdout.toString()) as { data?: Message };
    t.truthy(data, `${line}: ${stdout}`);
    id ||= data!.id as string;
  }
});

test("100 concurrent assigns of one unit give one variant and one exposure", async (t) => {
  const call = api(t.context);
  const path = await started(call, "concurrent");
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call("POST", `${path}/assign`, { unit_id: "u" })),
  );
  t.is(new Set(answers.map(({ data }) => data.variant)).size, 1);
  t.is(new Set(answers.map(({ data }) => data.receipt)).size, 1);
  t.is(answers.filter(({ data }) => data.reason === "assigned").length, 1);
  const { data } = await call("GET", `${path}/results`);
  const units = (data.variants as { units: number }[]).map((variant) => variant.units);
  t.deepEqual(units.sort(), [0, 1]);
});

test("after pause is answered no unit is enrolled, even by calls that were under way", async (t) => {
  const call = api(t.context);
  const path = await started(call, "paused");
  let paused = false;
  let late = 0;
  const ask = async (worker: number) => {
    for (let i = 0; i < 60; i++) {
      const after = paused;
      const { data } = await call("POST", `${path}/assign`, { unit_id: `${worker}-${i}` });
      if (after && data.in_experiment) late++;
    }
  };
  const workers = Array.from({ length: 8 }, (_, worker) => ask(worker));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await call("POST", `${path}/pause`, {});
  paused = true;
  await Promise.all(workers);
  t.is(late, 0);
});

test("a repeated assignment or score with the same Idempotency-Key is a replay", async (t) => {
  const call = api(t.context);
  const path = await started(call, "repeats");
  const key = { "idempotency-key": "k1" };
  const [first, second] = [
    await call("POST", `${path}/assign`, { unit_id: "u" }, key),
    await call("POST", `${path}/assign`, { unit_id: "u" }, key),
  ];
  t.deepEqual(second.data, first.data);
  t.is(second.headers.get("idempotent-replayed"), "true");
  const score = { score_id: "s", unit_id: "u", metric: "paid" };
  const scored = [await call("POST", `${path}/scores`, score), await call("POST", `${path}/scores`, score)];
  t.deepEqual(scored[1]!.data, scored[0]!.data);
  t.is((await call("POST", `${path}/scores`, { ...score, value: 0 })).status, 409);
});

test("assignments are counted by reason", async (t) => {
  const call = api(t.context);
  const path = await started(call, "counted", { coverage: 0 });
  await call("POST", `${path}/assign`, { unit_id: "u" });
  const page = await (await fetch(`http://127.0.0.1:${t.context.service.ports.metrics}/metrics`)).text();
  t.regex(page, /service_experiment_assignments_total\{reason="not_covered"\} [1-9]/);
});

test("the capability is listed", async (t) => {
  const { body } = await api(t.context)("GET", "/api/capabilities");
  t.regex(JSON.stringify(body), /"experiments"/);
});

test("`service experiments` creates, starts, assigns, scores and shows results", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "experiment.json");
  writeFileSync(file, JSON.stringify({ key: "by-hand", name: "By hand", variants, metrics }));
  const url = `http://127.0.0.1:${t.context.service.ports.http}`;
  const run = (...args: string[]) => runCommand(["experiments", ...args, "--url", url, "-o", "json"]);
  const { id } = JSON.parse((await run("create", "--file", file)).out) as { id: string };
  t.is((JSON.parse((await run("start", id)).out) as Message).status, "running");
  t.regex((await run("list", "--status", "running")).out, /"key": "by-hand"/);
  t.is((JSON.parse((await run("assign", id, "u", "--attributes", "{}")).out) as Message).reason, "assigned");
  t.like(
    JSON.parse(
      (await run("score", id, "--score-id", "s", "--unit-id", "u", "--metric", "paid", "--value", "1")).out,
    ),
    {
      eligible: true,
    },
  );
  t.like(JSON.parse((await run("results", "by-hand")).out), { trustworthy: true });
  t.is((JSON.parse((await run("pause", id)).out) as Message).status, "paused");
  t.is((JSON.parse((await run("complete", id, "--winner", "new")).out) as Message).winner, "new");
  t.is((JSON.parse((await run("show", id)).out) as Message).status, "completed");
  t.like(await run("stop", id, "--reason", "r"), { code: 1 });
  t.like(await run("start"), { code: 2 });
  t.like(await run("explode"), { code: 2 });
  t.like(await run("score", id, "--value", "x"), { code: 2 });
});
