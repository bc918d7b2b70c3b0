// How fast are assignments, scores and results of experiments, against a bare uWebSockets.js echo of the same sizes?
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 256;
const turns = Number(process.env.BENCH_TURNS ?? 5);
const seconds = 2;
const warmSeconds = Number(process.env.BENCH_WARM ?? 20);
/** Units for the results; enrolling a million takes minutes. */
const units = Number(process.env.BENCH_UNITS ?? 1_000_000);
/** Units that are exposed before they are assigned again. */
const knownUnits = Number(process.env.BENCH_KNOWN ?? 1_000);
/** What the echo's answer has besides its text. */
const echoBytes = JSON.stringify({ data: { text: "" }, metadata: {} }).length;

export default defineBench({
  question:
    "How fast are assignments at 256 connections against a bare uWebSockets.js echo, scores in batches of 100, and results over a million units?",
  contenders: { experiments },
  rounds: 1,
  bars: [
    { figure: "known_ratio", contender: "experiments", atLeast: 0.45 },
    { figure: "new_ratio", contender: "experiments", atLeast: 0.3 },
    { figure: "hot_ratio", contender: "experiments", atLeast: 0.9 },
    { figure: "scores_per_s", contender: "experiments", atLeast: 50_000 },
    { figure: "results_ms", contender: "experiments", atMost: 100 },
  ],
});

function experiments(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const ids: string[] = [];
    for (let i = 0; i < 32; i++) ids.push(await startExperiment(service, `bench-${i}`));
    const answerBytes = await assignmentBytes(service, ids[0]!);
    const server = fork(fileURLToPath(new URL("./support/echo.ts", import.meta.url)), [
      String(answerBytes - echoBytes),
    ]);
    const [port] = (await once(server, "message")) as [number];
    const known = assigning(service, () => ids[0]!, knownUnit);
    // The same requests, made in the same way, and answers of as many bytes.
    const echo: Target = { ...known, pid: server.pid!, port };
    // In a separate experiment, so that known units stay in memory.
    const growing = await startExperiment(service, "bench-new");
    const fresh = assigning(service, () => growing, newUnit);
    let next = 0;
    const spread = assigning(service, () => ids[next++ % ids.length]!, knownUnit);
    await expose(service, ids);
    for (const target of [echo, known, spread, fresh])
      await keepAliveLoad(target, connections, warmSeconds / 4);
    const stats = {
      answer_bytes: answerBytes,
      ...(await inTurns("known", known, echo)),
      ...(await inTurns("hot", known, spread)),
      ...(await scores(service, ids[0]!)),
      ...(await inTurns("new", fresh, echo)),
      ...(await results(service, growing)),
    };
    server.kill();
    await service.stop();
    return stats;
  });
}

/** The size of the answer for a known unit. */
async function assignmentBytes(service: BenchService, id: string): Promise<number> {
  const path = `/api/experiments/${id}/assign`;
  await post(service, path, { unit_id: "u1" });
  const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: bodyOf("u1"),
  });
  return (await response.arrayBuffer()).byteLength;
}

/** `ratio`: of neighbouring measurements, because the machine's speed changes from one second to the next. */
async function inTurns(name: string, one: Target, other: Target): Promise<Stats> {
  const ratios: number[] = [];
  const speeds: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const against = await keepAliveLoad(other, connections, seconds);
    const ours = await keepAliveLoad(one, connections, seconds);
    ratios.push(ours.per_s! / against.per_s!);
    speeds.push(ours.per_s!);
  }
  return { [`${name}_ratio`]: median(ratios), [`${name}_per_s`]: median(speeds) };
}

/** Assigns every known unit in every experiment first, so that later assignments of them write nothing. */
async function expose(service: BenchService, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < knownUnits; i += 4)
    await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        post(service, "/api/experiments:assign", { experiment_ids: ids, unit_id: `u${i + n}` }),
      ),
    );
}

/** Batches of 100 over units that were exposed. */
async function scores(service: BenchService, id: string): Promise<Stats> {
  let score = 0;
  const target: Target = {
    pid: service.pid,
    port: service.ports.http,
    path: `/api/experiments/${id}/scores:batch`,
    body: () =>
      JSON.stringify({
        scores: Array.from({ length: 100 }, () => ({
          score_id: `s${score++}`,
          unit_id: `u${score % knownUnits}`,
          metric: "spent",
          value: score % 100,
        })),
      }),
  };
  await keepAliveLoad(target, 16, warmSeconds / 4);
  const { per_s } = await keepAliveLoad(target, 16, 3 * seconds);
  return { scores_per_s: per_s! * 100 };
}

async function results(service: BenchService, id: string): Promise<Stats> {
  const fresh = assigning(service, () => id, newUnit);
  while (made < units) await keepAliveLoad(fresh, connections, 5);
  const took: number[] = [];
  for (let i = 0; i < 50; i++) {
    const before = performance.now();
    const answer = await fetch(`http://127.0.0.1:${service.ports.http}/api/experiments/${id}/results`);
    if (answer.status !== 200) throw new Error(await answer.text());
    await answer.arrayBuffer();
    took.push(performance.now() - before);
  }
  return { results_ms: median(took), results_units: made };
}

let made = 0;
const newUnit = () => `new-${made++}`;
let asked = 0;
const knownUnit = () => `u${asked++ % knownUnits}`;

function assigning(service: BenchService, id: () => string, unit: () => string): Target {
  return {
    pid: service.pid,
    port: service.ports.http,
    path: () => `/api/experiments/${id()}/assign`,
    body: () => bodyOf(unit()),
  };
}

function bodyOf(unit: string): string {
  return JSON.stringify({ unit_id: unit, attributes: { region: "eu", tier: "gold" } });
}

async function startExperiment(service: BenchService, key: string): Promise<string> {
  const { id } = await post(service, "/api/experiments", {
    key,
    name: key,
    variants: [
      { key: "old", weight: 0.5 },
      { key: "new", weight: 0.5 },
    ],
    metrics: [{ key: "spent", kind: "sum", role: "primary" }],
  });
  await post(service, `/api/experiments/${id}/start`, {});
  return id;
}

async function post(service: BenchService, path: string, body: unknown): Promise<{ id: string }> {
  const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data?: { id: string } };
  if (!data) throw new Error(`${path} answered ${response.status}`);
  return data;
}
