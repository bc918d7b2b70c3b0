import { createHash } from "node:crypto";
import type { DescMethod, FileRegistry } from "@bufbuild/protobuf";
import {
  contractBytes,
  contractProblems,
  type DeclaredCapability,
  declaredCapabilities,
  loadRegistry,
  methodOptions,
  roleOptions,
} from "#protos";
import { createCompilers } from "./compilers.ts";
import type { ContractMethod } from "./method.ts";
import { toContractMethod } from "./read.ts";
import { type Roles, rolesOf } from "./roles.ts";

export type { SseOptions as Sse } from "#protos";
export {
  type Element,
  type EnumNames,
  type FieldPlan,
  messageElement,
  messagesIn,
  planOf,
  zeroElement,
} from "./field-plan.ts";
export { fillDefaults } from "./fill.ts";
export type { ContractMethod, RestBinding } from "./method.ts";
export { pathHint } from "./path-hint.ts";
export { fromPlain, toPlain } from "./plain.ts";
export { type Print, printerOf } from "./print.ts";
export { fromProtoJson } from "./proto-json.ts";
export { refuseProtoKey } from "./proto-key.ts";
export type { Scalar } from "./scalars.ts";
export { upperUlid } from "./ulid-case.ts";
export { writtenOnce } from "./written-once.ts";

/** The contract as the gateway uses it: read once from the descriptor set, the same in every thread. */
export interface Contract {
  readonly methods: readonly ContractMethod[];
  /** By `PoolService.CreatePool`. */
  readonly byName: ReadonlyMap<string, ContractMethod>;
  readonly roles: Roles;
  readonly capabilities: readonly DeclaredCapability[];
  readonly registry: FileRegistry;
  /** Of the descriptor set: the same number in openapi.yaml and `/api/_meta/services`. */
  readonly sha256: string;
}

export interface ContractOptions {
  /** A further descriptor set (the tests' ProbeService). */
  readonly extra?: Uint8Array;
  /** Its packages; every RPC in them needs the options too. */
  readonly extraPackages?: readonly string[];
}

export function loadContract({ extra, extraPackages = [] }: ContractOptions = {}): Contract {
  const bytes = contractBytes();
  const registry = extra === undefined ? loadRegistry(bytes) : loadRegistry(bytes, extra);
  const packages = ["service.api", ...extraPackages];
  // The contract itself was checked when it was built.
  const problems = extra === undefined ? [] : contractProblems(registry, packages);
  if (problems.length > 0) throw new Error(`the contract is not sound: ${problems.join("; ")}`);
  const compilers = createCompilers();
  const methods = methodsOf(registry, packages).map((method) =>
    toContractMethod(registry, method, methodOptions(registry, method), compilers),
  );
  return {
    methods,
    byName: new Map(methods.map((method) => [method.name, method])),
    roles: rolesOf(roleOptions(registry, packages)),
    capabilities: declaredCapabilities(registry, packages),
    registry,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

/** What methods count against quotas; modules that are not there yet have their names already. */
export function quotaOperations(): ReadonlySet<string> {
  const registry = loadRegistry(contractBytes());
  const declared = methodsOf(registry, ["service.api"]).flatMap(
    (method) => methodOptions(registry, method).method?.quota?.operation ?? [],
  );
  return new Set([...declared, "stream_append", "object_bytes", "notification_trigger"].sort());
}

function methodsOf(registry: FileRegistry, packages: readonly string[]): DescMethod[] {
  return [...registry.files]
    .filter((file) => packages.includes(file.proto.package))
    .flatMap((file) => file.services)
    .sort((a, b) => (a.typeName < b.typeName ? -1 : 1))
    .flatMap((service) => service.methods);
}
