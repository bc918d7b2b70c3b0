import { randomBytes } from "node:crypto";
import { type KeyRing, type Module, type ModuleParts, makeModules } from "#actors";
import { devTenantId, limits } from "#base";
import { type Asker, type EffectHandlers, type RuntimeOptions, startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { Call } from "../../gateway/calls/call.ts";
import { createInvoke, invoked } from "../../gateway/calls/invoke.ts";
import { moduleCall } from "../../gateway/calls/module-call.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { createKeyRing } from "../../gateway/key-ring/index.ts";
import { quietTelemetry, testSettings } from "../contract/support/parts.ts";
import { testParts } from "./module-parts.ts";

export interface ConnectorWorld {
  readonly modules: readonly Module[];
  readonly asker: Asker;
  readonly keyRing: KeyRing;
  /** From now on this key encrypts. */
  useKey(id: string): void;
  /** A method of the contract, as an administrator of the tenant. Throws a RefusalError. */
  call<T = Record<string, unknown>>(method: string, request: object, options?: CallOptions): Promise<T>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly key?: string;
  readonly tenant?: string;
  readonly environment?: string;
}

/**
 * The product's entities and effects in this process, with real keys and a real outgoing client that may call loopback.
 */
export async function startConnectors(
  changed: {
    settings?: Record<string, unknown>;
    parts?: Partial<ModuleParts>;
    keys?: Readonly<Record<string, Buffer>>;
    limits?: RuntimeOptions["limits"];
  } = {},
): Promise<ConnectorWorld> {
  const keys = Object.entries(changed.keys ?? { k1: randomBytes(32) });
  const ringOf = (activeId: string) => createKeyRing({ activeId, byId: new Map(keys) });
  let ring = ringOf(keys[0]![0]);
  const keyRing: KeyRing = {
    get activeId() {
      return ring.activeId;
    },
    encrypt: (plain, record) => ring.encrypt(plain, record),
    decrypt: (encrypted, record) => ring.decrypt(encrypted, record),
    keyIdOf: (encrypted) => ring.keyIdOf(encrypted),
  };
  const outgoing = createOutgoing({ mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] });
  const contract = loadContract();
  let call: ModuleParts["call"] | undefined;
  const parts = testParts({
    settings: changed.settings ?? {},
    outgoing,
    keyRing,
    call: (method, request, as) => call!(method, request, as),
    ...changed.parts,
  });
  const modules = makeModules(parts);
  const host = await startStorage({ engine: "memory" });
  const storage = await attachStorage(host.bootstrap(0).data);
  const runtime = await startRuntime({
    storage,
    definitions: modules.flatMap((module) => module.actors),
    world: systemWorld(),
    logger: { info() {}, warn() {}, error: (...told: unknown[]) => console.error(...told) },
    shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
    effects: Object.assign({}, ...modules.map(({ effects }) => effects)) as EffectHandlers,
    limits: changed.limits,
  });
  const invoker = createInvoke({
    contract,
    plane: "internal",
    asker: runtime as Asker,
    modules,
    handlers: {},
    providers: {},
    settings: testSettings,
    telemetry: quietTelemetry,
  });
  call = moduleCall({ ...invoker, asker: runtime as Asker, modules });
  return {
    modules,
    asker: runtime as Asker,
    keyRing,
    useKey(id) {
      ring = ringOf(id);
    },
    async call<T>(
      name: string,
      request: object,
      { key, tenant = devTenantId, environment }: CallOptions = {},
    ) {
      const method = contract.byName.get(name)!;
      const headers: Record<string, string | undefined> = {
        "idempotency-key": key,
        "x-environment": environment,
      };
      const source = {
        headers: { get: (header: string) => headers[header] },
        signal: new AbortController().signal,
      };
      const opened = new Call({ method, plane: "internal", protocol: "module", source });
      opened.principal = { kind: "module", subject: "tester", tenant, roles: [], environmentMode: "any" };
      return (await invoked(invoker.invoke, opened, request)) as T;
    },
    async close() {
      await runtime.drain();
      runtime.stop();
      await storage.close();
      await host.close();
      await outgoing.close();
    },
  };
}

interface Execution {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly output: unknown;
  readonly error?: { readonly code: string };
}

/** An execution at its end, however long that takes on a busy machine. */
export async function executed(world: ConnectorWorld, request: object): Promise<Execution> {
  let execution = await world.call<Execution>("ConnectorService.ExecuteAction", {
    ...request,
    wait_seconds: 0,
  });
  while (["queued", "running", "waiting"].includes(execution.status)) {
    const asked = { execution_id: execution.id, wait_seconds: 5 };
    execution = await world.call<Execution>("ConnectorService.GetExecution", asked);
  }
  return execution;
}
