import { type Clock, limits } from "#base";
import { collapseKey } from "../../notify/outbound/providers/collapse.ts";
import type { SendResult } from "../deliveries/dispatch.ts";

export interface Attempted {
  readonly tenant: string;
  readonly integration: string;
  /** The address. */
  readonly to: string;
}

/**
 * Integrations, and addresses, that failed several times in a row, as this thread has seen it. A failure counts for the one that it
 * says something about: an address that cannot be reached does not stop its integration.
 */
export class Breaker {
  readonly #integrations: Failing;
  readonly #endpoints: Failing;

  constructor(clock: Clock) {
    this.#integrations = new Failing(clock);
    this.#endpoints = new Failing(clock);
  }

  /** How long to wait; 0: it may be tried. */
  waitMs(attempted: Attempted): number {
    return (
      this.#endpoints.waitMs(endpointOf(attempted)) || this.#integrations.waitMs(integrationOf(attempted))
    );
  }

  note(attempted: Attempted, result: SendResult): void {
    switch (result.type) {
      case "accepted":
        this.#endpoints.worked(endpointOf(attempted));
        this.#integrations.worked(integrationOf(attempted));
        return;
      case "refused":
        // An answer of the provider; without a status it was not asked.
        if (result.providerStatus !== undefined && result.about === undefined)
          this.#integrations.worked(integrationOf(attempted));
        return;
      case "not_sent":
      case "maybe_sent":
        if (result.code === "INTERRUPTED") return;
        if (result.about === "endpoint") this.#endpoints.failed(endpointOf(attempted));
        else this.#integrations.failed(integrationOf(attempted));
        return;
      case "unrendered":
      case "slot_lost":
      case "breaker_open":
        return;
    }
  }
}

function integrationOf({ tenant, integration }: Attempted): string {
  return `${tenant}/${integration}`;
}

function endpointOf(attempted: Attempted): string {
  return `${integrationOf(attempted)}/${collapseKey(attempted.to)}`;
}

class Failing {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { failures: number; openUntil: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  waitMs(name: string): number {
    return Math.max(0, (this.#seen.get(name)?.openUntil ?? 0) - this.#clock.now());
  }

  worked(name: string): void {
    this.#seen.delete(name);
  }

  failed(name: string): void {
    const next = (this.#seen.get(name)?.failures ?? 0) + 1;
    const openUntil = next >= limits.breakerFailures ? this.#clock.now() + limits.breakerOpenMs : 0;
    if (this.#seen.size >= limits.breakersMax && !this.#seen.has(name))
      this.#seen.delete(this.#seen.keys().next().value!);
    // After the half minute the next failure begins another one.
    this.#seen.set(name, { failures: openUntil > 0 ? limits.breakerFailures - 1 : next, openUntil });
  }
}
