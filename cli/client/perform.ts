import type { Fields, Method } from "#protos/surface";
import { answered, type CallOptions, listed, type SwitchyardError, eventsOf as streamed } from "#sdk/calls";
import { askedOf, callOf } from "./request.ts";
import { type Server, told } from "./server.ts";

/** What a method has answered; of a list, whether there are more pages. */
export interface Answered {
  readonly data: unknown;
  readonly more: boolean;
}

interface How {
  readonly server: Server;
  readonly key?: string | undefined;
  /** Of the whole call with its repeats. */
  readonly timeoutMs?: number | undefined;
  /** All pages of a list. */
  readonly all?: boolean;
}

/** An object may be large. */
const objectMs = 3_600_000;

export async function perform(
  method: Method,
  request: Fields,
  { server, key = server.headers["idempotency-key"], timeoutMs = server.timeoutMs, all = false }: How,
): Promise<Answered> {
  const time = timeoutMs ?? (method.raw ? objectMs : undefined);
  const options: CallOptions = {
    ...(key !== undefined && { idempotencyKey: key }),
    ...(time !== undefined && { timeoutMs: time }),
  };
  const [call, asked] = [callOf(method), askedOf(method, request)];
  try {
    if (method.page === undefined)
      return { data: await answered(server.transport, call, asked, options), more: false };
    const list = listed(server.transport, call, all ? { limit: 1000, ...asked } : asked, options);
    if (!all) {
      const { data, next_cursor: next } = await list.page();
      return { data, more: Boolean(next) };
    }
    const data: unknown[] = [];
    for await (const one of list) data.push(one);
    return { data, more: false };
  } catch (error) {
    throw told(error, server);
  }
}

interface Following {
  readonly server: Server;
  readonly signal?: AbortSignal;
  /** Told of a lost connection, which is opened again. */
  readonly onLost: (message: string) => void;
}

/** Every event as a message of the stream. */
export async function* eventsOf(
  method: Method,
  request: Fields,
  { server, signal, onLost: tell }: Following,
): AsyncGenerator<unknown> {
  const [call, asked] = [callOf(method), askedOf(method, request)];
  const onLost = (error: SwitchyardError) => {
    const why = told(error, server);
    if (why instanceof Error) tell(why.message);
  };
  try {
    yield* streamed(server.transport, call, asked, { signal, onLost });
  } catch (error) {
    throw told(error, server);
  }
}
