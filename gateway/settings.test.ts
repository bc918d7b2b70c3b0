import test from "ava";
import { loadConfig } from "./config/index.ts";
import { storageSettings } from "./settings.ts";

const settings = (...set: string[]) =>
  storageSettings(
    loadConfig({ profile: "dev", environment: {}, set: ["storage.engine=cassandra", ...set] }).config,
  );

test("any file of TLS turns it on: with one, no password is sent in the clear", (t) => {
  t.false("tls" in settings());
  t.like(settings("storage.cassandra.tls_ca_file=ca.pem"), { tls: { caFile: "ca.pem" } });
  t.like(settings("storage.cassandra.tls_cert_file=cert.pem", "storage.cassandra.tls_key_file=key.pem"), {
    tls: { certFile: "cert.pem", keyFile: "key.pem" },
  });
});
