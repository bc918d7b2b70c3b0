import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Stats } from "./bench.ts";

export interface HttpLoad {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly path: string;
  readonly body: string;
  /** Part of every valid answer; an answer without it ends the run with an error. */
  readonly expect: string;
}

export function loadHttp(load: HttpLoad): Promise<Stats> {
  return loadFrom(fileURLToPath(new URL("./http-client.ts", import.meta.url)), load, load.seconds);
}

/** Loads a server of this process from another process; the processor time spent here is the server's alone. */
export async function loadFrom(file: string, load: object, askedSeconds = Number.NaN): Promise<Stats> {
  const client = fork(file, [JSON.stringify(load)]);
  let before = process.cpuUsage();
  return new Promise((resolve, reject) => {
    client.on("message", (message: { warm: true } | Counted) => {
      if ("warm" in message) {
        before = process.cpuUsage();
        return;
      }
      const { user, system } = process.cpuUsage(before);
      const { answers, seconds = askedSeconds, latencies } = message;
      resolve({ per_s: answers / seconds, server_cpu_us: (user + system) / answers, ...latencies });
    });
    client.on("exit", (code) => code !== 0 && reject(new Error(`the client ended with ${code}`)));
  });
}

/** What a client reports of its run; without `seconds` it took as long as requested. */
interface Counted {
  readonly answers: number;
  readonly seconds?: number;
  readonly latencies: Stats;
}
