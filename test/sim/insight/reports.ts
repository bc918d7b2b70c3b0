import { devTenantId, isRefusal } from "#base";
import type { Current } from "../../../actors/health/report/decide.ts";
import { currentReport, offerReport } from "../../../actors/health/report/service.ts";
import type { Answer } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";

const key = { environment: "production", periodMs: 300_000 };
const to = { kind: "health", tenant: devTenantId, key: "" };

interface Told {
  readonly report: { readonly report_id: string };
}

/** Callers that ask for the report of the slot and offer one of their own where there is none. */
export class Reports {
  readonly #stage: Stage;
  readonly #callers: Callers;
  /** By slot, the report that everybody was told. */
  readonly #told = new Map<number, string>();
  #offers = 0;

  constructor(stage: Stage, callers: Callers) {
    this.#stage = stage;
    this.#callers = callers;
  }

  get acknowledged(): number {
    return this.#told.size;
  }

  /** One caller, again and again. */
  follow(): void {
    this.#callers.think(150, () => {
      this.#ask(currentReport.name, key, (response) => {
        const { slot, report } = response as Current;
        if (report === undefined) return this.#offer(slot);
        if (slotOf(report.report_id) !== slot)
          this.#stage.violate(`slot ${slot} has the report ${report.report_id}`);
        this.#hear(report.report_id);
      });
      this.follow();
    });
  }

  #offer(slot: number): void {
    const report = { report_id: `${slot}/${++this.#offers}` };
    this.#ask(offerReport.name, { ...key, slot, report }, (response) =>
      this.#hear((response as Told).report.report_id),
    );
  }

  #hear(id: string): void {
    const slot = slotOf(id);
    const known = this.#told.get(slot);
    if (known === undefined) this.#told.set(slot, id);
    else if (known !== id) this.#stage.violate(`slot ${slot} has two reports: ${known} and ${id}`);
  }

  #ask(method: string, request: object, heard: (response: unknown) => void): void {
    this.#callers.send({ to, method, request }, 0.05, (answer: Answer) => {
      if (!isRefusal(answer)) heard(answer.response);
    });
  }
}

function slotOf(id: string): number {
  return Number(id.split("/")[0]);
}
