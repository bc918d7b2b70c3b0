/**
 * Owns workflow definitions and their runs. Entity (workflow_definition, tenant, handle) is one definition, with its draft and its
 * versions. Entity (workflow_run, tenant, run id) is one run. The sixteen entities (workflow_index, tenant, 0–F) list the runs of a
 * tenant; a start commits there first, and sends the run its body and its input.
 *
 * 1. A version never changes, and an unchanged draft is not published twice.
 * 2. What is published has no problems: every expression compiles, and every step that it names can have run.
 * 3. Keys are unique in the tenant, and fixed.
 * 4. The publisher of a version held every permission that its steps need.
 * 5. A run ends by the body that it began with, whatever becomes of its definition.
 * 6. Every attempt of a step is one call with one key: run, step, attempt. An answer or an end of another attempt changes nothing.
 * 7. A run ends, or `waiting_for` says what it waits for. When it has ended, nothing that it started is under way for it.
 * 8. At most one open run of a definition has a run_key. Totals of lists are what a walk returns.
 *
 * Publishes workflow_definition.*, workflow_run.* and workflow_step.failed; tells the directory and the index what they list, and
 * the notice of a definition's key what its active version says.
 */
import { counted } from "../kit/counted.ts";
import { runIndexes } from "../kit/workflow-run.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import type { Installed } from "./body/check.ts";
import { definitionDirectory } from "./definitions/directory.ts";
import { definitionOrchestrations } from "./definitions/handlers/definitions.ts";
import { definitionActor } from "./definitions/service.ts";
import { indexActor } from "./run-index/service.ts";
import { runEffects } from "./runs/effects/call.ts";
import { runOrchestrations } from "./runs/handlers/runs.ts";
import { runActor } from "./runs/service.ts";
import type { Event as RunEvent, State as RunState } from "./runs/state.ts";

export { problemsOf } from "./body/check.ts";
export type { Problem } from "./body/problem.ts";

export function workflows(parts: Pick<ModuleParts, "call" | "metrics">, installed: Installed): Module {
  return {
    name: "workflows",
    actors: [definitionActor(installed), counted(runActor, countRun(parts)), indexActor],
    directories: [definitionDirectory(installed)],
    tenantRoots: (tenant) => runIndexes.keys.map((key) => ({ kind: runIndexes.kind, tenant, key })),
    orchestrations: { ...definitionOrchestrations(parts), ...runOrchestrations },
    effects: runEffects(parts),
  };
}

/** Counts runs by the status that they come to, and what their steps took. Before it is applied. */
function countRun({ metrics }: Pick<ModuleParts, "metrics">) {
  return ({ run, steps }: RunState, event: RunEvent): void => {
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
