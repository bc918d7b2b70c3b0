import { createHmac } from "node:crypto";
import { handleOf, isRefusal } from "#base";
import { environmentFor } from "../shared/environment.ts";
import { fillPoolConfig, type PoolConfigInput } from "../shared/pool-config.ts";
import { checkPoolConfig } from "../shared/pool-config-check.ts";
import { type PoolCreation, type PoolRecord, poolResource } from "../shared/pool-record.ts";
import type { Strategy } from "../shared/router.ts";
import type { DirectoryKind } from "./kinds.ts";

interface CreatePoolRequest {
  readonly name: string;
  readonly description?: string;
  readonly strategy?: Strategy;
  readonly status?: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly config?: PoolConfigInput;
}

export const poolKind: DirectoryKind = {
  environments: true,

  create(id, request, context, secret) {
    const { name, description, strategy, status, config } = request as CreatePoolRequest;
    const found = environmentFor(context.caller);
    if (isRefusal(found)) return found;
    const refusal = checkPoolConfig(fillPoolConfig(config));
    if (refusal) return refusal;
    const pool: PoolRecord = {
      id,
      name,
      description: description ?? "",
      strategy: strategy ?? "weighted_random",
      enabled: status !== "STATUS_DISABLED",
      config: config ?? {},
      environment: found.environment,
      createdAt: context.now,
      updatedAt: context.now,
      recordVersion: 1,
    };
    // Made from the secret, so that who learns it can forge no cursor.
    const tenantKey = createHmac("sha256", secret).update("admission keys").digest("base64url");
    const body: PoolCreation = { type: "create", pool, tenantKey };
    const to = { kind: "pool", tenant: context.address.tenant, key: handleOf(id) };
    const entry = {
      id,
      name,
      status: pool.enabled ? "STATUS_ACTIVE" : "STATUS_DISABLED",
      environment: pool.environment,
      paused: false,
    };
    return { entry, message: { to, body } };
  },

  respond({ message }, context) {
    const { pool } = message.body as PoolCreation;
    return poolResource(pool, context.address.tenant, { recipientIds: [], ruleIds: [] });
  },
};
