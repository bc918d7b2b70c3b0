import { setTimeout as sleep } from "node:timers/promises";
import type { Given } from "../command.ts";
import { exitCodes } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly detail: string; readonly step_id: string };
  readonly waiting_for?: readonly { readonly step_id: string; readonly kind: string }[];
}

/** How often a run is looked at while it is watched. */
const lookMs = 500;

/** `service runs watch RUN`: one line for every change until the run has ended; exit code 1 unless it succeeded. */
export async function watch(given: Given, terminal: Terminal): Promise<number> {
  const client = await Client.of(given, terminal);
  const [run_id] = given.args;
  for (let last = ""; ; ) {
    const run = await client.call<Run>("WorkflowRunService.GetRun", { run_id });
    const line = lineOf(run);
    if (line !== last) terminal.out(`${line}\n`);
    last = line;
    if (run.status === "succeeded") return exitCodes.done;
    if (run.status === "failed" || run.status === "cancelled") return exitCodes.refused;
    await sleep(lookMs);
  }
}

function lineOf({ id, status, output, error, waiting_for: waits = [] }: Run): string {
  if (error) return `${id} ${status}: ${error.code} ${error.detail} (step ${error.step_id || "none"})`;
  if (status === "succeeded") return `${id} ${status}: ${JSON.stringify(output ?? null)}`;
  return `${id} ${status}: waits for ${waits.map(({ step_id, kind }) => `${step_id} (${kind})`).join(", ") || "nothing"}`;
}
