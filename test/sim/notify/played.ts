import type { EffectRun } from "../../../runtime/index.ts";

/** How a handler gets an attempt in the simulator; planted bugs replace it. */
export const played = { run: (run: EffectRun): EffectRun => run };
