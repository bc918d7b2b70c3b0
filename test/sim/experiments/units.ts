import { isRefusal, type Random } from "#base";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Door } from "./doors.ts";
import { type KnownExperiment, type Message, staleMs } from "./told.ts";

const unitCount = 60;
const scoresOfEach = 4;

/** Assigns, exposes, scores and deletes units through one gateway, and compares every answer with earlier ones. */
export class Units {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #known: KnownExperiment;
  readonly #door: Door;

  constructor(stage: Stage, callers: Callers, known: KnownExperiment, door: Door) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.#known = known;
    this.#door = door;
  }

  start(name: string): void {
    for (let n = 0; n < 3; n++) this.#again(60, () => this.#assignAny());
    this.#again(150, () => this.#redeem());
    this.#again(60, () => this.#score());
    let made = 0;
    this.#again(600, () => this.#remove(`${name}.${made++}`));
  }

  #again(upToMs: number, act: () => void): void {
    this.#callers.think(upToMs, () => {
      if (this.#known.running) act();
      this.#again(upToMs, act);
    });
  }

  #assignAny(): void {
    const unit = `u${this.#random.int(unitCount)}`;
    this.#assign(unit, (receipt) => this.#known.receipts.push({ unit, receipt }));
  }

  #assign(unit_id: string, told: (receipt: string) => void): void {
    const known = this.#known;
    const expose = this.#random.chance(0.6);
    const sentMs = this.#stage.scheduler.nowMs;
    const { pausedMs, starts, phase, phaseMs, firstPhase, firstPhaseMs } = known;
    const before = known.exposed.get(unit_id);
    const request = { experiment_id: known.id, unit_id, expose };
    this.#door.call("Assign", request, (answer) => {
      if (isRefusal(answer)) return;
      const found = answer.response as Message & { readonly reason: string; readonly receipt?: string };
      const { reason, receipt } = found;
      /** An answer that writes nothing may come from an owner that was replaced a moment ago. */
      const isBound = (sinceMs: number) => (reason === "assigned" && expose) || sentMs > sinceMs + staleMs;
      if (reason === "assigned") {
        if (pausedMs !== undefined && known.starts === starts && isBound(pausedMs))
          known.violate(`${unit_id} was assigned ${sentMs - pausedMs} ms after pause was answered`);
        if ((found.phase as number) < phase && isBound(phaseMs))
          known.violate(`${unit_id} was assigned in phase ${found.phase} after ${phase} was answered`);
        if (expose) known.expose(unit_id, receipt!, found.phase as number);
      }
      if (receipt !== undefined) told(receipt);
      if (before === undefined || !isBound(before.ms)) return;
      const isSame = reason === "previous_phase" || receipt === before.receipt;
      const isMissed = before.phase < firstPhase && isBound(firstPhaseMs) && reason !== "previous_phase";
      if (!isSame || isMissed)
        known.violate(`${unit_id} was exposed with ${before.receipt} and is told ${reason} ${receipt}`);
    });
  }

  /** Receipts of units that were not exposed, and of some that were. */
  #redeem(): void {
    const { receipts, id } = this.#known;
    if (receipts.length === 0) return;
    const chosen = Array.from({ length: 1 + this.#random.int(5) }, () => this.#random.pick(receipts));
    const exposures = chosen.map(({ receipt }) => ({ receipt }));
    this.#door.call("RecordExposures", { experiment_id: id, exposures }, (answer) => {
      if (isRefusal(answer)) return;
      const { results } = answer.response as { readonly results: readonly Message[] };
      for (const [i, { outcome }] of results.entries()) {
        const { unit, receipt } = chosen[i]!;
        if (outcome === "exposed") this.#known.expose(unit, receipt, phaseOf(receipt));
      }
    });
  }

  /** A score id always has the same body: a repeat is the same score. */
  #score(): void {
    const { id, receipts } = this.#known;
    const scores = Array.from({ length: 1 + this.#random.int(4) }, () => {
      const proof = receipts.length > 0 && this.#random.chance(0.2) ? this.#random.pick(receipts) : undefined;
      const unit = proof?.unit ?? `u${this.#random.int(unitCount)}`;
      const n = this.#random.int(scoresOfEach);
      const of = proof ? { receipt: proof.receipt } : { unit_id: unit };
      return { unit, sent: { ...of, score_id: `s${n}`, metric: "spent", value: 1 + n } };
    });
    const request = { experiment_id: id, scores: scores.map(({ sent }) => sent) };
    this.#door.call("RecordScores", request, (answer) => {
      if (isRefusal(answer)) return;
      const { results } = answer.response as { readonly results: readonly Message[] };
      for (const [i, { score }] of results.entries()) {
        const { unit, sent } = scores[i]!;
        if (score !== undefined) this.#known.score(`${unit} ${sent.score_id}`, JSON.stringify(score));
      }
    });
  }

  /** A separate unit: exposed, scored and deleted, and not used again. */
  #remove(unit_id: string): void {
    const { id } = this.#known;
    this.#assign(unit_id, () =>
      this.#callers.think(300, () => {
        const request = { experiment_id: id, score_id: "s", unit_id, metric: "spent", value: 7 };
        this.#door.call("RecordScore", request, () =>
          this.#door.call("DeleteUnit", { experiment_id: id, unit_id }, (answer) => {
            if (!isRefusal(answer)) this.#known.deleted.add(unit_id);
          }),
        );
      }),
    );
  }
}

/** Bytes 33 and 34 in the layout of a receipt. */
function phaseOf(receipt: string): number {
  return Buffer.from(receipt.slice("er1_".length), "base64url").readUInt16BE(33);
}
