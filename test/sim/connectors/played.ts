import type { EffectRun } from "../../../runtime/index.ts";

/** How the simulator marks an attempt as begun; planted bugs replace it. */
export const played = { begin: (run: EffectRun): Promise<unknown> => run.begin() };
