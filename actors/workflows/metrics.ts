import type { ModuleParts } from "../parts.ts";
import type { Event, State } from "./runs/state.ts";

/** Counts runs by the status that they come to, and what their steps took. Before it is applied. */
export function countRun({ metrics }: Pick<ModuleParts, "metrics">) {
  return ({ run, steps }: State, event: Event): void => {
    if (event.type === "create") metrics.add("service_workflow_runs_total", { status: "pending" });
    if (event.type !== "advanced") return;
    const { run: after, steps: changed } = event.advanced;
    if (run?.status !== after.status) metrics.add("service_workflow_runs_total", { status: after.status });
    for (const { id, type, status, startedAt, endedAt } of changed) {
      if (endedAt === 0 || steps.get(id)?.endedAt === endedAt || status === "pending") continue;
      metrics.observe("service_workflow_step_duration_seconds", endedAt - startedAt, { type, status });
    }
  };
}
