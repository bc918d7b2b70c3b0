import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { asError } from "#base";
import type { Config, SettingKey } from "./table.ts";

/** What is wrong with the files that TLS will read. Empty: nothing, or nothing is to be read. */
export function tlsFileProblems(config: Config): readonly string[] {
  return [
    ...pairProblems(config, "api.tls_cert_file", "api.tls_key_file"),
    ...internalProblems(config),
    ...cassandraProblems(config),
  ];
}

function internalProblems(config: Config): readonly string[] {
  if (!config["server.internal_require_mtls"]) return [];
  return [
    ...pairProblems(config, "server.internal_tls_cert_file", "server.internal_tls_key_file"),
    ...read(config, "server.internal_tls_ca_file", certificateOf).problems,
  ];
}

function cassandraProblems(config: Config): readonly string[] {
  if (config["storage.engine"] !== "cassandra") return [];
  return [
    ...pairProblems(config, "storage.cassandra.tls_cert_file", "storage.cassandra.tls_key_file"),
    ...read(config, "storage.cassandra.tls_ca_file", certificateOf).problems,
  ];
}

type FileKey = Extract<SettingKey, `${string}tls_${string}_file`>;

function pairProblems(config: Config, certKey: FileKey, keyKey: FileKey): readonly string[] {
  const certificate = read(config, certKey, certificateOf);
  const key = read(config, keyKey, keyOf);
  const problems = [...certificate.problems, ...key.problems];
  if ((config[certKey] === "") !== (config[keyKey] === "")) {
    const [absent, present] = config[certKey] === "" ? [certKey, keyKey] : [keyKey, certKey];
    problems.push(`${absent}: is needed because ${present} is set`);
  }
  if (certificate.value === undefined || key.value === undefined) return problems;
  if (certificate.value.checkPrivateKey(key.value)) return problems;
  return [`${keyKey}: is not the key of the certificate in ${certKey}`];
}

interface Read<T> {
  readonly value?: T;
  readonly problems: readonly string[];
}

function read<T>(config: Config, key: FileKey, parse: (pem: Buffer) => T | undefined): Read<T> {
  const file = config[key];
  if (file === "") return { problems: [] };
  try {
    const value = parse(readFileSync(file));
    return value === undefined
      ? { problems: [`${key}: ${file} is not PEM of the right kind`] }
      : { value, problems: [] };
  } catch (error) {
    return { problems: [`${key}: ${file} cannot be read (${asError(error).code})`] };
  }
}

/** The first one in the file: its own, where others of the chain follow. */
function certificateOf(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyOf(pem: Buffer) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
