import { setTimeout as sleep } from "node:timers/promises";
import anyTest, { type TestFn } from "ava";
import { systemClock } from "#base";
import { localRateLimiter } from "../../gateway/calls/stages/token-bucket.ts";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { eventually } from "../support/eventually.ts";
import { nobody } from "./cases/case.ts";
import { tenantA, tenantB, testProviders } from "./support/auth.ts";
import { type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import {
  probeContract,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors; logged: object[] }>;
const method = (name: string): ContractMethod => probeContract.byName.get(`ProbeService.${name}`)!;
const bearer = (name: string) => ({ authorization: `Bearer ${name}` });
const codeOf = (outcome: Outcome) => (outcome.ok ? "OK" : outcome.error.errorCode);

async function start(options: TestServiceOptions) {
  const service = await startTestService(options);
  const doors = doorsOf(service);
  const close = async () => {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  };
  return { service, doors, close };
}

/** One door of each protocol. */
function someDoors(doors: Doors) {
  return [doors.grpc, doors["rest-uws"], doors["connect-json"], doors["grpc-web"], doors["native-grpc"]];
}

test.before(async (t) => {
  const logged: object[] = [];
  const log = { warn: () => undefined, error: (fields: object) => logged.push(fields) };
  const { service, doors } = await start({
    settings: { authEnabled: true },
    providers: testProviders,
    telemetry: { log },
  });
  t.context = { service, doors, logged };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors)) door.close?.();
  await t.context.service.close();
});

test("without credentials, with bad ones, or with two kinds at once, a call is unauthenticated", async (t) => {
  for (const door of someDoors(t.context.doors)) {
    const wrong: Record<string, string>[] = [
      {},
      bearer("nobody"),
      { authorization: "Basic dTpw" },
      { ...bearer("admin"), "x-api-key": "admin" },
    ];
    for (const headers of wrong) {
      const outcome = await door.unary(method("Echo"), { name: "a" }, headers);
      t.is(codeOf(outcome), "UNAUTHENTICATED", `${door.name} ${JSON.stringify(headers)}`);
      t.is(outcome.headers.get("www-authenticate"), 'Bearer realm="service"', door.name);
    }
    for (const headers of [bearer("operator"), bearer("slow-operator"), { "x-api-key": "operator" }]) {
      const outcome = await door.unary(method("Echo"), { name: "a" }, headers);
      t.like(outcome, { ok: true, message: { tenant_id: tenantA, subject: "otto" } }, door.name);
    }
  }
});

test("roles of the contract, module roles among them, and scopes decide what a caller may do", async (t) => {
  const expected: [who: string, name: string, code: string][] = [
    ["viewer", "Look", "OK"],
    ["viewer", "Echo", "PERMISSION_DENIED"],
    ["operator", "Echo", "OK"],
    ["operator", "Guarded", "PERMISSION_DENIED"],
    ["admin", "Guarded", "OK"],
    ["narrowed", "Look", "OK"],
    ["narrowed", "Echo", "PERMISSION_DENIED"],
    ["narrowed", "Guarded", "PERMISSION_DENIED"],
    ["scoped", "Echo", "OK"],
    ["scoped", "Look", "PERMISSION_DENIED"],
    ["unscoped", "Look", "PERMISSION_DENIED"],
    ["prober", "Look", "OK"],
    ["prober", "Echo", "OK"],
    ["prober", "Guarded", "PERMISSION_DENIED"],
    ["stranger", "Look", "PERMISSION_DENIED"],
  ];
  for (const door of someDoors(t.context.doors))
    for (const [who, name, code] of expected)
      t.is(
        codeOf(await door.unary(method(name), { name: "a" }, bearer(who))),
        code,
        `${door.name} ${who} ${name}`,
      );
});

