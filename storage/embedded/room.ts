import type { PortClient } from "../port.ts";
import type { Room } from "../storage.ts";
import type { Control } from "./control.ts";
import type { Status } from "./status.ts";

export interface EmbeddedRoom extends Room {
  /**
   * For an append that met a full disk: resolves when the reserve is removed; undefined if removing it was not asked
   * for.
   */
  released(): Promise<void> | undefined;
}

/** A worker's view of the room on the disk; the host and the writers decide about it. */
export function embeddedRoom(control: PortClient<Control>, status: Status): EmbeddedRoom {
  let asked: Promise<void> | undefined;
  return {
    get full() {
      return status.full;
    },
    useReserve() {
      if (status.reserveInUse) return Promise.resolve();
      asked ??= control
        .call("reserve", [])
        // A host that is closing keeps the reserve: the append then meets the full disk.
        .catch(() => undefined)
        .finally(() => {
          asked = undefined;
        });
      return asked;
    },
    released: () => (status.reserveInUse ? Promise.resolve() : asked),
  };
}
