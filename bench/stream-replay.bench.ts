// How many records a second does one reader get of a long stream, by pages and as events?
import { connect, type Socket } from "node:net";
import { defineBench, type Stats } from "./support/bench.ts";
import { newDataStream, recordsOf } from "./support/data-stream.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { startService } from "./support/service.ts";

const total = 100_000;
const perPage = 1_000;

export default defineBench({
  question:
    "How many records a second does one reader get of a stream of 100,000 stored ones, by pages of 1,000 and as server-sent events?",
  contenders: { records_1_kib: () => replay(1_024), records_100_b: () => replay(100) },
  bars: [
    { figure: "pages_records_per_s", contender: "records_1_kib", atLeast: 100_000 },
    { figure: "pages_records_per_s", contender: "records_100_b", atLeast: 100_000 },
  ],
});

/** Only the last reading counts: before it V8 still compiles and the tables still write. */
const readings = 5;

function replay(bytes: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const path = await newDataStream(service);
    const lane = new Lane(service.ports.http);
    const batch = JSON.parse(recordsOf(perPage, "x".repeat(bytes)));
    for (let n = 0; n < total; n += perPage) await lane.post(`${path}/records`, batch);
    lane.close();
    let [pages, events] = [0, 0];
    for (let n = 0; n < readings; n++) pages = await byPages(service.ports.http, path);
    for (let n = 0; n < readings; n++) events = await asEvents(service.ports.http, path);
    await service.stop();
    return { pages_records_per_s: pages, events_records_per_s: events };
  });
}

/** One request after the other, each continuing where the one before ended. */
async function byPages(port: number, path: string): Promise<number> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const started = performance.now();
  for (let after = 0; after < total; ) {
    socket.write(
      `GET ${path}/records?after_sequence=${after}&limit=${perPage} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`,
    );
    const tail = await answerOf(socket);
    const next = Number(/"next_after_sequence":(\d+)/.exec(tail)?.[1]);
    if (!(next > after)) throw new Error(`after ${after}: ${tail}`);
    after = next;
  }
  socket.destroy();
  return (total * 1_000) / (performance.now() - started);
}

/** The last bytes of an answer; the others are only counted. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let left = -1;
    let tail = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      let body = chunk;
      if (left < 0) {
        const end = chunk.indexOf("\r\n\r\n") + 4;
        left = Number(/content-length: (\d+)/i.exec(chunk.toString("latin1", 0, end))?.[1]);
        body = chunk.subarray(end);
      }
      left -= body.length;
      tail = Buffer.concat([tail, body.subarray(-300)]).subarray(-300);
      if (left > 0) return;
      socket.off("data", take);
      resolve(tail.toString("latin1"));
    };
    socket.on("data", take);
  });
}

/** Counts the blank lines that end events; the first one ends the stream's preamble. */
function asEvents(port: number, path: string): Promise<number> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const started = performance.now();
  socket.write(`GET ${path}/subscribe HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  return new Promise((resolve) => {
    let events = -1;
    let isBlank = false;
    socket.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) {
        const isNext = at === 0 ? isBlank : chunk[at - 1] === 10;
        if (isNext) events++;
      }
      isBlank = chunk.at(-1) === 10;
      if (events < total) return;
      socket.destroy();
      resolve((total * 1_000) / (performance.now() - started));
    });
  });
}
