import test from "ava";
import { RefusalError, refuse } from "#base";
import type { EffectRun } from "#runtime";
import { connectionAt as at, connectedDriver, connectionId } from "../../../test/support/connection.ts";
import { connectorEffects } from "../effects/effects.ts";
import type { Parts } from "../parts.ts";
import type { Connection, Credentials } from "./record.ts";

/** An active connection whose token has expired, and a refresh of it under way. */
function refreshing() {
  const driver = connectedDriver();
  const credentials = (version: number): Credentials => ({
    encrypted: `encrypted ${version}`,
    version,
    keyId: "k1",
    scopes: [],
    refreshable: true,
    issuedAt: driver.now,
    expiresAt: driver.now + 1_000,
  });
  const open = () =>
    (
      driver.ask(at, "connection.CreateSession", {
        connection_id: connectionId,
        reconnect: true,
        provider_config_id: "01JD0000000000000000000003",
        scopes: [],
        return_url: "",
        ttl_ms: 300_000,
        token_hash: "",
      }) as { id: string }
    ).id;
  const submit = (version: number) =>
    driver.ask(at, "connection.Submit", { id: open(), credentials: credentials(version), effect: false });
  submit(2);
  driver.advance(1_000);
  driver.ask(at, "connection.Resolve", {});
  const end = (id: string, result: object) => driver.stepEffect(at, { type: "done", id, attempt: 1, result });
  const record = () => driver.ask(at, "connection.Look", {}) as Connection;
  const effects = () => driver.effects(at).map(({ id }) => id);
  return { driver, open, submit, end, record, effects, credentials };
}

for (const result of [
  { type: "rejected", reason: "INVALID_GRANT" },
  { type: "unreadable" },
  { type: "failed" },
  { type: "unknown" },
])
  test(`given a refresh under way, when a reconnect comes first and the refresh is ${result.type}, the connection stays as it is`, (t) => {
    const { submit, end, record, effects } = refreshing();
    const [refresh] = effects();
    submit(3);
    end(refresh!, result);
    t.like(record(), { status: "active", statusReason: "", credentials: { version: 3 } });
    t.is(record().refreshFailingSince, 0);
  });

test("given a refresh under way, when a reconnect comes first, then its tokens are not stored and the next refresh is another", (t) => {
  const { driver, submit, end, record, effects, credentials } = refreshing();
  const [refresh] = effects();
  submit(3);
  driver.advance(1_000);
  driver.ask(at, "connection.Resolve", {});
  t.is(effects().length, 2);
  end(refresh!, { type: "refreshed", credentials: credentials(3) });
  t.is(record().credentials.version, 3);
  t.is(effects().length, 1, "the second is still under way");
  end(effects()[0]!, { type: "refreshed", credentials: credentials(4) });
  t.is(record().credentials.version, 4);
});

test("a callback that comes after the end of its session is told so; one that was used is told that", (t) => {
  const { driver, open } = refreshing();
  const authorized = () => {
    const id = open();
    const authorization = { stateHash: "s", cookieHash: "c", encryptedVerifier: "v", redirectUri: "" };
    driver.ask(at, "connection.Authorize", { id, authorization });
    return () =>
      driver.ask(at, "connection.Callback", { id, state_hash: "s", cookie_hash: "c", error: "no" });
  };
  const [used, late] = [authorized(), authorized()];
  t.like(used(), { status: "failed" });
  t.like(used(), { code: "INVALID_ARGUMENT", reason: "STATE_USED" });
  driver.advance(300_000);
  t.like(late(), { code: "STATE_CONFLICT", reason: "SESSION_OVER" });
  driver.advance(60_000);
  t.like(late(), { code: "STATE_CONFLICT", reason: "SESSION_OVER" }, "also when it has expired for good");
});

test("effects of a connection that is gone end: they are not run again", async (t) => {
  const nowhere = () => Promise.reject(new RefusalError(refuse("NOT_FOUND", "there is no such connection")));
  const handlers = connectorEffects({ call: nowhere } as unknown as Parts);
  const run = { address: at, id: "x.1", body: {}, begun: false, signal: new AbortController().signal };
  for (const kind of ["connector_refresh", "connector_revoke", "connector_connect"])
    t.deepEqual(await handlers[kind]!.run(run as unknown as EffectRun<never>), { type: "gone" }, kind);
  const { end, effects, record } = refreshing();
  end(effects()[0]!, { type: "gone" });
  t.is(record().status, "active");
});
