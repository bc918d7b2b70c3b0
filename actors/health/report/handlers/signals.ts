import { handleOf, isRefusal, limits, RefusalError, ulidTimeMs } from "#base";
import type { WorkflowRunFigures } from "#protos";
import { ask, tryAsk } from "../../../kit/ask.ts";
import { listEntries } from "../../../kit/entity-list.ts";
import { meterKeyOf, meterKeys, tellMeter } from "../../../kit/meter.ts";
import type { CallContext } from "../../../module.ts";
import type { ModuleParts } from "../../../parts.ts";
import { joined, noFigures } from "../../meter/decide.ts";
import { missingIn, readMeter } from "../../meter/service.ts";
import type { Signals } from "../ruleset.ts";

export type SourceParts = Pick<ModuleParts, "call" | "dependencies">;

export interface Asked {
  readonly environment: string;
  readonly periodMs: number;
  readonly now: number;
}

/** What the sources say. One that does not answer in time has no signals. */
export async function signalsOf(asked: Asked, parts: SourceParts, caller: CallContext): Promise<Signals> {
  const deadlineMs = Math.min(caller.deadlineMs, caller.clock.now() + limits.healthSourceMs);
  const call = { ...caller, deadlineMs };
  const [queues, runs] = await Promise.all([
    answered(queueSignals(asked, call)),
    answered(runSignals(asked, parts, call)),
  ]);
  const dependencies = parts.dependencies();
  return {
    ...queues,
    ...runs,
    ...(dependencies && {
      dependency_age_ms: dependencies.ageMs,
      dependencies_unavailable: dependencies.isAvailable ? 0 : 1,
    }),
  };
}

async function answered(signals: Promise<Signals>): Promise<Signals> {
  try {
    return await signals;
  } catch (error) {
    if (error instanceof RefusalError) return {};
    throw error;
  }
}

async function runSignals(
  { environment, periodMs }: Asked,
  parts: SourceParts,
  { caller: { tenant, requestId } }: CallContext,
): Promise<Signals> {
  const figures = (await parts.call(
    "WorkflowRunService.GetRunFigures",
    { window_seconds: periodMs / 1_000 },
    {
      tenant,
      subject: "health",
      key: requestId,
      environment,
      signal: AbortSignal.timeout(limits.healthSourceMs),
    },
  )) as WorkflowRunFigures;
  const { total, terminals, failed, idle, incompatible, dead } = figures;
  return {
    runs: total,
    terminals,
    failed,
    idle_runs: idle,
    incompatible_attempts: incompatible,
    workflow_dlq: dead,
  };
}

async function queueSignals(asked: Asked, call: CallContext): Promise<Signals> {
  const { environment } = asked;
  const meters = await Promise.all(
    meterKeys.map((key) => ask(call, readMeter, { key, request: { environment } })),
  );
  const { pools, ready, oldestReadyMs, silentMs, aheadMs } = meters.reduce(joined, noFigures);
  return {
    pools,
    silent_sources: await countUnheard(asked, pools, call),
    ready_depth: ready,
    oldest_ready_seconds: Math.floor(oldestReadyMs / 1_000),
    telemetry_age_ms: silentMs,
    clock_skew_ms: aheadMs,
  };
}

/** Pools that no meter has heard of a minute after they were made. Some of them are asked to tell: the next report knows them. */
async function countUnheard({ environment, now }: Asked, heard: number, call: CallContext): Promise<number> {
  const filter = { environment };
  const { total } = await listEntries({ filter, page_size: 1 }, call);
  if (total! <= heard) return 0;
  let unheard = 0;
  for (let page_token: string | undefined; page_token !== "" && unheard < limits.healthAskedMax; ) {
    const page = await listEntries(
      { filter, page_size: limits.pageSizeMax, ...(page_token && { page_token }) },
      call,
    );
    page_token = page.next_page_token;
    const old = page.entries
      .map(({ id }) => id)
      .filter((id) => ulidTimeMs(id) < now - limits.healthUnheardMs);
    const asked = (await missingOf(old, call)).slice(0, limits.healthAskedMax - unheard);
    const told = await Promise.all(
      asked.map((pool_id) => tryAsk(call, tellMeter, { key: handleOf(pool_id), request: { pool_id } })),
    );
    // One that was just deleted is not missed.
    unheard += told.filter((answer) => !(isRefusal(answer) && answer.code === "NOT_FOUND")).length;
  }
  return unheard;
}

async function missingOf(ids: readonly string[], call: CallContext): Promise<readonly string[]> {
  const byHandle = new Map(ids.map((id) => [handleOf(id), id]));
  const answers = await Promise.all(
    meterKeys.map((key) => {
      const handles = [...byHandle.keys()].filter((handle) => meterKeyOf(handle) === key);
      return ask(call, missingIn, { key, request: { handles } });
    }),
  );
  return answers.flatMap(({ handles }) => handles.map((handle) => byHandle.get(handle)!));
}
