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
    t.is((await sendRaw(port, "GET", object, { range: `bytes=${bytes.length}-` })).status, 400);
    t.is((await sendRaw(port, "HEAD", object)).status, 200);
    const [event] = await take(await subscribe(), 1);
    t.like(JSON.parse(event!.data!), {
      sequence: 1,
      object: { object_id: data.object_id, digest, size: bytes.length },
    });
    t.is((await call("GET", path)).data.total_bytes, bytes.length);
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
