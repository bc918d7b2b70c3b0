import { request } from "node:http";
import anyTest, { type TestFn } from "ava";
import type { AuditBatch } from "../../gateway/audit/entry.ts";
import { AuditRecorder } from "../../gateway/audit/index.ts";
import { OpenCalls } from "../../gateway/calls/open-calls.ts";
import { openSessions } from "../../gateway/doors/providers.ts";
import { eventually } from "../support/eventually.ts";
import { tenantA } from "./support/auth.ts";
import { apiKeyProviders } from "./support/identity.ts";
import { startTestService, type TestService } from "./support/service.ts";

/** Sessions of API keys over both HTTP servers: what opens them, what does not, and how they end. */
const test = anyTest as TestFn<{
  service: TestService;
  told: string[];
  recorder: AuditRecorder;
  batches: AuditBatch[];
}>;

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Record<string, unknown>;
}

type Headers = Readonly<Record<string, string>>;
const servers = ["uws", "node"] as const;

test.before(async (t) => {
  const told: string[] = [];
  const batches: AuditBatch[] = [];
  const recorder = new AuditRecorder((batch) => void batches.push(batch), 3_600_000);
  const openCalls = new OpenCalls();
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    openCalls,
    audit: recorder,
    telemetry: {
      credentialsAccepted: (_call, kind) => void told.push(kind),
      credentialsRefused: (_call, kind, reason) => void told.push(`${kind} ${reason}`),
    },
    vouching: (runtime) => {
      const { external, internal } = apiKeyProviders(runtime, openCalls);
      const session = openSessions({ ...external, asker: runtime, openCalls, publicUrl: "" });
      return { external: { ...external, session }, internal };
    },
  });
  t.context = { service, told, recorder, batches };
});

test.after.always(async (t) => {
  t.context.recorder.close();
  await t.context.service.close();
});

/** A browser on one of the servers; `page` is what it says of a page of ours. */
function browserAt(service: TestService, server: (typeof servers)[number]) {
  const port = service.ports[server];
  const origin = `http://127.0.0.1:${port}`;
  const send = (method: string, path: string, headers: Headers = {}, body?: object) =>
    new Promise<Answer>((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const type = { "content-type": "application/json", "content-length": String(text.length) };
      const all = { ...headers, ...(body && type) };
      const sent = request({ host: "127.0.0.1", port, method, path, headers: all }, (response) => {
        let told = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          told += chunk;
        });
        response.on("end", () => {
          const isJson = /json/.test(response.headers["content-type"] ?? "");
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: isJson ? JSON.parse(told) : {},
          });
        });
      });
      sent.on("error", reject).end(text);
    });
  const page = { origin, "x-console": "1", "sec-fetch-site": "same-origin" };
  const signIn = async (key: string, headers: Headers = page) => {
    const answer = await send("POST", "/auth/session", headers, { api_key: key });
    const cookie = String(answer.headers["set-cookie"]).split(";")[0]!;
    return { answer, cookie, id: cookie.slice(cookie.indexOf("=") + 1).split(".")[0]! };
  };
  const whoAmI = (headers: Headers) => send("GET", "/api/_meta/whoami", headers);
  return { send, page, origin, signIn, whoAmI };
}

type Browser = ReturnType<typeof browserAt>;

async function newKey({ send }: Browser, more: object = {}) {
  const made = await send(
    "POST",
    "/api/v2/api-keys",
    { authorization: "Bearer admin" },
    { name: "k", roles: ["operator"], ...more },
  );
  const { id, secret } = made.body.data as { id: string; secret: string };
  return { id, secret };
}

