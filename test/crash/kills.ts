import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "#base";
import { eventually } from "../support/eventually.ts";
import { Server } from "./server.ts";
import { Workload } from "./workload.ts";

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** How many of them were settlements of leases. */
  readonly settled: number;
  readonly broken: readonly string[];
}

/**
 * Kills the server with SIGKILL at random moments under load, then compares the answers that clients got with what is
 * stored.
 */
export async function killUnderLoad(options: {
  readonly kills: number;
  readonly seed: number;
  readonly clients?: number;
  readonly settings?: readonly string[];
  /** The longest time from a start to the next kill. */
  readonly lifeMsMax?: number;
}): Promise<KillReport> {
  const random = new Random(options.seed);
  const server = new Server(options.settings);
  try {
    await server.start();
    const workload = new Workload(server);
    await workload.start(options.clients ?? 16);
    for (let kill = 0; kill < options.kills; kill++) {
      const before = workload.acknowledged;
      await sleep(random.int(options.lifeMsMax ?? 700));
      // On a busy machine little happens in that time.
      await eventually("there is load", () => workload.acknowledged >= before + 20 || undefined);
      await server.kill();
      await server.start();
    }
    await sleep(500);
    await workload.stop();
    const { acknowledged, settled } = workload;
    return { kills: options.kills, acknowledged, settled, broken: await workload.check() };
  } finally {
    await server.remove();
  }
}
