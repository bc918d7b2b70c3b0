import { setTimeout as sleep } from "node:timers/promises";
import type { Given } from "../command.ts";
import { exitCodes } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

interface Job {
  readonly kind: string;
  readonly state: "running" | "completed" | "cancelled";
  readonly total: number;
  readonly looked_at: number;
  readonly changed: number;
  readonly skipped: number;
}

/** How often a job is looked at. */
const lookMs = 500;

/** `service jobs follow POOL OPERATION`: a line for every change until the job has ended; exit code 1 unless it is completed. */
export async function follow(given: Given, terminal: Terminal): Promise<number> {
  const client = await Client.of(given, terminal);
  const [pool_id, operation_id] = given.args;
  for (let last = ""; ; ) {
    const job = await client.call<Job>("QueueControlService.GetJob", { pool_id, operation_id });
    const line = `${job.kind} ${job.state}: ${job.looked_at} of ${job.total} looked at, ${job.changed} changed, ${job.skipped} skipped`;
    if (line !== last) terminal.out(`${line}\n`);
    last = line;
    if (job.state !== "running") return job.state === "completed" ? exitCodes.done : exitCodes.refused;
    await sleep(lookMs);
  }
}
