import { connect } from "node:http2";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import anyTest, { type TestFn } from "ava";
import { fromPlain, toPlain } from "../../gateway/contract/index.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context = { service: await startTestService() };
});

test.after.always((t) => t.context.service.close());

const echo = probeContract.byName.get("ProbeService.Echo")!;
const count = probeContract.byName.get("ProbeService.Count")!;

/** Ways in which senders may split and pad base64. */
const spellings: Readonly<Record<string, (bytes: Buffer) => string>> = {
  "in one piece": (bytes) => bytes.toString("base64"),
  "with padding in the middle": (bytes) =>
    bytes.subarray(0, 7).toString("base64") + bytes.subarray(7).toString("base64"),
};

for (const [how, write] of Object.entries(spellings))
  test(`given a unary call of gRPC-Web in text mode ${how}, it is answered in text mode on every port`, async (t) => {
    const body = write(frame(echo.descriptor.input, { name: "ada", text: "ä€" }));
    const { uws, node, native, internal } = t.context.service.ports;
    for (const port of [uws, node, native, internal])
      for (const type of ["application/grpc-web-text", "application/grpc-web-text+proto"]) {
        const answer = await call(port, port === native || port === internal, echo.path, type, body);
        t.is(answer.type, "application/grpc-web-text+proto");
        const [first, last] = frames(answer.text);
        const message = toPlain(echo.descriptor.output, fromBinary(echo.descriptor.output, first!.bytes));
        t.like(message, { echo: { name: "ada", text: "ä€" } });
        t.is(last!.flags, 0x80);
        t.regex(last!.bytes.toString(), /grpc-status: ?0/);
      }
  });

test("given a stream of answers in text mode, every message arrives", async (t) => {
  const body = frame(count.descriptor.input, { up_to: 20 }).toString("base64");
  const answer = await call(
    t.context.service.ports.uws,
    false,
    count.path,
    "application/grpc-web-text",
    body,
  );
  const all = frames(answer.text);
  t.is(all.length, 21);
  t.regex(all[20]!.bytes.toString(), /grpc-status: ?0/);
});

test("given a refusal in text mode, it has its code and details in text mode", async (t) => {
  const body = frame(echo.descriptor.input, { name: "" }).toString("base64");
  const answer = await call(t.context.service.ports.uws, false, echo.path, "application/grpc-web-text", body);
  t.is(answer.type, "application/grpc-web-text+proto");
  const [last] = frames(answer.text);
  t.regex(last!.bytes.toString(), /grpc-status: ?3/);
  t.regex(last!.bytes.toString(), /grpc-status-details-bin/);
});

test("given a message in text mode of 3 MB, it is refused by its field, not by its base64", async (t) => {
  const body = frame(echo.descriptor.input, { name: "a", text: "x".repeat(3_000_000) }).toString("base64");
  const answer = await call(t.context.service.ports.uws, false, echo.path, "application/grpc-web-text", body);
  const [last] = frames(answer.text);
  t.regex(decodeURIComponent(last!.bytes.toString()), /text must have at most 4096 characters/);
});

for (const body of ["AAAA*AAA", "AAAAA", "====", "A===AAAA"])
  test(`given ${body} as a body in text mode, it is refused as invalid base64`, async (t) => {
    for (const { path } of [echo, count]) {
      const { uws } = t.context.service.ports;
      const answer = await call(uws, false, path, "application/grpc-web-text", body);
      const [last] = frames(answer.text);
      t.regex(last!.bytes.toString(), /grpc-status: ?3/);
      t.regex(decodeURIComponent(last!.bytes.toString()), /must be base64/);
    }
  });

function frame(desc: Parameters<typeof toBinary>[0], plain: object): Buffer {
  const message = toBinary(desc, fromPlain(desc, plain));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function frames(text: string): { flags: number; bytes: Buffer }[] {
  const bytes = Buffer.concat((text.match(/[^=]+/g) ?? []).map((part) => Buffer.from(part, "base64")));
  const found: { flags: number; bytes: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    found.push({ flags: bytes[at]!, bytes: bytes.subarray(at + 5, end) });
    at = end;
  }
  return found;
}

async function call(port: number, http2: boolean, path: string, type: string, body: string) {
  if (!http2) {
    const headers = { "content-type": type };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    return { type: answer.headers.get("content-type"), text: await answer.text() };
  }
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type });
  let answered: string | null = null;
  stream.on("response", (headers) => {
    answered = String(headers["content-type"]);
  });
  stream.end(body);
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  session.destroy();
  return { type: answered, text };
}
