import { createECDH } from "node:crypto";
import test from "ava";
// @ts-expect-error: it has no types.
import ece from "http_ece";
import webPush from "web-push";
import { answering, message, outgoing, parts, record, send } from "../../../../test/support/providers.ts";
import { makeWebPush } from "./web-push.ts";

test.after.always(() => outgoing.close());

const rfc8291 = {
  privateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

function decrypted(body: Buffer, privateKey: string, auth: string): string {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return String(ece.decrypt(body, { version: "aes128gcm", privateKey: curve, authSecret: auth }));
}

test("given the browser of RFC 8291's example, when a push is sent, then the browser's key opens it as it opens the example", async (t) => {
  const { privateKey, publicKey, auth, body } = rfc8291;
  t.is(
    decrypted(Buffer.from(body, "base64url"), privateKey, auth),
    "When I grow up, I want to be a watermelon",
  );
  const { url, seen } = await record(t, answering(201));
  const vapid = webPush.generateVAPIDKeys();
  const connection = {
    config: { subject: "mailto:a@example.com", public_key: vapid.publicKey },
    credential: { private_key: vapid.privateKey },
  };
  const to = JSON.stringify({ endpoint: `${url}/push`, keys: { p256dh: publicKey, auth } });
  const provider = makeWebPush(parts);
  const push = { channel: "push" as const, to };
  t.like(await send(provider, connection, push), { type: "accepted" });
  const { request, body: sent } = seen[0]!;
  t.like(JSON.parse(decrypted(sent, privateKey, auth)), { title: "Hello", body: "there", key: message.key });
  t.is(request.headers["content-encoding"], "aes128gcm");
  t.regex(request.headers.authorization!, /^vapid t=.+, k=/);
  t.true(Number(request.headers.ttl) <= 60);
  await send(provider, connection, push);
  t.is(seen[1]!.request.headers.topic, request.headers.topic, "a repeat collapses");
  t.like(await send(provider, connection, { ...push, to: "{}" }), { type: "refused", suppress: "invalid" });
  t.like(await send(provider, connection, { ...push, text: "x".repeat(4_000) }), {
    type: "refused",
    code: "PAYLOAD_TOO_LARGE",
  });
  const gone = await record(t, answering(410));
  const there = JSON.stringify({ endpoint: gone.url, keys: { p256dh: publicKey, auth } });
  t.like(await send(provider, connection, { ...push, to: there }), { type: "refused", suppress: "gone" });
});
