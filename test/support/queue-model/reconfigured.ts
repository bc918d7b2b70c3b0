import { isRefusal } from "#base";
import { Model, type Step } from "./model.ts";

/** Controls that change all the time: what they promised to earlier items is not checked, everything else is. */
export class Reconfigured extends Model {
  override play(step: Step): void {
    const [what, pick] = step;
    if (what < 81 || what >= 85) super.play(step);
    else this.reconfigure(pick);
  }

  reconfigure(pick: number): void {
    const bit = (place: number) => (pick >> place) & 1;
    const key = bit(0) ? "item.attributes.c" : "item.key";
    const slots = [[], [{ key, limit: 1 }], [{ key, limit: 2 }, { limit: 3 }], [{ limit: 1 }]];
    const admission = {
      ...(bit(1) && { singleton: { key: "item.key", mode: ["skip", "cancel", "keep_latest"][pick % 3] } }),
      ...(bit(3) && { debounce: { key: "item.key", period_ms: 2_000, max_wait_ms: 6_000 } }),
      ...(bit(4) && { throttle: { key, limit: 1 + bit(5), period_ms: 5_000, burst: 1 + bit(6) } }),
      concurrency: slots[(pick >> 7) % slots.length],
    };
    const update_mask = ["config.admission"];
    const answer = this.bench.pool("PoolService.UpdatePool", { config: { admission }, update_mask });
    if (isRefusal(answer)) throw new Error(`update: ${JSON.stringify(answer)}`);
  }

  override checkControls(): void {}
}
