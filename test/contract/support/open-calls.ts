import { readFileSync } from "node:fs";
import jwt from "jsonwebtoken";
import { opened, type StreamHandler } from "#actors";
import { RefusalError, refuse, systemClock } from "#base";
import type { Asker } from "#runtime";
import type { Principal } from "../../../gateway/calls/call.ts";
import { OpenCalls } from "../../../gateway/calls/open-calls.ts";
import type { AuthenticationProvider } from "../../../gateway/calls/stages/stage.ts";
import type { Identity } from "../../../gateway/config/index.ts";
import { makeSandboxKey, sandboxPrincipal } from "../../../gateway/conformance/sandbox-key.ts";
import { createOutgoing } from "../../../gateway/egress/index.ts";
import { certificates, IssuerKeys, oidcTokens, serviceTokens } from "../../../gateway/identity/index.ts";
import { openTunnel } from "../../support/certificate-tunnel.ts";
import { Authority } from "../../support/certificates.ts";
import { TestIssuer } from "../../support/issuer.ts";
import { testAccess } from "../../support/module-parts.ts";
import { type Door, doorsOf } from "./clients.ts";
import { apiKeyProviders } from "./identity.ts";
import { moreDoors } from "./more-doors.ts";
import { probeContract, startTestService } from "./service.ts";

const secret = "a secret for tests, of 32 bytes or more";
const sandboxSecret = Buffer.alloc(32, 7);
/** Who makes and takes away what the callers need. */
const platform = "platform";
const audience = "https://api.example.com";

/** What a caller shows, where it can be shown, and how it is lost. */
export interface Credential {
  readonly headers: Record<string, string>;
  readonly doors: readonly Door[];
  readonly revoke: () => Promise<void> | void;
  readonly strip: () => void;
  /** What the end of the credential is told as, where that is not UNAUTHENTICATED. */
  readonly revokedAs?: string;
}

/** What a caller is made from. */
export interface Wanted {
  readonly tenant: string;
  readonly expiresAtMs: number;
}

export type World = Awaited<ReturnType<typeof openWorld>>;
type Changed = Map<string, (principal: Principal) => Principal>;