for (const server of servers) {
  test(`${server}: a pasted key begins a session of a user with the key's roles, subject, owner and tenant`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { id, secret } = await newKey(browser);
    const { answer, cookie } = await browser.signIn(secret);
    t.is(answer.status, 201, JSON.stringify(answer.body));
    t.like(answer.body, { tenant_id: tenantA, subject: `api_key:${id}` });
    const [set] = answer.headers["set-cookie"] as string[];
    t.regex(set!, /^__Host-sy_session=[0-9A-Z]{26}\.[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict/);
    t.regex(set!, /; Secure$/);
    t.is(answer.headers["cache-control"], "no-store");
    t.like((await browser.whoAmI({ ...browser.page, cookie })).body.data, {
      kind: "user",
      subject: `api_key:${id}`,
      owner: "anna",
      tenant_id: tenantA,
      roles: ["operator"],
    });
  });

  test(`${server}: a read names no origin, and is taken when it says that it is of the same`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { cookie } = await browser.signIn((await newKey(browser)).secret);
    const read = { cookie, "x-console": "1", "sec-fetch-site": "same-origin" };
    t.is((await browser.whoAmI(read)).status, 200);
  });

  test(`${server}: a cookie that does not count is like none: without X-Console, of another page, of another session, after the sign-out`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { secret } = await newKey(browser);
    const { cookie } = await browser.signIn(secret);
    const other = await browser.signIn(secret);
    const [name, value] = cookie.split("=") as [string, string];
    const swapped = `${name}=${other.id}.${value.split(".")[1]}`;
    const { origin, ...unnamed } = browser.page;
    const bad: readonly Headers[] = [
      { origin, cookie },
      { origin, cookie, "x-console": "true" },
      { ...browser.page, cookie, origin: "https://evil.example" },
      { ...browser.page, cookie, origin: "null" },
      { ...browser.page, cookie, "sec-fetch-site": "cross-site" },
      { ...browser.page, cookie, "sec-fetch-site": "same-site" },
      { "x-console": "1", cookie },
      { ...browser.page, cookie: swapped },
      { ...browser.page, cookie: cookie.slice(0, -3) },
      { ...browser.page, cookie: `${cookie}x` },
      { ...browser.page },
      { ...browser.page, cookie, authorization: "Bearer admin" },
      { ...browser.page, cookie, "x-api-key": secret },
    ];
    for (const headers of bad) {
      const { status, body } = await browser.whoAmI(headers);
      t.is(status, 401, JSON.stringify(headers));
      t.is(body.errorCode, "UNAUTHENTICATED");
    }
    t.is((await browser.whoAmI({ ...unnamed, cookie })).status, 200, "none of them ended it");
    const out = await browser.send("DELETE", "/auth/session", { ...browser.page, cookie });
    t.is(out.status, 204);
    t.regex(String(out.headers["set-cookie"]), /^__Host-sy_session=; .*Max-Age=0/);
    t.is((await browser.whoAmI({ ...browser.page, cookie })).status, 401);
    t.is((await browser.whoAmI({ ...browser.page, cookie: other.cookie })).status, 200);
  });

  test(`${server}: beside a key a cookie without X-Console is left alone: the key counts`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { secret } = await newKey(browser);
    const { cookie } = await browser.signIn(secret);
    t.like(await browser.whoAmI({ cookie, "x-api-key": secret }), { status: 200 });
  });

  test(`${server}: a sign-out of another page, or without X-Console, is 401 and ends nothing`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { cookie } = await browser.signIn((await newKey(browser)).secret);
    for (const headers of [
      { ...browser.page, cookie, origin: "https://evil.example" },
      { origin: browser.origin, cookie },
      { ...browser.page },
    ])
      t.like(await browser.send("DELETE", "/auth/session?all=true", headers), { status: 401 });
    t.is((await browser.whoAmI({ ...browser.page, cookie })).status, 200);
  });

  test(`${server}: a sign-out with all=true ends every session of the key, at once`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { secret } = await newKey(browser);
    const all = await Promise.all([1, 2, 3].map(() => browser.signIn(secret)));
    const stranger = await browser.signIn((await newKey(browser)).secret);
    const ask = ({ cookie }: { cookie: string }) => browser.whoAmI({ ...browser.page, cookie });
    for (const one of [...all, stranger]) t.is((await ask(one)).status, 200);
    const headers = { ...browser.page, cookie: all[0]!.cookie };
    t.is((await browser.send("DELETE", "/auth/session?all=true", headers)).status, 204);
    for (const one of all) t.is((await ask(one)).status, 401);
    t.is((await ask(stranger)).status, 200);
  });

  test(`${server}: bad sign-ins are refused: a bad key, another page, no key in the body`, async (t) => {
    const browser = browserAt(t.context.service, server);
    const { secret } = await newKey(browser);
    const { send, page } = browser;
    const wrong = `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`;
    t.like((await browser.signIn(wrong)).answer, { status: 401 });
    for (const headers of [{ ...page, origin: "https://evil.example" }, { "x-console": "1" }])
      t.like((await browser.signIn(secret, headers)).answer, { status: 403 });
    for (const body of [{}, { api_key: "" }, { api_key: 7 }, []])
      t.like(await send("POST", "/auth/session", page, body), { status: 400 });
    const { status, headers, body } = await send("PUT", "/auth/session", page);
    t.like({ status, allow: headers.allow, body }, { status: 405, allow: "GET, POST, DELETE" });
  });

  test(`${server}: the ways to sign in are told; an issuer that is not set up is 404`, async (t) => {
    const browser = browserAt(t.context.service, server);
    t.like(await browser.send("GET", "/auth/session"), {
      status: 200,
      body: { open: false, ways: ["api_key"] },
    });
    for (const path of ["/auth/login", "/auth/callback"])
      t.is((await browser.send("GET", path)).status, 404, path);
  });
}

