import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configProblems, type LoadedConfig, type Service } from "#gateway";
import type { Given } from "./command.ts";
import { CliError } from "./error.ts";
import { listed, loadSettings } from "./options.ts";
import { serve } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

/** `service dev`: one command, no other service, no credentials, loopback only. */
export async function dev({ flags }: Given, terminal: Terminal): Promise<number> {
  const folder = flags.ephemeral === true ? mkdtempSync(join(tmpdir(), "switchyard-")) : undefined;
  try {
    // Last, so that no setting puts the data of a run that keeps nothing into a folder that stays.
    const ownFolder = folder === undefined ? [] : [`storage.dir=${folder}`];
    const ports = flags["random-ports"] === true ? randomPorts : [];
    const loaded = loadSettings(terminal, "dev", flags, ports, ownFolder);
    const problems = await configProblems(loaded.config, "dev");
    if (problems.length > 0) throw new CliError(listed("these settings are refused", problems));
    return await serve(loaded, (service) => {
      const file = flags["ports-file"];
      if (typeof file === "string") writeFileSync(file, `${JSON.stringify(service.ports)}\n`);
      terminal.out(banner(service, dataOf(loaded, folder !== undefined)));
    });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const randomPorts = [
  "server.http_addr=127.0.0.1:0",
  "server.grpc_addr=127.0.0.1:0",
  "api.addr=127.0.0.1:0",
  "server.internal_addr=127.0.0.1:0",
  "server.metrics_addr=127.0.0.1:0",
];

function dataOf({ config }: LoadedConfig, ephemeral: boolean): string {
  switch (config["storage.engine"]) {
    case "embedded":
      return `${config["storage.dir"]}${ephemeral ? " (removed at the end)" : ""}`;
    case "cassandra":
      return `Cassandra, keyspace ${config["storage.cassandra.keyspace"]}`;
    case "memory":
      return "in memory only";
  }
}

function banner({ ports }: Service, data: string): string {
  const at = (name: string, scheme = "") =>
    ports[name] === undefined ? "off" : `${scheme}127.0.0.1:${ports[name]}`;
  const http = at("http", "http://");
  return `
  Switchyard, development profile: no authentication, everyone is an administrator. NOT FOR PRODUCTION.

  REST, Connect, gRPC-Web   ${http}
  Reference                 ${http}/docs
  gRPC                      ${at("grpc")}
  Connect + gRPC (HTTP/2)   ${at("native")}
  Internal plane            ${at("internal")}
  Metrics                   ${at("metrics", "http://")}/metrics
  Data                      ${data}

  Try it:
  curl -s ${http}/api/pools -H 'content-type: application/json' -d '{"name":"support"}'

`;
}
