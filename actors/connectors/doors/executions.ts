import { limits, RefusalError, refuse } from "#base";
import type { CallContext, Orchestration } from "../../module.ts";
import { ask } from "../../shared/records/ask.ts";
import { fieldErrors } from "../catalogue/check.ts";
import { TemplateError } from "../catalogue/template.ts";
import type { Action, Mutation } from "../catalogue/types.ts";
import { missingScopes } from "../connection/executions.ts";
import type { Connection } from "../connection/record.ts";
import { mutationOf, type Prepared, prepare } from "../effects/request.ts";
import { connectionAddress, type Parts, providerConfigAddress } from "../parts.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { wrong } from "./provider-configs.ts";
import { marginMs } from "./sessions.ts";

interface ExecuteRequest {
  readonly key: string;
  readonly connection_id: string;
  readonly input?: unknown;
  readonly wait_seconds?: number;
  readonly deadline_seconds?: number;
}

export function executionMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    "ConnectorService.ExecuteAction": (request, call) => execute(parts, request as ExecuteRequest, call),
    "ConnectorService.PreviewAction": (request, call) => preview(parts, request as ExecuteRequest, call),
  };
}

/** What an execution would be, or why there is none. */
interface Planned {
  readonly action: Action;
  readonly record: Connection;
  readonly config: ProviderConfig;
  readonly mutation: Mutation;
  readonly prepared: Prepared;
  readonly input: unknown;
  readonly bytes: number;
}

async function execute(parts: Parts, asked: ExecuteRequest, call: CallContext): Promise<unknown> {
  const { action, config, mutation, input, bytes } = await plan(parts, asked, call);
  if (action.runtimeStatus !== "executable")
    throw failed(
      "ACTION_NOT_EXECUTABLE",
      `${action.key} is ${action.runtimeStatus} (${action.runtimeReason})`,
    );
  if (config.status !== "active")
    throw failed("PROVIDER_CONFIG_INACTIVE", `the provider config is ${config.status}`);
  const to = connectionAddress(call.caller.tenant, asked.connection_id);
  const { deadline_seconds: deadline } = asked;
  const execution = await ask<{ id: string }>(call, {
    to,
    method: "Connection.Execute",
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
  const wanted = asked.wait_seconds === undefined ? limits.executionWaitMs : asked.wait_seconds * 1_000;
  const waitMs = Math.min(wanted, call.deadlineMs - call.clock.now() - marginMs);
  if (waitMs <= 0) return execution;
  return ask(call, { to, method: "Connection.AwaitExecution", request: { id: execution.id, waitMs } });
}

/** Everything that can be wrong is said before anything is stored. */
async function plan(parts: Parts, asked: ExecuteRequest, call: CallContext): Promise<Planned> {
  const action = parts.catalogue().actions.get(asked.key);
  if (action === undefined)
    throw new RefusalError(refuse("NOT_FOUND", `the catalogue has no action ${asked.key}`));
  const input = asked.input ?? {};
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > limits.executionInputBytesMax)
    throw wrong("input", `is longer than ${limits.executionInputBytesMax} bytes`);
  if (!action.validateInput(input)) {
    const fields = fieldErrors("input", action.validateInput.errors);
    throw new RefusalError(
      refuse("INVALID_ARGUMENT", `${fields[0]!.field} ${fields[0]!.reason}`, { fields }),
    );
  }
  const { tenant } = call.caller;
  const to = connectionAddress(tenant, asked.connection_id);
  const record = await ask<Connection>(call, { to, method: "Connection.Look", request: {} });
  if (record.id !== asked.connection_id)
    throw new RefusalError(refuse("NOT_FOUND", "there is no such connection"));
  if (record.providerKey !== action.provider.key)
    throw wrong("connection_id", `is a connection to ${record.providerKey}, not to ${action.provider.key}`);
  const config = await ask<ProviderConfig>(call, {
    to: providerConfigAddress(tenant, record.providerConfigId),
    method: "ProviderConfig.Snapshot",
    request: { connection_id: record.id },
  });
  const values = { input, config: config.config, now: call.clock.now() };
  try {
    const mutation = mutationOf(action, values);
    return { action, record, config, mutation, prepared: prepare(action, values), input, bytes };
  } catch (error) {
    if (error instanceof TemplateError) throw wrong("input", error.message);
    throw error;
  }
}

function failed(reason: string, detail: string): RefusalError {
  return new RefusalError(refuse("FAILED_PRECONDITION", detail, { reason }));
}

async function preview(parts: Parts, asked: ExecuteRequest, call: CallContext): Promise<unknown> {
  const { action, record, config, mutation, prepared } = await plan(parts, asked, call);
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
