import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { attachStorage, type CassandraSettings, StorageError, startStorage } from "#storage";
import { type CassandraCluster, startCassandraNodes } from "../../test/support/cassandra.ts";
import { casesNeeding } from "../../test/support/needing.ts";
import { append, replayed, take } from "../journal.cases.ts";
import { migrateCassandra } from "./index.ts";

casesNeeding("TLS and passwords on a real Cassandra", ["cassandra", "openssl"], cases);

function cases(): void {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-tls-"));
  const file = (name: string) => join(folder, name);
  const tls = { caFile: file("ca.pem"), certFile: file("client.pem"), keyFile: file("client.key") };
  let cluster: CassandraCluster;

  test.before(async () => {
    makeCertificates(folder);
    const credentials = { username: "cassandra", password: "cassandra" };
    cluster = await startCassandraNodes({
      extra: securedYaml(folder),
      credentials,
      tls,
      commitlogSync: "periodic",
    });
  });
  test.after.always(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.serial(
    "password, CA and client certificate are right: the engine works, and it warns of a periodic commit log",
    async (t) => {
      const settings = cluster.settings("secured");
      await migrateCassandra(settings);
      const warned: string[] = [];
      const host = await startStorage({ engine: "cassandra", ...settings }, (sentence) =>
        warned.push(sentence),
      );
      t.true(warned.some((sentence) => sentence.includes("commitlog_sync: periodic")));
      const storage = await attachStorage(host.bootstrap(0).data);
      await append(storage.journal, await take(storage.journal, 0), 1, ["a"]);
      t.deepEqual(await replayed(storage.journal, 0, 0), ["1:a"]);
      await storage.close();
      await host.close();
    },
  );

  const refused: [string, (settings: CassandraSettings) => CassandraSettings, RegExp][] = [
    ["a wrong password", (settings) => ({ ...settings, password: "guessed" }), /credentials|password/i],
    ["no password", ({ username: _u, password: _p, ...settings }) => settings, /authenticat/i],
    [
      "a certificate of an unknown authority",
      (settings) => ({ ...settings, tls: { ...tls, caFile: file("other.pem") } }),
      /certificate|self.signed/i,
    ],
    ["no client certificate", (settings) => ({ ...settings, tls: { caFile: tls.caFile } }), /./],
    ["no TLS", ({ tls: _, ...settings }) => settings, /./],
  ];
  for (const [what, change, message] of refused)
    test.serial(`${what} is refused with a clear error`, async (t) => {
      const settings = change(cluster.settings("secured"));
      const error = await t.throwsAsync(
        startStorage({ engine: "cassandra", ...settings }, () => {}),
        {
          instanceOf: StorageError,
        },
      );
      t.is(error?.kind, "unavailable");
      t.regex(error?.message ?? "", /^Cassandra cannot be reached: /);
      t.regex(error?.message ?? "", message);
    });
}

function securedYaml(folder: string): string {
  return `authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
role_manager: CassandraRoleManager
client_encryption_options:
  enabled: true
  optional: false
  require_client_auth: true
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
  keystore: ${folder}/server-chain.pem
  truststore: ${folder}/ca.pem
`;
}

/**
 * A certificate authority, a server and a client certificate signed by it, and a second authority that is not trusted.
 */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  for (const name of ["ca", "other"])
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
    );
  writeFileSync(join(folder, "names"), "subjectAltName = IP:127.0.0.1,DNS:localhost\n");
  for (const name of ["server", "client"]) {
    openssl(
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
    );
    openssl(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-days",
      "2",
      "-extfile",
      "names",
      "-out",
      `${name}.pem`,
    );
  }
  const chain = ["server.key", "server.pem", "ca.pem"].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  );
  writeFileSync(join(folder, "server-chain.pem"), chain.join(""));
}
