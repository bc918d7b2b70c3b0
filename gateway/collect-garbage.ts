import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Once, when a thread has started: what starting left behind is much more than what serving needs. */
export function collectGarbage(): void {
  setFlagsFromString("--expose_gc");
  (runInNewContext("gc") as () => void)();
}
