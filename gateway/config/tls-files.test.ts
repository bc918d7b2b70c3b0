import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Authority } from "../../test/support/certificates.ts";
import { casesNeeding } from "../../test/support/needing.ts";
import { configProblems, loadConfig } from "./index.ts";

casesNeeding("files of TLS", ["openssl"], cases);

function cases(): void {
  const authority = new Authority();
  const one = authority.issue("one", "DNS:localhost");
  const other = authority.issue("other", "DNS:localhost");
  const noPem = join(authority.folder, "no.pem");
  writeFileSync(noPem, "no certificate");
  test.after.always(() => authority.remove());

  const problems = (...set: string[]) =>
    configProblems(loadConfig({ profile: "dev", environment: {}, set }).config, "dev");

  test("a certificate with its own key can be used", async (t) => {
    t.deepEqual(await problems(`api.tls_cert_file=${one.certFile}`, `api.tls_key_file=${one.keyFile}`), []);
    const internal = ["server.internal_require_mtls=true", `server.internal_tls_ca_file=${authority.caFile}`];
    const pair = [
      `server.internal_tls_cert_file=${one.certFile}`,
      `server.internal_tls_key_file=${one.keyFile}`,
    ];
    t.deepEqual(await problems(...internal, ...pair), []);
  });

  test("one file of a pair is not enough, and the other is named", async (t) => {
    const [key, ...more] = await problems(`api.tls_cert_file=${one.certFile}`);
    t.is(key, "api.tls_key_file: is needed because api.tls_cert_file is set");
    t.deepEqual(more, []);
    const [cert] = await problems(`api.tls_key_file=${one.keyFile}`);
    t.is(cert, "api.tls_cert_file: is needed because api.tls_key_file is set");
  });

  test("a file that cannot be read, or is something else, is named with its setting", async (t) => {
    const found = await problems("api.tls_cert_file=/does/not/exist", `api.tls_key_file=${noPem}`);
    t.deepEqual(found, [
      "api.tls_cert_file: /does/not/exist cannot be read (ENOENT)",
      `api.tls_key_file: ${noPem} is not PEM of the right kind`,
    ]);
    const swapped = await problems(`api.tls_cert_file=${one.keyFile}`, `api.tls_key_file=${one.certFile}`);
    t.is(swapped.length, 2);
  });

  test("the key of another certificate is refused, on either plane", async (t) => {
    const [problem] = await problems(
      `api.tls_cert_file=${one.certFile}`,
      `api.tls_key_file=${other.keyFile}`,
    );
    t.is(problem, "api.tls_key_file: is not the key of the certificate in api.tls_cert_file");
    const inside = await problems(
      "server.internal_require_mtls=true",
      `server.internal_tls_ca_file=${noPem}`,
      `server.internal_tls_cert_file=${one.certFile}`,
      `server.internal_tls_key_file=${other.keyFile}`,
    );
    t.deepEqual(inside, [
      "server.internal_tls_key_file: is not the key of the certificate in server.internal_tls_cert_file",
      `server.internal_tls_ca_file: ${noPem} is not PEM of the right kind`,
    ]);
  });

  test("files for Cassandra are looked at where it is the engine", async (t) => {
    const cert = `storage.cassandra.tls_cert_file=${one.certFile}`;
    const key = `storage.cassandra.tls_key_file=${one.keyFile}`;
    const engine = "storage.engine=cassandra";
    t.deepEqual(await problems(engine, cert, key), []);
    t.deepEqual(await problems(cert), []);
    t.deepEqual(await problems(engine, cert, `storage.cassandra.tls_ca_file=${noPem}`), [
      "storage.cassandra.tls_key_file: is needed because storage.cassandra.tls_cert_file is set",
      `storage.cassandra.tls_ca_file: ${noPem} is not PEM of the right kind`,
    ]);
  });
}
