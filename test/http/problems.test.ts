import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import test, { type ExecutionContext } from "ava";
import type { ListenHttp } from "../../gateway/http/server.ts";
import { listenNative } from "../../gateway/rpc/native.ts";
import { Authority } from "../support/certificates.ts";
import { casesNeeding } from "../support/needing.ts";
import { RawConnection } from "./raw.ts";
import { servers, startFront } from "./support.ts";

const get = (...lines: readonly string[]) =>
  `GET /api/probe/looks/a HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
const many = (count: number, bytes = 1) => {
  const lines = Array.from({ length: count - 1 }, (_, index) => `X-${index}: ${"x".repeat(bytes)}`);
  return get("Host: localhost", ...lines);
};
const echo = `POST /api/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

/** Requests that are refused before anything of the service sees them, with the status on uWebSockets.js and elsewhere. */
const refused: Readonly<Record<string, readonly [string, number, number]>> = {
  "no Host": [get(), 400, 400],
  "a header without a colon": [get("Host: localhost", "nonsense"), 400, 400],
  "a header with a space in its name": [get("Host: localhost", "X Y: 1"), 400, 400],
  "a chunk size that is no number": [`${echo}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`, 400, 400],
  "99 headers": [many(99), 431, 431],
  "more than 128 KiB of headers": [many(60, 2_300), 431, 431],
  "HTTP/1.0 without Host": ["GET /api/probe/looks/a HTTP/1.0\r\n\r\n", 505, 400],
  "HTTP/9.9": ["GET /api/probe/looks/a HTTP/9.9\r\nHost: localhost\r\n\r\n", 505, 400],
  "a whole URL": ["GET http://evil.test/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 505, 400],
};

/** Requests that the service itself refuses: alike everywhere. */
const answered: Readonly<Record<string, readonly [string, number]>> = {
  "98 headers": [many(98), 431],
  "more than 16 KiB of headers": [many(20, 1_000), 431],
  "an empty Host": [get("Host: "), 400],
  "a Host that is not ours": [get("Host: evil.test"), 400],
  "two lengths": [`${echo}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
};

interface Door {
  readonly listen: ListenHttp;
  readonly open: (port: number) => RawConnection;
}

const plain = (port: number) => new RawConnection(port);
const internal: ListenHttp = (options) => listenNative({ ...options, http1: true });

casesOf("node", { listen: servers.node!, open: plain });
casesOf("the internal plane", { listen: internal, open: plain });
casesNeeding("problem documents over TLS", ["openssl"], () => {
  const authority = new Authority();
  const { certFile, keyFile } = authority.issue("server", "IP:127.0.0.1");
  const [ca, cert, key] = [authority.caFile, certFile, keyFile].map((file) => readFileSync(file));
  authority.remove();
  casesOf("HTTP/1.1 over TLS", {
    listen: (options) => listenNative({ ...options, tls: { cert: cert!, key: key! } }),
    open: (port) => new RawConnection(port, connect({ port, host: "127.0.0.1", ca })),
  });
});

function casesOf(name: string, door: Door): void {
  for (const [what, [bytes, , status]] of Object.entries(refused))
    test(`${name}: ${what} is answered with a problem document`, (t) => isProblem(t, door, bytes, status));
  for (const [what, [bytes, status]] of Object.entries(answered))
    test(`${name}: ${what} is answered with a problem document`, (t) => isProblem(t, door, bytes, status));
}

for (const [what, [bytes, status]] of Object.entries(answered))
  test(`uws: ${what} is answered with a problem document`, (t) =>
    isProblem(t, { listen: servers.uws!, open: plain }, bytes, status));

/** Node ignores it. */
const trailer = `${echo}Transfer-Encoding: chunked\r\n\r\nc\r\n{"name":"a"}\r\n0\r\nX-A: b\r\n\r\n`;

for (const [what, [bytes, status]] of Object.entries({ ...refused, "a trailer": [trailer, 505] as const }))
  test(`uws: ${what} is answered with a page of its own, as docs/operations.md says`, async (t) => {
    const server = await startFront(servers.uws!);
    t.teardown(() => server.close());
    const connection = plain(server.port).write(bytes);
    t.true(await connection.ended());
    t.true(connection.rest.startsWith(`HTTP/1.1 ${status} `), connection.rest);
    t.regex(connection.rest, /\r\n\r\n<h1>/);
  });

async function isProblem(t: ExecutionContext, { listen, open }: Door, bytes: string, status: number) {
  const server = await startFront(listen);
  t.teardown(() => server.close());
  const connection = open(server.port).write(bytes);
  const answer = await connection.answer();
  t.is(answer?.status, status, connection.rest);
  t.is(answer!.headers.get("content-type"), "application/problem+json");
  t.like(JSON.parse(answer!.body), { status });
  connection.destroy();
}
