import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ListenerName } from "./attack.ts";

/** What is asked: every listener of the service, and a bare server beside it. */
export type Probed = ListenerName | "yardstick";

/** Five listeners and the yardstick. */
const probedCount = 6;
/** Time for several answers. */
const lookMs = 150;
/** 15 s: what an attack leaves to do is done by then. */
const looksMax = 100;

export type ToProber =
  | { readonly type: "watch"; readonly ports: readonly (readonly [Probed, number])[] }
  | { readonly type: "report" };

export interface Waits {
  readonly worst: readonly (readonly [Probed, number])[];
  /** How often each of them has answered. */
  readonly answered: readonly (readonly [Probed, number])[];
  readonly failures: readonly string[];
}

/** Asks all listeners of a service all the time, from a process of its own. */
export class Probe {
  readonly #process: ChildProcess = forked("./prober.ts");
  readonly #yardstick: ChildProcess = forked("./yardstick.ts");

  async watch(ports: Readonly<Record<string, number>>): Promise<void> {
    const [yardstick] = (await once(this.#yardstick, "message")) as [number];
    this.#tell({ type: "watch", ports: Object.entries({ ...ports, yardstick }) as [Probed, number][] });
  }

  /** Since it was last asked. */
  async waits(): Promise<Waits> {
    const told = once(this.#process, "message");
    this.#tell({ type: "report" });
    return (await told)[0] as Waits;
  }

  /** Waits until every listener answers probes within `lookMs`, or for `looksMax` looks: a busy machine may never be that quick. */
  async settled(): Promise<void> {
    await this.waits();
    for (let look = 0; look < looksMax; look++) {
      await sleep(lookMs);
      const { worst, answered } = await this.waits();
      const all = answered.length === probedCount && answered.every(([, times]) => times >= 2);
      if (all && worst.every(([, ms]) => ms < lookMs)) return;
    }
  }

  end(): void {
    this.#process.kill("SIGKILL");
    this.#yardstick.kill("SIGKILL");
  }

  #tell(message: ToProber): void {
    this.#process.send(message);
  }
}

function forked(module: string): ChildProcess {
  return fork(fileURLToPath(new URL(module, import.meta.url)));
}
