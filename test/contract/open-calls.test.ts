import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials as grpcCredentials, Metadata, status } from "@grpc/grpc-js";
import anyTest, { type ExecutionContext, type TestFn } from "ava";
import jwt from "jsonwebtoken";
import { opened, type StreamHandler } from "#actors";
import { limits, RefusalError, refuse, systemClock } from "#base";
import type { Principal } from "../../gateway/calls/call.ts";
import { OpenCalls } from "../../gateway/calls/open-calls.ts";
import type { AuthenticationProvider } from "../../gateway/calls/stages/stage.ts";
import { makeSandboxKey, sandboxPrincipal } from "../../gateway/conformance/sandbox-key.ts";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { IssuerKeys, oidcTokens, serviceTokens } from "../../gateway/identity/index.ts";
import { eventually } from "../support/eventually.ts";
import { TestIssuer } from "../support/issuer.ts";
import { testAccess } from "../support/module-parts.ts";
import { nobody } from "./cases/case.ts";
import { type Door, type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { apiKeyProviders } from "./support/identity.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

/**
 * An open call ends when its caller would not be let in any more: every credential × every way to lose it, with every streaming
 * method open on every door that serves it.
 */
const test = anyTest.serial as TestFn<World>;
const secret = "a secret for tests, of 32 bytes or more";
const sandboxSecret = Buffer.alloc(32, 7);
const audience = "https://api.example.com";

interface World {
  readonly ports: TestService["ports"];
  readonly doors: Doors;
  readonly openCalls: OpenCalls;
  /** By credential: what is said of it now. */
  readonly changed: Map<string, (principal: Principal) => Principal>;
  /** By tenant: streams and long polls that were let in. */
  readonly started: Map<string, number>;
  readonly sign: (claims: Record<string, unknown>) => Promise<string>;
  readonly issuer: string;
  close(): Promise<void>;
}

test.before(async (t) => {
  const issuer = await new TestIssuer().open();
  const outgoing = createOutgoing({ mode: "enforce", allowedDomains: ["127.0.0.1"], allowedNetworks: [] });
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const keys = new IssuerKeys({ issuer: issuer.url, outgoing, clock: systemClock, log });
  const tokens = { issuer: issuer.url, audience, tenantClaim: "tenant_id", keys, access: testAccess };
  const changed: World["changed"] = new Map();
  const started: World["started"] = new Map();
  const openCalls = new OpenCalls();
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    openCalls,
    observeStage: (stage, step, { method, tenant }) => {
      if (stage === "slow-request-log" && step === "enter" && polls.has(method.name)) count(started, tenant!);
      // The last stage before the body is read.
      if (stage === "deprecation" && step === "enter" && method.name === slow) count(started, tenant!);
    },
    streams: (name) => held(probeContract.byName.get(name)!, started),
    vouching: (runtime) => ({
      external: {
        apiKey: changing(apiKeyProviders(runtime, openCalls).external.apiKey!, changed),
        bearer: changing(oidcTokens({ ...tokens, clock: systemClock }), changed),
        sandbox: (key) => {
          const principal = sandboxPrincipal(sandboxSecret, key, Date.now());
          return principal && (changed.get(key)?.(principal) ?? principal);
        },
      },
      internal: { bearer: changing(serviceTokens([secret], testAccess, systemClock), changed) },
    }),
  });
  const doors = doorsOf(service);
  const sign = await issuer.addKey("k");
  t.context = {
    ports: service.ports,
    doors,
    openCalls,
    changed,
    started,
    sign,
    issuer: issuer.url,
    async close() {
      for (const door of Object.values(doors)) door.close?.();
      await service.close();
      await outgoing.close();
      await issuer.close();
    },
  };
});

test.after.always((t) => t.context.close());

/** A stream that only its caller or the service ends. */
function held({ sse }: ContractMethod, started: World["started"]): StreamHandler {
  return async function* (_requests, { caller, signal }) {
    count(started, caller.tenant);
    if (sse !== undefined) yield opened;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    });
  };
}

