import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Client, openClient } from "./client.ts";
import { CliError } from "./error.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const own = {
  status: { type: "string" },
  file: { type: "string" },
  winner: { type: "string" },
  reason: { type: "string" },
  unit: { type: "string" },
  attributes: { type: "string" },
  metric: { type: "string" },
  value: { type: "string" },
  "score-id": { type: "string" },
} as const;

type Row = Readonly<Record<string, unknown>>;

/** `service experiments …` */
export async function experiments(args: readonly string[], terminal: Terminal): Promise<number> {
  const [verb = "", id = ""] = args;
  const command = commands[verb];
  if (!command)
    throw new CliError(
      `service: there is no command "experiments ${verb}"; there are ${Object.keys(commands).join(", ")}`,
      2,
    );
  if (command.named && (id === "" || id.startsWith("-")))
    throw new CliError(`service: experiments ${verb} needs the id of an experiment`, 2);
  const client = openClient(args.slice(command.named ? 2 : 1), terminal, own);
  const answer = await command.run(client, `/api/experiments/${encodeURIComponent(id)}`);
  const isJson = client.flags.json === true || !command.print;
  terminal.out(isJson ? `${JSON.stringify(answer, undefined, 2)}\n` : command.print!(answer as Row));
  return 0;
}

interface Command {
  /** It is about one experiment. */
  readonly named: boolean;
  run(client: Client, path: string): Promise<unknown>;
  /** For people; absent: JSON. */
  readonly print?: (answer: Row) => string;
}

const commands: Readonly<Record<string, Command>> = {
  list: {
    named: false,
    async run({ flags, call }) {
      const query = typeof flags.status === "string" ? `&status=${encodeURIComponent(flags.status)}` : "";
      return call({ method: "GET", path: `/api/experiments?limit=1000${query}` });
    },
    print: ({ data }) => table(["id", "key", "name", "status", "environment"], data as Row[]),
  },
  show: { named: true, run: ({ call }, path) => dataOf(call({ method: "GET", path })) },
  create: {
    named: false,
    run: ({ flags, call }) =>
      dataOf(call({ method: "POST", path: "/api/experiments", body: jsonFile(flags.file) })),
  },
  start: { named: true, run: (client, path) => post(client, `${path}/start`, {}) },
  pause: { named: true, run: (client, path) => post(client, `${path}/pause`, {}) },
  complete: {
    named: true,
    run: (client, path) => post(client, `${path}/complete`, given({ winner: client.flags.winner })),
  },
  stop: {
    named: true,
    run: (client, path) => post(client, `${path}/stop`, given({ reason: client.flags.reason })),
  },
  assign: {
    named: true,
    run(client, path) {
      const { unit, attributes } = client.flags;
      const read = typeof attributes === "string" ? json(attributes, "--attributes") : undefined;
      return post(client, `${path}/assign`, given({ unit_id: unit, attributes: read }));
    },
  },
  score: {
    named: true,
    run(client, path) {
      const { unit, metric, value, "score-id": scoreId = randomUUID() } = client.flags;
      const number = typeof value === "string" ? json(value, "--value") : undefined;
      return post(
        client,
        `${path}/scores`,
        given({ score_id: scoreId, unit_id: unit, metric, value: number }),
      );
    },
  },
  results: {
    named: true,
    run: ({ call }, path) => dataOf(call({ method: "GET", path: `${path}/results` })),
    print: printResults,
  },
};

async function dataOf(answer: Promise<Row>): Promise<unknown> {
  return (await answer).data;
}

function post({ call }: Client, path: string, body: object): Promise<unknown> {
  return dataOf(call({ method: "POST", path, body }));
}

function given(fields: Row): Row {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function jsonFile(file: string | boolean | undefined): unknown {
  if (typeof file !== "string") throw new CliError("service: experiments create needs --file FILE", 2);
  try {
    return json(readFileSync(file, "utf8"), file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`);
  }
}

function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`service: ${what} is not JSON: ${(error as Error).message}`, 2);
  }
}

interface Results extends Row {
  readonly metrics: readonly { readonly metric: string; readonly variants: readonly VariantResult[] }[];
  readonly problems: readonly string[];
  readonly peeked: boolean;
  readonly winner?: string;
}

interface VariantResult extends Row {
  readonly lift?: { readonly estimate: number; readonly lower: number; readonly upper: number };
  readonly difference?: { readonly p_value: number };
}

function printResults(answer: Row): string {
  const { metrics, problems, peeked, winner } = answer as Results;
  const rows = metrics.flatMap(({ metric, variants }) =>
    variants.map(({ lift, difference, mean, ...row }) => ({
      metric,
      ...row,
      mean: figure(mean),
      lift: lift && percent(lift.estimate),
      interval: lift && `${percent(lift.lower)} to ${percent(lift.upper)}`,
      p: figure(difference?.p_value),
    })),
  );
  const columns = ["metric", "variant", "n", "mean", "lift", "interval", "p", "status"];
  const notes = problems.map((problem) => `not to be trusted: ${problem}\n`);
  if (peeked) notes.push("fixed is valid once, at the end: the experiment still runs\n");
  return `${table(columns, rows)}${notes.join("")}winner: ${winner ?? "none"}\n`;
}

function figure(value: unknown): string | undefined {
  return typeof value === "number" ? value.toPrecision(4) : undefined;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
