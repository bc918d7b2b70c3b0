import type { RouterEvent, RouterView } from "../../router.ts";

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** What a command has to tell the router of its pool: how deliveries ended, who holds what, which conditions failed. */
export class UnitRouter {
  readonly #router: RouterView;
  // Most commands need one of these: they are made when something goes into them.
  #observed: RouterEvent[] | undefined;
  #failed: Set<string> | undefined;
  #failedRules: Map<string, number> | undefined;
  #variants: Map<number, number> | undefined;
  #recipients: Map<string, { cost: number; assigned: number }> | undefined;

  constructor(router: RouterView) {
    this.#router = router;
  }

  /** How a delivery ended. A success of a recipient in good health says nothing new. */
  observe(recipientId: string, ok: boolean): void {
    const health = this.#router.recipients.get(recipientId)?.health;
    const spotless = health?.state === "healthy" && health.failures === 0 && health.ejections === 0;
    if (ok && spotless && !this.#failed?.has(recipientId)) return;
    if (!ok) {
      this.#failed ??= new Set();
      this.#failed.add(recipientId);
    }
    this.#observed ??= [];
    this.#observed.push({ type: "observed", recipientId, ok });
  }

  /** Conditions that failed to evaluate on an entry. */
  countFailedRules(ids: readonly string[]): void {
    this.#failedRules ??= new Map();
    for (const id of ids) this.#failedRules.set(id, (this.#failedRules.get(id) ?? 0) + 1);
  }

  /** While there is a canary: a code of `codeOf`. */
  countVariant(code: number): void {
    this.#variants ??= new Map();
    this.#variants.set(code, (this.#variants.get(code) ?? 0) + 1);
  }

  /** A lease began or ended; `before` is what the recipient's leases cost when the command began. */
  countRecipient(id: string, before: number, cost: number, assigned: number): void {
    this.#recipients ??= new Map();
    let counted = this.#recipients.get(id);
    if (!counted) {
      counted = { cost: before, assigned: 0 };
      this.#recipients.set(id, counted);
    }
    counted.cost += cost;
    counted.assigned += assigned;
  }

  /** `undefined` where there is nothing to tell. */
  events(): RouterEvent[] | undefined {
    const failed = this.#failedRules;
    if (!this.#observed && !this.#recipients && !failed && !this.#variants) return undefined;
    const events = this.#observed ?? [];
    for (const [recipientId, { cost, assigned }] of this.#recipients ?? none)
      events.push({ type: "leases_changed", recipientId, cost, assigned });
    if (failed)
      events.push({ type: "rules_failed", ruleIds: [...failed.keys()], times: [...failed.values()] });
    if (this.#variants) events.push({ type: "counted", counts: [...this.#variants] });
    return events;
  }
}