function count(started: World["started"], tenant: string): void {
  started.set(tenant, (started.get(tenant) ?? 0) + 1);
}

function changing(provider: AuthenticationProvider, changed: World["changed"]): AuthenticationProvider {
  return {
    async authenticate(credential, call) {
      const principal = await provider.authenticate(credential, call);
      return changed.get(credential)?.(principal) ?? principal;
    },
  };
}

interface Credential {
  readonly headers: Record<string, string>;
  /** What `changed` knows it by. */
  readonly text: string;
  readonly subject: string;
  readonly revoke?: () => Promise<void>;
}

type Make = (world: World, tenant: string, expiresAtMs: number) => Promise<Credential>;

/** Far enough to open the streams on a busy machine, near enough to wait for. */
const shortMs = 6_000;
let made = 0;
const slow = "QueueService.Enqueue";
const polls = new Set(["QueueService.Claim", "WorkflowWaitService.WaitForEvent"]);

const credentials: Readonly<Record<string, Make>> = {
  async "API key"(world, tenant, expiresAtMs) {
    const expires_at = new Date(expiresAtMs).toISOString();
    const request = { name: "k", roles: ["admin"], expires_at };
    const key = await asPlatform(world, "ApiKeyService.CreateApiKey", request, tenant);
    return {
      headers: { "x-api-key": key.secret as string },
      text: key.secret as string,
      subject: `api_key:${key.id}`,
      revoke: async () => {
        await asPlatform(world, "ApiKeyService.RevokeApiKey", { id: key.id }, tenant);
      },
    };
  },
  async "user token"({ sign, issuer: iss }, tenant_id, expiresAtMs) {
    const subject = `user-${++made}`;
    const exp = Math.floor(expiresAtMs / 1_000);
    const text = await sign({ iss, aud: audience, sub: subject, exp, tenant_id, roles: ["admin"] });
    return { headers: { authorization: `Bearer ${text}` }, text, subject };
  },
  async "service token"(_world, tenant_id, expiresAtMs) {
    const subject = `job-${++made}`;
    const exp = Math.min(Math.floor(expiresAtMs / 1_000), Math.floor(Date.now() / 1_000) + 290);
    const claims = { iss: "service", aud: "service-internal", sub: subject, exp, tenant_id };
    const text = jwt.sign(claims, secret);
    return { headers: { authorization: `Bearer ${text}` }, text, subject };
  },
  async "sandbox key"(_world, tenant, expiresAtMs) {
    const text = makeSandboxKey(sandboxSecret, tenant, expiresAtMs);
    return { headers: { "x-api-key": text }, text, subject: "conformance" };
  },
};

interface Loss {
  readonly name: string;
  readonly code: string;
  readonly lives?: number;
  /** Absent: it waits. */
  readonly happen?: (world: World, tenant: string, credential: Credential) => Promise<void> | void;
}

const losses: readonly Loss[] = [
  {
    name: "is revoked",
    code: "UNAUTHENTICATED",
    async happen({ changed, openCalls }, _tenant, { revoke, text, subject }) {
      if (revoke) return revoke();
      // Its issuer has taken the key away, or the secret was changed: nothing tells us of that, but the next look finds it.
      changed.set(text, () => {
        throw new RefusalError(refuse("UNAUTHENTICATED", "the credential is not known any more"));
      });
      openCalls.doubt(subject);
    },
  },
  { name: "expires", code: "UNAUTHENTICATED", lives: shortMs },
  {
    name: "is of a tenant that is suspended",
    code: "PERMISSION_DENIED",
    async happen(world, tenant_id) {
      const request = { tenant_id, status: "suspended", update_mask: ["status"] };
      await asPlatform(world, "TenantService.UpdateTenant", request);
    },
  },
  {
    name: "loses its roles",
    code: "PERMISSION_DENIED",
    happen({ changed, openCalls }, _tenant, { text, subject }) {
      changed.set(text, (principal) => ({ ...principal, roles: [] }));
      openCalls.doubt(subject);
    },
  },
];

