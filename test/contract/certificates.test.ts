import { readFileSync } from "node:fs";
import { request } from "node:https";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import test from "ava";
import { RefusalError, refuse } from "#base";
import type { AuthenticationProvider } from "../../gateway/calls/stages/stage.ts";
import { binaryReader, binaryWriter } from "../../gateway/rpc/messages.ts";
import { Authority, type Issued, opensslMissing } from "../support/certificates.ts";
import { tenantA } from "./support/auth.ts";
import { probeContract, startTestService } from "./support/service.ts";

const missing = opensslMissing();
if (missing === undefined) cases();
else test.skip(`callers known by their certificate: ${missing}`, () => {});

/** Stands for the mapping of names to roles that the settings will have. */
const certificate: AuthenticationProvider = {
  authenticate(_credential, call) {
    const name = call.peer?.names.find((one) => one.startsWith("spiffe://test/known/"));
    if (name === undefined)
      throw new RefusalError(refuse("PERMISSION_DENIED", "the certificate is not mapped"));
    return {
      kind: "service",
      subject: name,
      tenant: tenantA,
      roles: ["service", "admin"],
      environmentMode: "any",
    };
  },
};

function cases(): void {
  const authority = new Authority();
  const ca = readFileSync(authority.caFile);
  const server = filesOf(authority.issue("server", "IP:127.0.0.1"));
  const billing = filesOf(authority.issue("billing", "DNS:billing.internal,URI:spiffe://test/known/billing"));
  const stranger = filesOf(authority.issue("stranger", "URI:spiffe://test/other"));
  // One name with a comma in it, which looks like two where names are taken apart at commas.
  const pretender = filesOf(
    authority.issue(
      "pretender",
      "@names\n[names]\nURI.1 = spiffe://x, URI:spiffe://test/known/billing, DNS:y",
    ),
  );
  const nameless = filesOf(authority.issue("nameless", "IP:10.0.0.1"));
  test.after.always(() => authority.remove());

  async function start(t: { teardown(fn: () => Promise<void>): void }): Promise<number> {
    const service = await startTestService({
      settings: { authEnabled: true },
      providers: { certificate },
      internalTls: { ...server, ca },
    });
    t.teardown(() => service.close());
    return service.ports.internal;
  }

  const callers = [
    ["REST over HTTP/1.1", overRest],
    ["gRPC over HTTP/2", overGrpc],
  ] as const;
  for (const [door, call] of callers)
    test(`${door}: a caller is whom its certificate names, and one without a known name is refused`, async (t) => {
      const port = await start(t);
      t.deepEqual(await call(port, { ca, ...billing }), {
        code: "OK",
        subject: "spiffe://test/known/billing",
        tenant: tenantA,
      });
      t.is((await call(port, { ca, ...stranger })).code, "PERMISSION_DENIED");
      t.is((await call(port, { ca, ...nameless })).code, "PERMISSION_DENIED");
      t.is((await call(port, { ca, ...pretender })).code, "PERMISSION_DENIED");
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

function overRest(port: number, tls: Tls): Promise<Told> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: "/api/probe/internal-echo",
      method: "POST",
      agent: false,
    };
    request({ ...options, ...tls, headers: { "content-type": "application/json" } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        const { data, errorCode } = JSON.parse(text) as { data?: Record<string, string>; errorCode?: string };
        resolve(data === undefined ? { code: errorCode! } : toldBy(data));
      });
    })
      .on("error", reject)
      .end('{"name":"a"}');
  });
}

const method = probeContract.byName.get("ProbeService.InternalEcho")!;

function overGrpc(port: number, { ca, cert, key }: Tls): Promise<Told> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, key, cert));
  const { input, output } = method.descriptor;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      method.path,
      binaryWriter(input),
      binaryReader(output),
      { name: "a" },
      new Metadata(),
      (error, answer) => {
        client.close();
        if (error === null) resolve(toldBy(answer as Record<string, string>));
        else resolve({ code: error.code === 7 ? "PERMISSION_DENIED" : error.message });
      },
    );
  });
}

function toldBy({ subject, tenant_id: tenant }: Record<string, string>): Told {
  return { code: "OK", subject: subject!, tenant: tenant! };
}
