import { limits } from "#base";
import { RawConnection } from "../http/raw.ts";
import { RawSocket } from "./raw-socket.ts";
import { adapters, newStream, test } from "./support.ts";

const path = "/api/streams/WorkflowStreamService/Subscribe";
const upgrade = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];
const get = (lines: readonly string[], line = `GET ${path} HTTP/1.1`) =>
  `${line}\r\n${["Host: localhost", ...lines].join("\r\n")}\r\n\r\n`;
const at = (target: string) => get(upgrade, `GET ${target} HTTP/1.1`);

/** The bad requests of the HTTP tests, as requests for a socket: none of them gets one. */
const handshakes: Readonly<Record<string, string>> = {
  "two Host": get(["Host: evil.test", ...upgrade]),
  "no Host": `GET ${path} HTTP/1.1\r\n${upgrade.join("\r\n")}\r\n\r\n`,
  "header over 8 KiB": get([...upgrade, `X-Large: ${"x".repeat(9_000)}`]),
  "headers over 16 KiB": get([
    ...upgrade,
    ...Array.from({ length: 6 }, (_, i) => `X-${i}: ${"x".repeat(3_000)}`),
  ]),
  "70 headers": get([...upgrade, ...Array.from({ length: 66 }, (_, i) => `X-${i}: 1`)]),
  "header without a colon": get([...upgrade, "nonsense"]),
  "header name with a space": get([...upgrade, "X Y: 1"]),
  "space before the colon": get([...upgrade, "X-Y : 1"]),
  "folded header": get([...upgrade, "X-Y: 1", " 2"]),
  "NUL in a header": get([...upgrade, "X-Y: a\0b"]),
  "two Authorization": get([...upgrade, "Authorization: Bearer a", "Authorization: Bearer b"]),
  "two X-Tenant-ID": get([...upgrade, "X-Tenant-ID: a", "X-Tenant-ID: b"]),
  "dot segments": at(`/api/../api${path.slice(4)}`),
  "encoded dot segments": at(`/api/%2e%2e${path}`),
  "double slash": at(`/${path}`),
  "encoded slash": at("/api/streams/WorkflowStreamService%2FSubscribe"),
  "encoded NUL": at(`${path}%00`),
  "bad UTF-8 in the path": at(`${path}%ff`),
  "a service with its package": at("/api/streams/service.api.WorkflowStreamService/Subscribe"),
  "a method in lower case": get(upgrade, `get ${path} HTTP/1.1`),
  POST: get([...upgrade, "Content-Length: 0"], `POST ${path} HTTP/1.1`),
  "HTTP/9.9": get(upgrade, `GET ${path} HTTP/9.9`),
  "no version": get(upgrade, `GET ${path}`),
  "no key": get(upgrade.slice(0, 3)),
};

/** Sent after the headers, as text. */
const messages: readonly string[] = [
  "",
  "null",
  '{"message": {}',
  '{"message": {},}',
  '\ufeff{"message": {}}',
  '{"message": NaN}',
  '{"message": {"run_id": 1}}',
  '{"message": {"run_id": "not a ulid"}}',
  '{"message": {"after_sequence": 1e999}}',
  '{"message": {"after_sequence": -1}}',
  '{"message": {"after_sequence": 1.5}}',
  '{"message": {"__proto__": {"run_id": "x"}}}',
  '{"message": {"run_id": "a", "run_id": "b"}}',
  '{"message": {"run_id": "\\ud800"}}',
  '{"message": {}, "end": true}',
  '{"credit": 64}',
  `{"message": ${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  `{"message": ${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
];

/** Sent after the headers, as bytes of service.v1.proto. */
const frames: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from([1]),
  Buffer.from([1, 0xff, 0xff, 0xff]),
  // A field whose length exceeds the frame.
  Buffer.from([1, 0x0a, 0x7f, 0x61]),
  // A group that never ends.
  Buffer.from([1, 0x0b]),
  Buffer.from([3]),
  Buffer.from([4, 0, 0, 0, 64]),
  Buffer.from([9, 1, 2, 3]),
  Buffer.from([0, 0x7b, 0x7d]),
];

for (const adapter of adapters) {
  for (const [what, bytes] of Object.entries(handshakes))
    test(`${adapter}: a request for a socket with ${what} gets none`, async (t) => {
      const connection = new RawConnection(t.context.service.ports[adapter]).write(bytes);
      const answer = await connection.answer({ waitMs: 1_500 });
      t.not(answer?.status, 101);
      if (answer !== undefined) t.true(answer.status >= 400 && answer.status <= 505, `${answer.status}`);
      connection.destroy();
    });

  test(`${adapter}: messages of the bad-input corpus are refused, each on its own socket`, async (t) => {
    const { port, append } = await newStream(t, adapter);
    for (const text of messages) {
      const socket = await RawSocket.open(port, path);
      t.teardown(() => socket.destroy());
      socket.text({ headers: {} });
      socket.send(1, text);
      const { frames: told, code } = await socket.rest();
      const { error } = JSON.parse(told.at(-1)!.data.toString()) as { error?: { errorCode: string } };
      t.is(error?.errorCode, "INVALID_ARGUMENT", text.slice(0, 60));
      t.is(code, 1000, text.slice(0, 60));
    }
    t.is((await append()).status, 200);
  });

  test(`${adapter}: binary frames of the bad-input corpus are refused, each on its own socket`, async (t) => {
    const { port, append } = await newStream(t, adapter);
    for (const bytes of frames) {
      const socket = await RawSocket.open(port, path, { "Sec-WebSocket-Protocol": "service.v1.proto" });
      t.teardown(() => socket.destroy());
      socket.send(2, Buffer.from("\0{}"));
      socket.send(2, bytes);
      const { frames: told, code } = await socket.rest();
      t.is(told.at(-1)!.data[0], 3, bytes.toString("hex"));
      t.is(code, 1000, bytes.toString("hex"));
    }
    t.is((await append()).status, 200);
  });

  test(`${adapter}: headers of the first frame that no request could carry are refused`, async (t) => {
    const { port } = await newStream(t, adapter);
    const given: readonly object[] = [
      { "x-request-id": "a\r\nb" },
      { "x-request-id": "\0" },
      { "x-request-id": "x".repeat(limits.headerBytesMax + 1) },
      Object.fromEntries(Array.from({ length: limits.headerCountMax + 1 }, (_, i) => [`x-${i}`, "1"])),
      { "x-tenant-id": ["a"] },
      { "x-tenant-id": null },
    ];
    for (const headers of given) {
      const socket = await RawSocket.open(port, path);
      t.teardown(() => socket.destroy());
      socket.text({ headers });
      const { frames: told, code } = await socket.rest();
      t.regex(told.at(-1)!.data.toString(), /INVALID_ARGUMENT/, JSON.stringify(headers).slice(0, 60));
      t.is(code, 1000);
    }
  });
}