test("the tenant is the principal's; only a platform principal chooses one", async (t) => {
  for (const door of someDoors(t.context.doors)) {
    const tell = (who: string, tenant?: string) =>
      door.unary(method("Echo"), { name: "a" }, { ...bearer(who), ...(tenant && { "x-tenant-id": tenant }) });
    t.is(codeOf(await tell("operator", tenantB)), "TENANT_MISMATCH", door.name);
    t.is(codeOf(await tell("operator", tenantA)), "OK", door.name);
    t.is(codeOf(await tell("viewer", tenantB)), "PERMISSION_DENIED", "a missing scope is found first");
    t.is(codeOf(await tell("platform")), "INVALID_ARGUMENT", door.name);
    t.is(codeOf(await tell("platform", "here")), "INVALID_ARGUMENT", door.name);
    t.like(await tell("platform", tenantB), { ok: true, message: { tenant_id: tenantB } }, door.name);
  }
});

test("a caller without permission is refused before the message is validated", async (t) => {
  const { ports } = t.context.service;
  const url = `http://127.0.0.1:${ports.uws}`;
  const post = (path: string, type: string, body: string | Uint8Array, headers = {}) =>
    fetch(url + path, { method: "POST", body, headers: { "content-type": type, ...headers } });
  t.is((await post("/api/probe/echo", "application/json", "{")).status, 401);
  t.is((await post(method("Echo").path, "application/json", "{")).status, 401);
  t.is((await post(method("Echo").path, "application/proto", Uint8Array.of(255))).status, 401);
  const web = await post(
    method("Echo").path,
    "application/grpc-web+proto",
    Uint8Array.of(0, 0, 0, 0, 1, 255),
  );
  t.regex(await web.text(), /grpc-status: 16/);
  t.is((await post(method("Echo").path, "application/json", "{", bearer("admin"))).status, 400);
  const readable = await post(
    method("Echo").path,
    "application/grpc-web+proto",
    Uint8Array.of(0, 0, 0, 0, 1, 255),
    bearer("admin"),
  );
  t.regex(await readable.text(), /grpc-status: 3/);
  t.is((await post("/api/probe/echo", "application/json", "{", { "api-version": "1999-01-01" })).status, 400);
});

test("an internal error is shown to the caller as a reference, and the log has the cause under that reference", async (t) => {
  for (const door of someDoors(t.context.doors)) {
    for (const [name, request, headers] of [
      ["Fail", { crash: true, detail: "secret" }, bearer("admin")],
      ["Echo", { name: "a" }, bearer("broken")],
    ] as const) {
      const outcome = await door.unary(method(name), request, headers);
      const [, ref] =
        /^Internal error \(ref: ([0-9a-f]{8})\)$/.exec(outcome.ok ? "" : outcome.error.detail) ?? [];
      t.truthy(ref, `${door.name} ${name}: ${JSON.stringify(outcome)}`);
      const entry = t.context.logged.find((fields) => (fields as { ref?: string }).ref === ref);
      t.regex(String((entry as { err?: Error }).err?.message), /secret/);
    }
  }
});

test("a request for a method that matches no protocol is refused with the reason and the request id", async (t) => {
  const { service, close } = await start({});
  t.teardown(close);
  const ask = async (verb: string, path: string, type?: string) => {
    const answer = await fetch(`http://127.0.0.1:${service.ports.uws}${path}`, {
      method: verb,
      headers: { "x-request-id": "mine-2", ...(type === undefined ? {} : { "content-type": type }) },
      ...(verb === "POST" ? { body: "{}" } : {}),
    });
    t.is(answer.headers.get("x-request-id"), "mine-2", `${verb} ${path} ${type}`);
    return { status: answer.status, allow: answer.headers.get("allow"), body: await answer.text() };
  };
  const probe = "/service.probe.ProbeService";
  const verb = await ask("GET", `${probe}/Echo`);
  t.like(verb, { status: 405, allow: "POST" });
  t.like(JSON.parse(verb.body), { errorCode: "METHOD_NOT_ALLOWED", request_id: "mine-2" });
  t.like(await ask("DELETE", `${probe}/Look`), { status: 405, allow: "GET, POST" });
  const type = await ask("POST", `${probe}/Echo`, "text/plain");
  t.is(type.status, 415);
  t.like(JSON.parse(type.body), { errorCode: "UNSUPPORTED_MEDIA_TYPE", request_id: "mine-2" });
  t.regex(JSON.parse(type.body).detail, /application\/json or application\/proto/);
  const unary = await ask("POST", `${probe}/Chat`, "application/json");
  t.is(unary.status, 501);
  t.regex(JSON.parse(unary.body).detail, /HTTP\/2: it is served on :50051 and :50052/);
  t.regex((await ask("POST", `${probe}/Chat`, "application/connect+json")).body, /"request_id":"mine-2"/);
  const nothing = await ask("POST", `${probe}/Nothing`, "application/json");
  t.is(nothing.status, 404);
  t.regex(nothing.body, /"request_id":"mine-2"/);
});

