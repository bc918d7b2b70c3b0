import type { Interference, Verdict } from "../../../storage/memory/index.ts";
import { settle } from "./fixture.ts";

/** Holds appends until they are released with a result. */
export function gate() {
  const held: ((verdict: Verdict) => void)[] = [];
  let closed = false;
  const interference: Interference = {
    before: (operation) =>
      operation.type === "append" && closed
        ? new Promise<Verdict>((resolve) => held.push(resolve))
        : ("proceed" as const),
  };
  return {
    interference,
    close: () => {
      closed = true;
    },
    open: async (verdict: Verdict = "proceed") => {
      closed = false;
      for (const resolve of held.splice(0)) resolve(verdict);
      await settle();
    },
    /** Releases the held appends and holds the next ones. */
    pass: async (verdict: Verdict = "proceed") => {
      for (const resolve of held.splice(0)) resolve(verdict);
      await settle();
    },
    get held() {
      return held.length;
    },
  };
}
