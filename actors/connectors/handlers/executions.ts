import { handleOf, isRefusal, limits, RefusalError, refuse } from "#base";
import { TemplateError } from "../../cel/template.ts";
import { ask, taking, tryAsk } from "../../kit/ask.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { Action, Mutation } from "../catalogue/types.ts";
import { missingScopes } from "../connection/executions.ts";
import { awaitExecution, look, execute as storeExecution } from "../connection/methods.ts";
import { mutationOf, type Prepared, prepare } from "../effects/request.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { checkJson, failed, waitOf, wrong } from "./checks.ts";
import { KnownConnections } from "./known-connections.ts";
import { recordOf } from "./open.ts";

interface ExecuteRequest {
  readonly key: string;
  readonly connection_id: string;
  readonly input?: unknown;
  readonly wait_seconds: number;
  readonly deadline_seconds?: number;
}

export function executionMethods(given: Parts): Readonly<Record<string, Orchestration>> {
  const parts = { ...given, connections: new KnownConnections() };
  return {
    "ConnectorService.ExecuteAction": taking<ExecuteRequest>((asked, call) => execute(parts, asked, call)),
    "ConnectorService.PreviewAction": taking<ExecuteRequest>((asked, call) => preview(parts, asked, call)),
  };
}

interface ExecutionParts extends Parts {
  readonly connections: KnownConnections;
}

/** What an execution would be, or why there is none. */
interface Planned {
  readonly action: Action;
  readonly config: ProviderConfig;
  readonly mutation: Mutation;
  readonly prepared: Prepared;
  readonly input: unknown;
  readonly bytes: number;
}

async function execute(parts: ExecutionParts, asked: ExecuteRequest, call: CallContext): Promise<unknown> {
  const { action, config, mutation, input, bytes } = await plan(parts, asked, call);
  if (action.runtimeStatus !== "executable")
    throw failed(
      "ACTION_NOT_EXECUTABLE",
      `${action.key} is ${action.runtimeStatus} (${action.runtimeReason})`,
    );
  if (config.status !== "active")
    throw failed("PROVIDER_CONFIG_INACTIVE", `the provider config is ${config.status}`);
  const key = handleOf(asked.connection_id);
  const { deadline_seconds: deadline } = asked;
  const execution = await ask(call, storeExecution, {
    key,
    request: {
      action_key: action.key,
      action_version: action.provider.file.version,
      mutation,
      scopes: action.file.scopes?.any_of ?? [],
      input,
      bytes,
      deadline_ms: deadline === undefined ? limits.executionDeadlineMs : deadline * 1_000,
      limits: action.provider.limits,
    },
    step: "",
  });
  const waitMs = waitOf(call, asked.wait_seconds * 1_000);
  if (waitMs === 0) return execution;
  const answer = await tryAsk(call, awaitExecution, { key, request: { id: execution.id, waitMs } });
  // It is stored and goes on. A caller that is refused here would execute it once more.
  return isRefusal(answer) ? execution : answer.response;
}

/** Everything that can be wrong is said before anything is stored. */
async function plan(parts: ExecutionParts, asked: ExecuteRequest, call: CallContext): Promise<Planned> {
  const action = parts.catalogue().actions.get(asked.key);
  if (action === undefined)
    throw new RefusalError(refuse("NOT_FOUND", `the catalogue has no action ${asked.key}`));
  const input = asked.input ?? {};
  const bytesMax = limits.executionInputBytesMax;
  const bytes = checkJson("input", input, { bytesMax, validate: action.validateInput });
  const { id, providerKey, providerConfigId } = await parts.connections.of(asked.connection_id, call);
  if (providerKey !== action.provider.key)
    throw wrong("connection_id", `is a connection to ${providerKey}, not to ${action.provider.key}`);
  const key = handleOf(providerConfigId);
  const config = await ask(call, snapshot, { key, request: { connection_id: id } });
  const values = { input, config: config.config, now: call.clock.now() };
  try {
    const mutation = mutationOf(action, values);
    return { action, config, mutation, prepared: prepare(action, values), input, bytes };
  } catch (error) {
    if (error instanceof TemplateError) throw wrong("input", error.message);
    throw error;
  }
}

async function preview(parts: ExecutionParts, asked: ExecuteRequest, call: CallContext): Promise<unknown> {
  const { action, config, mutation, prepared } = await plan(parts, asked, call);
  const record = await recordOf(asked.connection_id, look, call);
  const missing = missingScopes(record, action.file.scopes?.any_of ?? []);
  const reason =
    action.runtimeStatus !== "executable"
      ? "ACTION_NOT_EXECUTABLE"
      : config.status !== "active"
        ? "PROVIDER_CONFIG_INACTIVE"
        : record.status !== "active"
          ? "CONNECTION_NOT_ACTIVE"
          : missing.length > 0
            ? "MISSING_SCOPES"
            : "";
  return {
    transport: action.file.transport ?? "http",
    method: prepared.method,
    url: prepared.url,
    headers: prepared.headers,
    body: prepared.body ?? (prepared.mail === undefined ? "" : JSON.stringify(prepared.mail)),
    mutation,
    missing_scopes: missing,
    executable: reason === "",
    reason,
  };
}
