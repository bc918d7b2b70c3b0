import type { PortClient } from "../port.ts";
import type { Room } from "../storage.ts";
import type { ControlRequest } from "./control.ts";
import type { Status } from "./status.ts";

/** A worker's view of the room on the disk; the host and the writers decide about it. */
export class EmbeddedRoom implements Room {
  readonly #control: PortClient<ControlRequest>;
  readonly #status: Status;
  #asked: Promise<void> | undefined;

  constructor(control: PortClient<ControlRequest>, status: Status) {
    this.#control = control;
    this.#status = status;
  }

  get full(): boolean {
    return this.#status.full;
  }

  useReserve(): Promise<void> {
    if (this.#status.reserveInUse) return Promise.resolve();
    this.#asked ??= this.#control
      .call<void>({ type: "reserve" })
      // A host that is closing keeps the reserve: the append then meets the full disk.
      .catch(() => undefined)
      .finally(() => {
        this.#asked = undefined;
      });
    return this.#asked;
  }

  /**
   * For an append that met a full disk: resolves when the reserve is removed; undefined if removing it was not asked
   * for.
   */
  released(): Promise<void> | undefined {
    return this.#status.reserveInUse ? Promise.resolve() : this.#asked;
  }
}
