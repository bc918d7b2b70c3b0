import { fileURLToPath } from "node:url";
import { devTenantId, handleOf, isRefusal, limits, newUlid } from "#base";
import { loadCatalogue } from "../../../actors/connectors/catalogue/load.ts";
import type { Catalogue } from "../../../actors/connectors/catalogue/types.ts";
import { connectorEffects } from "../../../actors/connectors/effects/effects.ts";
import type { Parts } from "../../../actors/connectors/parts.ts";
import { ask } from "../../../actors/kit/ask.ts";
import { directoryOf } from "../../../actors/kit/directory.ts";
import type { ModuleCall } from "../../../actors/parts.ts";
import { createKeyRing } from "../../../gateway/key-ring/index.ts";
import type { Answer, EffectHandlers } from "../../../runtime/index.ts";
import { modules } from "../../support/module-parts.ts";
import { askerOf, callContext } from "../call-context.ts";
import { Callers } from "../caller.ts";
import { epochMs, type Process } from "../process.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { Account, type Message } from "./account.ts";
import { Bank } from "./bank.ts";
import { Payments } from "./payments.ts";
import { played } from "./played.ts";

const accounts = 3;
/** Longer than the deadline of an execution, its back-off and a refresh that failed often. */
const restMs = 90_000;

const actors = modules.flatMap((module) => module.actors);
const keyRing = createKeyRing({ activeId: "k1", byId: new Map([["k1", Buffer.alloc(32, 7)]]) });
let catalogue: Catalogue | undefined;

/** Connections that are connected, refreshed and used for actions, under all faults of their owners. */
export class ConnectorsScenario implements Scenario {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #bank: Bank;
  readonly #accounts: readonly Account[];
  readonly #payments: readonly Payments[];
  readonly #providerConfigId: string;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#callers = new Callers(stage);
    this.#bank = new Bank(stage);
    const providerConfigId = newUlid(epochMs, stage.random);
    this.#providerConfigId = providerConfigId;
    this.#accounts = Array.from(
      { length: accounts },
      () => new Account(stage, this.#callers, { keyRing, providerConfigId }),
    );
    this.#payments = this.#accounts.map((account) => new Payments(stage, this.#callers, account, this.#bank));
  }

  actors() {
    return actors;
  }

  effects(process: () => Process): EffectHandlers {
    const handlers = connectorEffects(partsOf(this.#stage, this.#bank, process));
    return Object.fromEntries(
      Object.entries(handlers).map(([kind, handler]) => [
        kind,
        {
          ...handler,
          run: (run) => handler.run({ ...run, begin: () => played.begin(run) }),
        } satisfies typeof handler,
      ]),
    );
  }

  get acknowledged(): number {
    return this.#payments.reduce((sum, { told }) => sum + told.size, 0);
  }

  start(): void {
    this.#persist(
      directoryOf(devTenantId, "provider_config"),
      { method: "CreateProviderConfig", request: { record: this.#providerConfig() } },
      () =>
        this.#persist(
          { kind: "provider_config", tenant: devTenantId, key: handleOf(this.#providerConfigId) },
          { method: "ActivateProviderConfig", request: {} },
          () => {
            for (const account of this.#accounts) account.start();
            for (const payments of this.#payments) payments.start();
          },
        ),
    );
  }

  stop(): void {
    this.#callers.stopped = true;
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  async reckon(): Promise<void> {
    await this.#stage.pass(restMs);
    for (const [index, payments] of this.#payments.entries()) {
      if (this.#stage.violated) return;
      // A connection that was never created has no executions.
      if (this.#accounts[index]!.isKnown) this.#stage.scheduler.note(JSON.stringify(await payments.reckon()));
    }
    for (const { partition, keys } of this.#stage.stored())
      if (partition[0] === "connection" && partition[3] === "~effect" && keys.length > 0)
        this.#stage.violate(`effects are left: ${JSON.stringify(keys)}`);
  }

  #providerConfig(): Message {
    return {
      id: this.#providerConfigId,
      tenant: devTenantId,
      environment: "production",
      name: "bank",
      providerKey: "bank",
      auth: "code",
      authType: "oauth2_code",
      status: "draft",
      clientId: "client",
      scopes: [],
      config: {},
      allowedReturnOrigins: [],
      clientSecret: "",
      credentialVersion: 0,
      keyId: "",
      version: 1,
      activeVersion: 1,
    };
  }

  #persist(
    to: ReturnType<typeof directoryOf>,
    asked: { readonly method: string; readonly request: Message },
    done: () => void,
  ): void {
    const method = `ProviderConfigService.${asked.method}`;
    const idempotency = { scope: method, fingerprint: "f" };
    let over = false;
    const heard = (answer: Answer) => {
      if (over) return;
      // The entity may not know the connection yet.
      if (isRefusal(answer)) {
        if (answer.code !== "NOT_FOUND") return;
        over = true;
        this.#callers.think(100, () => this.#persist(to, asked, done));
        return;
      }
      over = true;
      done();
    };
    const how = { attemptsLeft: 100, attempted: () => {}, heard };
    this.#callers.persist({ to, method, request: asked.request, idempotency }, how);
  }
}

/** The parts from which the handlers of one process are made. */
function partsOf(stage: Stage, bank: Bank, process: () => Process): Parts {
  const call: ModuleCall = (name, request, { tenant, subject, signal, entity }) => {
    const asker = askerOf((ask, reply) => process().ask(ask, reply));
    const context = callContext(stage, asker);
    const asking = {
      ...context,
      caller: { ...context.caller, tenant, subject, principalKind: "module" as const },
      deadlineMs: process().wallMs() + limits.moduleCallMs,
      ...(signal && { signal }),
    };
    const { kind, key } = entity!;
    return ask(asking, { kind, name }, { key, request });
  };
  const folder = fileURLToPath(new URL("catalogue", import.meta.url));
  return {
    outgoing: bank.outgoing(process),
    keyRing,
    call,
    clock: { now: () => process().wallMs(), monotonic: () => stage.scheduler.nowMs },
    catalogue: () => {
      catalogue ??= loadCatalogue({ folder, disabled: [] });
      return catalogue;
    },
    publicUrl: "",
    loopback: true,
    retiredKeyIds: [],
  };
}
