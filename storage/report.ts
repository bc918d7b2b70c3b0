import { asError } from "#base";
import { StorageError } from "./error.ts";
import type { DataReport } from "./storage.ts";

/** Collects what `service data verify` finds. */
export class Report {
  readonly #findings: string[] = [];
  #sound = true;

  good(sentence: string): void {
    this.#findings.push(sentence);
  }

  readonly bad = (sentence: string): void => {
    this.#sound = false;
    this.#findings.push(`DAMAGED: ${sentence}`);
  };

  /** A corrupt part does not keep the others from being checked. */
  async attempt<T>(check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      // Not corrupt: this build cannot read it, or not now.
      if (error instanceof StorageError && error.kind === "unavailable") throw error;
      this.bad(asError(error).message);
      return;
    }
  }

  result(): DataReport {
    return { found: true, sound: this.#sound, findings: this.#findings };
  }
}
