import test, { type ExecutionContext } from "ava";
import { listenNative } from "../../gateway/rpc/native.ts";
import { startTestService, type TestService } from "../contract/support/service.ts";
import { testBounds } from "../support/bounds.ts";
import { block, FrameConnection, flags, frame, preface, types } from "./frames.ts";

/**
 * connection: GOAWAY with an error, or the end of the connection. stream: the stream is reset with an error and not
 * answered, and the connection goes on (or is ended: RFC 9113, 5.4.1 allows that for every error). served: the stream
 * is answered.
 */
type Outcome = "connection" | "stream" | "served";

const { data, headers, priority, reset, settings, push, ping, goaway, window, continuation } = types;
const { endStream, endHeaders, padded, ack } = flags;

type Fields = readonly (readonly [string, string])[];
const pseudo: Fields = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/grpc.health.v1.Health/Check"],
  [":authority", "localhost"],
];
const regular: Fields = [
  ["content-type", "application/grpc"],
  ["te", "trailers"],
];
const fields: Fields = [...pseudo, ...regular];
/** An empty gRPC message. */
const message = Buffer.alloc(5);
const without = (name: string) => fields.filter(([field]) => field !== name);

/** A complete request on a stream: its headers and its only message. */
function request(stream: number, given: Fields = fields, body: Uint8Array = message): Buffer {
  return Buffer.concat([head(stream, given), frame(data, stream, body, { flags: endStream })]);
}

function head(stream: number, given: Fields = fields, more: number = endHeaders): Buffer {
  return frame(headers, stream, block(given), { flags: more });
}

/** With one more field after the others. */
const plus = (name: string, value: string) => request(1, [...fields, [name, value]]);
const number = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
const setting = (id: number, value: number) =>
  frame(settings, 0, Buffer.concat([Buffer.from([0, id]), number(value)]));
const last = endHeaders | endStream;

