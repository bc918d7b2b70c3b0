import type { Given } from "../command.ts";
import { exitCodes, misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

/** What one request takes. */
const itemsMax = 100;

interface Result {
  readonly error?: { readonly error_code: string; readonly detail: string };
}

/** `service items enqueue POOL --batch FILE`: a line of JSON for each item, a hundred in a request. */
export async function enqueueBatch(given: Given, terminal: Terminal): Promise<number> {
  const { batch } = given.flags;
  const client = await Client.of(given, terminal);
  const [pool_id] = given.args;
  const lines = (await textIn(String(batch), terminal)).split("\n");
  const items = lines.flatMap((line, at) => (line.trim() === "" ? [] : [itemIn(line, at + 1)]));
  let enqueued = 0;
  const refused: string[] = [];
  for (let from = 0; from < items.length; from += itemsMax) {
    const part = items.slice(from, from + itemsMax);
    const request = { pool_id, items: part.map(({ item }) => item) };
    const { results } = await client.call<{ results: readonly Result[] }>(
      "QueueService.EnqueueBatch",
      request,
    );
    for (const [at, { error }] of results.entries())
      if (error === undefined) enqueued++;
      else refused.push(`line ${part[at]!.line}: ${error.error_code}: ${error.detail}\n`);
  }
  for (const line of refused) terminal.err(`service: ${line}`);
  terminal.out(`${enqueued} enqueued, ${refused.length} refused\n`);
  return refused.length === 0 ? exitCodes.done : exitCodes.refused;
}

async function textIn(file: string, terminal: Terminal): Promise<string> {
  if (file === "-") return (await terminal.input!()).toString();
  return (await import("./settings.ts")).read(file).toString();
}

function itemIn(text: string, line: number): { readonly line: number; readonly item: unknown } {
  try {
    return { line, item: JSON.parse(text) };
  } catch (error) {
    throw misunderstood(`line ${line} is not JSON: ${(error as Error).message}`);
  }
}
