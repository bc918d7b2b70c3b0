import type { Given } from "../command.ts";
import { misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

interface Page {
  readonly records: readonly object[];
  readonly next_after_sequence: number;
  readonly latest_sequence: number;
  readonly closed: boolean;
}

/** How long the service waits for a record that is not there yet. */
const followWaitMs = 5_000;

/** `service streams tail`: every record after `--after` as a line of JSON; with `--follow` until the stream is closed. */
export async function tail(given: Given, terminal: Terminal): Promise<number> {
  const { after: first = "0", follow = false } = given.flags;
  if (!/^[0-9]{1,15}$/.test(String(first))) throw misunderstood(`--after ${first} is not a sequence`);
  const client = await Client.of(given, terminal);
  const [run_id, stream_id] = given.args;
  for (let after_sequence = Number(first); ; ) {
    const page = await client.call<Page>("WorkflowStreamService.ReadRecords", {
      run_id,
      stream_id,
      after_sequence,
      limit: 1000,
      wait_ms: follow ? followWaitMs : 0,
    });
    for (const record of page.records) terminal.out(`${JSON.stringify(record)}\n`);
    after_sequence = page.next_after_sequence;
    if (after_sequence === page.latest_sequence && (page.closed || !follow)) return 0;
  }
}