/** By name: the frames after preface and SETTINGS, and the expected result on stream 1. */
const table: Readonly<Record<string, readonly [Buffer, Outcome]>> = {
  "a request": [request(1), "served"],
  "a request in a padded frame": [
    Buffer.concat([head(1), frame(data, 1, [3, ...message, 0, 0, 0], { flags: endStream | padded })]),
    "served",
  ],
  "a head in several frames": [
    Buffer.concat([
      frame(headers, 1, block(pseudo)),
      frame(continuation, 1, block(regular), { flags: endHeaders }),
      frame(data, 1, message, { flags: endStream }),
    ]),
    "served",
  ],
  "an unknown type of frame on the connection": [
    Buffer.concat([frame(0x77, 0, [1, 2, 3]), request(1)]),
    "served",
  ],
  "an unknown type of frame on a stream": [
    Buffer.concat([head(1), frame(0x77, 1, [1]), frame(data, 1, message, { flags: endStream })]),
    "served",
  ],
  "an unknown setting": [Buffer.concat([setting(0x99, 7), request(1)]), "served"],
  "a PING with eight bytes": [Buffer.concat([frame(ping, 0, Buffer.alloc(8)), request(1)]), "served"],
  "a GOAWAY behind a request": [Buffer.concat([request(1), frame(goaway, 0, Buffer.alloc(8))]), "served"],
  "a PRIORITY": [Buffer.concat([frame(priority, 1, [0, 0, 0, 0, 5]), request(1)]), "served"],

  "a frame over SETTINGS_MAX_FRAME_SIZE: DATA": [
    Buffer.concat([head(1), frame(data, 1, Buffer.alloc(16_385))]),
    "connection",
  ],
  "a frame over SETTINGS_MAX_FRAME_SIZE: HEADERS": [
    frame(headers, 1, Buffer.alloc(16_385), { flags: last }),
    "connection",
  ],
  "a frame over SETTINGS_MAX_FRAME_SIZE: of an unknown type": [
    frame(0x77, 0, Buffer.alloc(16_385)),
    "connection",
  ],
  "a frame that says 16 MiB": [frame(settings, 0, [], { length: 0xffffff }), "connection"],
  "DATA on stream 0": [frame(data, 0, message), "connection"],
  "HEADERS on stream 0": [head(0), "connection"],
  "HEADERS on an even stream": [request(2), "connection"],
  "DATA on an idle stream": [frame(data, 1, message), "connection"],
  "DATA behind the end of the stream": [
    Buffer.concat([request(1), frame(data, 1, message), frame(data, 1, message)]),
    "stream",
  ],
  "CONTINUATION without HEADERS": [
    frame(continuation, 1, block(fields), { flags: endHeaders }),
    "connection",
  ],
  "another frame between HEADERS and CONTINUATION": [
    Buffer.concat([frame(headers, 1, block(pseudo)), frame(ping, 0, Buffer.alloc(8))]),
    "connection",
  ],
  "CONTINUATION of another stream": [
    Buffer.concat([
      frame(headers, 1, block(pseudo)),
      frame(continuation, 3, block(regular), { flags: last }),
    ]),
    "connection",
  ],
  "PUSH_PROMISE of a client": [
    frame(push, 1, Buffer.concat([number(2), block(fields)]), { flags: endHeaders }),
    "connection",
  ],
  "padding longer than DATA": [
    Buffer.concat([head(1), frame(data, 1, [9, 0, 0], { flags: endStream | padded })]),
    "connection",
  ],
  "padding longer than HEADERS": [frame(headers, 1, [200, 0], { flags: last | padded }), "connection"],
  "padding in an empty frame": [
    Buffer.concat([head(1), frame(data, 1, [], { flags: padded })]),
    "connection",
  ],
  "an index of HPACK that is not there": [frame(headers, 1, [0xff, 0x40], { flags: last }), "connection"],
  "the index 0 of HPACK": [frame(headers, 1, [0x80], { flags: last }), "connection"],
  "a field of HPACK that is cut off": [frame(headers, 1, [0, 20, 97], { flags: last }), "connection"],
  "a table size of HPACK over the setting": [
    frame(headers, 1, [0x3f, 0xe2, 0xff, 0x03], { flags: last }),
    "connection",
  ],

  "SETTINGS with five bytes": [frame(settings, 0, Buffer.alloc(5)), "connection"],
  "SETTINGS on a stream": [frame(settings, 1), "connection"],
  "SETTINGS with an ACK and a payload": [
    frame(settings, 0, [0, 3, 0, 0, 0, 100], { flags: ack }),
    "connection",
  ],
  "SETTINGS_ENABLE_PUSH of 2": [setting(2, 2), "connection"],
  "SETTINGS_INITIAL_WINDOW_SIZE over 2^31-1": [setting(4, 0x8000_0000), "connection"],
  "SETTINGS_MAX_FRAME_SIZE under 16 KiB": [setting(5, 100), "connection"],
  "SETTINGS_MAX_FRAME_SIZE over 16 MiB": [setting(5, 0x100_0000), "connection"],
  "PING with seven bytes": [frame(ping, 0, Buffer.alloc(7)), "connection"],
  "PING on a stream": [frame(ping, 1, Buffer.alloc(8)), "connection"],
  "GOAWAY with seven bytes": [frame(goaway, 0, Buffer.alloc(7)), "connection"],
  "GOAWAY on a stream": [frame(goaway, 1, Buffer.alloc(8)), "connection"],
  "WINDOW_UPDATE of 0 on the connection": [frame(window, 0, number(0)), "connection"],
  "WINDOW_UPDATE of 0 on a stream": [Buffer.concat([head(1), frame(window, 1, number(0))]), "stream"],
  "WINDOW_UPDATE with three bytes": [frame(window, 0, [0, 0, 1]), "connection"],
  "WINDOW_UPDATE on an idle stream": [frame(window, 1, number(1)), "connection"],
  "a window of the connection over 2^31-1": [frame(window, 0, number(0x7fff_ffff)), "connection"],
  "a window of a stream over 2^31-1": [
    Buffer.concat([head(1), frame(window, 1, number(0x7fff_ffff))]),
    "stream",
  ],
  "RST_STREAM on an idle stream": [frame(reset, 1, number(8)), "connection"],
  "RST_STREAM on stream 0": [frame(reset, 0, number(8)), "connection"],
  "RST_STREAM with three bytes": [Buffer.concat([head(1), frame(reset, 1, [0, 0, 8])]), "connection"],
  "PRIORITY with four bytes": [Buffer.concat([head(1), frame(priority, 1, [0, 0, 0, 0])]), "stream"],
  "PRIORITY on stream 0": [frame(priority, 0, [0, 0, 0, 1, 5]), "connection"],

  "a name in upper case": [plus("X-A", "b"), "stream"],
  // RFC 9113, 8.2.1 calls these malformed. nghttp2 drops such a field without telling Node: see the test below.
  "a name with a space": [plus("x a", "b"), "served"],
  "an empty name": [plus("", "b"), "served"],
  "a value with a line break": [plus("x-a", "b\r\nx-c: d"), "served"],
  "a value with a NUL": [plus("x-a", "b\0c"), "served"],
  "the header connection": [plus("connection", "close"), "stream"],
  "the header keep-alive": [plus("keep-alive", "timeout=5"), "stream"],
  "the header proxy-connection": [plus("proxy-connection", "close"), "stream"],
  "the header transfer-encoding": [plus("transfer-encoding", "chunked"), "stream"],
  "the header upgrade": [plus("upgrade", "h2c"), "stream"],
  "the header te with more than trailers": [request(1, [...without("te"), ["te", "gzip"]]), "stream"],
  "no :method": [request(1, without(":method")), "stream"],
  "no :scheme": [request(1, without(":scheme")), "stream"],
  "no :path": [request(1, without(":path")), "stream"],
  "an empty :path": [request(1, [...without(":path").slice(0, 3), [":path", ""], ...regular]), "stream"],
  "two :method": [request(1, [[":method", "POST"], ...fields]), "stream"],
  "two :path": [request(1, [[":path", "/other"], ...fields]), "stream"],
  "two :authority": [request(1, [[":authority", "other"], ...fields]), "stream"],
  "a pseudo header behind a regular one": [request(1, [...without(":path"), pseudo[2]!]), "stream"],
  "an unknown pseudo header": [request(1, [[":colour", "red"], ...fields]), "stream"],
  "the pseudo header of an answer": [request(1, [[":status", "200"], ...fields]), "stream"],
  "a pseudo header in trailers": [
    Buffer.concat([head(1), frame(data, 1, message), head(1, [[":method", "GET"]], last)]),
    "stream",
  ],
  "trailers that do not end the stream": [
    Buffer.concat([head(1), frame(data, 1, message), head(1, [["x-a", "b"]])]),
    "stream",
  ],
  "a content-length over the body": [plus("content-length", "6"), "stream"],
  "a content-length under the body": [plus("content-length", "4"), "stream"],
  "a content-length without a body": [head(1, [...fields, ["content-length", "5"]], last), "stream"],
  "two content-lengths": [
    request(1, [...fields, ["content-length", "5"], ["content-length", "5"]]),
    "stream",
  ],
  "a content-length that is no number": [plus("content-length", "five"), "stream"],
};

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service.close());

