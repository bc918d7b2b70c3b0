import type { MessagePort } from "node:worker_threads";
import type { Process } from "./process.ts";

type Listener = (message: Uint8Array) => void;

/** The two ends of a MessageChannel between threads, with delays chosen by the simulator. */
export function connect(a: Process, b: Process, delayMs: () => number): [SimulatedPort, SimulatedPort] {
  const ends: [SimulatedPort, SimulatedPort] = [new SimulatedPort(a, delayMs), new SimulatedPort(b, delayMs)];
  ends[0].peer = ends[1];
  ends[1].peer = ends[0];
  return ends;
}

/**
 * A posted message arrives later, in order and once, as soon as there is a listener, unless the receiver has died. That
 * the other end was closed, or its thread ended, is delivered after all messages posted before.
 */
export class SimulatedPort {
  readonly process: Process;
  peer!: SimulatedPort;
  readonly #delayMs: () => number;
  readonly #arriving: (Uint8Array | "closed")[] = [];
  #message: Listener = () => {};
  #close: () => void = () => {};
  #started = false;
  #closed = false;

  constructor(process: Process, delayMs: () => number) {
    this.process = process;
    this.#delayMs = delayMs;
  }

  get asPort(): MessagePort {
    return this as unknown as MessagePort;
  }

  on(event: "message" | "close", listener: Listener & (() => void)): void {
    if (event === "close") this.#close = listener;
    else {
      this.#message = listener;
      this.#started = true;
      for (const _ of this.#arriving) this.process.receive("frame", 0, this.#receive);
    }
  }

  /** A transferred object is no longer usable here, as between threads. */
  postMessage(frame: Uint8Array, transfer: ArrayBuffer[]): void {
    if (!this.#closed) this.peer.#arrives(structuredClone(frame, { transfer }));
  }

  /** Closed by this end, or because its thread has died. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.peer.#arrives("closed");
    // As of a MessagePort or a stream: both ends are told.
    this.process.receive("closed", 0, this.#tellClosed);
  }

  #arrives(frame: Uint8Array | "closed"): void {
    this.#arriving.push(frame);
    if (this.#started) this.process.receive("frame", this.#delayMs(), this.#receive);
  }

  /** Whichever step runs first delivers the message that was posted first. */
  readonly #receive = () => {
    const next = this.#arriving.shift()!;
    if (next === "closed") {
      this.#closed = true;
      this.#tellClosed();
    } else if (!this.#closed) this.#message(next);
  };

  /** Once, though both ends may close. */
  readonly #tellClosed = () => {
    const tell = this.#close;
    this.#close = () => {};
    tell();
  };
}
