import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:http2";
import { gunzipSync, gzipSync } from "node:zlib";
import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import type { ListenHttp } from "../../gateway/http/server.ts";
import { listenNative } from "../../gateway/rpc/native.ts";
import { askerOf } from "../support/asker.ts";
import { servers, startFront } from "./support.ts";

/** REST over HTTP/1.1 on each server; the internal plane detects HTTP/1.1 and HTTP/2 itself. */
const doors: Readonly<Record<string, ListenHttp>> = {
  ...servers,
  internal: (options) => listenNative({ ...options, http1: true }),
};

const item = JSON.stringify({ name: "a", payload: "x".repeat(2_000) });
const pool = { id: "01J00000000000000000000000", record_version: 7, description: "d".repeat(2_000) };
const gzipJson = { "content-type": "application/json", "content-encoding": "gzip" };

for (const [name, listen] of Object.entries(doors)) {
  test(`${name}: a body in gzip is read like the same body uncompressed`, async (t) => {
    const ask = await open(t, listen);
    const packed = gzipSync(item);
    for (const encoding of ["gzip", "GZIP", "x-gzip"]) {
      const answer = await ask({ body: packed, headers: { ...gzipJson, "content-encoding": encoding } });
      t.is(answer.status, 200, encoding);
      t.is(answer.json().data.echo.payload.length, 2_000);
    }
    const members = Buffer.concat([gzipSync(item.slice(0, 50)), gzipSync(item.slice(50))]);
    t.is((await ask({ body: members, headers: gzipJson })).status, 200, "two members are one body");
    const plain = { "content-type": "application/json", "content-encoding": "identity" };
    t.is((await ask({ body: Buffer.from(item), headers: plain })).status, 200, "identity");
  });

  test(`${name}: a body that inflates beyond the limit gets 413, one of exactly the limit is accepted`, async (t) => {
    const ask = await open(t, listen);
    const bomb = gzipSync(Buffer.alloc(16 * limits.bodyBytesMax));
    t.true(bomb.byteLength * 1_000 < 16 * limits.bodyBytesMax);
    const refused = await ask({ body: bomb, headers: gzipJson });
    t.is(refused.status, 413);
    t.is(refused.json().errorCode, "PAYLOAD_TOO_LARGE");
    const largest = gzipSync(item.padEnd(limits.bodyBytesMax, " "));
    t.is((await ask({ body: largest, headers: gzipJson })).status, 200);
    const over = gzipSync(item.padEnd(limits.bodyBytesMax + 1, " "));
    t.is((await ask({ body: over, headers: gzipJson })).status, 413);
  });

  test(`${name}: a body that is not complete gzip gets 400`, async (t) => {
    const ask = await open(t, listen);
    const packed = gzipSync(item);
    const broken = Buffer.from(packed);
    broken.writeUInt32LE(0, packed.byteLength - 8);
    const bodies = {
      "no gzip": Buffer.from(item),
      "cut off": packed.subarray(0, -4),
      "a wrong checksum": broken,
      "text behind it": Buffer.concat([packed, Buffer.from("more")]),
      "zeros behind it": Buffer.concat([packed, Buffer.alloc(3)]),
    };
    for (const [what, body] of Object.entries(bodies)) {
      const answer = await ask({ body, headers: gzipJson });
      t.is(answer.status, 400, what);
      t.regex(answer.json().detail, /gzip/, what);
    }
  });

  test(`${name}: other codings, and several at once, get 415 with the accepted ones`, async (t) => {
    const ask = await open(t, listen);
    for (const encoding of ["br", "deflate", "gzip, gzip", "identity, gzip", "gzip,", "zip", ""]) {
      const headers = { ...gzipJson, "content-encoding": encoding };
      const answer = await ask({ body: gzipSync(item), headers });
      t.is(answer.status, 415, encoding);
      t.is(answer.headers["accept-encoding"], "gzip, identity", encoding);
    }
    const type = await ask({ body: Buffer.from(item), headers: { "content-type": "text/plain" } });
    t.is(type.status, 415);
    t.is(type.headers["accept-encoding"], undefined, "this is about the type");
  });

  test(`${name}: an answer of 1 KiB or more is sent in gzip if the caller accepts it`, async (t) => {
    const ask = await open(t, listen);
    const post = (body: string, accepted?: string) =>
      ask({
        body: Buffer.from(body),
        headers: {
          "content-type": "application/json",
          ...(accepted !== undefined && { "accept-encoding": accepted }),
        },
      });
    for (const accepted of ["gzip", "br, gzip;q=0.5", "*"]) {
      const answer = await post(item, accepted);
      t.is(answer.headers["content-encoding"], "gzip", accepted);
      t.is(answer.headers.vary, "Accept-Encoding");
      t.is(Number(answer.headers["content-length"]), answer.body.byteLength);
      t.is(JSON.parse(gunzipSync(answer.body).toString()).data.echo.payload.length, 2_000);
    }
    for (const accepted of ["gzip;q=0", "br", "identity", "*;q=0", "identity, gzip;q=0.5"]) {
      const answer = await post(item, accepted);
      t.is(answer.headers["content-encoding"], undefined, accepted);
      t.is(answer.headers.vary, "Accept-Encoding", accepted);
      t.is(answer.json().data.echo.payload.length, 2_000);
    }
    const unasked = await post(item);
    t.is(unasked.headers["content-encoding"], undefined);
    const small = await post('{"name":"a"}', "gzip");
    t.is(small.headers["content-encoding"], undefined, "too small to be worth compressing");
    t.is(small.headers.vary, undefined);
    const only = await post('{"name":"a"}', "identity;q=0, gzip");
    t.is(only.headers["content-encoding"], "gzip", "the caller accepts nothing else");
    const refused = await ask({
      path: "/api/probe/fail",
      body: Buffer.from(JSON.stringify({ error_code: "LEASE_LOST", detail: "d".repeat(2_000) })),
      headers: { "content-type": "application/json", "accept-encoding": "gzip" },
    });
    t.is(refused.status, 409);
    t.is(refused.headers["content-encoding"], "gzip", "errors too");
  });

  test(`${name}: each coding has its own ETag, either is confirmed with 304, and HEAD is never compressed`, async (t) => {
    const ask = await open(t, listen, pool);
    const read = (method: string, accepted: string, more = {}) =>
      ask({ method, path: `/api/pools/${pool.id}`, headers: { "accept-encoding": accepted, ...more } });
    const packed = await read("GET", "gzip");
    const plain = await read("GET", "identity");
    t.is(packed.headers["content-encoding"], "gzip");
    t.not(packed.headers.etag, plain.headers.etag);
    for (const { headers } of [packed, plain])
      for (const accepted of ["gzip", "identity"]) {
        const same = await read("GET", accepted, { "if-none-match": headers.etag! });
        t.is(same.status, 304);
        t.is(same.headers.etag, headers.etag, "the tag of what the caller has");
        t.is(same.headers["content-encoding"], undefined);
        t.is((await read("GET", accepted, { "if-match": headers.etag! })).status, 200);
      }
    const head = await read("HEAD", "gzip");
    t.is(head.status, 200);
    t.is(head.headers["content-encoding"], undefined);
    t.is(head.headers["content-length"], plain.headers["content-length"]);
    t.is(head.headers.etag, plain.headers.etag);
  });
}

