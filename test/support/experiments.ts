import { type CallContext, type Module, makeModules } from "#actors";
import { isRefusal, limits, RefusalError } from "#base";
import type { Address, AnyActorDefinition, Asker } from "#runtime";
import { experimentAddress, groupAddress, unitsAddress } from "../../actors/experiments/record.ts";
import type { ShardSums } from "../../actors/experiments/units/decide.ts";
import { directoryOf } from "../../actors/kit/directory.ts";
import { EntityDriver, testCaller } from "./entity.ts";
import { testParts } from "./module-parts.ts";
import { orchestrate } from "./orchestrate.ts";

export type Message = Readonly<Record<string, unknown>>;

const tenant = "0000000000000000000000000A";

/**
 * The experiments module over entities that are driven step by step: calls as a door makes them, effects when the test
 * says so.
 */
export class DrivenExperiments {
  readonly driver: EntityDriver;
  readonly #modules: readonly Module[];
  readonly #asker: Asker;

  /** `change`: plants a bug. */
  constructor(change: (actor: AnyActorDefinition) => AnyActorDefinition = (actor) => actor) {
    this.#modules = makeModules(
      testParts({ call: (method, request) => this.call(method, request as Message) }),
    );
    this.driver = new EntityDriver(this.#modules.flatMap(({ actors }) => actors).map(change));
    const ask: Asker["ask"] = async ({ to, method, request, caller }) => {
      const answer = this.driver.ask(to, method, request, { caller });
      return isRefusal(answer) ? answer : { response: answer, replayed: false };
    };
    this.#asker = { ask, post: (asked, reply) => void ask(asked).then(reply) };
  }

  /** The answer; throws a RefusalError. */
  async call<Answer = Message>(method: string, request: Message, caller: object = {}): Promise<Answer> {
    const full = method.includes(".") ? method : `ExperimentService.${method}`;
    const orchestration = this.#modules.map(({ orchestrations }) => orchestrations?.[full]).find(Boolean);
    if (orchestration) return (await orchestrate(orchestration, request, this.#context(caller))) as Answer;
    const answer = this.driver.ask(addressOf(full, request), full, request, { caller });
    if (isRefusal(answer)) throw new RefusalError(answer);
    return answer as Answer;
  }

  /** The code and reason of the refusal; `undefined` if it answers. */
  async refusal(method: string, request: Message): Promise<string | undefined> {
    try {
      await this.call(method, request);
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof RefusalError)) throw thrown;
      const { code, reason, fields = [] } = thrown.refusal;
      return [code, reason, ...fields.map(({ field }) => field)].filter(Boolean).join(" ");
    }
  }

  async create(fields: Message = {}): Promise<string> {
    return (
      await this.call<{ id: string }>("CreateExperiment", { ...draft, key: `key-${this.#made++}`, ...fields })
    ).id;
  }

  async started(fields: Message = {}): Promise<string> {
    const experiment_id = await this.create(fields);
    await this.call("StartExperiment", { experiment_id });
    return experiment_id;
  }

  assign(experiment_id: string, unit_id: string, more: Message = {}): Promise<Assignment> {
    return this.call("Assign", { experiment_id, unit_id, ...more });
  }

  /** Runs the pending look, as the timer would. */
  async look(id: string): Promise<void> {
    const address = experimentAddress(tenant, id);
    const [effect] = this.driver.effects(address);
    if (!effect) return;
    this.driver.now = Math.max(this.driver.now, effect.dueMs);
    const handler = this.#modules.map(({ effects }) => effects?.[effect.kind]).find(Boolean)!;
    const result = await handler.run({
      address,
      id: effect.id,
      attempt: 1,
      body: effect.body as never,
      begun: false,
      signal: new AbortController().signal,
      begin: async () => undefined,
      extend: () => {},
    });
    this.driver.stepEffect(address, { type: "done", id: effect.id, attempt: 1, result });
  }

  shards(id: string): Address[] {
    return Array.from({ length: limits.experimentShards }, (_, shard) => unitsAddress(tenant, id, shard));
  }

  sums(id: string): ShardSums[] {
    return this.shards(id).map((at) => this.driver.ask(at, "experiment_units.Sums", {}) as ShardSums);
  }

  #made = 0;

  #context(caller: object): CallContext {
    return {
      caller: { ...testCaller(tenant), ...caller },
      asker: this.#asker,
      deadlineMs: Number.MAX_SAFE_INTEGER,
      signal: new AbortController().signal,
      clock: { now: () => this.driver.now, monotonic: () => this.driver.now },
      may: () => true,
      tenantSecret: "secret",
    } as unknown as CallContext;
  }
}

export interface Assignment {
  readonly variant: string;
  readonly payload?: unknown;
  readonly in_experiment: boolean;
  readonly reason: string;
  readonly phase: number;
  readonly receipt?: string;
}

const draft = {
  name: "an experiment",
  variants: [
    { key: "old", weight: 0.5 },
    { key: "new", weight: 0.5 },
  ],
  metrics: [{ key: "paid", kind: "binary", role: "primary" }],
};

/** As the contract's `actor` options declare it. */
function addressOf(method: string, request: Message): Address {
  if (method === "ExperimentService.CreateExperiment") return directoryOf(tenant, "experiment");
  if (method === "ExperimentGroupService.CreateExperimentGroup")
    return directoryOf(tenant, "experiment_group");
  if (method.startsWith("ExperimentGroupService.")) return groupAddress(tenant, request.id as string);
  return experimentAddress(tenant, request.experiment_id as string);
}
