import { setTimeout as sleep } from "node:timers/promises";
import { type Client, openClient } from "./client.ts";
import { CliError } from "./error.ts";
import type { Terminal } from "./terminal.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly detail: string; readonly step_id: string };
  readonly waiting_for?: readonly { readonly step_id: string; readonly kind: string }[];
}

/** How often a run is looked at while it is watched. */
const lookMs = 500;

/** `service runs start KEY` */
export async function start(args: readonly string[], terminal: Terminal): Promise<number> {
  const [key, ...rest] = named(args, "KEY of a definition");
  const client = openClient(rest, terminal, { input: { type: "string" }, "run-key": { type: "string" } });
  const { input, "run-key": runKey } = client.flags;
  const body = {
    definition_key: key,
    ...(typeof input === "string" && { input: json(input) }),
    ...(typeof runKey === "string" && { run_key: runKey }),
  };
  const { data } = (await client.call({ method: "POST", path: "/api/workflow-runs", body })) as {
    data: { run: Run; started: boolean };
  };
  terminal.out(`${data.run.id} ${data.started ? "started" : `is open already: ${data.run.status}`}\n`);
  return 0;
}

/** `service runs watch RUN`: one line for every change until the run has ended; exit code 1 unless it succeeded. */
export async function watch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [id, ...rest] = named(args, "RUN");
  const client = openClient(rest, terminal);
  let last = "";
  for (;;) {
    const run = await runOf(client, "GET", `/api/workflow-runs/${id}`);
    const line = lineOf(run);
    if (line !== last) terminal.out(`${line}\n`);
    last = line;
    if (["succeeded", "failed", "cancelled"].includes(run.status)) return run.status === "succeeded" ? 0 : 1;
    await sleep(lookMs);
  }
}

/** `service runs retry RUN` */
export async function retry(args: readonly string[], terminal: Terminal): Promise<number> {
  const [id, ...rest] = named(args, "RUN");
  const run = await runOf(openClient(rest, terminal), "POST", `/api/workflow-runs/${id}/retry`);
  terminal.out(`${lineOf(run)}\n`);
  return 0;
}

async function runOf(client: Client, method: "GET" | "POST", path: string): Promise<Run> {
  const body = method === "POST" ? { body: {} } : {};
  return ((await client.call({ method, path, ...body })) as { data: Run }).data;
}

function lineOf({ id, status, output, error, waiting_for: waits = [] }: Run): string {
  if (error) return `${id} ${status}: ${error.code} ${error.detail} (step ${error.step_id || "none"})`;
  if (status === "succeeded") return `${id} ${status}: ${JSON.stringify(output ?? null)}`;
  return `${id} ${status}: waits for ${waits.map(({ step_id, kind }) => `${step_id} (${kind})`).join(", ") || "nothing"}`;
}

function named(args: readonly string[], what: string): [string, ...string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("--")) throw new CliError(`service: name the ${what}`, 2);
  return [name, ...rest];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError("service: --input is not JSON", 2);
  }
}
