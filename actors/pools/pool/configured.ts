import { controlNames, numberControls } from "../control-numbers.ts";
import { fillPoolConfig } from "../pool-config.ts";
import type { PoolRecord } from "../pool-record.ts";
import type { RouterTableEvent } from "../router.ts";

/** What the router is told of the pool's own record. */
export function configured(pool: PoolRecord, version: number): RouterTableEvent {
  return {
    type: "configured",
    version,
    poolId: pool.id,
    environment: pool.environment,
    enabled: pool.enabled,
    strategy: pool.strategy,
    config: numberControls(fillPoolConfig(pool.config), controlsOf(pool)),
  };
}

export function controlsOf({ controls, config }: PoolRecord): readonly string[] {
  return controls ?? controlNames([], config);
}

/** Another text: admission is another. */
export function admits({ config }: PoolRecord): string {
  return JSON.stringify(fillPoolConfig(config).admission ?? null);
}
