import type { ExecutionContext } from "ava";
import { limits } from "#base";
import type { TestService } from "../contract/support/service.ts";
import { RawSocket } from "./raw-socket.ts";
import { adapters, newStream, test } from "./support.ts";

const path = "/api/streams/WorkflowStreamService/Subscribe";

async function open(
  t: ExecutionContext<{ service: TestService }>,
  adapter: (typeof adapters)[number],
  headers: Record<string, string> = {},
  at = path,
) {
  const socket = await RawSocket.open(t.context.service.ports[adapter], at, headers);
  t.teardown(() => socket.destroy());
  return socket;
}

const jsonOf = ({ data }: { data: Buffer }) =>
  JSON.parse(data.toString()) as Record<string, Record<string, unknown>>;

for (const adapter of adapters) {
  test(`${adapter}: a socket gets its credit, the records of its stream and the end, and is closed with 1000`, async (t) => {
    const { runId, id, path: stream, call, append } = await newStream(t, adapter);
    await append(2);
    await call("POST", `${stream}/close`, {});
    const socket = await open(t, adapter);
    t.is(socket.status, 101);
    t.notRegex(socket.head, /permessage-deflate/i);
    socket.text({ headers: {} });
    socket.text({ message: { run_id: runId, stream_id: id } });
    const { frames, code } = await socket.rest();
    const [credit, ...others] = frames.map(jsonOf);
    t.deepEqual(credit, { credit: limits.socketCredit } as never);
    t.like(others[0], { message: { record: { sequence: 1 } } });
    t.like(others[1], { message: { record: { sequence: 2 } } });
    t.like(others[2], { message: { end: { latest_sequence: 2 } } });
    t.deepEqual(others[3], { end: {} });
    t.is(code, 1000);
  });

  test(`${adapter}: a refused call gets the problem, and the socket is closed with 1000`, async (t) => {
    const { runId, id } = await newStream(t, adapter);
    const socket = await open(t, adapter);
    socket.text({ headers: {} });
    socket.text({ message: { run_id: runId, stream_id: id, after_sequence: 9 } });
    const { frames, code } = await socket.rest();
    t.like(jsonOf(frames.at(-1)!).error, { errorCode: "INVALID_ARGUMENT", status: 400, latest_sequence: 0 });
    t.is(code, 1000);
  });

  test(`${adapter}: an invalid frame, or one in the wrong order, gets a problem`, async (t) => {
    const first: readonly string[] = [
      "no json",
      "[]",
      '{"message": {}}',
      '{"headers": 1}',
      '{"headers": {}, "message": {}}',
      '{"headers": {"x-tenant-id": 1}}',
      '{"headers": {"x-request-id": "a", "X-Request-ID": "b"}}',
      '{"headers": {}, "headers": {}}',
    ];
    for (const text of first) {
      const socket = await open(t, adapter);
      socket.send(1, text);
      const { frames, code } = await socket.rest();
      t.like(jsonOf(frames.at(-1)!).error, { errorCode: "INVALID_ARGUMENT" }, text);
      t.is(code, 1000, text);
    }
    for (const then of ['{"headers": {}}', '{"end": 1}', '{"message": {"unknown": 1}}', '{"message": 1}']) {
      const socket = await open(t, adapter);
      socket.text({ headers: {} });
      socket.send(1, then);
      const { frames } = await socket.rest();
      t.like(jsonOf(frames.at(-1)!).error, { errorCode: "INVALID_ARGUMENT" }, then);
    }
  });

  test(`${adapter}: a message that breaks the contract is refused alone; a frame that cannot be read ends the call, behind what came before`, async (t) => {
    const { call } = await newStream(t, adapter);
    const { id: pool_id } = (await call("POST", "/api/pools", { name: "p" })).data as { id: string };
    const recipient = await call("POST", `/api/pools/${pool_id}/recipients`, { name: "r" });
    for (const unreadable of ["no json", "[]", '{"message": {}, "end": true}', '{"headers": {}}']) {
      const socket = await open(t, adapter, {}, "/api/streams/QueueService/Work");
      socket.text({ headers: {} });
      socket.text({ message: { hello: { pool_id, recipient_id: recipient.data.id } } });
      socket.text({ message: { credit: { items: "many" } } });
      const settlement = { queue_item_id: pool_id, lease_token: "t", outcome: "complete" };
      socket.text({ message: { settle: { settlements: [settlement] } } });
      socket.send(1, unreadable);
      const { frames, code } = await socket.rest();
      const [, refused, settled, error, ...more] = frames.map(jsonOf);
      t.like(refused, { message: { refused: { error: { error_code: "INVALID_ARGUMENT" } } } }, unreadable);
      t.like(settled, { message: { settled: { results: [{ queue_item_id: pool_id }] } } }, unreadable);
      t.like(error, { error: { errorCode: "INVALID_ARGUMENT" } }, unreadable);
      t.deepEqual([more, code], [[], 1000], unreadable);
    }
  });

  test(`${adapter}: the headers of the upgrade request are used, and a frame that contradicts them is refused`, async (t) => {
    const socket = await open(t, adapter, { "x-request-id": "one" });
    socket.text({ headers: { "x-request-id": "two" } });
    const { frames } = await socket.rest();
    t.like(jsonOf(frames.at(-1)!).error, { errorCode: "INVALID_ARGUMENT" });
    const same = await open(t, adapter, { "x-request-id": "one" });
    same.text({ headers: { "x-request-id": "one", "api-version": "1999-01-01" } });
    same.text({ message: {} });
    t.like(jsonOf((await same.rest()).frames.at(-1)!).error, {
      errorCode: "INVALID_ARGUMENT",
      request_id: "one",
    });
  });

  test(`${adapter}: a page of another origin, an unknown path and an unknown subprotocol are answered before the upgrade`, async (t) => {
    const { ports } = t.context.service;
    const refusals: [number, Record<string, string>, string?][] = [
      [403, { Origin: "https://evil.test" }],
      [403, { Origin: "null" }],
      [101, { Origin: `http://127.0.0.1:${ports[adapter]}` }],
      [400, { "Sec-WebSocket-Protocol": "chat" }],
      [101, { "Sec-WebSocket-Protocol": "chat, service.v1.proto" }],
      [404, {}, "/api/streams/PoolService/GetPool"],
      [404, {}, "/api/streams/"],
    ];
    for (const [status, headers, at] of refusals) {
      const socket = await open(t, adapter, headers, at);
      t.is(socket.status, status, `${JSON.stringify(headers)} ${at}`);
      if (status === 101 && "Sec-WebSocket-Protocol" in headers)
        t.regex(socket.head, /sec-websocket-protocol: service\.v1\.proto/i);
    }
  });

  test(`${adapter}: a client that sends beyond its credit is closed with 4429`, async (t) => {
    const { runId, id } = await newStream(t, adapter);
    const socket = await open(t, adapter);
    socket.text({ headers: {} });
    // Subscribe reads one message, and leaves the others unread.
    for (let n = 0; n < limits.socketCredit + 2; n++)
      socket.text({ message: { run_id: runId, stream_id: id } });
    t.is((await socket.rest()).code, 4429);
  });

  test(`${adapter}: a socket without headers is closed with 4408`, async (t) => {
    const socket = await open(t, adapter);
    t.is((await socket.rest()).code, 4408);
  });

  test(`${adapter}: a message may arrive in fragments with a ping between them, which is answered`, async (t) => {
    const { runId, id, path: stream, call } = await newStream(t, adapter);
    await call("POST", `${stream}/close`, {});
    const socket = await open(t, adapter);
    const text = JSON.stringify({ message: { run_id: runId, stream_id: id } });
    socket.text({ headers: {} });
    socket.send(1, text.slice(0, 10), { fin: false });
    socket.send(9, "are you there");
    socket.send(0, text.slice(10, 30), { fin: false });
    socket.send(0, text.slice(30));
    const { frames, code } = await socket.rest();
    const pong = frames.find(({ opcode }) => opcode === 10);
    t.is(pong?.data.toString(), "are you there");
    t.like(jsonOf(frames.at(-2)!), { message: { end: { latest_sequence: 0 } } });
    t.is(code, 1000);
  });

  test(`${adapter}: frames that break the protocol end the connection, and only that one`, async (t) => {
    const bad: Record<string, (socket: RawSocket) => void> = {
      "not masked": (socket) => socket.send(1, '{"headers": {}}', { masked: false }),
      "a reserved bit": (socket) => socket.send(1, '{"headers": {}}', { reserved: 4 }),
      "an unknown opcode": (socket) => socket.send(3, "x"),
      "text that is not UTF-8": (socket) => socket.send(1, Buffer.from([0x7b, 0xff, 0x7d])),
      "a control frame in fragments": (socket) => socket.send(9, "x", { fin: false }),
      "a control frame of 126 bytes": (socket) => socket.send(9, "x".repeat(126)),
      "a continuation of nothing": (socket) => socket.send(0, "x"),
      "a frame over the limit": (socket) => socket.send(1, "x".repeat(limits.bodyBytesMax + 1)),
    };
    for (const [claim, act] of Object.entries(bad)) {
      const socket = await open(t, adapter);
      act(socket);
      const { frames, code } = await socket.rest();
      t.false(
        frames.some(({ data }) => data.includes("credit")),
        claim,
      );
      // uWebSockets.js does not check the mask bit, and reads on as if there were a mask.
      if (claim === "not masked" && adapter === "uws") continue;
      t.true(code === undefined || (code >= 1002 && code <= 1009), `${claim}: ${code}`);
    }
    t.is((await open(t, adapter)).status, 101);
  });

  test(`${adapter}: the call of a client that leaves is ended`, async (t) => {
    const { runId, id, append, subscribe } = await newStream(t, adapter);
    const socket = await open(t, adapter);
    socket.text({ headers: {} });
    socket.text({ message: { run_id: runId, stream_id: id } });
    await socket.next();
    socket.send(8, Buffer.from([0x03, 0xe8]));
    t.is((await socket.rest()).code, 1000);
    t.is((await append()).status, 200);
    const reader = await subscribe();
    t.is(reader.status, 200);
  });
}