test.serial("a key that is revoked: its sessions are 401 within a second, and over", async (t) => {
  const browser = browserAt(t.context.service, "node");
  const { id, secret } = await newKey(browser);
  const { cookie } = await browser.signIn(secret);
  const headers = { ...browser.page, cookie };
  t.is((await browser.whoAmI(headers)).status, 200);
  await browser.send("POST", `/api/v2/api-keys/${id}/revoke`, { authorization: "Bearer admin" }, {});
  await eventually("the session is refused", async () => (await browser.whoAmI(headers)).status === 401);
});

test("a session of a key that ends makes no key that outlives it", async (t) => {
  const browser = browserAt(t.context.service, "node");
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const { secret } = await newKey(browser, { roles: ["admin"], expires_at });
  const { cookie } = await browser.signIn(secret);
  const headers = { ...browser.page, cookie };
  const made = await browser.send("POST", "/api/v2/api-keys", headers, { name: "k", roles: ["admin"] });
  t.is((made.body.data as { expires_at: string }).expires_at, expires_at);
});

test.serial("sign-ins, their refusals and sign-outs are in the audit log, without secrets", async (t) => {
  const { recorder, batches, service } = t.context;
  const browser = browserAt(service, "node");
  const { id: key, secret } = await newKey(browser);
  recorder.close();
  batches.splice(0);
  const { cookie, id } = await browser.signIn(secret);
  await browser.signIn(secret, { ...browser.page, origin: "https://evil.example" });
  await browser.send("DELETE", "/auth/session", { ...browser.page, cookie });
  recorder.close();
  const entries = batches
    .splice(0)
    .flatMap((batch) => batch.entries)
    .filter(({ method }) => method.startsWith("ConsoleSession."));
  const common = { type: "call", plane: "external", protocol: "rest", permission: "console_session:write" };
  const known = { subject: `api_key:${key}`, tenant: tenantA, target: { console_session_id: id } };
  t.is(entries.length, 3);
  t.like(entries[0], { ...common, ...known, method: "ConsoleSession.Start", outcome: "OK" });
  t.like(entries[1], { ...common, method: "ConsoleSession.Start", outcome: "PERMISSION_DENIED" });
  t.like(entries[2], { ...common, ...known, method: "ConsoleSession.End", outcome: "OK" });
  const text = JSON.stringify(entries);
  t.false(text.includes(secret) || text.includes(cookie.split(".")[1]!));
});

test("a session is counted as a credential of its own kind", async (t) => {
  const browser = browserAt(t.context.service, "node");
  const { cookie } = await browser.signIn((await newKey(browser)).secret);
  await browser.whoAmI({ ...browser.page, cookie });
  await browser.whoAmI({ ...browser.page, cookie: `${cookie.slice(0, -3)}AAA` });
  t.true(t.context.told.includes("session"));
  t.true(t.context.told.includes("session invalid"));
});