test("answers echo the version and the request id, and mark a deprecated method", async (t) => {
  const { service, doors, close } = await start({
    settings: { sunsets: { "ProbeService.OldEcho": "Sat, 31 Jan 2099 00:00:00 GMT" } },
  });
  t.teardown(close);
  t.truthy(service);
  for (const door of someDoors(doors)) {
    const good = await door.unary(method("OldEcho"), { name: "a" }, { "x-request-id": "mine-1" });
    t.is(good.headers.get("api-version"), "2024-01-01", door.name);
    t.is(good.headers.get("x-request-id"), "mine-1", door.name);
    t.is(good.headers.get("deprecation"), "true", door.name);
    t.is(good.headers.get("sunset"), "Sat, 31 Jan 2099 00:00:00 GMT", door.name);
    t.is(good.headers.get("link"), '</api/probe/echo>; rel="successor-version"', door.name);
    const bad = await door.unary(method("Echo"), { name: "" }, { "x-request-id": "not safe" });
    t.is(bad.headers.get("api-version"), undefined, door.name);
    t.not(bad.headers.get("x-request-id"), "not safe", door.name);
    t.is(bad.headers.get("deprecation"), undefined, door.name);
  }
});

test("internal-only methods are not found on the external plane", async (t) => {
  const { doors } = t.context;
  for (const door of [doors["connect-json"], doors["grpc-web"], doors["native-grpc"], doors.grpc]) {
    const outcome = await door.unary(method("InternalEcho"), { name: "a" }, bearer("platform"));
    t.false(outcome.ok, door.name);
  }
  const { ports } = t.context.service;
  const response = await fetch(`http://127.0.0.1:${ports.uws}/api/probe/internal-echo`, {
    method: "POST",
    body: "{}",
  });
  t.is(response.status, 404);
  const inside = { ...bearer("platform"), "x-tenant-id": tenantA };
  for (const door of [doors["internal-grpc"], doors["internal-rest"], doors["internal-connect"]]) {
    t.is(codeOf(await door.unary(method("InternalEcho"), { name: "a" }, inside)), "OK", door.name);
    const outcome = await door.unary(method("InternalEcho"), { name: "a" }, bearer("admin"));
    t.is(codeOf(outcome), "PERMISSION_DENIED", "it is for the role service");
  }
});

test("a deadline ends the wait, and a long poll has its own", async (t) => {
  const { doors } = t.context;
  const { ports } = t.context.service;
  const wait = (path: string) =>
    fetch(`http://127.0.0.1:${ports.uws}${path}`, {
      method: "POST",
      body: JSON.stringify({ sleep_ms: 60_000 }),
      headers: { "content-type": "application/json", "connect-timeout-ms": "30", ...bearer("admin") },
    });
  t.is((await wait("/api/probe/wait")).status, 504);
  const connect = await wait(method("Wait").path);
  t.like(await connect.json(), { code: "deadline_exceeded" });
  const bad = await fetch(`http://127.0.0.1:${ports.uws}/api/probe/wait`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json", "connect-timeout-ms": "soon", ...bearer("admin") },
  });
  t.is(bad.status, 400);
  const polled = await doors["rest-uws"].unary(method("Poll"), { wait_seconds: 20 }, bearer("admin"));
  t.deepEqual(polled.ok && polled.message, { left_ms: 25_000 });
  for (const name of ["rest-uws", "rest-node"] as const) {
    const absent = await doors[name].unary(method("Poll"), {}, bearer("admin"));
    t.deepEqual(absent.ok && absent.message, { left_ms: 12_000 }, `${name}: the default of the contract`);
  }
});

