import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../crash/server.ts";
import type { Attack, ListenerName } from "./attack.ts";
import type { AttackProcess } from "./attack-process.ts";
import type { Probe, Waits } from "./probe.ts";

export interface Measured {
  readonly bytesSent: number;
  /** The longest wait of a probe of the service. */
  readonly worstWaitMs: number;
  /** The longest wait of a probe of a bare server on this machine in the same time. */
  readonly yardstickMs: number;
  /** How long a thread of the service was ready to run and was not run; nearly nothing on a quiet machine. */
  readonly notRunMs: number;
  readonly waits: Waits;
  readonly beforeBytes: number;
  readonly peakBytes: number;
}

/** Runs one attack on one listener while probes ask all listeners. */
export async function measure(
  parts: { server: Server; probe: Probe; attacks: AttackProcess },
  attack: Attack,
  where: { listener: ListenerName; lastsMs: number; apiKey?: string },
): Promise<Measured> {
  const { server, probe, attacks } = parts;
  // A request that the machine has kept waiting since then may still be under way when the attack begins.
  const notRun = notRunMs(server.pid);
  await probe.settled();
  const beforeBytes = memoryOf(server.pid);
  let peakBytes = beforeBytes;
  const look = setInterval(() => {
    peakBytes = Math.max(peakBytes, memoryOf(server.pid));
  }, 50);
  const { lastsMs, apiKey } = where;
  const port = server.ports[where.listener]!;
  const bytesSent = await attacks
    .run({ name: attack.name, port, lastsMs, ...(apiKey !== undefined && { apiKey }) })
    .finally(() => clearInterval(look));
  // Requests under way are answered by then, or count as late.
  await sleep(100);
  const waits = await probe.waits();
  const of = (isYardstick: boolean) =>
    Math.max(...waits.worst.flatMap(([name, ms]) => ((name === "yardstick") === isYardstick ? [ms] : [])));
  const [worstWaitMs, yardstickMs] = [of(false), of(true)];
  return {
    bytesSent,
    worstWaitMs,
    yardstickMs,
    notRunMs: longestNotRunMs(notRun, server.pid),
    waits,
    beforeBytes,
    peakBytes,
  };
}

/**
 * By thread of the service: the time in which it was ready to run while the machine ran something else. On a busy
 * machine this is most of the waiting time.
 */
function notRunMs(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [, waitedNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      threads.set(thread, Number(waitedNs) / 1e6);
    }
  } catch {
    // The thread, or the process, ended meanwhile.
  }
  return threads;
}

function longestNotRunMs(before: ReadonlyMap<string, number>, pid: number): number {
  const since = [...notRunMs(pid)].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
  return Math.max(0, ...since);
}

/** Private memory of the process, without mapped files; 0 if the process is gone. */
export function memoryOf(pid: number): number {
  try {
    const found = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(found?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
