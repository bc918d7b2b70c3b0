import test from "ava";
import { isRefusal, limits, refuse } from "#base";
import type { Ask, Asker } from "#runtime";
import { askerOf } from "../support/asker.ts";
import { servers, startFront } from "./support.ts";

const poolId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

for (const [name, listen] of Object.entries(servers)) {
  test(`${name}: an action answers with data and metadata, defaults printed, optional fields left out`, async (t) => {
    const server = await startFront(listen);
    const { status, headers, body } = await post(server, "/api/probe/echo", { name: "a", large: "7" });
    t.is(status, 200);
    t.is(headers.get("content-type"), "application/json");
    t.deepEqual(body.data.echo, {
      name: "a",
      large: 7,
      text: "",
      count: 0,
      tags: [],
      labels: {},
      colour: "COLOUR_UNSPECIFIED",
      ratio: 0,
      blob: "",
    });
    t.is(body.metadata.api_version, "2024-01-01");
    t.is(body.metadata.request_id, headers.get("x-request-id"));
    t.is(headers.get("api-version"), "2024-01-01");
    await server.close();
  });

  test(`${name}: a create gets 201 with a Location, a delete and a get 200`, async (t) => {
    const asks: Ask[] = [];
    const asker = answering(asks, () => ({ id: poolId, name: "p", record_version: 1 }));
    const server = await startFront(listen, { asker });
    const created = await post(server, "/api/experiment-groups", { name: "p" });
    t.is(created.status, 201);
    t.is(created.headers.get("location"), `/api/experiment-groups/${poolId}`);
    t.is(created.headers.get("etag"), '"1"');
    t.is((await send(server, "DELETE", `/api/pools/${poolId}?force=true`)).status, 200);
    t.deepEqual(asks[1]!.request, { pool_id: poolId, force: true });
    const read = await send(server, "GET", `/api/pools/${poolId}`);
    const etag = read.headers.get("etag")!;
    t.regex(etag, /^"1-/);
    const confirmed = await send(server, "GET", `/api/pools/${poolId}`, undefined, { "if-none-match": etag });
    t.is(confirmed.status, 304);
    await server.close();
  });

  test(`${name}: a list accepts limit, cursor and offset, and says whether there is more`, async (t) => {
    const asks: Ask[] = [];
    const asker = answering(asks, () => ({
      recipients: [{ id: poolId }],
      next_page_token: "next",
      total: 9,
    }));
    const server = await startFront(listen, { asker });
    const { body } = await send(server, "GET", `/api/pools/${poolId}/recipients?limit=2000&offset=-3`);
    t.is(body.data[0].id, poolId);
    t.is(body.next_cursor, "next");
    t.is(body.total, 9);
    t.is(body.limit, 1_000);
    t.is(body.offset, 0);
    t.true(body.has_more);
    t.is((asks[0]!.request as { page_size: number }).page_size, 1_000);
    const digits = "9".repeat(30);
    const huge = await send(
      server,
      "GET",
      `/api/pools/${poolId}/recipients?limit=${digits}&offset=-${digits}`,
    );
    t.is((asks.pop()!.request as { page_size: number }).page_size, 1_000, JSON.stringify(huge.body));
    await send(server, "GET", `/api/pools/${poolId}/recipients?limit=0&cursor=abc`);
    t.is((asks[1]!.request as { page_token: string }).page_token, "abc");
    t.is((asks[1]!.request as { page_size: number }).page_size, 50);
    for (const query of [
      "limit=x",
      "cursor=a&offset=1",
      "limit=1&limit=2",
      "page_size=3",
      "offset=10001",
      `offset=${digits}`,
    ])
      t.is((await send(server, "GET", `/api/pools/${poolId}/recipients?${query}`)).status, 400, query);
    await server.close();
  });

  test(`${name}: a list of the marketplace kind accepts page and per_page`, async (t) => {
    const server = await startFront(listen);
    const { body } = await send(server, "GET", "/api/probe/goods?page=2&per_page=10");
    t.like(body, { total: 1, page: 2, per_page: 10 });
    t.is(body.data[0].name, "a");
    await server.close();
  });

  test(`${name}: path and query become fields of the message, and unknown or repeated parameters are refused by name`, async (t) => {
    const server = await startFront(listen);
    const looked = await send(server, "GET", "/api/probe/looks/caf%C3%A9?tags=a&tags=b&large=5");
    t.like(looked.body.data, { name: "café", tags: ["a", "b"], large: 5 });
    const unknown = await send(server, "GET", "/api/probe/looks/a?colour=red");
    t.is(unknown.status, 400);
    t.is(unknown.headers.get("content-type"), "application/problem+json");
    t.deepEqual(unknown.body.errors, [{ field: "colour", reason: "is not a parameter of this method" }]);
    const names = Array.from({ length: 1_000 }, (_, n) => `p${n}`);
    const many = await send(server, "GET", `/api/probe/looks/a?${names.join("&")}`);
    t.is((many.body.errors as unknown[]).length, limits.fieldErrorsMax);
    const long = await send(server, "GET", `/api/probe/looks/a?${"x".repeat(4_000)}=1`);
    t.true(JSON.stringify(long.body).length < 2 * limits.fieldPathLengthMax + 1_000);
    const repeated = await send(server, "GET", "/api/probe/looks/a?large=1&large=2");
    t.deepEqual(repeated.body.errors, [{ field: "large", reason: "may be given once" }]);
    t.is((await post(server, "/api/probe/echo?name=a", { name: "a" })).status, 400);
    t.is((await send(server, "GET", "/api/probe/looks/a?__proto__.x=1")).status, 400);
    await server.close();
  });

  test(`${name}: a problem document has the code, the status and the request id`, async (t) => {
    const server = await startFront(listen);
    const { status, body, headers } = await post(server, "/api/probe/fail", {
      error_code: "LEASE_LOST",
      detail: "gone",
    });
    t.is(status, 409);
    t.deepEqual(body, {
      type: "https://errors.test/LEASE_LOST",
      title: "Lease lost",
      status: 409,
      detail: "gone",
      errorCode: "LEASE_LOST",
      retryable: false,
      request_id: headers.get("x-request-id"),
    });
    t.is(headers.get("api-version"), null, "the version is echoed on success only");
    const crashed = await post(server, "/api/probe/fail", { crash: true, detail: "a secret" });
    t.is(crashed.status, 500);
    t.regex(crashed.body.detail, /^Internal error \(ref: [0-9a-f]{8}\)$/);
    await server.close();
  });

  test(`${name}: literal segments take precedence over variables, another verb gets 405 with Allow, an unknown path 404`, async (t) => {
    const server = await startFront(listen);
    const other = await send(server, "DELETE", "/api/probe/echo");
    t.is(other.status, 405);
    t.is(other.headers.get("allow"), "OPTIONS, POST");
    const options = await fetch(`http://127.0.0.1:${server.port}/api/probe/echo`, { method: "OPTIONS" });
    t.is(options.status, 204, "what Allow lists is allowed");
    t.is(options.headers.get("allow"), "OPTIONS, POST");
    t.is((await send(server, "GET", "/api/nothing")).status, 404);
    t.is((await send(server, "GET", "/api/pools/")).status, 404);
    t.is((await send(server, "POST", "/health")).status, 405);
    await server.close();
  });

  test(`${name}: a merge patch becomes field values and a mask`, async (t) => {
    const asks: Ask[] = [];
    const server = await startFront(listen, { asker: answering(asks, () => ({ id: poolId })) });
    const patch = { name: null, config: { backoff: { max_ms: null, initial_ms: 5 } }, record_version: 3 };
    t.is((await send(server, "PATCH", `/api/pools/${poolId}`, patch)).status, 200);
    const { update_mask, ...rest } = asks[0]!.request as { update_mask: string[] };
    t.deepEqual(update_mask.sort(), ["config.backoff.initial_ms", "config.backoff.max_ms", "name"]);
    t.deepEqual(rest as unknown, {
      pool_id: poolId,
      config: { backoff: { initial_ms: 5 } },
      record_version: 3,
    });
    t.is((await send(server, "PATCH", `/api/pools/${poolId}`, { id: "x" })).status, 400, "output only");
    const elsewhere = await send(server, "PATCH", `/api/pools/${poolId}`, { status: "STATUS_DISABLED" });
    t.is(elsewhere.status, 400);
    t.regex(
      elsewhere.body.detail as string,
      /^status .* changed by POST \/api\/pools\/\{pool_id\}:set_enabled$/,
    );
    t.is((await send(server, "PATCH", `/api/pools/${poolId}`, { update_mask: "name" })).status, 400);
    await server.close();
  });

  test(`${name}: If-Match carries the version, and a stale one gets 412, a stale record_version 409`, async (t) => {
    const asks: Ask[] = [];
    const asker = answering(asks, () => refuse("VERSION_CONFLICT", "another version"));
    const server = await startFront(listen, { asker });
    const matched = await send(server, "PATCH", `/api/pools/${poolId}`, { name: "n" }, { "if-match": '"4"' });
    t.is(matched.status, 412);
    t.is((asks[0]!.request as { record_version: number }).record_version, 4);
    t.is((await send(server, "PATCH", `/api/pools/${poolId}`, { name: "n", record_version: 4 })).status, 409);
    await server.close();
  });

  test(`${name}: given If-Match with a list, weak tags or *, a change is made where RFC 9110 says so`, async (t) => {
    const asks: Ask[] = [];
    const server = await startFront(listen, { asker: answering(asks, () => versioned(asks, 7)) });
    const patch = (tags: string, body: object = { name: "n" }) =>
      send(server, "PATCH", `/api/pools/${poolId}`, body, { "if-match": tags });
    for (const tags of ["*", '"7"', '"7-abc"', '"6", "7"', '"9","7-x" , "2"', ', "7",', 'W/"3", "7"'])
      t.is((await patch(tags)).status, 200, tags);
    for (const tags of ['"6"', '"6", "8"', 'W/"7"', '"x"', '""', 'W/"7", "x-7"']) {
      const failed = await patch(tags);
      t.is(failed.status, 412, tags);
      t.like(failed.body, { errorCode: "FAILED_PRECONDITION", reason: "IF_MATCH", record_version: 7 }, tags);
    }
    const asked = asks.length;
    for (const tags of ["7", '"7', "**", '"7" "8"', '*, "7"', "w/7"])
      t.is((await patch(tags)).status, 400, tags);
    t.is((await patch('"6", "7"', { name: "n", record_version: 8 })).status, 400);
    t.is(asks.length, asked);
    t.is((await patch('"6", "7"', { name: "n", record_version: 7 })).status, 200);
    t.is((await patch('"6", "7"', { name: "n", record_version: 6 })).status, 412);
    await server.close();
  });

  test(`${name}: given If-Match or If-None-Match with a list, weak tags or *, a read is answered as RFC 9110 says`, async (t) => {
    const asks: Ask[] = [];
    const server = await startFront(listen, {
      asker: answering(asks, () => ({ id: poolId, record_version: 7 })),
    });
    const read = (headers: Record<string, string>, verb = "GET") =>
      send(server, verb, `/api/pools/${poolId}`, undefined, headers);
    const etag = (await read({})).headers.get("etag")!;
    for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, `"a",W/${etag} ,"b"`, "*"])
      for (const verb of ["GET", "HEAD"]) {
        const same = await read({ "if-none-match": tags }, verb);
        t.is(same.status, 304, tags);
        t.is(same.headers.get("etag"), etag);
      }
    for (const tags of ['"7"', '"a"', 'W/"a", "b"'])
      t.is((await read({ "if-none-match": tags })).status, 200, tags);
    for (const tags of [etag, '"7"', '"6", "7"', "*"])
      t.is((await read({ "if-match": tags })).status, 200, tags);
    for (const tags of [`W/${etag}`, '"6"', '"6", "8-x"']) {
      const failed = await read({ "if-match": tags });
      t.is(failed.status, 412, tags);
      t.is(failed.headers.get("api-version"), null);
    }
    t.is((await read({ "if-match": '"7"', "if-none-match": etag })).status, 304);
    t.is((await read({ "if-match": '"6"', "if-none-match": etag })).status, 412);
    for (const header of ["if-match", "if-none-match"])
      t.regex((await read({ [header]: "7" })).body.detail as string, /must be \* or a list of entity tags/);
    await server.close();
  });

  test(`${name}: a precondition that a method cannot check is refused, not ignored`, async (t) => {
    const asks: Ask[] = [];
    const server = await startFront(listen, {
      asker: answering(asks, () => ({ response: {}, replayed: false })),
    });
    const unversioned = [
      ["POST", `/api/queues/${poolId}/pause`, {}],
      ["POST", `/api/queues/${poolId}/resume`, {}],
      ["POST", `/api/queues/${poolId}/drain`, { max_items: 1 }],
      ["POST", `/api/recipients/${poolId}/pause`, {}],
      ["POST", "/api/pools", { name: "n" }],
      ["GET", "/api/pools", undefined],
    ] as const;
    for (const [verb, path, body] of unversioned) {
      const matched = await send(server, verb, path, body, { "if-match": '"4"' });
      t.is(matched.status, 400, path);
      t.regex(matched.body.detail as string, /^If-Match /, path);
    }
    const created = await send(server, "POST", "/api/pools", { name: "n" }, { "if-none-match": "*" });
    t.is(created.status, 400);
    t.deepEqual(asks, []);
    await server.close();
  });

  test(`${name}: ambiguous JSON is refused`, async (t) => {
    const server = await startFront(listen);
    const bad = [
      '{"name":"a","name":"b"}',
      '{"name":"a","labels":{"x":"1","\\u0078":"2"}}',
      '{"name":"a","attributes":{"__proto__":1}}',
      '{"name":"a","\\u005f_proto__":{}}',
      `{"name":"a","payload":${"[".repeat(64)}${"]".repeat(64)}}`,
      '{"name":"a","large":9007199254740993}',
      '{"name":"a","large":"9007199254740993"}',
      '{"name":"a","unknown":1}',
      '{"name":"a"} x',
      "[]",
      "null",
      '"text"',
      "{name:1}",
    ];
    for (const text of bad) {
      const { status, body } = await raw(server, Buffer.from(text));
      t.is(status, 400, text);
      t.is(body.errorCode, "INVALID_ARGUMENT", text);
    }
    t.is(
      (await raw(server, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).status,
      400,
      "bad UTF-8",
    );
    const good = [
      '{"name":"a","attributes":{"constructor":1,"prototype":2,"a:b":"c:\\"d"}}',
      '{"name":"\ufffd"}',
      `{"name":"a","payload":${"[".repeat(62)}${"]".repeat(62)}}`,
    ];
    for (const text of good) t.is((await raw(server, Buffer.from(text))).status, 200, text);
    await server.close();
  });

  test(`${name}: a body whose type is not JSON gets 415, a body where none is allowed 400`, async (t) => {
    const server = await startFront(listen);
    t.is((await raw(server, Buffer.from("a=b"), { "content-type": "text/plain" })).status, 415);
    t.is(
      (await raw(server, Buffer.from('{"name":"a"}'), { "content-type": "application/json; charset=UTF-8" }))
        .status,
      200,
    );
    t.is((await send(server, "DELETE", `/api/pools/${poolId}`, { name: "x" })).status, 400);
    await server.close();
  });
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly body: any;
}

interface Server {
  readonly port: number;
}

function post(server: Server, path: string, body: unknown): Promise<Reply> {
  return send(server, "POST", path, body);
}

async function send(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return reply(answer);
}

async function raw(server: Server, body: Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/probe/echo`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: new Uint8Array(body),
  });
  return reply(answer);
}

async function reply(answer: Response): Promise<Reply> {
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** An entity that has this version when the last request reaches it. */
function versioned(asks: readonly Ask[], version: number): unknown {
  const { record_version: asked } = asks.at(-1)!.request as { readonly record_version?: number };
  return asked === undefined || asked === version
    ? { id: poolId, record_version: version }
    : refuse("VERSION_CONFLICT", "another version", { extra: { record_version: version } });
}

function answering(asks: Ask[], answer: () => unknown): Asker {
  return askerOf((ask) => {
    asks.push(ask);
    const response = answer();
    return isRefusal(response) ? response : { response, replayed: false };
  });
}