const ports = ["grpc", "native", "internal"] as const;
type Port = (typeof ports)[number];

for (const port of ports) {
  for (const [what, [bytes, outcome]] of Object.entries(table))
    test(`${port}: ${what}: ${outcome}`, async (t) => {
      const connection = await open(port);
      connection.write(bytes);
      await look(t, connection, outcome);
      connection.destroy();
      await probe(t, port);
    });

  test(`${port}: a broken preface ends the connection`, async (t) => {
    for (const bytes of [preface.replace("SM", "XX"), `${preface}GET / HTTP/1.1\r\n\r\n`]) {
      const connection = new FrameConnection(service.ports[port]).write(bytes);
      t.true(await connection.until(() => hasFailed(connection)));
      connection.destroy();
    }
    await probe(t, port);
  });

  test(`${port}: a first frame that is not SETTINGS ends the connection`, async (t) => {
    const connection = new FrameConnection(service.ports[port]).write(preface).write(request(1));
    t.true(await connection.until(() => hasFailed(connection)));
    t.false(isAnswered(connection, 1));
    connection.destroy();
    await probe(t, port);
  });

  // A stream id that was used or skipped may be a race with our own reset, so nghttp2 ignores such headers.
  test(`${port}: headers on a stream that has ended are not served`, async (t) => {
    for (const id of [3, 5]) {
      const connection = await open(port);
      connection.write(request(5));
      t.true(await connection.until(() => hasEnded(connection, 5)));
      const before = connection.frames.length;
      connection.write(request(id)).write(frame(ping, 0, Buffer.alloc(8, 7)));
      t.true(await connection.until(() => hasFailed(connection) || isPinged(connection, 7)));
      const answers = connection.frames.slice(before).filter(({ type }) => type === headers || type === data);
      t.deepEqual(answers, [], `stream ${id}`);
      connection.destroy();
    }
    await probe(t, port);
  });
}

