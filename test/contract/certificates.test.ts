import { readFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import test from "ava";
import { systemClock } from "#base";
import { certificates, serviceTokens } from "../../gateway/identity/index.ts";
import { makeServiceToken } from "../../gateway/identity/service-tokens.ts";
import { binaryReader } from "../../gateway/rpc/messages.ts";
import { plainEncoder } from "../../gateway/rpc/wire/encode.ts";
import { Authority, type Issued } from "../support/certificates.ts";
import { testAccess } from "../support/module-parts.ts";
import { casesNeeding } from "../support/needing.ts";
import { tenantA, tenantB } from "./support/auth.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

casesNeeding("callers known by their certificate", ["openssl"], cases);

const identities = {
  "spiffe://test/known/billing": { roles: ["service", "admin"], tenant: tenantA },
  "spiffe://test/known/platform": { roles: ["service", "admin"] },
};
const secret = "a secret of at least thirty-two bytes";
const tokenFor = (tenant?: string) =>
  makeServiceToken({ secret, subject: "job", ...(tenant !== undefined && { tenant }) });

function cases(): void {
  const authority = new Authority();
  const ca = readFileSync(authority.caFile);
  const server = filesOf(authority.issue("server", "IP:127.0.0.1"));
  const billing = filesOf(authority.issue("billing", "DNS:billing.internal,URI:spiffe://test/known/billing"));
  const stranger = filesOf(authority.issue("stranger", "URI:spiffe://test/other"));
  // One name that contains a comma: code that splits at commas would see two names.
  const pretender = filesOf(
    authority.issue(
      "pretender",
      "@names\n[names]\nURI.1 = spiffe://x, URI:spiffe://test/known/billing, DNS:y",
    ),
  );
  const platform = filesOf(authority.issue("platform", "URI:spiffe://test/known/platform"));
  const nameless = filesOf(authority.issue("nameless", "IP:10.0.0.1"));
  test.after.always(() => authority.remove());

  const other = new Authority();
  const known = "URI:spiffe://test/known/billing";
  const refusedAtOnce = {
    "of another authority": filesOf(other.issue("foreign", known)),
    "that has expired": filesOf(authority.issue("expired", known, { endsAtMs: Date.now() - 1_000 })),
    "that is for servers only": filesOf(
      authority.issue("server-only", known, { extensions: "extendedKeyUsage = serverAuth" }),
    ),
  };
  const forClients = filesOf(
    authority.issue("client", known, { extensions: "extendedKeyUsage = clientAuth" }),
  );
  test.after.always(() => other.remove());

  let service: TestService;
  test.before(async () => {
    service = await startTestService({
      settings: { authEnabled: true },
      providers: {
        certificate: certificates(identities, systemClock),
        bearer: serviceTokens([secret], testAccess, systemClock),
      },
      internalTls: { ...server, ca },
    });
  });
  test.after.always(() => service.close());

  const callers = [
    ["REST over HTTP/1.1", overRest],
    ["gRPC over HTTP/2", overGrpc],
  ] as const;
  for (const [door, call] of callers)
    test(`${door}: a caller is the principal that its certificate names, and an unknown name is refused`, async (t) => {
      const port = service.ports.internalTls;
      t.deepEqual(await call(port, { ca, ...billing }), {
        code: "OK",
        subject: "spiffe://test/known/billing",
        tenant: tenantA,
      });
      t.is((await call(port, { ca, ...stranger })).code, "PERMISSION_DENIED");
      t.is((await call(port, { ca, ...nameless })).code, "PERMISSION_DENIED");
      t.is((await call(port, { ca, ...pretender })).code, "PERMISSION_DENIED");
    });

  for (const [door, call] of callers)
    for (const [what, tls] of Object.entries(refusedAtOnce))
      test(`${door}: a certificate ${what} gets no connection, although its name is known`, async (t) => {
        const port = service.ports.internalTls;
        t.is((await call(port, { ca, ...forClients })).code, "OK");
        t.is(
          (await call(port, { ca, ...tls }).catch(() => ({ code: "no connection" }))).code,
          "no connection",
        );
      });

  test("given an open connection, when the certificate of its caller ends, then the next call over it is refused", async (t) => {
    const port = service.ports.internalTls;
    const endsAtMs = Date.now() + 6_000;
    const short = filesOf(authority.issue("short", known, { endsAtMs }));
    const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, short.key, short.cert));
    t.teardown(() => client.close());
    t.is((await callOver(client)).code, "OK");
    await sleep(endsAtMs - Date.now() + 10);
    t.is((await callOver(client)).code, "UNAUTHENTICATED");
  });

  for (const [door, call] of callers)
    test(`${door}: a token beside a certificate can only reduce permissions, and never changes the caller`, async (t) => {
      const port = service.ports.internalTls;
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
      const subject = "spiffe://test/known/platform";
      const narrowed = await call(port, { ca, ...platform }, bearer(tokenFor(tenantB)));
      t.deepEqual(narrowed, { code: "OK", subject, tenant: tenantB });
      t.is((await call(port, { ca, ...billing }, bearer(tokenFor(tenantA)))).code, "OK");
      t.is((await call(port, { ca, ...billing }, bearer(tokenFor(tenantB)))).code, "TENANT_MISMATCH");
      t.is((await call(port, { ca, ...stranger }, bearer(tokenFor(tenantA)))).code, "PERMISSION_DENIED");
      t.is((await call(port, { ca, ...billing }, bearer("nonsense"))).code, "UNAUTHENTICATED");
      t.is((await call(port, { ca, ...billing }, { "x-api-key": "k" })).code, "UNAUTHENTICATED");
    });
}

interface Tls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface Told {
  readonly code: string;
  readonly subject?: string;
  readonly tenant?: string;
}

function filesOf({ certFile, keyFile }: Issued) {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

function overRest(port: number, tls: Tls, headers: Record<string, string> = {}): Promise<Told> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: "/api/probe/internal-echo",
      method: "POST",
      agent: false,
    };
    request(
      { ...options, ...tls, headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          const { data, errorCode } = JSON.parse(text) as {
            data?: Record<string, string>;
            errorCode?: string;
          };
          resolve(data === undefined ? { code: errorCode! } : toldBy(data));
        });
      },
    )
      .on("error", reject)
      .end('{"name":"a"}');
  });
}

const method = probeContract.byName.get("ProbeService.InternalEcho")!;

async function overGrpc(
  port: number,
  { ca, cert, key }: Tls,
  headers?: Record<string, string>,
): Promise<Told> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, key, cert));
  return callOver(client, headers).finally(() => client.close());
}

function callOver(client: Client, headers: Record<string, string> = {}): Promise<Told> {
  const { input, output } = method.descriptor;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      method.path,
      plainEncoder(input),
      binaryReader(output),
      { name: "a" },
      metadata,
      (error, answer) => {
        if (error === null) resolve(toldBy(answer as Record<string, string>));
        else resolve({ code: codeOf(error) });
      },
    );
  });
}

/** Compared by its details: a wrong tenant and a missing permission have the same status. */
function codeOf({ code, metadata }: ServiceError): string {
  if (code === status.UNAVAILABLE) return "no connection";
  const details = String(metadata.get("grpc-status-details-bin")[0]);
  return /PERMISSION_DENIED|TENANT_MISMATCH|UNAUTHENTICATED/.exec(details)?.[0] ?? details;
}

function toldBy({ subject, tenant_id: tenant }: Record<string, string>): Told {
  return { code: "OK", subject: subject!, tenant: tenant! };
}
