import test from "ava";
import { RawConnection } from "./raw.ts";
import { servers, startFront } from "./support.ts";

const body = '{"name":"a"}';
const okay = `POST /api/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const get = (path: string, ...lines: string[]) =>
  `GET ${path} HTTP/1.1\r\n${["Host: localhost", ...lines].join("\r\n")}\r\n\r\n`;
const post = (lines: readonly string[], text: string, path = "/api/probe/echo") =>
  `POST ${path} HTTP/1.1\r\n${["Host: localhost", "Content-Type: application/json", ...lines].join("\r\n")}\r\n\r\n${text}`;
const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: 1`);

/**
 * Bytes that no correct client sends. Each gets a 4xx or a closed connection, and never the answer that it aimed at.
 */
const corpus: Readonly<Record<string, string>> = {
  "two Content-Length": post(["Content-Length: 12", "Content-Length: 3"], body),
  "two equal Content-Length": post(["Content-Length: 12", "Content-Length: 12"], body),
  "Content-Length as a list": post(["Content-Length: 12, 12"], body),
  "negative Content-Length": post(["Content-Length: -1"], body),
  "signed Content-Length": post(["Content-Length: +12"], body),
  "hexadecimal Content-Length": post(["Content-Length: 0xc"], body),
  "Content-Length with spaces inside": post(["Content-Length: 1 2"], body),
  "empty Content-Length": post(["Content-Length: "], body),
  "huge Content-Length": post(["Content-Length: 99999999999999999999"], body),
  "Content-Length over the cap": post(["Content-Length: 4194305"], body),
  "two Host": `GET /api/pools HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n`,
  "two equal Host": `GET /api/pools HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n`,
  "no Host": "GET /api/pools HTTP/1.1\r\n\r\n",
  "empty Host": "GET /api/pools HTTP/1.1\r\nHost: \r\n\r\n",
  "unlisted Host": "GET /api/pools HTTP/1.1\r\nHost: evil.test\r\n\r\n",
  "Host with user": "GET /api/pools HTTP/1.1\r\nHost: localhost@evil.test\r\n\r\n",
  "Host with path": "GET /api/pools HTTP/1.1\r\nHost: localhost/x\r\n\r\n",
  "Host list": "GET /api/pools HTTP/1.1\r\nHost: localhost, evil.test\r\n\r\n",
  "Transfer-Encoding gzip, chunked": post(
    ["Transfer-Encoding: gzip, chunked"],
    'c\r\n{"name":"a"}\r\n0\r\n\r\n',
  ),
  "Transfer-Encoding identity": post(["Transfer-Encoding: identity"], body),
  "Transfer-Encoding xchunked": post(["Transfer-Encoding: xchunked"], body),
  "two Transfer-Encoding": post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
  "Transfer-Encoding with Content-Length": post(
    ["Transfer-Encoding: chunked", "Content-Length: 5"],
    "0\r\n\r\n",
  ),
  "Content-Length with Transfer-Encoding": post(
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    "0\r\n\r\n",
  ),
  "chunk size that is no number": post(["Transfer-Encoding: chunked"], "zz\r\n{}\r\n0\r\n\r\n"),
  "chunk size that overflows": post(["Transfer-Encoding: chunked"], "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
  "chunk longer than its size": post(["Transfer-Encoding: chunked"], '2\r\n{"name":"a"}\r\n0\r\n\r\n'),
  "header over 8 KiB": get("/api/pools", `X-Large: ${"x".repeat(9_000)}`),
  "headers over 16 KiB": get(
    "/api/pools",
    ...Array.from({ length: 6 }, (_, i) => `X-${i}: ${"x".repeat(3_000)}`),
  ),
  "65 headers": get("/api/pools", ...many(64)),
  "500 headers": get("/api/pools", ...many(500)),
  "header without a colon": get("/api/pools", "nonsense"),
  "header name with a space": get("/api/pools", "X Y: 1"),
  "space before the colon": get("/api/pools", "X-Y : 1"),
  "folded header": get("/api/pools", "X-Y: 1", " 2"),
  "NUL in a header": get("/api/pools", "X-Y: a\0b"),
  "bare CR in a header": get("/api/pools", "X-Y: a\rb"),
  "two Authorization": get("/api/pools", "Authorization: Bearer a", "Authorization: Bearer b"),
  "two X-Tenant-ID": get("/api/pools", "X-Tenant-ID: a", "X-Tenant-ID: b"),
  "two Idempotency-Key": get("/api/pools", "Idempotency-Key: a", "Idempotency-Key: b"),
  "dot segments": get("/api/../api/pools"),
  "a single dot": get("/api/./pools"),
  "encoded dot segments": get("/api/%2e%2e/api/pools"),
  "half encoded dot segments": get("/api/.%2E/api/pools"),
  "double slash": get("/api//pools"),
  "leading double slash": get("//api/pools"),
  "encoded slash": get("/api/probe/looks/a%2Fb"),
  "encoded slash, lower case": get("/api/probe/looks/a%2fb"),
  "encoded backslash": get("/api/probe/looks/a%5Cb"),
  backslash: get("/api\\pools"),
  "encoded NUL": get("/api/probe/looks/a%00b"),
  "NUL in the path": get("/api/probe/looks/a\0b"),
  "encoded line break": get("/api/probe/looks/a%0d%0ab"),
  "bad UTF-8 in the path": get("/api/probe/looks/%ff%fe"),
  "overlong UTF-8 in the path": get("/api/probe/looks/%c0%af"),
  "raw bytes in the path": get("/api/probe/looks/\xff"),
  "broken percent": get("/api/probe/looks/%zz"),
  "cut percent": get("/api/probe/looks/%2"),
  "quotes in the path": get('/api/probe/looks/"a"'),
  "angle brackets in the path": get("/api/probe/looks/<a>"),
  "bad UTF-8 in the query": get("/api/probe/looks/a?tags=%ff"),
  "fragment in the target": get("/api/probe/looks/a#b"),
  "absolute target": "GET http://evil.test/api/pools HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "asterisk target": "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "empty target": "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "target without a slash": "GET api/pools HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "HTTP/1.0 without Host": "GET /api/pools HTTP/1.0\r\n\r\n",
  "HTTP/9.9": "GET /api/pools HTTP/9.9\r\nHost: localhost\r\n\r\n",
  "no version": "GET /api/pools\r\n\r\n",
  "unknown method": "FROB /api/pools HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "lower-case method": "get /api/pools HTTP/1.1\r\nHost: localhost\r\n\r\n",
  TRACE: "TRACE /api/pools HTTP/1.1\r\nHost: localhost\r\n\r\n",
  CONNECT: "CONNECT evil.test:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "method override is ignored": post(
    ["X-HTTP-Method-Override: GET", "Content-Length: 2"],
    "{}",
    "/api/probe/looks/a",
  ),
  garbage: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls hello \r\n\r\n",
  "HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "body that is no JSON": post(["Content-Length: 3"], "{a}"),
  "unknown Expect": post(["Expect: 200-maybe", "Content-Length: 3"], "{a}"),
};

for (const [name, listen] of Object.entries(servers)) {
  for (const [what, bytes] of Object.entries(corpus)) {
    test(`${name}: ${what} gets a 4xx or a closed connection`, async (t) => {
      const server = await startFront(listen);
      const connection = new RawConnection(server.port).write(bytes);
      const answer = await connection.answer({ waitMs: 1_500 });
      if (answer === undefined) {
        // No answer: then the connection is closed, or the server still waits for the end of the request.
        t.false(connection.rest.startsWith("HTTP/1.1 2"), connection.rest);
      } else {
        t.true(
          (answer.status >= 400 && answer.status < 500) || answer.status === 505,
          `${answer.status} ${answer.body}`,
        );
      }
      connection.destroy();
      const after = new RawConnection(server.port).write(okay);
      t.is((await after.answer())?.status, 200, "the server goes on");
      after.destroy();
      await server.close();
    });
  }
}