test("internal over HTTP/2: gzip in both directions", async (t) => {
  const server = await startFront(doors.internal!);
  const session = connect(`http://127.0.0.1:${server.port}`);
  t.teardown(async () => {
    session.destroy();
    await server.close();
  });
  const stream = session.request({
    ":method": "POST",
    ":path": "/api/probe/echo",
    "accept-encoding": "gzip",
    ...gzipJson,
  });
  stream.end(gzipSync(item));
  const headers = await new Promise<NodeJS.Dict<string | string[]>>((resolve) => {
    stream.once("response", (got) => resolve(got as never));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  t.is(Number(headers[":status"]), 200);
  t.is(headers["content-encoding"], "gzip");
  t.is(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).data.echo.payload.length, 2_000);
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly body?: Buffer;
  readonly headers: Record<string, string>;
}

/** Without the automatic decoding of `fetch`. */
async function open(t: ExecutionContext, listen: ListenHttp, response?: object) {
  const server = await startFront(listen, {
    asker: askerOf(() => ({ response: { ...response }, replayed: false })),
  });
  t.teardown(() => server.close());
  return ({ method = "POST", path = "/api/probe/echo", body, headers }: Asked) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = { host: "127.0.0.1", port: server.port, method, path, headers };
      const request = httpRequest(sent, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const body = Buffer.concat(chunks);
        const json = () => JSON.parse(body.toString());
        resolve({ status: response.statusCode!, headers: response.headers, body, json });
      });
      request.on("error", reject);
      request.end(body);
    });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  json(): any;
}
