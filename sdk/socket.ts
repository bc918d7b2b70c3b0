import { type Clock, systemClock } from "./clock.ts";
import { connectionLost, errorOf, isObject, SwitchyardError } from "./errors.ts";
import type { Settings } from "./settings.ts";
import { together } from "./transport.ts";

/** What a socket tells its owner. */
export interface SocketEvents {
  message(message: Readonly<Record<string, unknown>>): void;
  /** Once, and the last: with why, or without where the server was done. `opened`: it had been answered before. */
  closed(error: SwitchyardError | undefined, opened: boolean): void;
}

/** One call of a streaming method. */
export interface Socket {
  /** Takes the message as JSON; what there is no credit for waits here, up to 16 Mi characters: more end the call. */
  send(message: string): void;
  /** Resolves when nothing waits here, or the call is over. */
  ready(): Promise<void>;
  /** Nothing more is sent; answers still come. */
  end(): void;
  close(): void;
}

/** What browsers, Node 22 and `ws` have in common. */
interface RawSocket {
  send(text: string): void;
  close(code?: number): void;
  onopen: Listener;
  onmessage: Listener<{ readonly data: unknown }>;
  onerror: Listener;
  onclose: Listener;
}

/** A method, because each kind of socket has a type of its own for its events. */
type Listener<Event = unknown> = { on(event: Event): void }["on"] | null;

type RawSocketClass = new (url: string, protocol: string) => RawSocket;

const protocol = "service.v1.json";
const openWithinMs = 3_000;
const waitingLengthMax = 16 * 1_024 * 1_024;

/** Opens `/api/streams/{method}`, such as `QueueService/Work`. It never throws: what goes wrong is said by `closed`. */
export function openSocket(
  settings: Settings,
  method: string,
  events: SocketEvents,
  own: Readonly<Record<string, string>> = {},
): Socket {
  const call = new SocketCall(events, systemClock);
  const open = async () => {
    const { url, headers, ca } = await settings.target();
    const make = await socketMaker(ca?.text);
    call.open(() => make(`${url.replace(/^http/, "ws")}/api/streams/${method}`), together(headers, own));
  };
  open().catch((error: unknown) =>
    call.fail(error instanceof SwitchyardError ? error : connectionLost(error)),
  );
  return call;
}

/** Node 20 has none of its own, and those of later ones take no authority of one's own. */
async function socketMaker(ca: string | undefined): Promise<(url: string) => RawSocket> {
  const Own: RawSocketClass | undefined = Reflect.get(globalThis, "WebSocket");
  if (Own !== undefined && ca === undefined) return (url) => new Own(url, protocol);
  const { WebSocket } = await import("ws");
  return (url) => new WebSocket(url, protocol, { ca });
}

class SocketCall implements Socket {
  readonly #events: SocketEvents;
  readonly #clock: Clock;
  #raw: RawSocket | undefined;
  #credit = 0;
  #isOpened = false;
  #isOver = false;
  #waiting: string[] = [];
  #waitingLength = 0;
  #readied: (() => void)[] = [];
  #cancelTimer: () => void = () => {};

  constructor(events: SocketEvents, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  open(make: () => RawSocket, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver) return;
    this.#cancelTimer = this.#clock.after(openWithinMs, () => this.fail(connectionLost()));
    try {
      const raw = make();
      this.#raw = raw;
      raw.onopen = () => raw.send(JSON.stringify({ headers }));
      raw.onmessage = ({ data }) => this.#receive(frameOf(data));
      raw.onerror = (event) => this.fail(connectionLost(isObject(event) ? event.error : undefined));
      raw.onclose = () => this.fail(connectionLost());
    } catch (error) {
      this.fail(connectionLost(error));
    }
  }

  send(message: string): void {
    this.#push(`{"message":${message}}`);
  }

  ready(): Promise<void> {
    if (this.#isOver || this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#readied.push(resolve));
  }

  end(): void {
    this.#push('{"end":true}');
  }

  #push(frame: string): void {
    if (this.#isOver) return;
    this.#waiting.push(frame);
    this.#waitingLength += frame.length;
    if (this.#waitingLength > waitingLengthMax) this.fail(unread());
    else this.#flush();
  }

  close(): void {
    this.#finish(undefined);
  }

  fail(error: SwitchyardError): void {
    this.#finish(error);
  }

  #receive(frame: unknown): void {
    if (this.#isOver) return;
    if (!isObject(frame)) {
      this.fail(connectionLost(new Error("a frame is not JSON")));
      return;
    }
    if (!this.#isOpened) {
      this.#isOpened = true;
      this.#cancelTimer();
    }
    if (isObject(frame.message)) this.#events.message(frame.message);
    else if (typeof frame.credit === "number") {
      this.#credit += frame.credit;
      this.#flush();
    } else if (frame.end !== undefined) this.#finish(undefined);
    else if (frame.error !== undefined) this.#finish(errorOf(frame.error));
  }

  #flush(): void {
    while (this.#credit > 0 && this.#waiting.length > 0 && !this.#isOver) {
      this.#credit--;
      const frame = this.#waiting.shift()!;
      this.#waitingLength -= frame.length;
      this.#raw?.send(frame);
    }
    if (this.#waiting.length === 0) this.#tellReady();
  }

  #tellReady(): void {
    for (const resolve of this.#readied.splice(0)) resolve();
  }

  #finish(error: SwitchyardError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#waiting = [];
    this.#tellReady();
    try {
      this.#raw?.close(1000);
    } catch {
      // One that was never open refuses to be closed.
    }
    this.#events.closed(error, this.#isOpened);
  }
}

/** `undefined`: what is between here and the server has put in something of its own. */
function frameOf(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

function unread(): SwitchyardError {
  const detail = `the server has read less than was sent: more than ${waitingLengthMax} characters wait`;
  return new SwitchyardError({ code: "RATE_LIMITED", reason: "STREAM_BACKPRESSURE", detail });
}