/** A service on every door, with every kind of credentials, whose calls stay open. */
export async function openWorld() {
  const issuer = await new TestIssuer().open();
  const outgoing = createOutgoing({ mode: "enforce", allowedDomains: ["127.0.0.1"], allowedNetworks: [] });
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const issuerKeys = new IssuerKeys({ issuer: issuer.url, outgoing, clock: systemClock, log });
  const tokens = { issuer: issuer.url, audience, tenantClaim: "tenant_id", access: testAccess };
  /** By credential: what is said of it now. */
  const changed: Changed = new Map();
  const identities: Record<string, Identity> = {};
  const openCalls = new OpenCalls();
  const calls = new OpenOnes();
  const authority = new Authority();
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    openCalls,
    observeStage: (stage, step, { method, tenant }) => {
      if (stage === "slow-request-log" && step === "enter" && method.wait !== undefined)
        calls.passed(tenant!);
      // The last stage before the body is read.
      if (stage === "deprecation" && step === "enter" && method.name === "QueueService.Enqueue")
        calls.count(tenant!);
    },
    before: (asker) => calls.before(asker),
    streams: (name) => calls.stream(name),
    internalTls: tlsOf(authority, authority.issue("server", "IP:127.0.0.1")),
    vouching: (runtime) => ({
      external: {
        apiKey: changing(apiKeyProviders(runtime, openCalls).external.apiKey!, changed),
        bearer: changing(oidcTokens({ ...tokens, keys: issuerKeys, clock: systemClock }), changed),
        sandbox: (key) => {
          const principal = sandboxPrincipal(sandboxSecret, key, Date.now());
          return principal && (changed.get(key)?.(principal) ?? principal);
        },
      },
      internal: {
        bearer: changing(serviceTokens([secret], testAccess, systemClock), changed),
        certificate: { identify: (peer) => certificates(identities, systemClock).identify(peer) },
      },
    }),
  });
  const doors = doorsOf(service);
  const all = Object.entries(doors);
  const inner = all.filter(([name]) => name.startsWith("internal")).map(([, door]) => door);
  const outer = [...Object.values(doors).filter((door) => !inner.includes(door)), ...moreDoors(service)];
  const closing: (() => void)[] = [...outer, ...inner].map((door) => () => door.close?.());
  const sign = await issuer.addKey("k");
  let made = 0;

  async function asPlatform(
    method: string,
    request: object,
    tenant?: string,
  ): Promise<Record<string, unknown>> {
    const token = jwt.sign({ iss: "service", aud: "service-internal", sub: platform }, secret, {
      expiresIn: 290,
    });
    const headers = {
      authorization: `Bearer ${token}`,
      ...(tenant !== undefined && { "x-tenant-id": tenant }),
    };
    const outcome = await doors["internal-grpc"].unary(probeContract.byName.get(method)!, request, headers);
    if (!outcome.ok) throw new Error(`${method}: ${JSON.stringify(outcome.error)}`);
    return outcome.message as Record<string, unknown>;
  }

  /** Nothing tells us of these losses, but the next look finds them. */
  function losing(text: string, subject: string): Pick<Credential, "revoke" | "strip"> {
    const say = (change: (principal: Principal) => Principal) => {
      changed.set(text, change);
      openCalls.doubt(subject);
    };
    return {
      revoke: () =>
        say(() => {
          throw new RefusalError(refuse("UNAUTHENTICATED", "the credential is not known any more"));
        }),
      strip: () => say((principal) => ({ ...principal, roles: [] })),
    };
  }

  async function apiKey({ tenant, expiresAtMs }: Wanted): Promise<Credential> {
    const request = { name: "k", roles: ["admin"], expires_at: new Date(expiresAtMs).toISOString() };
    const key = await asPlatform("ApiKeyService.CreateApiKey", request, tenant);
    const text = key.secret as string;
    return {
      ...losing(text, `api_key:${key.id}`),
      headers: { "x-api-key": text },
      doors: outer,
      revoke: async () => void (await asPlatform("ApiKeyService.RevokeApiKey", { id: key.id }, tenant)),
    };
  }

  async function userToken({ tenant, expiresAtMs }: Wanted): Promise<Credential> {
    const subject = `user-${++made}`;
    const exp = Math.floor(expiresAtMs / 1_000);
    const claims = { iss: issuer.url, aud: audience, sub: subject, exp, tenant_id: tenant, roles: ["admin"] };
    const text = await sign(claims);
    return { ...losing(text, subject), headers: { authorization: `Bearer ${text}` }, doors: outer };
  }

  async function serviceToken({ tenant, expiresAtMs }: Wanted): Promise<Credential> {
    const subject = `job-${++made}`;
    const exp = Math.min(Math.floor(expiresAtMs / 1_000), Math.floor(Date.now() / 1_000) + 290);
    const claims = { iss: "service", aud: "service-internal", sub: subject, exp, tenant_id: tenant };
    const text = jwt.sign(claims, secret);
    return { ...losing(text, subject), headers: { authorization: `Bearer ${text}` }, doors: inner };
  }

  async function sandboxKey({ tenant, expiresAtMs }: Wanted): Promise<Credential> {
    const text = makeSandboxKey(sandboxSecret, tenant, expiresAtMs);
    return { ...losing(text, "conformance"), headers: { "x-api-key": text }, doors: outer };
  }

  async function certificate({ tenant, expiresAtMs }: Wanted): Promise<Credential> {
    const subject = `spiffe://test/client-${++made}`;
    const issued = authority.issue(`client-${made}`, `URI:${subject}`, { endsAtMs: expiresAtMs });
    const tunnel = await openTunnel(service.ports.internalTls!, tlsOf(authority, issued));
    const ports = { ...service.ports, internal: tunnel.port, internalGrpc: tunnel.port };
    const own = Object.entries(doorsOf({ ...service, ports }));
    closing.push(
      ...own.map(
        ([, door]) =>
          () =>
            door.close?.(),
      ),
      tunnel.close,
    );
    identities[subject] = { roles: ["service", "admin"], tenant };
    const become = (identity: Identity | undefined) => {
      if (identity === undefined) delete identities[subject];
      else identities[subject] = identity;
      openCalls.doubt(subject);
    };
    return {
      headers: {},
      doors: own.filter(([name]) => name.startsWith("internal")).map(([, door]) => door),
      revoke: () => become(undefined),
      revokedAs: "PERMISSION_DENIED",
      strip: () => become({ roles: [], tenant }),
    };
  }

  /** The certificate stays; the token that narrows it is lost. */
  async function tokenBesideCertificate(wanted: Wanted): Promise<Credential> {
    const shown = await certificate({ ...wanted, expiresAtMs: Date.now() + 3_600_000 });
    const { headers, revoke } = await serviceToken(wanted);
    return {
      ...shown,
      headers,
      revokedAs: "UNAUTHENTICATED",
      revoke() {
        void revoke();
        openCalls.doubt(`spiffe://test/client-${made - 1}`);
      },
    };
  }

  return {
    ports: service.ports,
    doors,
    calls,
    asPlatform,
    credentials: {
      "API key": apiKey,
      "user token": userToken,
      "service token": serviceToken,
      "sandbox key": sandboxKey,
      "client certificate": certificate,
      "token beside a certificate": tokenBesideCertificate,
    },
    async newTenant(): Promise<string> {
      return (await asPlatform("TenantService.CreateTenant", { name: "acme" })).id as string;
    },
    async suspend(tenant_id: string): Promise<void> {
      const request = { tenant_id, status: "suspended", update_mask: ["status"] };
      await asPlatform("TenantService.UpdateTenant", request);
    },
    async close() {
      for (const close of closing) close();
      await service.close();
      await outgoing.close();
      await issuer.close();
      authority.remove();
    },
  };
}

