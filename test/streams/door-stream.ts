import { assert, newUlid, Random } from "#base";
import type { Door, Doors, Outcome, Told } from "../contract/support/clients.ts";
import { probeContract } from "../contract/support/service.ts";

type Message = Record<string, unknown>;
type DoorName = keyof Doors & string;

/** How unary and streaming calls are made; a socket makes its unary calls over REST on its own server. */
export const everyDoor: readonly DoorName[] = [
  "rest-uws",
  "rest-node",
  "connect-json",
  "grpc",
  "native-grpc",
  "socket-json",
  "socket-proto",
];

/** A WebSocket has no unary calls. */
export const isSocket = (name: DoorName) => name.startsWith("socket");

/** An answer of `Subscribe`. */
export interface Answer {
  readonly record?: { readonly sequence: number; readonly payload?: unknown; readonly object?: object };
  readonly gone?: Message;
  readonly end?: Message;
}

let made = 0;

/** A new stream, used through one door. */
export class DoorStream {
  readonly scope: { readonly run_id: string; readonly stream_id: string };
  readonly #door: Door;

  private constructor(door: Door, scope: DoorStream["scope"]) {
    this.#door = door;
    this.scope = scope;
  }

  static async make(door: Door, definition: Message = {}): Promise<DoorStream> {
    const run_id = newUlid(Date.now(), new Random(`door-${++made}`));
    const nameless = new DoorStream(door, { run_id, stream_id: "" });
    const request = { run_id, name: "s", content_classes: ["json", "binary"], ...definition };
    const outcome = await nameless.call("CreateStream", request);
    assert(outcome.ok, `a stream is made: ${JSON.stringify(outcome)}`);
    return new DoorStream(door, { run_id, stream_id: (outcome.message as { id: string }).id });
  }

  ask(method: string, fields: Message = {}, headers: Record<string, string> = {}): Promise<Outcome> {
    return this.call(method, { ...this.scope, ...fields }, headers);
  }

  /** The answer; a refusal fails the test. */
  async get<T = Message>(
    method: string,
    fields: Message = {},
    headers: Record<string, string> = {},
  ): Promise<T> {
    const outcome = await this.ask(method, fields, headers);
    assert(outcome.ok, `${method} works: ${JSON.stringify(outcome)}`);
    return outcome.message as T;
  }

  async refused(method: string, fields: Message = {}, headers: Record<string, string> = {}): Promise<Told> {
    const outcome = await this.ask(method, fields, headers);
    assert(!outcome.ok, `${method} is refused: ${JSON.stringify(outcome)}`);
    return outcome.error;
  }

  append(count = 1, payload: unknown = null): Promise<Outcome> {
    return this.ask("AppendRecords", { records: Array.from({ length: count }, () => ({ payload })) });
  }

  /** With a producer's first sequence. */
  produce(epoch: number, sequence: number, count = 1): Promise<Outcome> {
    const records = Array.from({ length: count }, (_, n) => ({
      payload: n,
      producer: { id: "p", epoch, sequence: sequence + n },
    }));
    return this.ask("AppendRecords", { records });
  }

  async latest(): Promise<number> {
    return (await this.get<{ latest_sequence: number }>("GetStream")).latest_sequence;
  }

  async sequences(after_sequence: number, fields: Message = {}): Promise<number[]> {
    const page = await this.get<{ records: { sequence: number }[] }>("ReadRecords", {
      after_sequence,
      ...fields,
    });
    return page.records.map(({ sequence }) => sequence);
  }

  stream(
    method: string,
    messages: readonly Message[],
    options: { readonly take?: number; readonly headers?: Record<string, string> } = {},
  ): Promise<Outcome> {
    const [first, ...others] = messages;
    const sent = [{ ...this.scope, ...first }, ...others];
    return this.#door.stream!(probeContract.byName.get(`WorkflowStreamService.${method}`)!, sent, options);
  }

  /** What a subscriber gets; with `take`, that many messages. */
  async subscribe(fields: Message = {}, take?: number): Promise<readonly Answer[]> {
    const outcome = await this.stream("Subscribe", [fields], take === undefined ? {} : { take });
    assert(outcome.ok, `Subscribe works: ${JSON.stringify(outcome)}`);
    return outcome.message as Answer[];
  }

  async subscribeRefused(fields: Message = {}): Promise<Told> {
    const outcome = await this.stream("Subscribe", [fields]);
    assert(!outcome.ok, `Subscribe is refused: ${JSON.stringify(outcome)}`);
    return outcome.error;
  }

  call(method: string, request: Message, headers: Record<string, string> = {}): Promise<Outcome> {
    const name = method.includes(".") ? method : `WorkflowStreamService.${method}`;
    return this.#door.unary(probeContract.byName.get(name)!, request, headers);
  }
}

export function sequencesOf(told: readonly Answer[]): number[] {
  return told.flatMap(({ record }) => (record ? [record.sequence] : []));
}
