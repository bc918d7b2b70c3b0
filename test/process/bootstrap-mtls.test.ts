import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Authority } from "../support/certificates.ts";
import { casesNeeding } from "../support/needing.ts";
import { runService, startProduction } from "./support.ts";

casesNeeding("bootstrap with certificates", ["openssl"], cases);

function cases(): void {
  const authority = new Authority();
  const server = authority.issue("server", "DNS:localhost,IP:127.0.0.1");
  const ops = authority.issue("ops", "DNS:ops.example.com");
  const stranger = authority.issue("stranger", "DNS:stranger.example.com");
  test.after.always(() => authority.remove());

  test("bootstrap over an internal plane with mutual TLS: the certificate names the caller; without one, or with an unknown one, no key is made", async (t) => {
    const service = await startProduction(t, [
      "auth.api_key_enabled=true",
      "server.internal_require_mtls=true",
      `server.internal_tls_ca_file=${authority.caFile}`,
      `server.internal_tls_cert_file=${server.certFile}`,
      `server.internal_tls_key_file=${server.keyFile}`,
      'internal.identities={"ops.example.com": {"roles": ["service", "admin"]}}',
    ]);
    const addr = ["--addr", `127.0.0.1:${service.ports.internal}`];
    const keyFile = join(authority.folder, "admin.key");
    const bootstrap = (...flags: string[]) =>
      runService(["bootstrap", "--tenant", "dev", ...addr, "--key-file", keyFile, ...flags]);
    const as = ({ certFile, keyFile: key }: typeof ops) => ["--cert", certFile, "--key", key];
    const ca = ["--ca", authority.caFile];

    const plain = await bootstrap();
    t.is(plain.code, 5);
    t.regex(plain.stderr, /--cert FILE --key FILE --ca FILE/);
    const half = await bootstrap(...ca, "--cert", ops.certFile);
    t.is(half.code, 2);
    t.regex(half.stderr, /--cert and --key are given together/);
    t.regex((await bootstrap(...ca)).stderr, /no answer from 127\.0\.0\.1/);
    const unmapped = await bootstrap(...ca, ...as(stranger));
    t.is(unmapped.code, 4);
    t.regex(unmapped.stderr, /PERMISSION_DENIED: no name of the client certificate/);
    t.regex((await bootstrap(...as(ops))).stderr, /certificate/, "the node is not trusted without --ca");

    const made = await bootstrap(...ca, ...as(ops));
    t.is(made.code, 0, made.stderr);
    const response = await fetch(`http://127.0.0.1:${service.ports.http}/api/_meta/whoami`, {
      headers: { "x-api-key": readFileSync(keyFile, "utf8").trim() },
    });
    t.is(response.status, 200);
    const shards = await runService(["shards", "list", ...addr, ...ca, ...as(ops)]);
    t.is(shards.code, 0, shards.stderr);
  });
}
