import { type Client, openClient } from "./client.ts";
import { CliError } from "./error.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const own = {
  workflow: { type: "string" },
  to: { type: "string" },
  subscriber: { type: "string" },
  topic: { type: "string" },
  channel: { type: "string", multiple: true },
  payload: { type: "string" },
  transaction: { type: "string" },
  status: { type: "string" },
  "accept-duplicate": { type: "boolean" },
} as const;

type Row = Readonly<Record<string, unknown>>;

/** `service notify …` */
export async function notify(args: readonly string[], terminal: Terminal): Promise<number> {
  const [verb = "", ...rest] = args;
  const command = commands[verb];
  if (!command)
    throw new CliError(
      `service: there is no command "notify ${verb}"; there are ${Object.keys(commands).join(", ")}`,
      2,
    );
  const firstOption = rest.findIndex((word) => word.startsWith("-"));
  const ids = firstOption === -1 ? rest : rest.slice(0, firstOption);
  if (command.named && ids.length === 0) throw new CliError(`service: notify ${verb} needs an id`, 2);
  const client = openClient(command.named ? rest.slice(ids.length) : rest, terminal, own);
  const answer = await command.run(client, ids);
  terminal.out(
    client.flags.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : command.print(answer),
  );
  return command.failed?.(answer) ? 1 : 0;
}

interface Command {
  /** It is about ids, which come before the options. */
  readonly named?: boolean;
  run(client: Client, ids: readonly string[]): Promise<Row>;
  print(answer: Row): string;
  /** Exit code 1. */
  failed?(answer: Row): boolean;
}

const commands: Readonly<Record<string, Command>> = {
  trigger: {
    run: (client) =>
      dataOf(client, "POST", "/api/v2/notifications/trigger", {
        workflow_key: textOf(client, "workflow"),
        ...fieldsOf(client, {
          to: "subscriber_external_id",
          subscriber: "subscriber_id",
          topic: "topic",
          transaction: "transaction_id",
        }),
        channels: channelsOf(client),
        payload: payloadOf(client),
      }),
    print: ({ transaction_id, outcomes, broadcast }) =>
      `transaction ${transaction_id}\n${
        broadcast === undefined
          ? table(["channel", "delivery_id", "status", "reason_code", "failure"], rowsOf(outcomes).map(told))
          : table(["topic_key", "state", "member_count"], [broadcast as Row])
      }`,
    failed: ({ outcomes }) => rowsOf(outcomes).some(({ outcome }) => outcome === "failed"),
  },
  preview: {
    run: (client) =>
      dataOf(
        client,
        "POST",
        `/api/v2/notification/subscribers/${pathOf(client, "subscriber")}/preferences:preview`,
        {
          workflow_key: textOf(client, "workflow"),
          ...fieldsOf(client, { topic: "topic_key" }),
          channels: channelsOf(client),
          payload_context: payloadOf(client),
        },
      ),
    print: ({ channels }) => table(["channel", "allowed", "reason_code", "winning_layer"], rowsOf(channels)),
  },
  deliveries: {
    run: (client) =>
      listOf(client, "/api/v2/notifications/deliveries", {
        transaction: "transaction_id",
        subscriber: "subscriber_id",
      }),
    print: ({ values }) =>
      table(
        ["id", "channel", "identity", "status", "provider_key", "attempt", "reason_code", "failure"],
        rowsOf(values).map(told),
      ),
  },
  "dead-letters": {
    run: (client) => listOf(client, "/api/v2/notifications/dead-letters", { status: "status" }),
    print: ({ values }) =>
      table(
        ["id", "delivery_id", "channel", "reason", "status", "redrive_count", "updated_at"],
        rowsOf(values),
      ),
  },
  redrive: {
    named: true,
    run: (client, ids) =>
      dataOf(client, "POST", "/api/v2/notifications/dead-letters:redrive", {
        dead_letter_ids: ids,
        accept_duplicate: client.flags["accept-duplicate"] === true,
      }),
    print: ({ results }) =>
      rowsOf(results)
        .map(({ dead_letter, error }) =>
          error === undefined
            ? `${(dead_letter as Row).id} ${(dead_letter as Row).status}\n`
            : `${(error as Row).error_code} ${(error as Row).detail}\n`,
        )
        .join(""),
    failed: ({ results }) => rowsOf(results).some(({ error }) => error !== undefined),
  },
  /** Takes what is sent, for development: an integration with the provider `sink` for every channel that has none. */
  sink: {
    run: async (client) => {
      const integrations = "/api/v2/notification/integrations";
      const { values } = await listOf(client, integrations, {});
      const served = new Set(
        rowsOf(values).flatMap(({ channel, active }) => (active === false ? [] : [channel])),
      );
      const named = channelsOf(client);
      const asked = named.length > 0 ? named : ["email", "sms", "push", "chat"];
      const made: Row[] = [];
      for (const channel of asked.filter((one) => !served.has(one)))
        made.push(
          await dataOf(client, "POST", integrations, { channel, name: "sink", provider_key: "sink" }),
        );
      return { made };
    },
    print: ({ made }) =>
      rowsOf(made).length === 0
        ? "every channel has an integration\n"
        : table(["channel", "provider_key", "id"], rowsOf(made)),
  },
};

async function dataOf(
  client: Client,
  method: "GET" | "POST",
  path: string,
  body?: Row,
): Promise<Record<string, unknown>> {
  // A trigger waits for first outcomes for ten seconds.
  const answer = await client.call({ method, path, ...(body && { body }), answerMs: 30_000 });
  return answer.data as Record<string, unknown>;
}

/** All pages. */
async function listOf(
  client: Client,
  path: string,
  filters: Readonly<Record<string, string>>,
): Promise<{ values: Row[] }> {
  const values: Row[] = [];
  const query = new URLSearchParams({ limit: "1000", ...fieldsOf(client, filters) });
  const [channel] = channelsOf(client);
  if (channel !== undefined && path.endsWith("dead-letters")) query.set("channel", channel);
  for (;;) {
    const page = (await client.call({ method: "GET", path: `${path}?${query}` })) as {
      readonly data: readonly Row[];
      readonly next_cursor?: string | null;
    };
    values.push(...page.data);
    if (!page.next_cursor) return { values };
    query.set("cursor", page.next_cursor);
  }
}

function fieldsOf(
  { flags }: Client,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([flag, field]) =>
      typeof flags[flag] === "string" ? [[field, flags[flag]]] : [],
    ),
  );
}

function textOf({ flags }: Client, name: string): string {
  const value = flags[name];
  if (typeof value !== "string" || value === "") throw new CliError(`service: --${name} is missing`, 2);
  return value;
}

function pathOf(client: Client, name: string): string {
  return encodeURIComponent(textOf(client, name));
}

function channelsOf({ flags }: Client): readonly string[] {
  return (flags.channel as unknown as readonly string[] | undefined) ?? [];
}

function payloadOf({ flags }: Client): unknown {
  if (typeof flags.payload !== "string") return {};
  try {
    return JSON.parse(flags.payload);
  } catch {
    throw new CliError("service: --payload is not JSON", 2);
  }
}

function rowsOf(value: unknown): readonly Row[] {
  return (value ?? []) as readonly Row[];
}

/** The failure in one cell. */
function told(row: Row): Row {
  const failure = row.failure as { phase: string; code: string } | undefined;
  return { ...row, failure: failure && `${failure.phase}/${failure.code}` };
}
