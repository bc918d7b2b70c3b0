import { connect, constants } from "node:http2";
import { fromBinary } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import { toPlain } from "../../gateway/contract/index.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context = { service: await startTestService() };
});

test.after.always((t) => t.context.service.close());

interface Case {
  readonly body: Buffer;
  readonly encoding?: string;
  readonly methods: readonly string[];
  readonly errorCode: string;
  /** For doors that answer with our own error text. */
  readonly detail?: (name: string) => string;
}

const all = ["Echo", "Count", "Sum", "Chat"];
const cases: Readonly<Record<string, Case>> = {
  "a message that is no gzip": {
    body: enveloped(Buffer.from("no gzip"), 1),
    encoding: "gzip",
    methods: all,
    errorCode: "INVALID_ARGUMENT",
  },
  "a message with an unknown compression": {
    body: enveloped(Buffer.from("packed"), 1),
    encoding: "zip",
    methods: all,
    errorCode: "UNIMPLEMENTED",
  },
  "a message of another type": {
    body: enveloped(Buffer.from([0xff, 0xff])),
    methods: all,
    errorCode: "INVALID_ARGUMENT",
    detail: (name) => `the body is not a service.probe.${name}Request`,
  },
  "a message that is too large": {
    body: enveloped(Buffer.alloc(limits.bodyBytesMax + 1)),
    methods: all,
    errorCode: "PAYLOAD_TOO_LARGE",
    detail: () => `at most ${limits.bodyBytesMax} bytes of body are taken`,
  },
  "no message where there must be one": {
    body: Buffer.alloc(0),
    methods: ["Echo", "Count"],
    errorCode: "UNIMPLEMENTED",
  },
  "a message too many": {
    body: Buffer.concat([enveloped(Buffer.from([8, 3])), enveloped(Buffer.from([8, 3]))]),
    methods: ["Count"],
    errorCode: "UNIMPLEMENTED",
  },
};

for (const [what, { body, encoding, methods, errorCode, detail }] of Object.entries(cases))
  test(`${what} is refused with the same code and its details by every door`, async (t) => {
    const { grpc, native } = t.context.service.ports;
    for (const name of methods)
      for (const [port, type] of [
        [grpc, "application/grpc"],
        [native, "application/grpc"],
        [native, "application/grpc-web+proto"],
        ...(name === "Echo" ? [] : [[native, "application/connect+proto"] as const]),
      ] as const) {
        const header = type.includes("grpc") ? "grpc-encoding" : "connect-content-encoding";
        const headers = { "content-type": type, ...(encoding && { [header]: encoding }) };
        const answer = await answerTo(port, name, headers, body);
        t.is(errorCodeOf(answer), errorCode, `${name} as ${type} on ${port}`);
        if (detail) t.is(errorIn(answer)?.rawMessage, detail(name), `${name} as ${type} on ${port}`);
        t.truthy(answer.headers.get("x-request-id"), `${name} as ${type} on ${port}`);
      }
  });

interface Answer {
  /** The headers and trailers of the answer. */
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Written by hand: no client sends such a request. */
async function answerTo(
  port: number,
  name: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Answer> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: `/service.probe.ProbeService/${name}`,
    te: "trailers",
    ...headers,
  });
  const told = new Headers();
  const note = (some: object) => {
    for (const [key, value] of Object.entries(some)) if (!key.startsWith(":")) told.set(key, String(value));
  };
  stream.on("response", note);
  stream.on("trailers", note);
  stream.end(body);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  session.destroy();
  return { headers: told, body: Buffer.concat(chunks) };
}

function errorCodeOf(answer: Answer): unknown {
  const info = errorIn(answer)?.details.find(
    (detail) => "type" in detail && detail.type === "google.rpc.ErrorInfo",
  );
  if (info === undefined || !("type" in info)) return undefined;
  const desc = probeContract.registry.getMessage(info.type)!;
  return (toPlain(desc, fromBinary(desc, info.value)) as { reason: string }).reason;
}

function errorIn({ headers, body }: Answer): ConnectError | undefined {
  if (body.length === 0) return findTrailerError(headers);
  const last = body.subarray(5);
  return body[0] === trailerFlag ? findTrailerError(trailerParse(last)) : endStreamFromJson(last).error;
}

function enveloped(message: Buffer, flags = 0): Buffer {
  const bytes = Buffer.alloc(5 + message.length);
  bytes[0] = flags;
  bytes.writeUInt32BE(message.length, 1);
  message.copy(bytes, 5);
  return bytes;
}
