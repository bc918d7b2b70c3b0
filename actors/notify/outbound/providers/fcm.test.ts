import { createPublicKey, generateKeyPairSync } from "node:crypto";
import test from "ava";
import { jwtVerify } from "jose";
import { answering, message, outgoing, parts, record, send } from "../../../../test/support/providers.ts";
import type { JsonObject } from "../types.ts";
import { makeFcm } from "./fcm.ts";

test.after.always(() => outgoing.close());

test("given FCM, when two messages are sent, then one grant that jose verifies serves both, and 401 asks anew", async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const grants: string[] = [];
  let status = 200;
  const { url, seen } = await record(t, (response, { request, body }) => {
    if (request.url === "/token") {
      grants.push(new URLSearchParams(body.toString()).get("assertion")!);
      answering(200, { access_token: `token-${grants.length}`, expires_in: 3_600 })(response);
    } else answering(status, { name: "projects/p/messages/1" })(response);
  });
  const connection = {
    config: { project_id: "p", base_url: url, token_url: `${url}/token` },
    credential: { client_email: "a@p.iam", private_key },
  };
  const fcm = makeFcm(parts);
  const push = { channel: "push" as const, to: "device", settings: { data: { a: 1 } } };
  t.deepEqual(await send(fcm, connection, push), {
    type: "accepted",
    providerMessageId: "projects/p/messages/1",
  });
  await send(fcm, connection, push);
  t.is(grants.length, 1);
  const { payload } = await jwtVerify(
    grants[0]!,
    createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
    {
      issuer: "a@p.iam",
      audience: `${url}/token`,
    },
  );
  t.is(payload.scope, "https://www.googleapis.com/auth/firebase.messaging");
  const sent = seen.filter(({ request }) => request.url === "/v1/projects/p/messages:send");
  t.is(sent[0]!.request.headers.authorization, "Bearer token-1");
  const { message: body } = JSON.parse(sent[0]!.body.toString()) as { message: JsonObject };
  t.like(body, {
    token: "device",
    notification: { title: "Hello", body: "there" },
    data: { a: "1", delivery_key: message.key },
  });
  status = 401;
  t.like(await send(fcm, connection, push), { type: "not_sent", code: "UNAUTHORIZED" });
  status = 200;
  await send(fcm, connection, push);
  t.is(grants.length, 2);
});

test("given FCM, when the device is unregistered or the account cannot be used, then the endpoint or the integration is at fault", async (t) => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const details = [{ errorCode: "UNREGISTERED" }];
  const { url } = await record(t, (response, { request }) =>
    request.url === "/token"
      ? answering(200, { access_token: "t", expires_in: 3_600 })(response)
      : answering(404, { error: { status: "NOT_FOUND", details } })(response),
  );
  const config = { project_id: "p", base_url: url, token_url: `${url}/token` };
  const fcm = makeFcm(parts);
  const gone = await send(fcm, { config, credential: { client_email: "a", private_key } });
  t.like(gone, { type: "refused", suppress: "gone" });
  t.like(await send(fcm, { config, credential: { client_email: "a", private_key: "none" } }), {
    type: "not_sent",
    phase: "connect",
    code: "UNAUTHORIZED",
  });
});
