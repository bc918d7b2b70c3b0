import type { EffectRun } from "../../../runtime/index.ts";

/** The mark of an attempt as it is played; planted bugs replace it. */
export const played = { begin: (run: EffectRun): Promise<unknown> => run.begin() };
