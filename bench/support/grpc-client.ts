import { type ClientHttp2Session, connect } from "node:http2";
import type { GrpcLoad } from "./grpc-load.ts";

/** Keeps calls under way on a few HTTP/2 connections, as bytes: a gRPC library would cost more than the server. */
const load = JSON.parse(process.argv[2]!) as GrpcLoad;
const message = Buffer.from(load.messageBase64, "base64");
const request = Buffer.alloc(5 + message.length);
request.writeUInt32BE(message.length, 1);
message.copy(request, 5);
const headers = {
  ":method": "POST",
  ":path": load.path,
  "content-type": "application/grpc",
  te: "trailers",
};
const latencies: number[] = [];
let answers = 0;
let since = 0;
let over = false;

for (let i = 0; i < load.connections; i++) {
  const session = connect(`http://127.0.0.1:${load.port}`);
  session.on("error", (error) => over || fail(error.message));
  for (let j = 0; j < load.callsPerConnection; j++) call(session);
}
/** By calls, not by seconds: what V8 has compiled depends on the number of calls. */
function answered(started: number): void {
  answers++;
  if (answers === load.warmCalls) {
    since = performance.now();
    process.send?.({ warm: true });
  }
  if (answers <= load.warmCalls) return;
  latencies.push(performance.now() - started);
  if (latencies.length === load.calls) report();
}

function report(): void {
  over = true;
  const seconds = (performance.now() - since) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  const stats = { p50_ms: at(0.5), p99_ms: at(0.99) };
  process.send?.({ answers: latencies.length, seconds, latencies: stats }, () => process.exit(0));
}

function call(session: ClientHttp2Session): void {
  const started = performance.now();
  const stream = session.request(headers);
  let bytes = 0;
  let status: string | undefined;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  stream.on("trailers", (trailers) => {
    status = String(trailers["grpc-status"]);
  });
  stream.on("close", () => {
    if (over) return;
    if (status !== "0" || bytes < load.answerBytesMin)
      fail(`unexpected answer: status ${status}, ${bytes} bytes`);
    answered(started);
    if (!over) call(session);
  });
  stream.on("error", (error) => over || fail(error.message));
  stream.end(request);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