for (const [kind, make] of Object.entries(credentials))
  for (const loss of losses)
    test(`given open streams on every door, when the ${kind} ${loss.name}, then each ends with ${loss.code}`, async (t) => {
      const world = t.context;
      const tenant = await newTenant(world);
      const credential = await make(world, tenant, Date.now() + (loss.lives ?? 3_600_000));
      const streams = openStreams(t, kind === "service token" ? "internal" : "external", credential.headers);
      const all = Promise.all(streams.map(async ({ name, ends }) => [name, await endOf(ends)] as const));
      if (loss.happen) {
        await eventually("all are open", () => startedOf(t, tenant) === streams.length || undefined);
        await loss.happen(world, tenant, credential);
      }
      t.deepEqual(
        await all,
        streams.map(({ name }) => [name, loss.code] as const),
      );
      t.true(startedOf(t, tenant) > 0, "some were open before");
    });

function startedOf({ context }: ExecutionContext<World>, tenant: string): number {
  return context.started.get(tenant) ?? 0;
}

async function newTenant(world: World): Promise<string> {
  const { id } = await asPlatform(world, "TenantService.CreateTenant", { name: "acme" });
  return id as string;
}

test("given long polls that wait, when their API key is revoked, then each ends with UNAUTHENTICATED and takes nothing later", async (t) => {
  const world = t.context;
  const { doors } = world;
  const tenant = await newTenant(world);
  const platform = (method: string, request: object) => asPlatform(world, method, request, tenant);
  const { id: pool_id } = await platform("PoolService.CreatePool", { name: "p" });
  const { id: recipient_id } = await platform("RecipientService.CreateRecipient", { pool_id, name: "r" });
  const { headers, revoke } = await credentials["API key"]!(world, tenant, Date.now() + 3_600_000);
  const requests = [
    ["QueueService.Claim", { pool_id, recipient_id, wait_seconds: 20 }],
    ["WorkflowWaitService.WaitForEvent", { run_id: nobody, event_key: "e", wait_ms: 20_000 }],
  ] as const;
  const through = [doors["rest-uws"], doors["rest-node"], doors["connect-json"], doors.grpc];
  const ends = through.flatMap((door) =>
    requests.map(([name, request]) => door.unary(probeContract.byName.get(name)!, request, headers)),
  );
  await eventually("all of them wait", () => startedOf(t, tenant) === ends.length || undefined);
  await revoke!();
  for (const outcome of await Promise.all(ends)) t.is(codeOf(outcome), "UNAUTHENTICATED");
  await platform("QueueService.Enqueue", { pool_id, payload: {} });
  t.like(await platform("QueueService.ListItems", { pool_id }), { items: [{ state: "ready" }] });
});

for (const [server, path] of [
  ["uws", "/api/queues/{pool_id}/items"],
  ["node", "/api/queues/{pool_id}/items"],
  ["uws", "/service.api.QueueService/Enqueue"],
] as const)
  test(`given a call to ${path} on ${server} whose body comes slowly, when its API key is revoked, then it is refused and changes nothing`, async (t) => {
    const world = t.context;
    const tenant = await newTenant(world);
    const { id: pool_id } = await asPlatform(world, "PoolService.CreatePool", { name: "p" }, tenant);
    const { headers, revoke } = await credentials["API key"]!(world, tenant, Date.now() + 3_600_000);
    const body = path.startsWith("/api") ? { payload: 1 } : { pool_id, payload: 1 };
    const text = JSON.stringify(body);
    const type = { "content-type": "application/json", "content-length": String(text.length) };
    const target = path.replace("{pool_id}", pool_id as string);
    const sent = request({
      host: "127.0.0.1",
      port: world.ports[server],
      method: "POST",
      path: target,
      headers: { ...headers, ...type },
    });
    const answered = new Promise<number>((resolve, reject) => {
      sent.on("response", (response) => resolve(response.resume().statusCode!)).on("error", reject);
    });
    sent.write(text.slice(0, 4));
    await eventually("it is let in", () => startedOf(t, tenant) === 1 || undefined);
    await revoke!();
    await sleep(limits.admittedMs + 100);
    sent.end(text.slice(4));
    t.is(await answered, 401);
    t.like(await asPlatform(world, "QueueService.ListItems", { pool_id }, tenant), { items: [] });
  });