test("requests with one idempotency key through different doors are one request", async (t) => {
  const { doors } = t.context;
  const headers = { ...bearer("admin"), "idempotency-key": "key-1" };
  const request = { parent_id: nobody, name: "ada" };
  const first = await doors["rest-uws"].unary(method("Keep"), request, headers);
  t.true(first.ok);
  t.is(first.headers.get("idempotent-replayed"), undefined);
  for (const door of someDoors(doors)) {
    const again = await door.unary(method("Keep"), request, headers);
    t.deepEqual(again.ok && again.message, first.ok && first.message, door.name);
    t.is(again.headers.get("idempotent-replayed"), "true", door.name);
    const other = await door.unary(method("Keep"), { ...request, name: "bob" }, headers);
    t.is(codeOf(other), "IDEMPOTENCY_KEY_REUSED", door.name);
    const another = await door.unary(method("Keep"), request, { ...headers, ...bearer("slow-operator") });
    t.is(codeOf(another), "OK", "another principal has its own keys");
  }
});

test("calls beyond the rate are refused by cost, with a retry hint; the internal plane has no limit", async (t) => {
  const { doors, close } = await start({
    settings: { tenantRps: 4 },
    providers: { rateLimiter: localRateLimiter({ ...systemClock, monotonic: () => 0 }) },
  });
  t.teardown(close);
  const keep = { parent_id: nobody, name: "ada" };
  const first = await doors.grpc.unary(method("Keep"), keep);
  t.is(first.headers.get("x-ratelimit-limit"), "4");
  t.is(first.headers.get("x-ratelimit-remaining"), "1");
  for (const door of someDoors(doors)) {
    const refused = await door.unary(method("Keep"), keep);
    t.like(
      refused,
      { ok: false, error: { errorCode: "RATE_LIMITED", reason: "RATE", retryAfterMs: 500 } },
      door.name,
    );
    t.is(refused.headers.get("retry-after"), "1", door.name);
  }
  t.is(
    codeOf(await doors.grpc.unary(method("Echo"), { name: "a" })),
    "OK",
    "another method has another bucket",
  );
  for (let i = 0; i < 5; i++) t.is(codeOf(await doors["internal-grpc"].unary(method("Keep"), keep)), "OK");
});

test("requests beyond the concurrency cap are refused, and accepted again when one has ended", async (t) => {
  const { doors, close } = await start({ settings: { concurrentRequestsPerTenantMax: 1 } });
  t.teardown(close);
  for (const door of someDoors(doors)) {
    const refused = await eventually("a refusal while another request is under way", async () => {
      const slow = doors.grpc.unary(method("Wait"), { sleep_ms: 300 });
      await sleep(50);
      const outcome = await door.unary(method("Echo"), { name: "a" });
      t.true((await slow).ok);
      return outcome.ok ? undefined : outcome;
    });
    t.like(
      refused,
      { error: { errorCode: "RATE_LIMITED", reason: "CONCURRENCY", retryable: true } },
      door.name,
    );
    t.is(codeOf(await door.unary(method("Poll"), {})), "OK", "a long poll does not count");
    t.is(codeOf(await door.unary(method("Echo"), { name: "a" })), "OK", door.name);
  }
});

test("an anonymous caller is a viewer of its tenant on the external plane only, and sees nothing of the server itself", async (t) => {
  const { doors, close } = await start({
    settings: { authEnabled: true, anonymousTenant: tenantB },
    providers: testProviders,
  });
  for (const door of someDoors(doors)) {
    const looked = await door.unary(method("Look"), { name: "a" }, {});
    t.is(codeOf(looked), "OK", door.name);
    t.is(codeOf(await door.unary(method("Echo"), { name: "a" }, {})), "PERMISSION_DENIED", door.name);
    for (const name of ["MetaService.GetServices", "MetaService.WhoAmI"]) {
      const asked = await door.unary(probeContract.byName.get(name)!, {}, {});
      t.is(codeOf(asked), "UNAUTHENTICATED", `${door.name} ${name}`);
    }
    t.is(codeOf(await door.unary(method("Look"), { name: "a" }, bearer("nobody"))), "UNAUTHENTICATED");
  }
  for (const door of [doors["internal-rest"], doors["internal-grpc"]])
    t.is(codeOf(await door.unary(method("Look"), { name: "a" }, {})), "UNAUTHENTICATED", door.name);
  await close();
});