type Asked = Parameters<Asker["ask"]>[0];

/** Which calls of each tenant were let in. */
class OpenOnes {
  readonly #open = new Map<string, number>();
  /** Tenants whose questions no entity answers. */
  readonly silent = new Set<string>();

  of(tenant: string): number {
    return this.#open.get(tenant) ?? 0;
  }

  count(tenant: string): void {
    this.#open.set(tenant, this.of(tenant) + 1);
  }

  /** A call whose question will be answered. */
  passed(tenant: string): void {
    if (!this.silent.has(tenant)) this.count(tenant);
  }

  /** A stream that only its caller or the service ends. */
  stream(name: string): StreamHandler {
    const { sse } = probeContract.byName.get(name)!;
    const count = (tenant: string) => this.count(tenant);
    return async function* (_requests, { caller, signal }) {
      count(caller.tenant);
      if (sse !== undefined) yield opened;
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve());
      });
    };
  }

  before(asker: Asker): Asker {
    const isHeld = ({ principalKind, subject, tenant }: Asked["caller"]) =>
      principalKind !== "module" && subject !== platform && this.silent.has(tenant);
    return {
      ...asker,
      ask: (asked) => {
        if (!isHeld(asked.caller)) return asker.ask(asked);
        this.count(asked.caller.tenant);
        return new Promise(() => undefined);
      },
      post: (asked, reply) => {
        if (isHeld(asked.caller)) this.count(asked.caller.tenant);
        else asker.post(asked, reply);
      },
    };
  }
}

function changing(provider: AuthenticationProvider, changed: Changed): AuthenticationProvider {
  return {
    async authenticate(credential, call) {
      const principal = await provider.authenticate(credential, call);
      return changed.get(credential)?.(principal) ?? principal;
    },
  };
}

function tlsOf(authority: Authority, { certFile, keyFile }: ReturnType<Authority["issue"]>) {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile), ca: readFileSync(authority.caFile) };
}
