// How long from an append until all its readers have it, and what memory does a reader take?
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { defineBench, type Stats } from "./support/bench.ts";
import { newDataStream } from "./support/data-stream.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { startService } from "./support/service.ts";

const seconds = Number(process.env.BENCH_SECONDS ?? 15);
const warmSeconds = 5;

export default defineBench({
  question:
    "How many milliseconds from the append of a record until a reader of server-sent events has it, with 5,000 readers at 2 records a second and 200 at 100, and how much memory does a reader take?",
  contenders: {
    many: () => follow(Number(process.env.BENCH_READERS ?? 5_000), 2),
    fast: () => follow(200, 100),
  },
  bars: [
    { figure: "p99_ms", contender: "many", atMost: 250 },
    { figure: "p99_ms", contender: "fast", atMost: 250 },
    { figure: "reader_kib", contender: "many", atMost: 40 },
  ],
});

/** The run fails unless every reader got every record. */
function follow(readers: number, perSecond: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const path = await newDataStream(service);
    const lane = new Lane(service.ports.http);
    const append = () =>
      lane.post(`${path}/records`, { records: [{ payload: { sent: performance.now() } }] });
    // One reader first, so that the service has allocated what it needs once before its memory is measured.
    const first = await Reader.open(service.ports.http, path);
    for (let n = 0; n < 2_000; n++) await append();
    first.close();
    const before = residentKib(service.pid);
    const all: Reader[] = [];
    for (let n = 0; n < readers; n += 50)
      all.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, () => Reader.open(service.ports.http, path, 2_000)),
        )),
      );
    const connected = residentKib(service.pid);
    const count = (warmSeconds + seconds) * perSecond;
    const started = performance.now();
    for (let n = 0; n < count; n++) {
      const waitMs = started + (n * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      if (n === warmSeconds * perSecond) for (const reader of all) reader.latencies.length = 0;
      await append();
    }
    for (let tries = 0; all.some((reader) => reader.seen < count); tries++) {
      if (tries > 3_000) throw new Error("some readers lack records");
      await sleep(10);
    }
    const during = residentKib(service.pid);
    const latencies = Float64Array.from(all.flatMap((reader) => reader.latencies)).sort();
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]!;
    for (const reader of all) reader.close();
    lane.close();
    await service.stop();
    return {
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      max_ms: at(1),
      reader_kib: (during - before) / readers,
      idle_reader_kib: (connected - before) / readers,
    };
  });
}

/** A client of server-sent events that looks for one number in the data. */
class Reader {
  readonly latencies: number[] = [];
  seen = 0;
  readonly #socket: Socket;
  #rest = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: string) => this.#read(chunk));
  }

  static open(port: number, path: string, after = 0): Promise<Reader> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.setEncoding("latin1");
      socket.once("error", reject);
      socket.once("data", (head: string) =>
        head.startsWith("HTTP/1.1 200") ? resolve(new Reader(socket)) : reject(new Error(head)),
      );
      const query = after === 0 ? "" : `?after_sequence=${after}`;
      socket.write(`GET ${path}/subscribe${query} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    const text = this.#rest + chunk;
    const end = text.lastIndexOf("\n\n");
    this.#rest = end < 0 ? text : text.slice(end + 2);
    if (end < 0) return;
    const now = performance.now();
    for (const [, sent] of text.slice(0, end).matchAll(/"sent":([\d.]+)/g)) {
      this.seen++;
      this.latencies.push(now - Number(sent));
    }
  }
}

function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
