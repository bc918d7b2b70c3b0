import { setTimeout as sleep } from "node:timers/promises";
import type { Given } from "../command.ts";
import { misunderstood } from "../error.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

type Row = Readonly<Record<string, unknown>>;

const columns = [
  "name",
  "depth",
  "leased",
  "held",
  "dlq_depth",
  "average_wait_seconds",
  "oldest_item_age_seconds",
  "paused",
];

/** `service top`: the queues, those with most items first, every two seconds; without a terminal once. */
export async function top(given: Given, terminal: Terminal): Promise<number> {
  const { interval = "2", limit = "20" } = given.flags;
  const seconds = Number(interval);
  if (!(seconds >= 1)) throw misunderstood(`--interval ${interval} is not a number of seconds from 1 on`);
  const client = await Client.of(given, terminal);
  for (;;) {
    const shown = table(columns, (await queues(client)).slice(0, Number(limit)));
    terminal.out(terminal.isTerminal ? `\x1b[H\x1b[2J${shown}` : shown);
    if (terminal.isTerminal !== true) return 0;
    await sleep(seconds * 1_000);
  }
}

async function queues(client: Client): Promise<readonly Row[]> {
  const rows = await client.call<readonly Row[]>("QueueControlService.ListQueues", {});
  return [...rows].sort((a, b) => Number(b.depth) - Number(a.depth));
}
