import type { Address } from "../actor.ts";
import { Fifo } from "../fifo.ts";
import { unpackValue } from "./codec.ts";
import { sizeOfPlain } from "./plain.ts";
import { type OutboxMessage, outboxPartition } from "./recorder.ts";

/** The messages of a shard's outbox for one target, in order; one delivery is under way. */
export class Lane {
  readonly to: Address;
  readonly name: string;
  readonly queue = new Fifo<OutboxMessage>();
  inFlight: readonly OutboxMessage[] | undefined = undefined;
  /** Waits for its next attempt. */
  backsOff = false;
  attempt = 0;
  backOffMs: number;
  /** Messages from this number on are rows that are read when the target has taken those before; absent: none are. */
  cursor: number | undefined = undefined;
  /** Such rows are being read. */
  reading = false;

  constructor(to: Address, backOffMs: number) {
    this.to = to;
    this.name = laneName(to);
    this.backOffMs = backOffMs;
  }

  /** Lets go of what is not under way: it is in its rows, from the cursor on. Returns what that was. */
  spill(): OutboxMessage[] {
    const spilled = this.backsOff ? [...(this.inFlight ?? []), ...this.queue.drain()] : this.queue.drain();
    if (this.backsOff) this.inFlight = undefined;
    if (spilled.length > 0) this.cursor = spilled[0]!.number;
    return spilled;
  }

  /** The number of the first message that its target has not confirmed; absent: there is none. */
  first(): number | undefined {
    const known = this.inFlight?.[0] ?? this.queue.peek();
    if (known === undefined || this.cursor === undefined) return known?.number ?? this.cursor;
    return Math.min(known.number, this.cursor);
  }

  *messages(): Iterable<OutboxMessage> {
    yield* this.inFlight ?? [];
    for (let i = 0; i < this.queue.length; i++) yield this.queue.at(i)!;
  }
}

export function laneName({ kind, tenant, key }: Address): string {
  return `${kind}\0${tenant}\0${key}`;
}

export function sizeOfMessage({ message }: OutboxMessage): number {
  return sizeOfPlain(message);
}

type StoredMessage = [string, string, string, string, string, string, unknown, number];

export function decodeMessage(value: Uint8Array): OutboxMessage {
  const stored = unpackValue(value, outboxPartition) as StoredMessage;
  const [kind, tenant, key, toKind, toTenant, toKey, message, number] = stored;
  return { number, from: { kind, tenant, key }, to: { kind: toKind, tenant: toTenant, key: toKey }, message };
}
