import { systemTenantId } from "#base";
import type { EffectHandler } from "#runtime";
import type { Message } from "../../kit/record.ts";
import type { ModuleParts } from "../../parts.ts";

type Parts = Pick<ModuleParts, "call">;

interface Sandbox {
  readonly runId: string;
  readonly environment: string;
}

/** Deletes the tenant of a run. Both calls have keys of their own: what was done before a crash is not done twice. */
export function purgeSandbox(parts: Parts): EffectHandler<Sandbox> {
  return {
    async run({ body: { runId, environment } }) {
      const tenant_id = await sandboxOf(runId, environment, parts);
      await parts.call("TenantService.DeleteTenant", { tenant_id }, asSystem(`${runId}.delete`));
      return {};
    },
  };
}

/** The run's id is the idempotency key: the effect, run again after a crash, gets the same tenant. */
export async function sandboxOf(runId: string, environment: string, { call }: Parts): Promise<string> {
  const made = await call(
    "TenantService.CreateTenant",
    sandboxTenant(environment),
    asSystem(`${runId}.create`),
  );
  return (made as { readonly id: string }).id;
}

function asSystem(key: string) {
  return { tenant: systemTenantId, subject: "conformance", key };
}

/** Small: a suite makes some dozen pools with a few items each. */
function sandboxTenant(environment: string): Message {
  return {
    name: "conformance sandbox",
    environments: [environment],
    limits: { queue_depth: 1_000, storage_bytes: 64 * 1_024 * 1_024 },
  };
}
