import { limits } from "#base";

/** Lets one warning of a kind through in a while: who calls one address all day would fill the log with it. */
export class Seldom {
  /** When each was let through. */
  readonly #told = new Map<string, number>();

  isDue(what: string, nowMs: number): boolean {
    const toldMs = this.#told.get(what);
    if (toldMs !== undefined && nowMs - toldMs < limits.egressWarningMs) return false;
    if (this.#told.size >= limits.egressWarningsMax) this.#told.clear();
    this.#told.set(what, nowMs);
    return true;
  }
}
