import { isRefusal, type Random } from "#base";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Doors, Message } from "./doors.ts";
import type { Told } from "./told.ts";

const keys = 24;
const runSettings = { kind: "scenario", mode: "dry_run", lease_seconds: 10, deadline_seconds: 3 };

/** The load beside promotions: rules that are edited, keys that are routed, and producers of evidence. */
export class Load {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #doors: Doors;
  readonly #told: Told;
  readonly #random: Random;
  #edits = 0;

  constructor(stage: Stage, callers: Callers, doors: Doors, told: Told) {
    this.#stage = stage;
    this.#callers = callers;
    this.#doors = doors;
    this.#told = told;
    this.#random = stage.random;
  }

  start(): void {
    void this.#again(1_500, () => this.#edit());
    for (let n = 0; n < 3; n++) void this.#again(40, () => this.#route());
    void this.#produce();
  }

  async #again(upToMs: number, act: () => Promise<unknown>): Promise<void> {
    while (!this.#callers.stopped) {
      await this.#rest(upToMs);
      if (this.#told.pools.length > 0) await act();
    }
  }

  /** A rule is added and mostly removed again: then the content is as before. */
  async #edit(): Promise<void> {
    const pool_id = this.#random.pick(this.#told.pools).id;
    const action = { reject: { reason: "edited" } };
    const rule = { pool_id, name: `edit${this.#edits++}`, condition: "false", action };
    const made = await this.#doors.call("RuleService.CreateRule", rule);
    if (isRefusal(made) || this.#random.chance(0.3)) return;
    await this.#rest(300);
    await this.#doors.call("RuleService.DeleteRule", { pool_id, rule_id: made.id });
  }

  async #route(): Promise<void> {
    const pool_id = this.#random.pick(this.#told.pools).id;
    const key = `k${this.#random.int(keys)}`;
    const routed = await this.#doors.call("RoutingService.Route", { pool_id, key });
    if (!isRefusal(routed)) this.#told.acknowledged++;
  }

  async #produce(): Promise<void> {
    while (!this.#callers.stopped) {
      await this.#rest(500);
      const environment_id = this.#told.pools[0]?.environment;
      if (environment_id === undefined) continue;
      const pack = await this.#doors.call("EvidenceService.CreatePack", { environment_id, name: "runs" });
      if (isRefusal(pack)) continue;
      const request = { environment_id, pack_id: pack.id, ...runSettings };
      const started = await this.#doors.call("EvidenceService.StartRun", request);
      if (isRefusal(started)) continue;
      const { id, lease_token } = started as Record<string, string>;
      this.#told.runs.push({ id: id!, packId: pack.id as string, environment: environment_id });
      for (let beat = 0; beat < 20 && !this.#callers.stopped; beat++) {
        await this.#rest(800);
        const run = { environment_id, pack_id: pack.id, run_id: id };
        const lease = { ...run, lease_token, lease_seconds: 10 };
        const beaten = await this.#doors.call("EvidenceService.HeartbeatRun", lease);
        if (isRefusal(beaten)) continue;
        this.#checkLease(beaten);
        const shown = await this.#doors.call("EvidenceService.GetRun", run);
        if (!isRefusal(shown)) this.#checkLease(shown);
      }
    }
  }

  /** A run that has ended has no lease. */
  #checkLease({ id, lease_expires_at = "", deadline_at }: Message): void {
    if ((lease_expires_at as string) > (deadline_at as string))
      this.#stage.violate(`run ${id} is leased until ${lease_expires_at}, its deadline is ${deadline_at}`);
  }

  #rest(upToMs: number): Promise<void> {
    return this.#stage.scheduler.delay(this.#callers.owner, 1 + this.#random.float() * upToMs, "rest");
  }
}
