import { connect } from "node:http2";
import test from "ava";
import { limits } from "#base";
import { RequestBody } from "../../gateway/http/body.ts";
import { HeldBytes } from "../../gateway/http/bounds.ts";
import { RawConnection } from "../http/raw.ts";
import { eventually } from "../support/eventually.ts";
import { testProviders } from "./support/auth.ts";
import { probeContract, startTestService } from "./support/service.ts";

/** Bodies of every protocol on every listener: what reaches a reader of them, and what is held of those that are refused. */

const requests = new HeldBytes(limits.requestMemoryMax);
const service = await startTestService({
  settings: { authEnabled: true },
  providers: testProviders,
  bounds: { requests },
});
test.after.always(() => service.close());

/** Pieces that a door takes one by one, each at the price of a promise. */
let taken = 0;
/** Bodies that a door has begun to read. */
let reads = 0;
const { pieces, readBody } = RequestBody.prototype;
RequestBody.prototype.readBody = function (...given) {
  reads++;
  readBody.apply(this, given);
};
RequestBody.prototype.pieces = async function* (patient) {
  reads++;
  for await (const piece of pieces.call(this, patient)) {
    taken++;
    yield piece;
  }
};

const webTypes = ["application/grpc-web+proto", "application/grpc-web-text"];
const unaryTypes = ["application/json", "application/proto", ...webTypes];
const streamTypes = ["application/connect+json", "application/connect+proto", ...webTypes];
const methods = ["Echo", "Count", "Sum", "Chat"].map(
  (name) => probeContract.byName.get(`ProbeService.${name}`)!,
);

interface Sent {
  readonly port: number;
  readonly path: string;
  readonly type: string;
  readonly token: string;
  /** Bytes of a large message, in pieces of one; it is never completed. */
  readonly count: number;
}

const listeners = ["uws", "node", "native", "internal", "grpc"] as const;

for (const { kind, path } of methods) {
  const doors = listeners.flatMap((listener) => typesOf(kind, listener).map((type) => ({ listener, type })));

  for (const { listener, type } of doors)
    test.serial(
      `${listener}, ${type}, ${kind}: a message in pieces of one byte is refused after about ${limits.piecesMax} of them`,
      async (t) => {
        taken = 0;
        const answer = await send(listener, { path, type, token: "admin", count: 4 * limits.piecesMax });
        // grpc-js has no other answer to a message that it has not seen.
        t.regex(answer, listener === "grpc" ? /ENHANCE_YOUR_CALM/ : /send(%20| )larger/);
        t.true(taken <= 2 * limits.piecesMax, `${taken} pieces were taken one by one`);
        await eventually("nothing is held", () => requests.bytes === 0 || undefined);
      },
    );

  test.serial(
    `${kind}: on every door a caller without the permission is told so, its body is not read and nothing of it is held`,
    async (t) => {
      reads = 0;
      const answers = doors.map(({ listener, type }) =>
        send(listener, { path, type, token: "stranger", count: 10 }),
      );
      for (const answer of await Promise.all(answers))
        t.regex(answer, /PERMISSION_DENIED|permission_denied|grpc-status: ?7/);
      t.is(reads, 0);
      await eventually("nothing is held", () => requests.bytes === 0 || undefined);
    },
  );
}

function send(listener: (typeof listeners)[number], sent: Omit<Sent, "port">): Promise<string> {
  const port = service.ports[listener];
  return listener === "uws" || listener === "node"
    ? overHttp1({ ...sent, port })
    : overHttp2({ ...sent, port });
}

function typesOf(kind: string, listener: string): readonly string[] {
  if (listener === "grpc") return ["application/grpc"];
  // Both ways at once needs HTTP/2.
  if (kind === "bidi_streaming" && (listener === "uws" || listener === "node")) return [];
  const types = kind === "unary" ? unaryTypes : streamTypes;
  return listener === "uws" || listener === "node" ? types : ["application/grpc", ...types];
}

/** The head of a message of 4 MB and then its text, in the framing of the protocol. */
function messageOf({ type, count }: Sent): Buffer {
  const text = Buffer.alloc(count, " ");
  if (type === "application/json" || type === "application/proto") return text;
  const body = Buffer.concat([Buffer.from([0, 0, 0x3f, 0, 0]), text]);
  return type === "application/grpc-web-text" ? Buffer.from(body.toString("base64")) : body;
}

async function overHttp1(sent: Sent): Promise<string> {
  const connection = new RawConnection(sent.port);
  const lines = [
    `POST ${sent.path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${sent.token}`,
    `Content-Type: ${sent.type}`,
    "Transfer-Encoding: chunked",
  ];
  const chunks = Array.from(messageOf(sent), (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`);
  connection.write(`${lines.join("\r\n")}\r\n\r\n${chunks.join("")}`);
  await eventually("the connection is closed", async () => (await connection.ended(1_000)) || undefined);
  const rest = connection.rest;
  return sent.type === "application/grpc-web-text" ? rest + decoded(rest) : rest;
}

/** Of an answer in chunks, each of them padded. */
function decoded(answer: string): string {
  return (answer.match(/[A-Za-z0-9+/]{20,}={0,2}/g) ?? [])
    .map((text) => Buffer.from(text, "base64").toString("latin1"))
    .join("");
}

async function overHttp2(sent: Sent): Promise<string> {
  const session = connect(`http://127.0.0.1:${sent.port}`);
  const stream = session.request({
    ":method": "POST",
    ":path": sent.path,
    "content-type": sent.type,
    authorization: `Bearer ${sent.token}`,
    te: "trailers",
  });
  let answer = "";
  const hear = (headers: object) => {
    for (const [name, value] of Object.entries(headers))
      answer += `${name}: ${decodeURIComponent(String(value))}\n`;
  };
  stream.on("response", hear);
  stream.on("trailers", hear);
  stream.on("data", (chunk: Buffer) => {
    answer +=
      sent.type === "application/grpc-web-text" ? decoded(chunk.toString()) : chunk.toString("latin1");
  });
  stream.on("error", (error) => {
    answer += error.message;
  });
  const closed = new Promise((resolve) => {
    stream.on("end", resolve);
    stream.on("close", resolve);
  });
  // One by one: what is written together goes out in one frame.
  for (const byte of messageOf(sent)) {
    if (stream.destroyed) break;
    await Promise.race([closed, new Promise((resolve) => stream.write(Buffer.from([byte]), resolve))]);
  }
  // grpc-js answers a unary call at the end of its messages.
  if (!stream.destroyed && sent.type === "application/grpc") stream.end();
  await closed;
  session.destroy();
  return answer;
}