test("native: a field with a forbidden name or value is dropped, and the fields around it are kept", async (t) => {
  const seen: string[][] = [];
  const server = await listenNative({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: 1_024,
    bodyTimeoutMs: 60_000,
    handler: ({ headers: table }) => {
      seen.push([...table.entries()].map(([name]) => name));
      return { status: 200, headers: [] };
    },
    refuse: () => ({ status: 400, headers: [] }),
    onError: (error) => t.fail(String(error)),
  });
  t.teardown(() => server.close());
  for (const [name, value] of [
    ["x a", "b"],
    ["", "b"],
    ["x-a", "b\r\nx-c: d"],
    ["x-a", "b\0c"],
  ] as const) {
    const connection = new FrameConnection(server.port).write(preface).write(frame(settings, 0));
    connection.write(request(1, [...pseudo, ["x-first", "1"], [name, value], ["x-last", "2"]]));
    await connection.until(() => isAnswered(connection, 1));
    connection.destroy();
  }
  t.deepEqual(
    seen,
    Array.from({ length: 4 }, () => ["host", "x-first", "x-last"]),
  );
});

/** Preface and SETTINGS have been exchanged. */
async function open(port: Port): Promise<FrameConnection> {
  const connection = new FrameConnection(service.ports[port]).write(preface).write(frame(settings, 0));
  await connection.until(() => connection.frames.some(({ type }) => type === settings));
  return connection.write(frame(settings, 0, [], { flags: ack }));
}

async function look(t: ExecutionContext, connection: FrameConnection, outcome: Outcome): Promise<void> {
  const told = () =>
    connection.frames.map(({ type, stream, payload }) => [type, stream, payload.toString("hex")]);
  switch (outcome) {
    case "connection":
      t.true(await connection.until(() => hasFailed(connection)));
      t.true(hasFailed(connection), JSON.stringify(told()));
      t.false(isAnswered(connection, 1), "the request is not served");
      return;
    case "served":
      t.true(await connection.until(() => isAnswered(connection, 1)));
      t.true(isAnswered(connection, 1), JSON.stringify(told()));
      return;
    case "stream":
      await connection.until(
        () => hasFailed(connection) || isReset(connection, 1) || isAnswered(connection, 1),
      );
      t.true(hasFailed(connection) || isReset(connection, 1), JSON.stringify(told()));
      if (hasFailed(connection)) return;
      connection.write(request(3));
      await connection.until(() => isAnswered(connection, 3));
      t.true(isAnswered(connection, 3), "the connection goes on");
      return;
  }
}

/** Another connection is served as if nothing had happened. */
async function probe(t: ExecutionContext, port: Port): Promise<void> {
  const connection = await open(port);
  connection.write(request(1));
  await connection.until(() => isAnswered(connection, 1));
  t.true(isAnswered(connection, 1), "the process lives");
  connection.destroy();
}

function isAnswered({ frames }: FrameConnection, id: number): boolean {
  return frames.some(({ type, stream }) => type === headers && stream === id);
}

function hasEnded({ frames }: FrameConnection, id: number): boolean {
  return frames.some(
    ({ type, stream, flags: set }) =>
      stream === id && (type === reset || (type <= headers && (set & endStream) !== 0)),
  );
}

function isReset({ frames }: FrameConnection, id: number): boolean {
  return frames.some(
    ({ type, stream, payload }) => type === reset && stream === id && payload.readUInt32BE() !== 0,
  );
}

function isPinged({ frames }: FrameConnection, byte: number): boolean {
  return frames.some(({ type, payload }) => type === ping && payload[0] === byte);
}

function hasFailed({ closed, frames }: FrameConnection): boolean {
  return closed || frames.some(({ type, payload }) => type === goaway && payload.readUInt32BE(4) !== 0);
}
