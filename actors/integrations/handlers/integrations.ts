import { type FieldError, limits, type Refusal, RefusalError, refuse } from "#base";
import { ask, contractMethod } from "../../kit/ask.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { Channel, Provider } from "../../notify/outbound/types.ts";
import { conditionCel } from "../../notify/preference.ts";
import type { ModuleCall } from "../../parts.ts";
import type { Given } from "../record.ts";
import { providerOf } from "./connection.ts";
import type { StaticConnections } from "./static-connections.ts";

export interface Parts {
  readonly files: StaticConnections;
  readonly call: ModuleCall;
  /** Those that this installation has. */
  readonly providers: ReadonlyMap<string, Provider>;
}

export function integrationMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    [create.name]: (request, call) => checked(parts, create, request as Given, call),
    [update.name]: async (request, call) => {
      const given = request as Given & { readonly integration_id: string };
      const { channel } = await ask(call, get, { request: { integration_id: given.integration_id } });
      return checked(parts, update, { ...given, channel }, call);
    },
  };
}

const create = contractMethod<Given, unknown>("integrations", "IntegrationService.CreateIntegration");
const update = contractMethod<Given, unknown>("integrations", "IntegrationService.UpdateIntegration");
const get = contractMethod<{ readonly integration_id: string }, { readonly channel: Channel }>(
  "integrations",
  "IntegrationService.GetIntegration",
);

async function checked(
  { files, call: moduleCall, providers }: Parts,
  method: typeof create,
  request: Given,
  call: CallContext,
): Promise<unknown> {
  const { provider_key, connection_id: id = "" } = request;
  const provider = providers.get(provider_key);
  if (provider === undefined)
    throw new RefusalError(
      refuse("FAILED_PRECONDITION", `the provider ${provider_key} is switched off here`, {
        reason: "PROVIDER_DISABLED",
      }),
    );
  const fields = problemsOf(request, provider);
  if (fields.length > 0)
    throw new RefusalError(
      refuse("INVALID_ARGUMENT", `${fields[0]!.field}: ${fields[0]!.reason}`, { fields }),
    );
  if (provider.connected) {
    const of = await providerOf(files, moduleCall, id, call);
    if (of !== provider.key) throw new RefusalError(foreign(id, of, provider.key));
  }
  return ask(call, method, { request, step: "" });
}

function foreign(id: string, of: string, wanted: string): Refusal {
  const reason = `the connection ${id} is of ${of}: the integration needs one of ${wanted}`;
  return refuse("INVALID_ARGUMENT", `connection_id: ${reason}`, {
    fields: [{ field: "connection_id", reason }],
  });
}

function problemsOf(request: Given, facts: Provider): FieldError[] {
  const { channel, provider_key, connection_id = "", condition = "", metadata = {} } = request;
  const problems: FieldError[] = [];
  if (!facts.channels.includes(channel))
    problems.push({
      field: "provider_key",
      reason: `${provider_key} sends ${facts.channels.join(", ")}, not ${channel}`,
    });
  if (facts.connected && connection_id === "")
    problems.push({ field: "connection_id", reason: `${provider_key} needs a connection` });
  if (!facts.connected && connection_id !== "")
    problems.push({ field: "connection_id", reason: `${provider_key} has no connection` });
  const wrong = condition === "" ? [] : conditionCel.conditionProblems(condition);
  for (const { line, column, reason } of wrong.slice(0, limits.fieldErrorsMax))
    problems.push({ field: "condition", reason: `line ${line}, column ${column}: ${reason}` });
  if (Buffer.byteLength(JSON.stringify(metadata)) > limits.integrationMetadataBytesMax)
    problems.push({ field: "metadata", reason: `is more than ${limits.integrationMetadataBytesMax} bytes` });
  problems.push(...(facts.problems?.(metadata, "metadata.") ?? []));
  return problems;
}
