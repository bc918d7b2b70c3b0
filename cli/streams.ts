import { type Client, openClient } from "./client.ts";
import { CliError } from "./error.ts";
import type { Terminal } from "./terminal.ts";

const streamOptions = {
  run: { type: "string" },
  stream: { type: "string" },
} as const;

/** `service streams append`: one record for every `--data`, a JSON value. */
export async function streamsAppend(args: readonly string[], terminal: Terminal): Promise<number> {
  const client = openClient(args, terminal, {
    ...streamOptions,
    data: { type: "string", multiple: true },
    kind: { type: "string" },
  });
  const data = client.flags.data as unknown as readonly string[] | undefined;
  if (data === undefined)
    throw new CliError("service: streams append needs --data JSON, once for every record", 2);
  const { kind } = client.flags;
  const records = data.map((text) => ({ payload: parsed(text), ...(kind !== undefined && { kind }) }));
  const answer = await client.call({ method: "POST", path: `${pathOf(client)}/records`, body: { records } });
  const { first_sequence, last_sequence } = answer.data as { first_sequence: number; last_sequence: number };
  if (client.flags.json === true) terminal.out(`${JSON.stringify(answer.data)}\n`);
  else terminal.out(`appended ${first_sequence} to ${last_sequence}\n`);
  return 0;
}

/** `service streams tail`: every record after `--after` as a line of JSON; with `--follow` until the stream is closed. */
export async function streamsTail(args: readonly string[], terminal: Terminal): Promise<number> {
  const client = openClient(args, terminal, {
    ...streamOptions,
    after: { type: "string" },
    follow: { type: "boolean" },
  });
  const waitMs = client.flags.follow === true ? followWaitMs : 0;
  let after = numberOf(client, "after", 0);
  for (;;) {
    const query = `after_sequence=${after}&limit=1000&wait_ms=${waitMs}`;
    const answer = await client.call({ method: "GET", path: `${pathOf(client)}/records?${query}` });
    const page = answer.data as Page;
    for (const record of page.records) terminal.out(`${JSON.stringify(record)}\n`);
    after = page.next_after_sequence;
    if (after === page.latest_sequence && (page.closed || client.flags.follow !== true)) return 0;
  }
}

/** `service streams ack` */
export async function streamsAck(args: readonly string[], terminal: Terminal): Promise<number> {
  const client = openClient(args, terminal, {
    ...streamOptions,
    consumer: { type: "string" },
    sequence: { type: "string" },
  });
  const consumer = encodeURIComponent(textOf(client, "consumer"));
  const body = { sequence: numberOf(client, "sequence") };
  const answer = await client.call({
    method: "POST",
    path: `${pathOf(client)}/consumers/${consumer}/ack`,
    body,
  });
  const data = answer.data as { acknowledged_sequence: number; unread_items: number };
  if (client.flags.json === true) terminal.out(`${JSON.stringify(data)}\n`);
  else terminal.out(`acknowledged ${data.acknowledged_sequence}, ${data.unread_items} unread\n`);
  return 0;
}

interface Page {
  readonly records: readonly object[];
  readonly next_after_sequence: number;
  readonly latest_sequence: number;
  readonly closed: boolean;
}

/** Shorter than what the command waits for an answer. */
const followWaitMs = 5_000;

function pathOf(client: Client): string {
  const [run, stream] = ["run", "stream"].map((name) => encodeURIComponent(textOf(client, name)));
  return `/api/workflow-streams/runs/${run}/streams/${stream}`;
}

function textOf({ flags }: Client, name: string): string {
  const value = flags[name];
  if (typeof value !== "string" || value === "") throw new CliError(`service: --${name} is missing`, 2);
  return value;
}

function numberOf(client: Client, name: string, usual?: number): number {
  if (usual !== undefined && client.flags[name] === undefined) return usual;
  const text = textOf(client, name);
  if (!/^[0-9]{1,15}$/.test(text)) throw new CliError(`service: --${name} ${text} is not a sequence`, 2);
  return Number(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`service: --data ${text} is not JSON; a text needs its quotes`, 2);
  }
}
