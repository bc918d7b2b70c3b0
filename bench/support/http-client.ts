import { connect } from "node:net";
import type { HttpLoad } from "./http-load.ts";

/** Keeps one request under way on each connection, written and read as bytes, so that the client costs little. */
const load = JSON.parse(process.argv[2]!) as HttpLoad;
const request = Buffer.from(
  `POST ${load.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(load.body)}\r\n\r\n${load.body}`,
);
const latencies: number[] = [];
let counting = false;
let over = false;

for (let i = 0; i < load.connections; i++) open();
setTimeout(() => {
  counting = true;
  process.send?.({ warm: true });
}, 1_500);
setTimeout(
  () => {
    over = true;
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
    const stats = { p50_ms: at(0.5), p99_ms: at(0.99) };
    process.send?.({ answers: latencies.length, latencies: stats }, () => process.exit(0));
  },
  1_500 + load.seconds * 1_000,
);

function open(): void {
  const socket = connect(load.port, "127.0.0.1");
  socket.setNoDelay(true);
  let started = 0;
  let text = "";
  const send = () => {
    started = performance.now();
    text = "";
    socket.write(request);
  };
  socket.on("connect", send);
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (!isComplete(text)) return;
    if (!text.startsWith("HTTP/1.1 200") || !text.includes(load.expect))
      fail(`unexpected answer: ${text.slice(0, 300)}`);
    if (counting) latencies.push(performance.now() - started);
    if (!over) send();
  });
  socket.on("error", (error) => over || fail(error.message));
}

function isComplete(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return text.length >= end + 4 + Number(length);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
