import { type CallContext, type Module, type ModuleParts, makeModules } from "#actors";
import { handleOf, handleOfChild, isRefusal, RefusalError } from "#base";
import type { Address, Asker } from "#runtime";
import { directoryOf } from "../../actors/kit/directory.ts";
import { EntityDriver, testCaller } from "./entity.ts";
import { testParts } from "./module-parts.ts";
import { orchestrate } from "./orchestrate.ts";

export type Message = Readonly<Record<string, unknown>>;

const tenant = "0000000000000000000000000A";

/** Promotions and pools over entities that are driven step by step: calls as a door makes them. */
export class DrivenPromotions {
  readonly driver: EntityDriver;
  readonly #modules: readonly Module[];
  readonly #asker: Asker;

  constructor(settings: ModuleParts["settings"] = {}, changed: Partial<ModuleParts> = {}) {
    const parts = testParts(changed);
    this.#modules = makeModules({
      ...parts,
      settings: { ...parts.settings, "promotion.allow_self_approval": false, ...settings },
    });
    this.driver = new EntityDriver(this.#modules.flatMap(({ actors }) => actors));
    const ask: Asker["ask"] = async ({ to, method, request, caller }) => {
      const answer = await this.#ask(to, method, request, caller);
      return isRefusal(answer) ? answer : { response: answer, replayed: false };
    };
    this.#asker = { ask, post: (asked, reply) => void ask(asked).then(reply) };
  }

  /** The answer; throws a RefusalError. A call that waits for messages has them all before the next line runs. */
  async call<Answer = Message>(method: string, request: Message = {}, caller: object = {}): Promise<Answer> {
    this.driver.now += 1;
    const full = method.includes(".") ? method : `PromotionService.${method}`;
    const orchestration = this.#modules.map(({ orchestrations }) => orchestrations?.[full]).find(Boolean);
    if (orchestration) return (await orchestrate(orchestration, request, this.#context(caller))) as Answer;
    const answer = await this.#ask(addressOf(full, request), full, request, caller);
    if (isRefusal(answer)) throw new RefusalError(answer);
    return answer as Answer;
  }

  /** The code and reason of the refusal, or the state of the returned candidate. */
  async outcome(method: string, request: Message = {}, caller: object = {}): Promise<string> {
    try {
      return String((await this.call(method, request, caller)).state);
    } catch (thrown) {
      if (!(thrown instanceof RefusalError)) throw thrown;
      const { code, reason, fields = [] } = thrown.refusal;
      return [code, reason, ...fields.map(({ field }) => field)].filter(Boolean).join(" ");
    }
  }

  /** From now on pools do not answer this step, as if they were out of reach. */
  silence(step: string): void {
    const pool = this.#modules.flatMap(({ actors }) => actors).find(({ kind }) => kind === "pool")!;
    const isSilent = (command: unknown) => {
      const asked = command as Message;
      return asked.type === "activation" && asked.step === step;
    };
    this.driver.define({
      ...pool,
      decide: (state, command, context) =>
        isSilent(command) ? { events: [] } : pool.decide(state, command, context),
    });
  }

  /** A pool with two recipients and its own name. */
  async pool(fields: Message = {}, caller: object = {}): Promise<string> {
    const { id } = await this.call<{ id: string }>(
      "PoolService.CreatePool",
      { name: "p", ...fields },
      caller,
    );
    for (const name of ["a", "b"])
      await this.call("RecipientService.CreateRecipient", { pool_id: id, name }, caller);
    return id;
  }

  async rule(pool_id: string, name: string, reason: string): Promise<void> {
    await this.call("RuleService.CreateRule", {
      pool_id,
      name,
      condition: "false",
      action: { reject: { reason } },
    });
  }

  /** A version with these rules, none of which ever matches. */
  async proposal(pool_id: string, names: readonly string[], caller: object = {}): Promise<number> {
    const rules = names.map((name, order) => ({
      name,
      order,
      condition: "false",
      action: { reject: { reason: name } },
    }));
    const content = { routing: { rules } };
    const made = await this.call<{ version: number }>(
      "PoolService.CreatePoolVersion",
      { pool_id, kind: "routing", content },
      caller,
    );
    return made.version;
  }

  async candidate(artifacts: readonly Message[], fields: Message = {}, caller: object = {}): Promise<string> {
    const request = { environment_id: "production", artifacts, ...fields };
    return (await this.call<{ id: string }>("CreateCandidate", request, caller)).id;
  }

  rules(pool_id: string): Promise<Message> {
    return this.call("RuleService.ListRules", { pool_id });
  }

  #ask(to: Address, method: string, request: unknown, caller: object = {}): Promise<unknown> {
    return new Promise((resolve) => {
      let answered: unknown;
      const later = (answer: unknown) => {
        answered = answer;
      };
      const answer = this.driver.ask(to, method, request, { caller, later });
      resolve(answer === "parked" ? (answered ?? "parked") : answer);
    });
  }

  #context(caller: object): CallContext {
    return {
      caller: { ...testCaller(tenant), ...caller },
      asker: this.#asker,
      deadlineMs: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
      clock: { now: () => this.driver.now, monotonic: () => this.driver.now },
      may: () => true,
      tenantSecret: "secret",
      roles: [],
      headers: new Map(),
    };
  }
}

function addressOf(method: string, request: Message): Address {
  const child = (kind: string, id: unknown) => ({ kind, tenant, key: handleOfChild(id as string) });
  const at = (kind: string, id: unknown) => ({ kind, tenant, key: handleOf(id as string) });
  if (method === "PoolService.CreatePool") return directoryOf(tenant, "pool");
  if (request.candidate_id !== undefined) return at("promotion", request.candidate_id);
  if (request.routing_id !== undefined) return child("router", request.routing_id);
  return at("pool", request.pool_id);
}
