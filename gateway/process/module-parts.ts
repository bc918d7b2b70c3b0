import type { Logger } from "pino";
import type { Access, ConformanceRunner, KeyHasher, ModuleParts, ObjectStore } from "#actors";
import { once, systemClock } from "#base";
import { type ModuleCallParts, moduleCall } from "../calls/module-call.ts";
import { type Config, tenantValueProblem } from "../config/index.ts";
import { type Contract, quotaOperations } from "../contract/index.ts";
import { createOutgoing, Seldom } from "../egress/index.ts";
import { createKeyRing, createSigner, type Keys } from "../key-ring/index.ts";
import type { Metrics } from "../telemetry/index.ts";

export interface PartsOfWorker {
  readonly config: Config;
  readonly keys: Keys | undefined;
  readonly evidenceKey: string;
  readonly contract: () => Contract;
  readonly conformance: ConformanceRunner;
  /** Opened after the modules are made: effects may run before the doors are open, and wait for it. */
  readonly internal: Promise<ModuleCallParts>;
  readonly access: Access;
  readonly hasher: KeyHasher;
  /** Of the storage, which is attached after the modules are made. */
  readonly objects: () => Promise<ObjectStore>;
  /** On which this process listens, as far as it is known. */
  readonly ownPorts: ReadonlySet<number>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly dependencies: ModuleParts["dependencies"];
}

/** What the modules of one worker are made of. */
export function moduleParts(parts: PartsOfWorker): ModuleParts {
  const {
    config,
    keys,
    evidenceKey,
    contract,
    conformance,
    internal,
    access,
    hasher,
    objects,
    ownPorts,
    log,
    metrics,
    dependencies,
  } = parts;
  const call = internal.then(moduleCall);
  const warnings = new Seldom();
  const outgoing = createOutgoing(
    {
      mode: config["egress.mode"],
      allowedDomains: config["egress.allowed_domains"],
      allowedNetworks: config["egress.allowed_ip_nets"],
    },
    {
      ownPorts,
      denied(denied) {
        metrics.add("service_egress_denied_total", { refused: String(denied.refused) });
        const { host, address, refused } = denied;
        if (warnings.isDue(`${host} ${address} ${refused}`, systemClock.monotonic()))
          log.warn(denied, "an outgoing call to an address that is not allowed");
      },
    },
  );
  return {
    settings: config,
    clock: systemClock,
    outgoing,
    access,
    keyHasher: hasher,
    objects: {
      put: async (key, body) => (await objects()).put(key, body),
      get: async (key, range) => (await objects()).get(key, range),
      delete: async (key) => (await objects()).delete(key),
    },
    ...(keys === undefined ? {} : { keyRing: createKeyRing(keys) }),
    call: async (method, request, as) => (await call)(method, request, as),
    quotaOperations: once(quotaOperations),
    tenantValueProblem,
    conformance,
    contractSha256: () => contract().sha256,
    signer: createSigner(evidenceKey),
    metrics,
    dependencies,
  };
}
