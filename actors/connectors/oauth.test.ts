import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { RefusalError } from "#base";
import { Browser, connected, execute, open, scene } from "../../test/support/oauth.ts";
import type { TokenFault } from "../../test/support/oidc.ts";

/** A token endpoint that answers with this, however it is asked. */
const status =
  (code: number, body = ""): TokenFault =>
  async (_body, response) => {
    response.writeHead(code, { "content-type": "application/json" }).end(body);
    return true;
  };

test("a browser connects by code and PKCE, comes back to the caller's page, and the token is sent with actions", async (t) => {
  const made = await scene(t);
  const session = await open(made, { return_url: "https://app.example.com/done?x=1" });
  const end = await new Browser().go(`${made.pages}/connect/${session.token}`, (url) =>
    url.startsWith("https://app."),
  );
  t.is(end.url, `https://app.example.com/done?x=1&connect_session_id=${session.id}&status=connected`);
  const connection = await made.world.call("ConnectionService.GetConnection", {
    connection_id: session.connection_id,
  });
  t.like(connection, { status: "active", granted_scopes: ["openid", "read"], credential_version: 1 });
  t.is((await execute(made, session.connection_id)).status, "succeeded");
  t.regex(made.bearers[0]!, /^Bearer .{20,}/);
  const { refusal } = (await t.throwsAsync(execute(made, session.connection_id, "oidc.write"), {
    instanceOf: RefusalError,
  })) as RefusalError;
  t.like(refusal, { reason: "MISSING_SCOPES", extra: { missing_scopes: ["write"] } });
  t.is(made.bearers.length, 1, "no call without the scopes");
});

test("given a return_url that is not at an allowed origin, however it is spelled, then no session is made", async (t) => {
  const made = await scene(t);
  for (const return_url of [
    "https://evil.example/done",
    "http://app.example.com/done",
    "https://app.example.com:8443/done",
    "https://app.example.com.evil.example/",
    "https://app.example.com@evil.example/",
    "//app.example.com/done",
    "/done",
    "javascript:alert(1)",
  ]) {
    const thrown = await t.throwsAsync(open(made, { return_url }), { instanceOf: RefusalError });
    t.is((thrown as RefusalError).refusal.fields?.[0]?.field, "return_url", return_url);
  }
});

test("200 executions on an expired token: one refresh, and the provider's reuse detection stays quiet", async (t) => {
  const made = await scene(t);
  made.firstTtlSeconds = 1;
  const connection = await connected(made);
  await sleep(1_100);
  const done = await Promise.all(Array.from({ length: 200 }, () => execute(made, connection)));
  t.deepEqual([...new Set(done.map(({ status }) => status))], ["succeeded"]);
  t.deepEqual(made.granted, ["authorization_code", "refresh_token"]);
  t.like(await made.world.call("ConnectionService.GetConnection", { connection_id: connection }), {
    status: "active",
    credential_version: 2,
  });
});

test("a token endpoint that answers 500 fails the refresh and keeps the connection; later it is refreshed", async (t) => {
  const made = await scene(t);
  made.firstTtlSeconds = 1;
  const connection = await connected(made);
  await sleep(1_100);
  made.token = status(500);
  const waiting = execute(made, connection);
  while (!made.granted.includes("refresh_token")) await sleep(20);
  const failing = await made.world.call("ConnectionService.GetConnection", { connection_id: connection });
  t.is(failing.status, "active");
  made.token = undefined;
  t.is((await waiting).status, "succeeded");
});

test("client credentials: no browser, the session gets its token itself", async (t) => {
  const made = await scene(t);
  const session = await open(made, { provider_config_id: made.clientConfigId });
  const done = await made.world.call("ConnectSessionService.SubmitConnectSession", {
    connect_session_id: session.id,
  });
  t.is(done.status, "connected", JSON.stringify(done));
  t.deepEqual(made.granted, ["client_credentials"]);
});

test("a state is good once, in the browser it was given to, and of the issuer", async (t) => {
  const made = await scene(t);
  const session = await open(made);
  let back = "";
  const isBack = (url: string) => {
    if (url.includes("/connect/callback")) back = url;
    return back !== "";
  };
  const browser = new Browser();
  await browser.go(`${made.pages}/connect/${session.token}`, isBack);
  t.is((await new Browser().go(back)).status, 400, "another browser");
  t.is((await browser.go(`${back}&code=again`)).status, 400, "a parameter twice");
  const wrong = new URL(back);
  wrong.searchParams.set("iss", "https://evil.example.com");
  t.regex((await browser.go(wrong.href)).text, /not from the issuer/);
  t.is((await browser.go(back)).status, 400, "used up");
  t.deepEqual(made.granted, [], "no code was exchanged");
  const failed = await made.world.call("ConnectSessionService.GetConnectSession", {
    connect_session_id: session.id,
  });
  t.is(failed.status, "failed");
  t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /Connected/, "it may try again");
});

test("consent denied: the session has failed with the provider's word, and may try again", async (t) => {
  const made = await scene(t);
  made.consent = "no";
  const session = await open(made);
  const browser = new Browser();
  t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /access_denied/);
  made.consent = "yes";
  t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /Connected/);
  t.is((await browser.go(`${made.pages}/connect/${session.token}`)).status, 410, "and then it is over");
});

