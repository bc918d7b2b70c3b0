import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { EntityMethod } from "#runtime";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/cursor.ts";
import { schemaErrors } from "../../kit/json-schema.ts";
import { answered, partMethod } from "../../kit/methods.ts";
import { list } from "../../kit/partitioned.ts";
import { runIndexes, runIndexOf } from "../../kit/workflow-run.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { Pinned } from "../definitions/decide.ts";
import { definitionAt, findDefinition } from "../definitions/service.ts";
import type { Command } from "./decide.ts";
import type { IndexCommand } from "./index-decide.ts";
import { entries, type IndexEvent, type IndexState } from "./index-state.ts";
import type { Event, State } from "./state.ts";

const service = "WorkflowRunService";
const listed = { service, many: "Runs", collection: entries };

export const runMethods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [`${service}.GetRun`]: answered(() => ({ type: "get" })),
  [`${service}.CancelRun`]: answered(() => ({ type: "cancel" })),
  [`${service}.RetryRun`]: answered(() => ({ type: "retry" })),
  [`${service}.DismissRun`]: answered(() => ({ type: "dismiss" })),
  [`${service}.ListSteps`]: answered((request) => ({ type: "steps", request: request as PageRequest })),
  "WorkflowRun.Signal": {
    command(request) {
      const { event_key: key, event_id: id = "", payload = null } = request as SignalRequest;
      const bytes = Buffer.byteLength(JSON.stringify(payload));
      if (bytes > limits.workflowSignalBytesMax)
        return refuse(
          "PAYLOAD_TOO_LARGE",
          `the payload has ${bytes} bytes, more than ${limits.workflowSignalBytesMax}`,
        );
      return { type: "signal", event: { id, key, payload } };
    },
    respond: (_state, _events, _command, _context, answer) => answer,
  },
};

interface SignalRequest {
  readonly event_key: string;
  readonly event_id?: string;
  readonly payload?: unknown;
}

export const indexMethods: Readonly<Record<string, EntityMethod<IndexState, IndexCommand, IndexEvent>>> = {
  [`${service}.StartRun`]: answered((request) => request as unknown as IndexCommand),
  [partMethod(listed)]: answered((request) => ({ ...request, type: "list_part" }) as unknown as IndexCommand),
  "WorkflowIndex.Figures": answered(
    (request) => ({ ...request, type: "figures" }) as unknown as IndexCommand,
  ),
};

interface StartRequest {
  readonly definition_id?: string;
  readonly definition_key?: string;
  readonly version?: number;
  readonly input?: unknown;
  readonly run_key?: string;
}

export const runOrchestrations: Readonly<Record<string, Orchestration>> = {
  /** The run keeps the body that it begins with. What a repeat meets is decided where the first one was. */
  async [`${service}.StartRun`](request, call) {
    const asked = request as StartRequest;
    const { run_key: runKey = "", input = null } = asked;
    const pinned = await pin(asked, call);
    const refusal = isRefusal(pinned) ? pinned : wrongInput(pinned, input);
    const { caller, idempotency } = call;
    const text = runKey || (idempotency?.scope ?? caller.requestId);
    return ask(call, {
      to: runIndexOf(caller.tenant, text),
      method: `${service}.StartRun`,
      request: refusal ? { type: "refuse", refusal } : { ...pinned, type: "start", input, runKey },
      step: "",
    });
  },

  async [`${service}.ListRuns`](request, call) {
    const { definition_id: id } = request as { definition_id?: string };
    // Of a definition that is not there, the caller is told rather than shown no runs.
    if (id !== undefined)
      await ask(call, {
        to: definitionAt(call.caller.tenant, id),
        method: "WorkflowDefinition.Brief",
        request: { id },
      });
    return list(listed, runIndexes, "descending", request, call);
  },

  async [`${service}.GetRunFigures`](request, call) {
    const { window_seconds: seconds = 3_600 } = request as { window_seconds?: number };
    const { tenant, environment } = call.caller;
    const asked = { windowMs: seconds * 1_000, ...(environment !== undefined && { environment }) };
    const parts = await Promise.all(
      runIndexes.keys.map((key) =>
        ask<Record<string, number>>(call, {
          to: { kind: runIndexes.kind, tenant, key },
          method: "WorkflowIndex.Figures",
          request: asked,
        }),
      ),
    );
    const names = ["terminals", "failed", "idle", "incompatible", "dead"];
    return Object.fromEntries(names.map((name) => [name, parts.reduce((sum, part) => sum + part[name]!, 0)]));
  },
};

async function pin(asked: StartRequest, call: CallContext): Promise<Pinned | Refusal> {
  const { definition_id, definition_key: key, version, run_key } = asked;
  if ((definition_id === undefined) === (key === undefined)) {
    const reason = "is to be set, or definition_key: one of them";
    throw new RefusalError(
      refuse("INVALID_ARGUMENT", `definition_id ${reason}`, { fields: [{ field: "definition_id", reason }] }),
    );
  }
  const id = definition_id ?? (await findDefinition(key!, call));
  if (id === undefined) return refuse("NOT_FOUND", `there is no workflow definition with the key ${key}`);
  const answer = await tryAsk(call, {
    to: definitionAt(call.caller.tenant, id),
    method: "WorkflowDefinition.Pin",
    request: {
      id,
      ...(version !== undefined && { version }),
      ...(run_key !== undefined && { run_key }),
    },
  });
  return isRefusal(answer) ? answer : (answer.response as Pinned);
}

function wrongInput({ body }: Pinned, input: unknown): Refusal | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > limits.workflowInputBytesMax)
    return refuse(
      "PAYLOAD_TOO_LARGE",
      `the input has ${bytes} bytes, more than ${limits.workflowInputBytesMax}`,
    );
  const fields = body.input === undefined ? [] : schemaErrors(body.input, input, "input");
  if (fields.length === 0) return undefined;
  return refuse("INVALID_ARGUMENT", `${fields[0]!.field} ${fields[0]!.reason}`, { fields });
}
