/** What tests and benches need beside Node and the packages of npm, how it is found, and how to get it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

interface PartKind {
  /** A command or sentence that says how to get it. */
  readonly install: string;
  readonly isHere: () => boolean;
}

/** What `.ci` scripts have fetched. */
const cache = process.env.PARTS_CACHE ?? fileURLToPath(new URL("../../.cache", import.meta.url));

export const partKinds = {
  chromium: { install: "apt-get install chromium", isHere: () => chromiumPath() !== undefined },
  redis: { install: "apt-get install redis-server", isHere: () => onPath("redis-server") !== undefined },
  cassandra: {
    install: "apt-get install openjdk-17-jre-headless maven && .ci/cassandra-jars",
    isHere: () => javaPath() !== undefined && cassandraJars() !== undefined,
  },
  connectconformance: {
    install: "go install connectrpc.com/conformance/cmd/connectconformance@v1.0.6",
    isHere: () => conformancePath() !== undefined,
  },
  namespaces: { install: "apt-get install iproute2, and run as root", isHere: () => canMakeNamespace() },
  tmpfs: { install: "apt-get install mount, and run as root", isHere: () => canMount() },
  openssl: { install: "apt-get install openssl", isHere: () => onPath("openssl") !== undefined },
  curl: {
    install: "apt-get install bash curl",
    isHere: () => onPath("bash") !== undefined && onPath("curl") !== undefined,
  },
  shells: {
    install: "apt-get install bash zsh fish",
    isHere: () => ["bash", "zsh", "fish"].every((shell) => onPath(shell) !== undefined),
  },
  "node 22": { install: ".ci/node-binaries", isHere: () => nodePath(22) !== undefined },
  "newest node": { install: ".ci/node-binaries", isHere: () => newestNodePath() !== undefined },
  "openapi generators": {
    install: "apt-get install python3-venv && .ci/openapi-clients",
    isHere: () => openApiGenerators() !== undefined,
  },
  "mcp conformance": {
    install: ".ci/node-binaries && .ci/mcp-conformance",
    isHere: () => newestNodePath() !== undefined && mcpConformance() !== undefined,
  },
  python: { install: "apt-get install python3-venv && .ci/python", isHere: () => pythonPath() !== undefined },
  "webhook verifiers": {
    install: "apt-get install python3-venv && .ci/webhook-verifiers",
    isHere: () => webhookVerifiersPath() !== undefined,
  },
  go: {
    install: "the Go of go.dev/dl, and (cd examples/worker-go && go mod download)",
    isHere: () => hasGoModules(),
  },
  postgres: {
    install: "apt-get install postgresql libpq-dev",
    isHere: () => onPath("pg_config") !== undefined,
  },
  nats: {
    install: "go install github.com/nats-io/nats-server/v2@v2.15.2 (NATS_SERVER names another place)",
    isHere: () => natsPath() !== undefined,
  },
} as const satisfies Record<string, PartKind>;

export type Part = keyof typeof partKinds;

/** Of the parts, those that are not here. */
export function missingParts(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => !partKinds[part].isHere());
}

export function chromiumPath(): string | undefined {
  return process.env.CHROMIUM_PATH ?? onPath("chromium");
}

export function javaPath(): string | undefined {
  return process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin/java") : onPath("java");
}

/** The folder with the jars. */
export function cassandraJars(): string | undefined {
  return versionsIn("cassandra")
    .map((version) => join(version, "lib"))
    .find(existsSync);
}

/** The newest supported Node. */
export function newestNodePath(): string | undefined {
  return nodePath(24);
}

/** A Node of this major version that was fetched. */
export function nodePath(major: number): string | undefined {
  return versionsIn("node")
    .filter((version) => basename(version).startsWith(`${major}.`))
    .map((version) => join(version, "bin/node"))
    .find(existsSync);
}

/** The folder with the generators of the versions that are written down. */
export function openApiGenerators(): string | undefined {
  const hash = createHash("sha256");
  for (const file of ["requirements.txt", "package-lock.json"])
    hash.update(readFileSync(new URL(`openapi-clients/${file}`, import.meta.url)));
  const folder = join(cache, "openapi-clients", hash.digest("hex").slice(0, 16));
  return existsSync(join(folder, "python/bin/python")) ? folder : undefined;
}

/** Where the suites of the protocol of assistants are, in the versions that are written down. They need the newest Node. */
export function mcpConformance(): string | undefined {
  const lock = readFileSync(new URL("mcp-conformance/package-lock.json", import.meta.url));
  const version = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = join(cache, "mcp-conformance", version, "node_modules");
  return existsSync(folder) ? folder : undefined;
}

/** A Python with what the client and its tests need, of the versions that are written down. */
export function pythonPath(): string | undefined {
  return pythonWith("python", "../../sdk-python/requirements.txt");
}

/** A Python with what other people check webhooks with. */
export function webhookVerifiersPath(): string | undefined {
  return pythonWith("webhook-verifiers", "../webhooks/requirements.txt");
}

function pythonWith(name: string, requirements: string): string | undefined {
  const file = readFileSync(new URL(requirements, import.meta.url));
  const version = createHash("sha256").update(file).digest("hex").slice(0, 16);
  const path = join(cache, name, version, "bin/python");
  return existsSync(path) ? path : undefined;
}

export function conformancePath(): string | undefined {
  return onPath("connectconformance", [join(homedir(), "go/bin")]);
}

export function natsPath(): string | undefined {
  return process.env.NATS_SERVER ?? onPath("nats-server", [join(homedir(), "go/bin")]);
}

/** Whether Go is here, and what the example in Go is made with. */
function hasGoModules(): boolean {
  const modules = process.env.GOMODCACHE ?? join(process.env.GOPATH ?? join(homedir(), "go"), "pkg/mod");
  const text = readFileSync(new URL("../../examples/worker-go/go.mod", import.meta.url), "utf8");
  const needed = [...text.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name, version]) => `${name}@${version}`);
  return onPath("go") !== undefined && needed.every((one) => existsSync(join(modules, one)));
}

/** Versions that were fetched whole. */
function versionsIn(name: string): readonly string[] {
  const folder = join(cache, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((version) => !version.startsWith("partial."))
    .map((version) => join(folder, version));
}

function onPath(program: string, more: readonly string[] = []): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...more].filter((folder) => folder !== "");
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function canMakeNamespace(): boolean {
  const name = `switchyard-${process.pid}-probe`;
  return runs("ip", "netns", "add", name) && runs("ip", "netns", "del", name);
}

function canMount(): boolean {
  // In a mount namespace of its own, which ends with it.
  return runs("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt");
}

function runs(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
