import type { Clock } from "../clock.ts";
import { connectionLost, errorOf, isObject, type SwitchyardError } from "../errors.ts";
import type { Socket, SocketEvents } from "../socket.ts";
import { type Extension, grouped, type Hello, type Line, type LineEvents, type Settled } from "./line.ts";

type Frame = Readonly<Record<string, unknown>>;

/** `Work` over the WebSocket door. What comes up in one moment goes in one frame. */
export class WorkLine implements Line {
  readonly #socket: Socket;
  readonly #events: LineEvents;
  readonly #clock: Clock;
  #settlements: string[] = [];
  #alone: string[] = [];
  #extensions: Extension[] = [];
  #credit = 0;
  #isDue = false;
  #isFinished = false;
  #isOver = false;
  #heardAt: number;
  #retryAfterMs: number | undefined;
  #cancelTimer: () => void;

  constructor(hello: Hello, { events, clock, connect }: WorkLineParts) {
    this.#events = events;
    this.#clock = clock;
    this.#heardAt = clock.now();
    this.#cancelTimer = clock.after(checkMs, () => this.#check());
    this.#socket = connect("QueueService/Work", {
      message: (message) => this.#receive(message),
      closed: (error, opened) => this.#end(error, opened),
    });
    const { poolId, recipientId, leaseSeconds, credit } = hello;
    const seconds = leaseSeconds !== undefined && { lease_seconds: leaseSeconds };
    this.#send({ hello: { pool_id: poolId, recipient_id: recipientId, credit, ...seconds } });
  }

  credit(items: number): void {
    this.#credit += items;
    this.#soon();
  }

  settle(settlement: string, alone: boolean): void {
    (alone ? this.#alone : this.#settlements).push(settlement);
    this.#soon();
  }

  extend(extension: Extension): void {
    this.#extensions.push(extension);
    this.#soon();
  }

  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#soon();
  }

  close(): void {
    this.#socket.close();
  }

  #soon(): void {
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    this.#clock.soon(() => this.#flush());
  }

  #flush(): void {
    this.#isDue = false;
    if (this.#isOver) return;
    for (const group of grouped(this.#settlements.splice(0), settlementsMax))
      this.#socket.send(`{"settle":{"settlements":[${group.join()}]}}`);
    for (const settlement of this.#alone.splice(0))
      this.#socket.send(`{"settle":{"settlements":[${settlement}]}}`);
    this.#flushExtensions();
    if (this.#isFinished) this.#socket.end();
    else if (this.#credit > 0) this.#send({ credit: { items: this.#credit } });
    this.#credit = 0;
  }

  /** One frame for all that are extended alike. */
  #flushExtensions(): void {
    const alike = new Map<number | undefined, object[]>();
    for (const { lease, leaseSeconds, progress } of this.#extensions.splice(0)) {
      const leases = alike.get(leaseSeconds) ?? [];
      alike.set(leaseSeconds, leases);
      leases.push({ ...lease, ...(progress !== undefined && { progress }) });
    }
    for (const [seconds, leases] of alike)
      this.#send({ extend: { leases, ...(seconds !== undefined && { lease_seconds: seconds }) } });
  }

  #send(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  #receive({ assigned, settled, lease_lost, go_away, refused }: Frame): void {
    this.#heardAt = this.#clock.now();
    if (isObject(assigned) && Array.isArray(assigned.items)) this.#events.assigned(assigned.items);
    else if (isObject(settled) && Array.isArray(settled.results))
      this.#events.settled(settled.results.map(settledOf));
    else if (isObject(lease_lost))
      this.#events.lost(
        { queue_item_id: String(lease_lost.queue_item_id), lease_token: String(lease_lost.lease_token) },
        String(lease_lost.reason),
      );
    else if (isObject(go_away)) this.#retryAfterMs = Number(go_away.retry_after_ms);
    else if (isObject(refused) && Array.isArray(refused.queue_item_ids) && refused.queue_item_ids.length > 0)
      this.#events.refused(errorOf(refused.error), refused.queue_item_ids);
  }

  /**
   * A connection that is dead without a word: when nothing has come for a while, an empty frame asks for a sign. The server
   * refuses it and does nothing.
   */
  #check(): void {
    const silentMs = this.#clock.now() - this.#heardAt;
    if (silentMs >= silenceMsMax) {
      this.#end(connectionLost(), true);
      this.#socket.close();
      return;
    }
    if (silentMs >= askAfterMs && !this.#isFinished) this.#send({});
    this.#cancelTimer = this.#clock.after(checkMs, () => this.#check());
  }

  #end(error: SwitchyardError | undefined, wasOpen: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#events.ended({ error, wasOpen, retryAfterMs: this.#retryAfterMs ?? error?.retryAfterMs });
  }
}

interface WorkLineParts {
  readonly events: LineEvents;
  readonly clock: Clock;
  connect(method: string, events: SocketEvents): Socket;
}

const settlementsMax = 1_000;
const checkMs = 2_500;
const askAfterMs = 7_500;
const silenceMsMax = 15_000;

export function settledOf(result: Frame): Settled {
  return {
    queue_item_id: String(result.queue_item_id),
    state: String(result.state),
    ...(isObject(result.error) && { error: errorOf(result.error) }),
  };
}
