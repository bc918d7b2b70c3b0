// Over which transport do frames between nodes cost least: a bare stream of HTTP/2, or a bidirectional stream of grpc-js?
import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
} from "@grpc/grpc-js";
import type { FramePort } from "#runtime";
import { StreamPort } from "../gateway/cluster/stream-port.ts";
import { defineBench, type Stats } from "./support/bench.ts";

/** What a link sends in one iteration of the event loop under little load, and under much. */
const small = 2 * 1_024;
const large = 64 * 1_024;
const inFlight = 16;
const warmMs = 1_500;
const measuredMs = 4_000;

export default defineBench({
  question: "How many frames a second go to another node and back, over HTTP/2 and over a stream of grpc-js?",
  contenders: {
    http2_small: () => http2(small),
    grpc_small: () => grpc(small),
    http2_large: () => http2(large),
    grpc_large: () => grpc(large),
  },
  bars: [
    { figure: "per_s", contender: "http2_small", against: "grpc_small", atLeast: 1 },
    { figure: "per_s", contender: "http2_large", against: "grpc_large", atLeast: 1 },
  ],
});

async function http2(bytes: number): Promise<Stats> {
  const server = createServer();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200 });
    const port: FramePort = new StreamPort(stream);
    port.on("message", (frame) => port.postMessage(frame, []));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = session.request({ ":method": "POST", ":path": "/" });
  const stats = await measure(new StreamPort(stream), bytes);
  session.destroy();
  server.close();
  return stats;
}

/** Frames go as they are: no message is encoded around them but what gRPC itself puts before each. */
async function grpc(bytes: number): Promise<Stats> {
  const path = "/Link/Frames";
  const asIs = (frame: Buffer) => frame;
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  const definition: ServiceDefinition = {
    Frames: {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  };
  server.addService(definition, {
    Frames: (call: ServerDuplexStream<Buffer, Buffer>) =>
      void call.on("data", (frame: Buffer) => call.write(frame)),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(path, asIs, asIs);
  call.on("error", () => undefined);
  const stats = await measure(
    {
      on: (_event, listener) => void call.on("data", listener),
      postMessage: (frame) => void call.write(Buffer.from(frame.buffer, frame.byteOffset, frame.length)),
    },
    bytes,
  );
  call.cancel();
  client.close();
  server.forceShutdown();
  return stats;
}

/** Both ends are in this process: the processor time is that of both. */
async function measure(port: Pick<FramePort, "postMessage"> & Listening, bytes: number): Promise<Stats> {
  let returned = 0;
  port.on("message", (frame) => {
    if (frame.length !== bytes) throw new Error(`a frame of ${frame.length} bytes came back`);
    returned++;
    port.postMessage(Buffer.alloc(bytes, 1), []);
  });
  for (let i = 0; i < inFlight; i++) port.postMessage(Buffer.alloc(bytes, 1), []);
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await pass(warmMs);
  const [before, begin, used] = [returned, performance.now(), process.cpuUsage()];
  await pass(measuredMs);
  const frames = returned - before;
  const { user, system } = process.cpuUsage(used);
  return { per_s: (frames / (performance.now() - begin)) * 1_000, cpu_us: (user + system) / frames };
}

interface Listening {
  on(event: "message", listener: (frame: Uint8Array) => void): void;
}
