import { invalid, isRefusal, limits, RefusalError } from "#base";
import type { AssignRequest } from "#protos";
import type { Ask } from "#runtime";
import { batchError } from "../../kit/batch.ts";
import { secretOfTenant, type TenantSecret, tenantSecretOf, tenantsAddress } from "../../kit/tenants.ts";
import type { Handler, Question } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import { sealReceipt, unitKeyOf } from "../receipt.ts";
import { unitsAddress } from "../record.ts";
import { type AssignAnswer, needsSnapshot, type UnitCommand } from "../units/decide.ts";
import { askUnit } from "../units/service.ts";
import { askUnits, askWithSnapshot } from "./ask-units.ts";

type Metrics = ModuleParts["metrics"];

/** One question to the shard of the unit, once the thread knows the tenant's secret and the shard the experiment. */
export function assignOne(metrics: Metrics): Question<AssignRequest> {
  return {
    ask(asked, call): Ask {
      checkAttributes(asked);
      const { caller, deadlineMs, signal, idempotency, tenantSecret } = call;
      if (tenantSecret === undefined) {
        const request = { tenant_id: caller.tenant };
        return { to: tenantsAddress, method: secretOfTenant.name, request, caller, deadlineMs, signal };
      }
      const { shard, command } = questionOf(asked, tenantSecret);
      const to = unitsAddress(caller.tenant, asked.experiment_id, shard);
      return { to, method: askUnit.name, request: command, caller, deadlineMs, signal, idempotency };
    },
    read(answer, asked, call) {
      if (isRefusal(answer)) throw new RefusalError(answer);
      const response = answer.response as AssignAnswer | typeof needsSnapshot | TenantSecret;
      const lacksSnapshot = response === needsSnapshot;
      if (!lacksSnapshot && !("secret" in response)) return told(asked, call.tenantSecret!, response);
      const secret = lacksSnapshot ? call.tenantSecret! : response.secret;
      const question = questionOf(asked, secret);
      const again = lacksSnapshot ? askWithSnapshot : askUnits;
      return again<AssignAnswer>(call, { ...question, step: "" }).then((found) => told(asked, secret, found));
    },
  };

  function told(asked: AssignRequest, secret: string, answer: AssignAnswer) {
    return assignmentOf(asked, secret, answer, metrics);
  }
}

/** Each experiment is asked by itself, and what one refuses is told in its place. */
export function assignMany(metrics: Metrics): Handler<"ExperimentService.AssignMany"> {
  return async (request, call) => {
    const { experiment_ids, ...rest } = request;
    checkAttributes(rest);
    const secret = await tenantSecretOf(call);
    const assign = async (id: string, index: number) => {
      const asked = { ...rest, experiment_id: id, covariates: {} };
      const answer = await askUnits<AssignAnswer>(call, { ...questionOf(asked, secret), step: id });
      return { index, experiment_id: id, assignment: assignmentOf(asked, secret, answer, metrics) };
    };
    const results = experiment_ids.map((id, index) =>
      assign(id, index).catch((thrown: unknown) => {
        if (!(thrown instanceof RefusalError)) throw thrown;
        return { index, experiment_id: id, error: batchError(thrown.refusal) };
      }),
    );
    return { results: await Promise.all(results) };
  };
}

function questionOf(asked: AssignRequest, secret: string) {
  const { experiment_id: experimentId, unit_id: unitId, attributes = {}, expose = true } = asked;
  const { key, shard } = unitKeyOf(secret, experimentId, unitId);
  const covariates = asked.covariates ?? {};
  const command: UnitCommand = { type: "assign", key, unitId, attributes, expose, covariates };
  return { experimentId, shard, command };
}

function assignmentOf(
  { experiment_id }: AssignRequest,
  secret: string,
  [variant, payload, reason, proven]: AssignAnswer,
  metrics: Metrics,
): Record<string, unknown> {
  metrics.add("service_experiment_assignments_total", { reason });
  if (!proven) return withPayload({ variant, in_experiment: false, reason, phase: 0 }, payload);
  const [key, index, phase, exposedAt] = proven;
  const receipt = sealReceipt(secret, experiment_id, key, { variant: index, phase, exposedAt });
  return withPayload({ variant, in_experiment: true, reason, phase, receipt }, payload);
}

function withPayload(told: Record<string, unknown>, payload: unknown): Record<string, unknown> {
  return payload === undefined || payload === null ? told : { ...told, payload };
}

function checkAttributes({ attributes }: Pick<AssignRequest, "attributes">): void {
  if (attributes === undefined) return;
  const bytes = Buffer.byteLength(JSON.stringify(attributes));
  if (bytes <= limits.experimentAttributesBytesMax) return;
  const reason = `is ${bytes} bytes as JSON, more than ${limits.experimentAttributesBytesMax}`;
  throw new RefusalError(invalid({ field: "attributes", reason }));
}
