import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import type { HttpServer } from "../../gateway/http/server.ts";
import { RawConnection } from "./raw.ts";
import { servers, startFront } from "./support.ts";

/**
 * refused: an error or no answer, and no later request is served. served: 200, and the next request is served too.
 * ends: answered or refused, and no later request is served. error: a status of 400 or more.
 */
type Outcome = "refused" | "served" | "ends" | "error";

const host = "Host: localhost\r\n";
const json = "Content-Type: application/json\r\n";
const body = '{"name":"a"}';
const get = (lines: string, line = "GET /health HTTP/1.1") => `${line}\r\n${host}${lines}\r\n`;
const post = (lines: string, text: string) =>
  `POST /api/probe/echo HTTP/1.1\r\n${host}${json}${lines}\r\n${text}`;
const chunked = (text: string) => post("Transfer-Encoding: chunked\r\n", text);
const sized = (length: string) => post(`Content-Length: ${length}\r\n`, body);
const whole = `c\r\n${body}\r\n`;

/** By name: the request and the expected result; the third value is for uWebSockets.js where it cannot do better. */
const table: Readonly<Record<string, readonly [string, Outcome, Outcome?]>> = {
  "a plain GET": [get(""), "served"],
  "a POST with a length": [sized("12"), "served"],
  "an empty line before the request": [`\r\n${get("")}`, "served", "refused"],
  "a header value with bytes over 127": [get("X-A: \xe9\r\n"), "served"],
  "a header value with spaces and a tab around it": [get("X-A: \t a \t\r\n"), "served"],
  "an empty header value": [get("X-A:\r\n"), "served"],
  "a GET with a body": [`${get("Content-Length: 1\r\n", "GET /health HTTP/1.1")}a`, "ends"],
  "the whole URL as target": [get("", "GET http://localhost/health HTTP/1.1"), "served", "refused"],
  "the whole URL of another host as target": [
    get("", "GET http://evil.test/health HTTP/1.1"),
    "error",
    "refused",
  ],
  "an upgrade to HTTP/2 that is not made": [
    get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
    "ends",
    "served",
  ],
  "a target of a star": [get("", "OPTIONS * HTTP/1.1"), "error", "refused"],
  CONNECT: [get("", "CONNECT localhost:443 HTTP/1.1"), "refused"],
  "a target without a slash": [get("", "GET health HTTP/1.1"), "refused"],
  "HTTP/0.9": ["GET /health\r\n", "refused"],
  "HTTP/1.2": [get("", "GET /health HTTP/1.2"), "refused"],
  "HTTP/2.0": [get("", "GET /health HTTP/2.0"), "refused"],
  "HTTP in lower case": [get("", "GET /health http/1.1"), "refused"],
  "a version without a dot": [get("", "GET /health HTTP/11"), "refused"],
  "a method in lower case": [get("", "get /health HTTP/1.1"), "refused", "error"],
  "a space before the method": [get("", " GET /health HTTP/1.1"), "refused"],
  // RFC 9112, section 3, allows a server this.
  "two spaces after the method": [get("", "GET  /health HTTP/1.1"), "served", "refused"],
  "a tab after the method": [get("", "GET\t/health HTTP/1.1"), "refused"],
  "a request line of 40,000 bytes": [get("", `GET /${"a".repeat(40_000)} HTTP/1.1`), "refused"],
  "lines that end in LF": ["GET /health HTTP/1.1\nHost: localhost\n\n", "refused"],
  "one header line that ends in LF": ["GET /health HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n", "refused"],
  "a CR inside a header value": [get("X-A: a\rb\r\n"), "refused"],
  "a header line that ends in CR": ["GET /health HTTP/1.1\r\nHost: localhost\rX-A: b\r\n\r\n", "refused"],
  "a NUL in a header value": [get("X-A: a\0b\r\n"), "refused"],
  "a NUL in a header name": [get("X\0A: b\r\n"), "refused"],
  "a control character in a header value": [get("X-A: a\x01b\r\n"), "refused"],
  "a folded header": [get("X-A: a\r\n b\r\n"), "refused"],
  "a space before the first header": [`GET /health HTTP/1.1\r\n ${host}\r\n`, "refused"],
  "a space before the colon": [get("X-A : b\r\n"), "refused"],
  "a header without a colon": [get("X-A\r\n"), "refused"],
  // uWebSockets.js ignores headers after one without a name, even a length.
  "a header without a name": [get(": x\r\n"), "refused", "served"],
  "a POST with its length behind a header without a name": [
    post(`: x\r\nContent-Length: ${get("").length}\r\n`, get("")),
    "refused",
  ],
  "a POST with chunks behind a header without a name": [
    post(": x\r\nTransfer-Encoding: chunked\r\n", get("")),
    "refused",
  ],
  "a GET with a length behind a header without a name": [
    get(": x\r\nContent-Length: 100\r\n"),
    "refused",
    "served",
  ],
  "no Host": ["GET /health HTTP/1.1\r\nX-A: b\r\n\r\n", "refused"],
  "two Hosts": [get("Host: localhost\r\n"), "refused"],
  "a Host with a path": ["GET /health HTTP/1.1\r\nHost: localhost/a\r\n\r\n", "refused"],
  "a Host with a user": ["GET /health HTTP/1.1\r\nHost: a@localhost\r\n\r\n", "refused"],
  "an empty Content-Length": [sized(""), "refused"],
  "a negative Content-Length": [sized("-12"), "refused"],
  "a Content-Length with a plus sign": [sized("+12"), "refused"],
  "a hexadecimal Content-Length": [sized("0xc"), "refused"],
  "a Content-Length with an underscore": [sized("1_2"), "refused"],
  "a Content-Length with a fraction": [sized("12.0"), "refused"],
  "a Content-Length of twenty digits": [sized("99999999999999999999"), "refused"],
  "a list of equal Content-Lengths": [sized("12, 12"), "refused"],
  "two different Content-Lengths": [sized("12\r\nContent-Length: 1"), "refused"],
  "two equal Content-Lengths": [sized("12\r\nContent-Length: 12"), "refused"],
  "a Content-Length and chunks": [
    post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
    "refused",
  ],
  "chunks and a Content-Length": [
    post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
    "refused",
  ],
  "an unknown Transfer-Encoding": [post("Transfer-Encoding: xchunked\r\n", `${whole}0\r\n\r\n`), "refused"],
  "chunked that is not last": [post("Transfer-Encoding: chunked, gzip\r\n", `${whole}0\r\n\r\n`), "refused"],
  "chunked twice": [post("Transfer-Encoding: chunked, chunked\r\n", `${whole}0\r\n\r\n`), "refused"],
  "identity as Transfer-Encoding": [post("Transfer-Encoding: identity\r\n", body), "refused"],
  "a vertical tab before chunked": [
    post("Transfer-Encoding: \x0bchunked\r\n", `${whole}0\r\n\r\n`),
    "refused",
  ],
  "a space before the colon of Transfer-Encoding": [
    post("Transfer-Encoding : chunked\r\n", `${whole}0\r\n\r\n`),
    "refused",
  ],
  "chunks over HTTP/1.0": [chunked(`${whole}0\r\n\r\n`).replace("HTTP/1.1", "HTTP/1.0"), "ends"],
  chunks: [chunked(`${whole}0\r\n\r\n`), "served", "ends"],
  "chunk extensions": [chunked(`c;a=b;c="d"\r\n${body}\r\n0\r\n\r\n`), "served", "ends"],
  "chunks with a trailer": [chunked(`${whole}0\r\nX-A: b\r\n\r\n`), "served", "ends"],
  "chunks with a trailer that looks like a request": [
    chunked(`${whole}0\r\nGET /health HTTP/1.1\r\n${host}\r\n`),
    "ends",
  ],
  "a negative chunk size": [chunked(`-c\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a chunk size with a plus sign": [chunked(`+c\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a chunk size with 0x": [chunked(`0xc\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a chunk size with an underscore": [chunked(`0_c\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a chunk size that is no number": [chunked(`g\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a chunk size of seventeen digits": [chunked(`1000000000000000c\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "an empty chunk size": [chunked(`\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a space before a chunk size": [chunked(` c\r\n${body}\r\n0\r\n\r\n`), "refused"],
  "a space after a chunk size": [chunked(`c \r\n${body}\r\n0\r\n\r\n`), "ends"],
  "chunks that end in LF": [chunked(`c\n${body}\n0\n\n`), "refused", "ends"],
  "a chunk longer than its size": [chunked(`c\r\n${body}XX\r\n0\r\n\r\n`), "refused", "ends"],
  "a chunk without its end": [chunked(`c\r\n${body}0\r\n\r\n`), "refused", "ends"],
};

const next = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

const ports = new Map<string, number>();
const opened: HttpServer[] = [];
test.before(async () => {
  for (const [name, listen] of Object.entries(servers)) {
    const server = await startFront(listen);
    opened.push(server);
    ports.set(name, server.port);
  }
});
test.after.always(async () => {
  for (const server of opened) await server.close();
});

for (const name of Object.keys(servers))
  for (const [what, [bytes, outcome, ofUws]] of Object.entries(table)) {
    const expected = (name === "uws" ? ofUws : undefined) ?? outcome;
    test(`${name}: ${what}: ${expected}`, (t) => look(t, ports.get(name)!, bytes, expected));
  }

async function look(t: ExecutionContext, port: number, bytes: string, expected: Outcome): Promise<void> {
  const connection = new RawConnection(port).write(bytes + next);
  // uWebSockets.js closes a connection whose request stays incomplete for ten seconds.
  const isOpen = expected === "served" || expected === "error";
  t.true(isOpen || (await connection.ended(waitMs)), "the connection is closed");
  const first = await connection.answer({ waitMs });
  if (expected === "served") {
    t.is(first?.status, 200, connection.rest);
    t.is((await connection.answer({ waitMs }))?.status, 200, "the next request");
  } else if (expected === "error") {
    t.true(first !== undefined && first.status >= 400, first?.body);
  } else {
    if (expected === "refused") t.true(first === undefined || first.status >= 400, first?.body);
    t.is(await connection.answer(), undefined, "the next request is not served");
    t.false(connection.rest.includes('"ok"'), connection.rest);
  }
  connection.destroy();
}

const waitMs = 60_000;

for (const [what, bytes] of [
  ["a header without a colon", get("X-A\r\n")],
  ["a request line of 40,000 bytes", get("", `GET /${"a".repeat(40_000)} HTTP/1.1`)],
] as const)
  test(`node: ${what} is answered with a problem document`, async (t) => {
    const connection = new RawConnection(ports.get("node")!).write(bytes);
    const answer = await connection.answer({ waitMs });
    t.true(answer?.status === 400 || answer?.status === 431);
    t.is(answer?.headers.get("content-type"), "application/problem+json");
    t.is(JSON.parse(answer!.body).status, answer?.status);
    t.true(await connection.ended(waitMs));
    connection.destroy();
  });

for (const [name, listen] of Object.entries(servers))
  for (const declared of [false, true])
    for (const [where, pieces] of Object.entries({
      "in one packet": [`${whole}0\r\nX-A: b\r\n\r\n`],
      "in a packet with the last chunk": [whole, "0\r\nX-A: b\r\n\r\n"],
      "in packets of its own": [`${whole}0\r\n`, "X-A: b\r\n", "\r\n"],
    })) {
      // What follows the last chunk cannot be seen in uWebSockets.js: only a trailer that was announced is refused in time.
      if (name === "uws" && !declared && where === "in packets of its own") continue;
      const what = `a trailer ${declared ? "that was announced" : "without announcement"}, ${where}`;
      test(`${name}: ${what}: the request is served, or it is refused and does nothing`, async (t) => {
        let handled = 0;
        const server = await startFront(listen, {
          handlers: {
            "ProbeService.Echo": async (request) => {
              handled++;
              await new Promise((resolve) => setTimeout(resolve, 200));
              return { echo: request, tenant_id: "t", subject: "tester" };
            },
          },
        });
        const [head, ...later] = pieces;
        const announced = declared ? "Trailer: X-A\r\n" : "";
        const connection = new RawConnection(server.port);
        t.teardown(async () => {
          connection.destroy();
          await server.close();
        });
        connection.write(post(`Transfer-Encoding: chunked\r\n${announced}`, head!));
        for (const piece of later) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          connection.write(piece);
        }
        const answer = await connection.answer({ waitMs });
        await connection.ended(300);
        t.is(handled, answer?.status === 200 ? 1 : 0, `answered with ${answer?.status}`);
      });
    }

for (const name of Object.keys(servers)) {
  test(`${name}: headers over the limit are answered with 431 and a problem document`, async (t) => {
    for (const lines of [`X-A: ${"a".repeat(100_000)}\r\n`, "X-A: aaaaaaaa\r\n".repeat(90)]) {
      const connection = new RawConnection(ports.get(name)!).write(get(lines));
      const answer = await connection.answer({ waitMs });
      t.is(answer?.status, 431);
      t.is(answer?.headers.get("content-type"), "application/problem+json");
      connection.destroy();
    }
  });

  test(`${name}: a client that sends a body over the limit reads 413 after its last byte, not a broken pipe`, async (t) => {
    for (const framing of ["length", "chunks"] as const)
      for (let n = 0; n < 5; n++) {
        const large = new Uint8Array(limits.bodyBytesMax + 2 * 1_024 * 1_024).fill(0x20);
        const response = await fetch(`http://127.0.0.1:${ports.get(name)}/api/probe/echo`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: framing === "length" ? large : new Blob([large]).stream(),
          duplex: "half",
        } as RequestInit);
        t.is(response.status, 413, framing);
        t.like(await response.json(), { status: 413 });
      }
  });
}
