import { type Clock, limits } from "#base";
import type { SendResult } from "../dispatch.ts";

/** Integrations that failed several times in a row, as this thread has seen it: for half a minute others are tried at once. */
export class Breaker {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { failures: number; openUntil: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isOpen(integration: string): boolean {
    return (this.#seen.get(integration)?.openUntil ?? 0) > this.#clock.now();
  }

  /** Only what the integration is to blame for counts. */
  note(integration: string, result: SendResult): void {
    if (result.type === "unrendered" || result.type === "slot_lost") return;
    if (result.type === "accepted" || result.type === "refused") {
      this.#seen.delete(integration);
      return;
    }
    if (result.code === "BREAKER_OPEN" || result.code === "INTERRUPTED") return;
    const { failures } = this.#seen.get(integration) ?? { failures: 0 };
    const next = failures + 1;
    const openUntil = next >= limits.breakerFailures ? this.#clock.now() + limits.breakerOpenMs : 0;
    if (this.#seen.size >= limits.breakersMax && !this.#seen.has(integration))
      this.#seen.delete(this.#seen.keys().next().value!);
    // After the half minute one attempt is let through: if it fails, the next half minute begins.
    this.#seen.set(integration, { failures: openUntil > 0 ? limits.breakerFailures - 1 : next, openUntil });
  }
}
