import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ListenerName } from "./attack.ts";

/** What is probed: every listener of the service, and a bare server beside it. */
export type Probed = ListenerName | "yardstick";

/** The five listeners and the bare server. */
const probedCount = 6;
/** Time for several answers. */
const lookMs = 150;
/** 15 s: by then the work that an attack left is done. */
const looksMax = 100;

export type ToProber =
  | {
      readonly type: "watch";
      readonly ports: readonly (readonly [Probed, number])[];
      /** With it, probes of http, grpc and native list pools of its tenant instead of asking for health. */
      readonly apiKey?: string;
    }
  | { readonly type: "report" };

export interface Waits {
  readonly worst: readonly (readonly [Probed, number])[];
  /** The number of answers by listener. */
  readonly answered: readonly (readonly [Probed, number])[];
  readonly failures: readonly string[];
}

/** Probes all listeners of a service continuously, from a separate process. */
export class Probe {
  readonly #process: ChildProcess = forked("./prober.ts");
  readonly #yardstick: ChildProcess = forked("./yardstick.ts");

  async watch(given: Readonly<Record<string, number>>, apiKey?: string): Promise<void> {
    const [yardstick] = (await once(this.#yardstick, "message")) as [number];
    const ports = Object.entries({ ...given, yardstick }) as [Probed, number][];
    this.#tell({ type: "watch", ports, ...(apiKey !== undefined && { apiKey }) });
  }

  /** The worst waits since the last call. */
  async waits(): Promise<Waits> {
    const told = once(this.#process, "message");
    this.#tell({ type: "report" });
    return (await told)[0] as Waits;
  }

  /**
   * Waits until every listener answers probes within `lookMs`, for at most `looksMax` looks: a busy machine may never
   * be that quick.
   */
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
