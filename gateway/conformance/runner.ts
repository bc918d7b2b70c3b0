import type { ConformanceRunner, SuiteResult } from "#actors";
import { type Config, splitAddress } from "../config/index.ts";
import type { Contract } from "../contract/index.ts";
import { runSuite } from "./run.ts";
import { makeSandboxKey } from "./sandbox-key.ts";
import { suites } from "./suites.ts";
import { Tester } from "./tester.ts";
import type { Targets } from "./wire.ts";

export interface RunnerParts {
  readonly contract: () => Contract;
  /** Of this process, for sandbox keys. */
  readonly secret: Uint8Array;
  /** Where this node listens, once its doors are open. */
  readonly targets: Promise<Targets>;
}

/** Tests this node by calls of its own listeners, as any client would make them. */
export function createRunner({ contract, secret, targets }: RunnerParts): ConformanceRunner {
  return {
    suites: suites.map(({ id, title, cases }) => ({
      id,
      title,
      cases: cases.map(({ run: _, ...one }) => one),
    })),
    methodCount: () => contract().methods.filter(({ governance }) => !governance.internalOnly).length,
    sandboxKey: (tenant, untilMs) => makeSandboxKey(secret, tenant, untilMs),
    async run(suiteIds, { mode, headers, endMs }) {
      const parts = { contract: contract(), targets: await targets, headers };
      const capabilities = await activeCapabilities(new Tester(parts));
      const results: SuiteResult[] = [];
      for (const suite of suites.filter(({ id }) => suiteIds.includes(id)))
        results.push({
          id: suite.id,
          results: await runSuite(suite, { ...parts, mode, capabilities, endMs }),
        });
      return results;
    },
  };
}

/** As the service tells them; one that is unwired or disabled has nothing to test. */
async function activeCapabilities(tester: Tester): Promise<ReadonlySet<string>> {
  const { message } = await tester.call("CapabilityService.ListCapabilities", {
    page_size: 1_000,
    include_degraded: true,
  });
  const listed = (message?.capabilities ?? []) as readonly { readonly id: string; readonly mode: string }[];
  return new Set(listed.filter(({ mode }) => mode === "active" || mode === "degraded").map(({ id }) => id));
}

/** Every address of the settings is reached over loopback where it is bound to all of them. */
export function targetsOf(config: Config): Targets {
  const reach = (address: string) => {
    const { host, port } = splitAddress(address);
    const name = host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
    return `${name.includes(":") ? `[${name}]` : name}:${port}`;
  };
  const http = reach(config["server.http_addr"]);
  const grpc = config["server.grpc_addr"];
  const [allowed = "*"] = config["api.allowed_hosts"];
  return {
    http: `http://${http}`,
    ...(grpc !== "" && splitAddress(grpc).port !== 0 && { grpc: reach(grpc) }),
    ...(config["mcp.enabled"] && { mcp: { path: config["mcp.path"], legacy: config["mcp.legacy"] } }),
    host: allowed === "*" ? http : allowed,
  };
}
