import { randomBytes } from "node:crypto";
import { limits } from "#base";
import { sendRaw } from "../contract/support/raw-client.ts";
import { hashOf } from "./hash.ts";
import { adapters, newStream, take, test } from "./support.ts";

for (const adapter of adapters) {
  test(`${adapter}: an object of 32 MiB is uploaded, committed once and downloaded completely and in ranges (edge case 18)`, async (t) => {
    const { path, port, call, subscribe } = await newStream(t, adapter);
    const bytes = randomBytes(limits.streamObjectBytesMax);
    const digest = hashOf(bytes);
    const intent = { idempotency_key: "k", digest, size: bytes.length, content_type: "image/png" };
    const { data } = await call("POST", `${path}/objects`, intent);
    t.is((await call("POST", `${path}/objects`, intent)).data.object_id, data.object_id);
    t.is((await call("POST", `${path}/objects`, { ...intent, size: 1 })).json.errorCode, "ALREADY_EXISTS");
    const object = data.upload_path as string;
    const receipt = { "x-object-receipt": data.authorization_receipt as string };
    const raw = { "content-type": "application/octet-stream", "content-length": String(bytes.length) };
    t.is((await sendRaw(port, "GET", object)).status, 404);
    t.is((await call("POST", `${object}/commit`, {}, receipt)).json.reason, "OBJECT_NOT_UPLOADED");
    t.is((await sendRaw(port, "PUT", object, { ...raw, ...receipt }, bytes)).status, 200);
    t.is((await sendRaw(port, "GET", object)).status, 404);
    const commit = await call("POST", `${object}/commit`, {}, receipt);
    t.like(commit.data, { state: "committed", sequence: 1 });
    t.is((await call("POST", `${object}/commit`, {}, receipt)).data.sequence, 1);
    t.is((await call("POST", `${object}/abort`, {})).json.reason, "OBJECT_COMMITTED");
    const down = await sendRaw(port, "GET", object);
    t.is(down.status, 200);
    t.is(hashOf(down.body), digest);
    t.is(down.headers.get("content-type"), "image/png");
    const part = await sendRaw(port, "GET", object, { range: "bytes=100-199" });
    t.is(part.status, 206);
    t.is(part.headers.get("content-range"), `bytes 100-199/${bytes.length}`);
    t.deepEqual(part.body, bytes.subarray(100, 200));
    t.deepEqual((await sendRaw(port, "GET", object, { range: "bytes=-10" })).body, bytes.subarray(-10));
    t.is(down.headers.get("content-length"), String(bytes.length));
    const [event] = await take(await subscribe(), 1);
    t.like(JSON.parse(event!.data!), {
      sequence: 1,
      object: { object_id: data.object_id, digest, size: bytes.length },
    });
    t.is((await call("GET", path)).data.total_bytes, bytes.length);
  });

  test(`${adapter}: HEAD of an object has the length of its GET, and ranges and conditions are answered as RFC 9110 says`, async (t) => {
    const { path, port, call } = await newStream(t, adapter);
    // Longer than a socket takes at once.
    const bytes = randomBytes(3_000_000);
    const size = bytes.length;
    const { object, tag } = await committed({ path, port, call }, bytes);
    const ask = async (headers: Record<string, string>, verb = "GET") => {
      const answer = await sendRaw(port, verb, object, headers);
      const { status, body } = answer;
      const [length, range, etag] = ["content-length", "content-range", "etag"].map((name) =>
        answer.headers.get(name),
      );
      return { status, body, length: length === undefined ? undefined : Number(length), range, etag };
    };
    const whole = { status: 200, length: size, range: undefined, etag: tag };
    t.like(await ask({}), whole);
    t.deepEqual((await ask({})).body, bytes);
    for (const headers of [{}, { range: "bytes=0-9" }]) t.like(await ask(headers, "HEAD"), whole);

    const parts: [string, number, number][] = [
      ["bytes=0-0", 0, 1],
      ["Bytes=100-199", 100, 200],
      [`bytes=2999990-${size + 5}`, 2_999_990, size],
      ["bytes=10-99999999999999999999", 10, size],
      ["bytes=-10", size - 10, size],
      [`bytes=-${size + 1}`, 0, size],
    ];
    for (const [range, from, to] of parts) {
      const part = await ask({ range });
      const described = `bytes ${from}-${to - 1}/${size}`;
      t.like(part, { status: 206, length: to - from, range: described, etag: tag }, range);
      t.true(part.body.equals(bytes.subarray(from, to)), range);
    }
    for (const range of ["bytes=5-4", "bytes=-", "lines=1-2", "bytes=0-1,5-6", "bytes=a-b"])
      t.like(await ask({ range }), whole, range);

    for (const range of [`bytes=${size}-`, "bytes=99999999999999999999-", "bytes=-0"]) {
      const answer = await ask({ range });
      t.like(answer, { status: 416, range: `bytes */${size}` }, range);
      t.like(JSON.parse(answer.body.toString()), { errorCode: "RANGE_NOT_SATISFIABLE", size }, range);
    }

    const other = `"${hashOf(Buffer.from("other"))}"`;
    const range = "bytes=1-2";
    t.is((await ask({ range, "if-range": tag })).status, 206);
    for (const stale of [other, `W/${tag}`, "Wed, 21 Oct 2026 07:28:00 GMT", "nonsense"]) {
      t.like(await ask({ range, "if-range": stale }), whole, stale);
      t.like(await ask({ range: `bytes=${size}-`, "if-range": stale }), whole, stale);
    }

    for (const known of [tag, `W/${tag}`, `${other}, ${tag}`, "*"])
      for (const verb of ["GET", "HEAD"])
        for (const asked of [{}, { range }, { range: `bytes=${size}-` }]) {
          const answer = await ask({ "if-none-match": known, ...asked }, verb);
          t.like(answer, { status: 304, etag: tag, range: undefined }, `${verb} ${known}`);
          t.is(answer.body.length, 0);
        }
    t.like(await ask({ "if-none-match": other }), whole);
    t.is((await ask({ "if-none-match": "no quotes" })).status, 400);
    t.like(await ask({ "if-match": tag }), whole);
    for (const stale of [other, `W/${tag}`]) t.is((await ask({ "if-match": stale })).status, 412, stale);
    t.like(await ask({}), whole);
  });

  test(`${adapter}: bytes that were not announced are refused, and none of them are kept`, async (t) => {
    const { path, port, call } = await newStream(t, adapter);
    const bytes = randomBytes(200_000);
    const { data } = await call("POST", `${path}/objects`, {
      idempotency_key: "k",
      digest: hashOf(bytes),
      size: bytes.length,
    });
    const object = data.upload_path as string;
    const receipt = { "x-object-receipt": data.authorization_receipt as string };
    const put = (body: Buffer, headers: Record<string, string> = receipt) =>
      sendRaw(port, "PUT", object, { "content-length": String(body.length), ...headers }, body);
    t.is((await put(bytes, {})).status, 403);
    t.is((await put(bytes, { "x-object-receipt": "forged" })).status, 403);
    t.is((await put(bytes.subarray(1))).status, 400);
    t.is((await put(Buffer.concat([bytes, bytes]))).status, 400);
    t.is((await put(randomBytes(bytes.length))).status, 400);
    t.is((await put(Buffer.alloc(limits.streamObjectBytesMax + 1))).status, 413);
    t.is((await call("POST", `${object}/commit`, {}, receipt)).json.reason, "OBJECT_NOT_UPLOADED");
    t.is((await put(bytes)).status, 200);
    t.is((await call("POST", `${object}/commit`, {})).status, 403);
    t.is((await call("POST", `${object}/commit`, {}, receipt)).status, 200);
  });

  test(`${adapter}: an aborted object cannot be uploaded or committed; under a hold none is aborted (edge case 19)`, async (t) => {
    const { path, port, call } = await newStream(t, adapter);
    const bytes = Buffer.from("x");
    const prepare = async (idempotency_key: string) => {
      const intent = { idempotency_key, digest: hashOf(bytes), size: 1 };
      const { data } = await call("POST", `${path}/objects`, intent);
      return {
        object: data.upload_path as string,
        receipt: { "x-object-receipt": data.authorization_receipt as string },
      };
    };
    const { object, receipt } = await prepare("a");
    await call("PUT", `${path}/legal-hold`, { held: true, reason: "r" });
    t.is((await call("POST", `${object}/abort`, {})).json.reason, "LEGAL_HOLD");
    await call("PUT", `${path}/legal-hold`, { held: false });
    t.is((await call("POST", `${object}/abort`, {})).data.state, "aborted");
    t.is((await call("POST", `${object}/abort`, {})).data.state, "aborted");
    t.is((await call("POST", `${object}/commit`, {}, receipt)).json.reason, "OBJECT_ABORTED");
    t.is((await sendRaw(port, "PUT", object, receipt, bytes)).status, 409);
  });
}

interface At {
  readonly path: string;
  readonly port: number;
  readonly call: Awaited<ReturnType<typeof newStream>>["call"];
}

/** An object that is there to be read. */
async function committed({ path, port, call }: At, bytes: Buffer) {
  const digest = hashOf(bytes);
  const intent = { idempotency_key: "k", digest, size: bytes.length };
  const { data } = await call("POST", `${path}/objects`, intent);
  const object = data.upload_path as string;
  const receipt = { "x-object-receipt": data.authorization_receipt as string };
  await sendRaw(port, "PUT", object, { "content-length": String(bytes.length), ...receipt }, bytes);
  await call("POST", `${object}/commit`, {}, receipt);
  return { object, tag: `"${digest}"` };
}
