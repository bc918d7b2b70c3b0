import { isRefusal, type Random } from "#base";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Doors, Message } from "./doors.ts";
import { over, type Told } from "./told.ts";

/** The next step from each state; two names: either. */
const forward: Readonly<Record<string, readonly string[]>> = {
  created: ["Preflight"],
  blocked: ["Preflight", "Abort"],
  preflighted: ["EvaluateGuardrails"],
  guarded: ["StartCanary"],
  canary: ["StartCanary", "StopCanary", "StopCanary"],
  canary_stopped: ["Approve"],
  approved: ["Promote"],
  promoted: ["Rollback"],
};
const any = [...new Set(Object.values(forward).flat())];
const stepsMax = 40;

/** Takes one candidate after the other as far as faults, edits and its own mistakes allow. */
export class Promoter {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #doors: Doors;
  readonly #told: Told;
  readonly #random: Random;
  readonly #name: string;
  /** How many of the pools its candidates have as targets. */
  readonly #targets: number;
  #made = 0;

  constructor(stage: Stage, callers: Callers, doors: Doors, told: Told, name: string, targets: number) {
    this.#stage = stage;
    this.#callers = callers;
    this.#doors = doors;
    this.#told = told;
    this.#random = stage.random;
    this.#name = name;
    this.#targets = targets;
  }

  async start(): Promise<void> {
    while (!this.#callers.stopped) {
      await this.#rest(200);
      await this.#one();
    }
  }

  async #one(): Promise<void> {
    const pools = this.#told.pools.slice(-this.#targets);
    if (pools.length < this.#targets) return;
    const environment_id = pools[0]!.environment;
    const artifacts: Message[] = [];
    const number = this.#made++;
    for (const { id } of pools) {
      const rules = ["base", `${this.#name}${number}`].map((name, order) => ({
        name,
        order,
        condition: "false",
        action: { reject: { reason: `${this.#name}${number}` } },
      }));
      const request = { pool_id: id, kind: "routing", content: { routing: { rules } } };
      const made = await this.#doors.call("PoolService.CreatePoolVersion", request);
      if (isRefusal(made)) return;
      artifacts.push({ kind: "routing", id, version: made.version });
    }
    const made = await this.#doors.call("PromotionService.CreateCandidate", { environment_id, artifacts });
    if (isRefusal(made)) return;
    const candidate_id = made.id as string;
    this.#told.candidates.add(candidate_id);
    if (this.#random.chance(0.5)) await this.#attach(candidate_id, environment_id);
    await this.#lead(candidate_id, environment_id);
  }

  async #attach(candidate_id: string, environment_id: string): Promise<void> {
    const pack = await this.#doors.call("EvidenceService.CreatePack", { environment_id, name: "p" });
    if (isRefusal(pack)) return;
    const request = { environment_id, pack_id: pack.id, candidate_id };
    await this.#doors.call("EvidenceService.AttachToPromotion", request);
  }

  async #lead(candidate_id: string, environment_id: string): Promise<void> {
    let asked = false;
    let share = 0;
    for (let step = 0; step < stepsMax && !this.#callers.stopped; step++) {
      await this.#rest(60);
      const shown = await this.#doors.call("PromotionService.GetCandidate", { candidate_id });
      if (isRefusal(shown) || shown.operation !== undefined) continue;
      const state = shown.state as string;
      if (over.includes(state) && (state !== "promoted" || this.#random.chance(0.2))) return;
      if (state === "approved" && !asked && shown.pack_id && this.#random.chance(0.5))
        await this.#addEvidence(shown, environment_id);
      const method = this.#random.chance(0.88)
        ? this.#random.pick([...(forward[state] ?? ["Abort"])])
        : this.#random.pick(this.#random.chance(0.2) ? ["Abort"] : any);
      asked ||= method === "Promote";
      share += 1_000;
      const answer = await this.#doors.call(`PromotionService.${method}`, {
        candidate_id,
        ...(method === "StartCanary" && { share_bps: Math.min(share, 5_000), max_seconds: 20 }),
        ...(method === "Approve" && { decision: "approve", reason: "fine", accept_inconclusive: true }),
      });
      if (!isRefusal(answer)) this.#told.acknowledged++;
    }
  }

  /** From this answer on an approval of the earlier pack is void. */
  async #addEvidence({ id, pack_id, approvals }: Message, environment_id: string): Promise<void> {
    const content = { seen: `${this.#name} ${this.#random.int(1_000_000_000)}` };
    const request = { environment_id, pack_id, name: "a", content };
    const added = await this.#doors.call("EvidenceService.AddArtifact", request);
    if (isRefusal(added)) return;
    for (const { pack_digest } of approvals as Message[])
      this.#told.voided.push({ candidateId: id as string, packDigest: pack_digest as string });
  }

  #rest(upToMs: number): Promise<void> {
    return this.#stage.scheduler.delay(this.#callers.owner, 1 + this.#random.float() * upToMs, "rest");
  }
}
