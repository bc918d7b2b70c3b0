import { handleOf, isRefusal } from "#base";
import type { Directory } from "../../kit/directory.ts";
import { environmentFor } from "../../kit/environment.ts";
import { newRecord } from "../../kit/record.ts";
import { fillPoolConfig, type PoolConfigInput } from "../pool-config.ts";
import { checkPoolConfig } from "../pool-config-check.ts";
import { type PoolCreation, type PoolRecord, poolResource } from "../pool-record.ts";
import type { Strategy } from "../router.ts";
import { governanceMessage, open } from "./governance.ts";

interface CreatePoolRequest {
  readonly name: string;
  readonly description?: string;
  readonly strategy?: Strategy;
  readonly status?: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly config?: PoolConfigInput;
  readonly if_absent?: boolean;
  readonly tenantKey: string;
}

/** Pools by id. Queues tell it whether they are paused. */
export const poolDirectory: Directory<CreatePoolRequest> = {
  kind: "pool",
  filters: ["status", "environment", "paused"],
  byName: true,
  create: {
    method: "PoolService.CreatePool",
    make(id, { name, description, strategy, status, config, if_absent, tenantKey }, context) {
      const found = environmentFor(context.caller);
      if (isRefusal(found)) return found;
      const refusal = checkPoolConfig(fillPoolConfig(config));
      if (refusal) return refusal;
      const settings = {
        name,
        description: description ?? "",
        strategy: strategy ?? "weighted_random",
        enabled: status !== "STATUS_DISABLED",
        config: config ?? {},
        environment: found.environment,
      };
      const made = createdPool(newRecord(id, settings, context.now), context.address.tenant, tenantKey);
      return if_absent ? { ...made, ifAbsent: true, answer: { ...made.answer, created: true } } : made;
    },
  },
};

function createdPool(pool: PoolRecord, tenant: string, tenantKey: string) {
  const body: PoolCreation = { type: "create", pool, tenantKey };
  const entry = {
    id: pool.id,
    name: pool.name,
    status: pool.enabled ? "STATUS_ACTIVE" : "STATUS_DISABLED",
    environment: pool.environment,
    paused: false,
  };
  const governance = governanceMessage(open);
  return {
    entry,
    message: { to: { kind: "pool", tenant, key: handleOf(pool.id) }, body },
    answer: poolResource(pool, tenant, { recipientIds: [], ruleIds: [], governance }),
  };
}
