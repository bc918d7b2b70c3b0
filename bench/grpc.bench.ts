// What does the pipeline cost a gRPC call, against a grpc-js server that only decodes the message and sends it back?

import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServiceDefinition, type sendUnaryData } from "@grpc/grpc-js";
import { limits } from "#base";
import { fromPlain } from "../gateway/contract/index.ts";
import { listenGrpc } from "../gateway/rpc/grpc.ts";
import { testBounds } from "../test/support/bounds.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { echoInvoker, echoMessage, probeContract } from "./support/echo-pipeline.ts";
import { loadGrpc } from "./support/grpc-load.ts";

const contract = probeContract();
const echo = contract.byName.get("ProbeService.Echo")!;
const { input } = echo.descriptor;
const request = Buffer.from(toBinary(input, fromPlain(input, echoMessage)));
const load = {
  connections: 4,
  callsPerConnection: 16,
  warmCalls: 20_000,
  calls: 30_000,
  path: echo.path,
  messageBase64: request.toString("base64"),
  answerBytesMin: request.length,
};

export default defineBench({
  question:
    "How many gRPC calls with a validated 1 KiB message pass the whole pipeline, against a bare grpc-js echo?",
  contenders: { pipeline, bare },
  bars: [
    { figure: "per_s", contender: "pipeline", against: "bare", atLeast: 0.8 },
    { figure: "server_cpu_us", contender: "pipeline", against: "bare", atMost: 1.25 },
  ],
});

async function pipeline(): Promise<Stats> {
  const server = await listenGrpc({
    invoker: echoInvoker(contract),
    host: "127.0.0.1",
    port: 0,
    messageBytesMax: limits.bodyBytesMax,
    bounds: testBounds(),
  });
  const stats = await loadGrpc({ ...load, port: server.port });
  await server.close();
  return stats;
}

/** Decodes the same bytes and encodes the same message; there is no authentication and no validation. */
async function bare(): Promise<Stats> {
  const server = new Server();
  const definition: ServiceDefinition = {
    Echo: {
      path: echo.path,
      requestStream: false,
      responseStream: false,
      requestSerialize: (value: Buffer) => value,
      responseDeserialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => fromBinary(input, bytes),
      responseSerialize: (value: Message) => Buffer.from(toBinary(input, value)),
    },
  };
  server.addService(definition, {
    Echo: (call: { request: unknown }, callback: sendUnaryData<unknown>) => callback(null, call.request),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const stats = await loadGrpc({ ...load, port });
  server.forceShutdown();
  return stats;
}
