import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import { loadRegistry, packageRoot } from "../../../protos/image.ts";

/** Built by buf from the .proto files of connectrpc.com/conformance v1.0.6 (Apache-2.0). */
export const conformanceRegistry = loadRegistry(
  readFileSync(join(packageRoot(), "test/contract/conformance/conformance.binpb")),
);

const service = conformanceRegistry.getService("connectrpc.conformance.v1.ConformanceService")!;

/** The suite's service does not use our options: every caller may call it, and every message is valid. */
export const conformanceMethods: readonly ContractMethod[] = service.methods.map(toContractMethod);

function toContractMethod(descriptor: DescMethod): ContractMethod {
  return {
    name: `ConformanceService.${descriptor.name}`,
    path: `/${service.typeName}/${descriptor.name}`,
    kind: descriptor.methodKind,
    descriptor,
    governance: {
      lifecycle: "supported",
      audience: "public",
      authenticationRequired: false,
      authorizationRequired: false,
      resource: "conformance",
      action: "read",
      scopes: [],
      roles: [],
      internalOnly: false,
    },
    environment: { from: "none" },
    rest: [],
    idempotent: false,
    acceptsSecrets: false,
    readOnly: descriptor.idempotency === 1,
    rateCost: 1,
    audit: "none",
    envelope: "none",
    headers: [],
    validate: () => undefined,
  };
}
