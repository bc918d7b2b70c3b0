import { handleOf, isRefusal } from "#base";
import type { Event } from "../../../actors/promotions/state.ts";
import { Callers } from "../caller.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { actors, addressOf, Doors, type Message } from "./doors.ts";
import { Load } from "./load.ts";
import { PoolLog } from "./pool-log.ts";
import { Promoter } from "./promoter.ts";
import { nothingTold, over, type Told } from "./told.ts";

/** Longer than outbox, back-off, looks and the end of a canary take. */
const restMs = 40_000;
const poolsMax = 3;

interface Ended {
  readonly id: string;
  readonly state: string;
  readonly targets: readonly string[];
}

/** Three pools, candidates for all or some of them, edits, routes and evidence, under all faults of their owners. */
export class PromotionsScenario implements Scenario {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #doors: Doors;
  readonly #told: Told = nothingTold();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#callers = new Callers(stage);
    this.#doors = new Doors(stage, this.#callers);
  }

  actors() {
    return actors;
  }

  get acknowledged(): number {
    return this.#told.acknowledged;
  }

  start(): void {
    const parts = [this.#stage, this.#callers, this.#doors, this.#told] as const;
    void this.#createPools();
    new Load(...parts).start();
    void new Promoter(...parts, "a", poolsMax).start();
    if (this.#stage.random.chance(0.4)) void new Promoter(...parts, "b", 1).start();
  }

  stop(): void {
    this.#callers.stopped = true;
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  async reckon(): Promise<void> {
    await this.#stage.pass(restMs);
    await this.#checkRuns();
    for (const candidate_id of this.#told.candidates) await this.#end(candidate_id);
    await this.#stage.pass(restMs);
    const ended = this.#candidates();
    const logs = this.#logs();
    for (const candidate of ended) this.#checkAllOrNone(candidate, logs);
    for (const { id } of this.#told.pools) await this.#checkFree(id, ended);
    this.#stage.scheduler.note(JSON.stringify(ended));
  }

  async #createPools(): Promise<void> {
    for (let n = 0; n < poolsMax; ) {
      if (this.#callers.stopped) return;
      const made = await this.#doors.call("PoolService.CreatePool", { name: `p${n}` });
      if (isRefusal(made)) continue;
      const { id, environment } = made as Record<string, string>;
      for (const name of ["r0", "r1"])
        await this.#doors.call("RecipientService.CreateRecipient", { pool_id: id, name });
      const action = { reject: { reason: "old" } };
      const rule = { pool_id: id, name: "base", condition: "false", action };
      await this.#doors.call("RuleService.CreateRule", rule);
      this.#told.pools.push({ id: id!, environment: environment! });
      n++;
    }
  }

  async #checkRuns(): Promise<void> {
    for (const { id, packId, environment } of this.#told.runs) {
      const run = await this.#demand("EvidenceService.GetRun", {
        environment_id: environment,
        pack_id: packId,
        run_id: id,
      });
      if (run && run.state !== "expired")
        this.#stage.violate(`run ${id} is ${run.state} long after its deadline ${run.deadline_at}`);
    }
  }

  /**
   * Candidates that did not end are aborted; approvals that new evidence had made void must not have led to a
   * promotion.
   */
  async #end(candidate_id: string): Promise<void> {
    const shown = await this.#demand("PromotionService.GetCandidate", { candidate_id });
    if (shown === undefined) return;
    if (shown.operation)
      this.#stage.violate(`${candidate_id}: ${JSON.stringify(shown.operation)} never ends`);
    else if (!over.includes(shown.state)) await this.#demand("PromotionService.Abort", { candidate_id });
    const voided = this.#told.voided.filter(({ candidateId }) => candidateId === candidate_id);
    const bound = (shown.approvals as Message[]).map(({ pack_digest }) => pack_digest);
    const promoted = shown.state === "promoted" || shown.state === "rolled_back";
    if (promoted && voided.some(({ packDigest }) => bound.includes(packDigest)))
      this.#stage.violate(`${candidate_id} was promoted by an approval from before new evidence`);
  }

  #candidates(): readonly Ended[] {
    const last = new Map<string, Ended>();
    for (const { entry } of this.#stage.durable())
      for (const { kind, events } of entry.steps)
        for (const event of events as readonly Event[]) {
          if (kind !== "promotion" || !("candidate" in event)) continue;
          const { id, state, artifacts } = event.candidate;
          last.set(id, { id, state, targets: artifacts.map((artifact) => artifact.id) });
        }
    return [...last.values()];
  }

  #logs(): ReadonlyMap<string, PoolLog> {
    const violate = (claim: string) => this.#stage.violate(claim);
    const logs = new Map(this.#told.pools.map(({ id }) => [id, new PoolLog(id, violate)]));
    for (const entry of this.#stage.durable()) for (const log of logs.values()) log.add(entry);
    return logs;
  }

  #checkAllOrNone({ id, state, targets }: Ended, logs: ReadonlyMap<string, PoolLog>): void {
    const done = targets.map((target) => logs.get(target)?.done.get(handleOf(id)));
    const activated = done.filter((one) => one?.activated !== undefined).length;
    const restored = done.filter((one) => one?.restored).length;
    const wanted = state === "promoted" || state === "rolled_back" ? targets.length : 0;
    if (activated !== wanted)
      this.#stage.violate(`${id} is ${state}, and ${activated} of ${targets.length} targets were activated`);
    const back = state === "rolled_back" ? targets.length : 0;
    if (restored !== back)
      this.#stage.violate(`${id} is ${state}, and ${restored} of ${targets.length} targets were restored`);
  }

  /** No candidate affects the pool any more: there is no canary, and rules can be changed. */
  async #checkFree(pool_id: string, ended: readonly Ended[]): Promise<void> {
    const pool = await this.#demand("PoolService.GetPool", { pool_id });
    const canary = (pool?.governance as Message | undefined)?.canary as Message | undefined;
    if (canary) {
      const candidate = ended.find(({ id }) => id === canary.candidate_id);
      this.#stage.violate(`pool ${pool_id} has a canary of ${JSON.stringify(candidate)}`);
    }
    const action = { reject: { reason: "free" } };
    await this.#demand("RuleService.CreateRule", { pool_id, name: "free", condition: "false", action });
    await this.#checkRoutes(pool_id);
  }

  async #checkRoutes(pool_id: string): Promise<void> {
    let open = 20;
    for (let n = 0; n < 20; n++)
      void this.#doors.call("RoutingService.Route", { pool_id, key: `k${n}` }).then((routed) => {
        open--;
        if (!isRefusal(routed) && routed.candidate_id !== undefined)
          this.#stage.violate(`pool ${pool_id} is still decided by ${routed.candidate_id}`);
      });
    await this.#stage.pass(10_000, () => open === 0);
  }

  async #demand(method: string, request: Message): Promise<Message | undefined> {
    const to = addressOf(method, request);
    return (await this.#stage.demand({ to, method, request })) as Message | undefined;
  }
}
