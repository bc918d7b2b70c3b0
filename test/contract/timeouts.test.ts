import { connect, constants } from "node:http2";
import { fromBinary } from "@bufbuild/protobuf";
import anyTest, { type ExecutionContext, type TestFn } from "ava";
import { limits } from "#base";
import { type ContractMethod, toPlain } from "../../gateway/contract/index.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context = { service: await startTestService() };
});

test.after.always((t) => t.context.service.close());

// Longer than a Node timer can be (24.8 days) and than 32 bits of milliseconds, by a little and by a lot.
for (const timeout of ["600H", "1200H", "99999999S", "99999999H"])
  for (const port of ["grpc", "native"] as const)
    test(`a timeout of ${timeout} does not end the call early on the ${port} door`, async (t) => {
      const poll = await grpcUnary(t, port, timeout, "Poll");
      t.like(poll, { status: "0", message: { left_ms: limits.requestTimeoutMsMax } });
      t.like(await grpcUnary(t, port, timeout, "Wait"), { status: "0" });
    });

for (const protocol of ["application/connect+json", "application/grpc-web+proto"])
  test(`a long timeout does not end the call early where connect-es reads it: ${protocol}`, async (t) => {
    const json = protocol.endsWith("json");
    const response = await fetch(`http://127.0.0.1:${t.context.service.ports.uws}${method("Count").path}`, {
      method: "POST",
      headers: { "content-type": protocol, "connect-timeout-ms": "9999999999", "grpc-timeout": "99999999H" },
      body: enveloped(json ? Buffer.from('{"up_to":3}') : upTo3),
    });
    const text = await response.text();
    t.is(response.status, 200);
    t.notRegex(text, /deadline|grpc-status: *4/i);
  });

test("a long timeout does not end the call early in REST and unary Connect", async (t) => {
  for (const path of ["/api/probe/poll", method("Poll").path]) {
    const response = await fetch(`http://127.0.0.1:${t.context.service.ports.uws}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-timeout-ms": "9999999999" },
      body: "{}",
    });
    t.regex(await response.text(), new RegExp(`"left_?[mM]s": ?"?${limits.requestTimeoutMsMax}\\b`), path);
  }
});

for (const port of ["grpc", "native"] as const)
  test(`a stream that its client does not read is ended after its deadline, and counted as such: ${port}`, async (t) => {
    let ended!: (code: string) => void;
    const end = new Promise<string>((resolve) => {
      ended = resolve;
    });
    const service = await startTestService({ telemetry: { callEnded: (_call, { code }) => ended(code) } });
    const session = connect(`http://127.0.0.1:${service.ports[port]}`);
    session.on("error", () => undefined);
    t.teardown(async () => {
      session.destroy();
      await service.close();
    });
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: method("Count").path,
      "content-type": "application/grpc",
      "grpc-timeout": "4S",
      te: "trailers",
    });
    stream.on("error", () => undefined);
    // Up to 100,000: more than a connection buffers for a client that does not read.
    stream.end(enveloped(Buffer.from([8, 0xa0, 0x8d, 6])));
    t.is(await end, "TIMEOUT");
  });

/** Field 1 is 3. */
const upTo3 = Buffer.from([8, 3]);

function method(name: string): ContractMethod {
  return probeContract.methods.find((one) => one.name === `ProbeService.${name}`)!;
}

function enveloped(message: Buffer): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(5 + message.length);
  bytes.writeUInt32BE(message.length, 1);
  message.copy(bytes, 5);
  return bytes;
}

/** Written by hand: clients have their own timers and format the header themselves. */
function grpcUnary(
  t: ExecutionContext<{ service: TestService }>,
  port: "grpc" | "native",
  timeout: string,
  name: "Poll" | "Wait",
): Promise<{ status: unknown; message: unknown }> {
  const session = connect(`http://127.0.0.1:${t.context.service.ports[port]}`);
  t.teardown(() => session.close());
  const { path, descriptor } = method(name);
  return new Promise((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: path,
      "content-type": "application/grpc",
      "grpc-timeout": timeout,
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    let status: unknown;
    const note = (headers: Record<string, unknown>) => {
      status ??= headers["grpc-status"];
    };
    stream.on("response", note);
    stream.on("trailers", note);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => {
      const bytes = Buffer.concat(chunks).subarray(5);
      resolve({ status, message: toPlain(descriptor.output, fromBinary(descriptor.output, bytes)) });
    });
    // Waits for 100 ms or, if polled, not at all; then answers with the time it had left.
    stream.end(enveloped(name === "Wait" ? Buffer.from([8, 100]) : Buffer.alloc(0)));
  });
}