/** What each streaming method is first sent; the test fails for a method that is not here. */
const firsts: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  "EventService.Subscribe": [{}],
  "InboxService.WatchInbox": [{ subscriber_id: nobody }],
  "QueueService.Work": [],
  "RoutingService.RouteStream": [],
  "WorkflowStreamService.Subscribe": [{ run_id: nobody, stream_id: nobody }],
  "WorkflowStreamService.UploadObject": [{ run_id: nobody, stream_id: nobody, object_id: nobody }],
  "WorkflowStreamService.GetObject": [{ run_id: nobody, stream_id: nobody, object_id: nobody }],
};

/** Of HTTP/1.1, which has no conversations. */
const halfDuplex = new Set(["Connect JSON", "Connect binary", "gRPC-Web"]);

function openStreams(t: ExecutionContext<World>, plane: string, headers: Record<string, string>) {
  const { doors } = t.context;
  const methods = [...probeContract.methods].filter(
    ({ kind, name, governance }) =>
      kind !== "unary" &&
      !name.startsWith("ProbeService.") &&
      (plane === "internal" || !governance.internalOnly),
  );
  const served = Object.entries(doors).filter(
    ([name]) => name.startsWith("internal") === (plane === "internal"),
  );
  return methods.flatMap((method) =>
    served
      .filter(([, door]) => serves(door, method))
      .map(([, door]) => {
        const name = `${method.name} on ${door.name}`;
        t.truthy(firsts[method.name], method.name);
        return { name, ends: door.stream!(method, firsts[method.name]!, { headers }) };
      }),
  );
}

function serves({ name }: Door, { kind, rest, sse, raw }: ContractMethod): boolean {
  if (name.startsWith("REST")) return rest.length > 0 && (sse !== undefined || raw !== undefined);
  return kind !== "bidi_streaming" || !halfDuplex.has(name);
}

/** A stream that goes on has no end to wait for. */
async function endOf(ends: Promise<Outcome>): Promise<string> {
  const stillOpen = sleep(60_000, "still open", { ref: false });
  return Promise.race([ends.then(codeOf), stillOpen]);
}

function codeOf(outcome: Outcome): string {
  return outcome.ok ? "OK" : outcome.error.errorCode;
}

async function asPlatform(
  { doors }: World,
  method: string,
  request: object,
  tenant?: string,
): Promise<Record<string, unknown>> {
  const claims = { iss: "service", aud: "service-internal", sub: "platform" };
  const headers = {
    authorization: `Bearer ${jwt.sign(claims, secret, { expiresIn: 290 })}`,
    ...(tenant !== undefined && { "x-tenant-id": tenant }),
  };
  const outcome = await doors["internal-grpc"].unary(probeContract.byName.get(method)!, request, headers);
  if (!outcome.ok) throw new Error(`${method}: ${JSON.stringify(outcome.error)}`);
  return outcome.message as Record<string, unknown>;
}

test("given an open reflection stream, when its API key is revoked, then it ends with UNAUTHENTICATED", async (t) => {
  const world = t.context;
  const tenant = await newTenant(world);
  const { headers, revoke } = await credentials["API key"]!(world, tenant, Date.now() + 3_600_000);
  const client = new Client(`127.0.0.1:${world.ports.grpc}`, grpcCredentials.createInsecure());
  t.teardown(() => client.close());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const asIs = (bytes: Buffer) => bytes;
  const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const stream = client.makeBidiStreamRequest(path, asIs, asIs, metadata);
  const failed = new Promise<{ code: number }>((resolve) => stream.on("error", resolve as never));
  const answered = new Promise((resolve) => stream.once("data", resolve));
  // list_services
  stream.write(Buffer.from([0x3a, 0x00]));
  await answered;
  await revoke!();
  t.is((await failed).code, status.UNAUTHENTICATED);
});