test("a token of nothing, a forged one and a revoked session's are refused", async (t) => {
  const made = await scene(t);
  const session = await open(made);
  const bytes = Buffer.from(session.token, "base64url");
  bytes[bytes.length - 1]! ^= 1;
  t.is((await new Browser().go(`${made.pages}/connect/${bytes.toString("base64url")}`)).status, 404);
  t.is((await new Browser().go(`${made.pages}/connect/nothing`)).status, 404);
  await made.world.call("ConnectSessionService.RevokeConnectSession", { connect_session_id: session.id });
  t.is((await new Browser().go(`${made.pages}/connect/${session.token}`)).status, 410);
});

test("a revoked connection tells the provider and forgets its credentials", async (t) => {
  const made = await scene(t);
  const connection_id = await connected(made);
  await made.world.call("ConnectionService.RevokeConnection", { connection_id });
  let keyId: unknown = "?";
  while (keyId !== "") {
    await sleep(20);
    keyId = (await made.world.call("ConnectionService.GetConnection", { connection_id })).key_id;
  }
  t.deepEqual(await made.world.call("ConnectionService.DeleteConnection", { connection_id }), {
    id: connection_id,
    deleted: true,
  });
});

const answeredBy =
  (end: (response: ServerResponse) => void): TokenFault =>
  async (_body, response) => {
    end(response);
    return true;
  };

const faults: Readonly<Record<string, TokenFault>> = {
  "cut off before its answer": answeredBy((response) => response.destroy()),
  "cut off in its answer": answeredBy((response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
    response.write('{"access_token": "half');
    setTimeout(() => response.destroy(), 20);
  }),
  "that answers 200 with something else": answeredBy((response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<p>we are down</p>");
  }),
  "that answers 503": status(503),
};

test("a token endpoint that fails: the code is not exchanged again, and the session may try again", async (t) => {
  const made = await scene(t);
  for (const [name, fault] of Object.entries(faults)) {
    made.token = fault;
    made.granted.length = 0;
    const session = await open(made);
    const browser = new Browser();
    t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /could not be asked/, name);
    t.deepEqual(made.granted, ["authorization_code"], name);
    made.token = undefined;
    t.regex((await browser.go(`${made.pages}/connect/${session.token}`)).text, /Connected/, name);
    t.is((await execute(made, session.connection_id)).status, "succeeded", name);
  }
});

test("a refresh whose answer cannot be read waits for the end of the token, and is not taken for a refusal", async (t) => {
  const made = await scene(t);
  made.firstTtlSeconds = 3_600;
  const connection_id = await connected(made);
  made.token = faults["that answers 200 with something else"];
  const { world } = made;
  // A provider that says 401 makes a refresh due though the token is valid.
  made.unauthorized = true;
  const failed = await execute(made, connection_id);
  t.is(failed.status, "failed");
  t.is(failed.error?.code, "TOKEN_UNAVAILABLE");
  const state = await world.call("ConnectionService.GetConnection", { connection_id });
  t.is(state.status, "active");
  t.truthy(state.refresh_failing_since);
  t.deepEqual(made.granted, ["authorization_code", "refresh_token"], "once in an hour");
});

test("a slow token endpoint: executions wait for it, and it is asked once", async (t) => {
  const made = await scene(t);
  made.firstTtlSeconds = 1;
  const connection = await connected(made);
  await sleep(1_100);
  made.token = async () => {
    await sleep(1_500);
    return false;
  };
  const done = await Promise.all(Array.from({ length: 20 }, () => execute(made, connection)));
  t.deepEqual([...new Set(done.map(({ status: one }) => one))], ["succeeded"]);
  t.deepEqual(made.granted, ["authorization_code", "refresh_token"]);
});

test("a token whose issuer is another one is not taken", async (t) => {
  const made = await scene(t);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: "https://evil.example.com", aud: "app", sub: "alice", iat: now, exp: now + 600 };
  const id_token = `${part({ alg: "RS256" })}.${part(claims)}.c2lnbmVk`;
  made.token = status(
    200,
    JSON.stringify({ access_token: "a", token_type: "bearer", expires_in: 60, id_token }),
  );
  const session = await open(made);
  t.regex((await new Browser().go(`${made.pages}/connect/${session.token}`)).text, /Not connected/);
  const { status: said } = await made.world.call("ConnectSessionService.GetConnectSession", {
    connect_session_id: session.id,
  });
  t.is(said, "failed");
});

test("a state of another tenant, and one that comes when the session is over, are refused", async (t) => {
  const made = await scene(t);
  const session = await open(made);
  const browser = new Browser();
  let back = "";
  await browser.go(`${made.pages}/connect/${session.token}`, (url) => {
    if (url.includes("/connect/callback")) back = url;
    return back !== "";
  });
  const foreign = new URL(back);
  const state = Buffer.from(foreign.searchParams.get("state")!, "base64url");
  // The tenant's id is the first part.
  state[3]! ^= 1;
  foreign.searchParams.set("state", state.toString("base64url"));
  t.true([400, 404].includes((await browser.go(foreign.href)).status), "another tenant");
  await made.world.call("ConnectSessionService.RevokeConnectSession", { connect_session_id: session.id });
  t.is((await browser.go(back)).status, 410, "over");
  t.deepEqual(made.granted, []);
});
