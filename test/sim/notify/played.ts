import type { EffectRun } from "../../../runtime/index.ts";

/** An attempt as its handler gets it; planted bugs replace it. */
export const played = { run: (run: EffectRun): EffectRun => run };
