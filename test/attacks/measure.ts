import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../crash/server.ts";
import type { Attack, ListenerName } from "./attack.ts";
import type { AttackProcess } from "./attack-process.ts";
import type { Probe, Waits } from "./probe.ts";

export interface Measured {
  readonly bytesSent: number;
  /** Of those who asked the service. */
  readonly worstWaitMs: number;
  /** Of those who asked a bare server on this machine at the same time. */
  readonly yardstickMs: number;
  /** How long the machine let one of the service's threads wait meanwhile; nearly nothing on a quiet one. */
  readonly notRunMs: number;
  readonly waits: Waits;
  readonly beforeBytes: number;
  readonly peakBytes: number;
}

/** One attack on one listener, with everybody else asking beside it. */
export async function measure(
  parts: { server: Server; probe: Probe; attacks: AttackProcess },
  attack: Attack,
  where: { listener: ListenerName; lastsMs: number },
): Promise<Measured> {
  const { server, probe, attacks } = parts;
  await probe.settled();
  const notRun = notRunMs(server.pid);
  const beforeBytes = memoryOf(server.pid);
  let peakBytes = beforeBytes;
  const look = setInterval(() => {
    peakBytes = Math.max(peakBytes, memoryOf(server.pid));
  }, 50);
  const { lastsMs } = where;
  const port = server.ports[where.listener]!;
  const bytesSent = await attacks
    .run({ name: attack.name, port, lastsMs })
    .finally(() => clearInterval(look));
  // What was under way has an answer, or is late.
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
 * How long each thread of the service has been ready to run while this machine ran something else, by thread: on a machine
 * that is busy with other things this is most of what anybody waits for.
 */
function notRunMs(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [, waitedNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      threads.set(thread, Number(waitedNs) / 1e6);
    }
  } catch {
    // A thread, or all of them, ended meanwhile.
  }
  return threads;
}

function longestNotRunMs(before: ReadonlyMap<string, number>, pid: number): number {
  const since = [...notRunMs(pid)].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
  return Math.max(0, ...since);
}

/** What the process has of its own, without the files that it maps; 0: it is gone. */
export function memoryOf(pid: number): number {
  try {
    const found = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(found?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
