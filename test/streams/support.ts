import anyTest, { type ExecutionContext, type TestFn } from "ava";
import { newUlid, Random } from "#base";
import { send } from "../contract/support/rest-client.ts";
import { startTestService, type TestService } from "../contract/support/service.ts";
import { type EventReader, openEvents, type SentEvent } from "../contract/support/sse-client.ts";

export const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context.service = await startTestService({ runtime: true });
});
test.after.always((t) => t.context.service?.close());

type Message = Record<string, unknown>;
let made = 0;

/** Every claim about events holds for both servers. */
export const adapters = ["uws", "node"] as const;

/** A new stream, created through one of the servers. */
export async function newStream(
  t: ExecutionContext<{ service: TestService }>,
  adapter: (typeof adapters)[number],
  definition: Message = {},
) {
  const port = t.context.service.ports[adapter];
  const runId = newUlid(Date.now(), new Random(`${adapter}-${++made}`));
  const base = `/api/workflow-streams/runs/${runId}/streams`;
  const call = async (verb: string, path: string, body?: Message, headers: Record<string, string> = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await send(port, verb, path, text, headers);
    const json = (answer.text === "" ? {} : JSON.parse(answer.text)) as Message;
    return { status: answer.status, headers: answer.headers, json, data: (json.data ?? {}) as Message };
  };
  const created = await call("POST", base, { name: "s", content_classes: ["json", "binary"], ...definition });
  const id = created.data.id as string;
  const path = `${base}/${id}`;
  const append = (count = 1, payload: unknown = null) =>
    call("POST", `${path}/records`, {
      records: Array.from({ length: count }, (_, n) => ({ payload: payload ?? { n } })),
    });
  const subscribe = async (query = "", headers: Record<string, string> = {}): Promise<EventReader> => {
    const reader = await openEvents(port, `${path}/subscribe${query}`, headers);
    t.teardown(() => reader.close());
    return reader;
  };
  return { runId, id, base, path, port, call, append, subscribe };
}

export async function take(reader: EventReader, count: number): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of reader.events()) {
    events.push(event);
    if (events.length >= count) break;
  }
  return events;
}

export function sequencesOf(events: readonly SentEvent[]): number[] {
  return events.filter(({ event }) => event === "record").map(({ id }) => Number(id));
}

export const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
