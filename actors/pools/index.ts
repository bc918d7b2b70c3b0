/**
 * A pool is four entities with one key that change in one commit: its configuration (pool/), what is live about its recipients
 * (router/), its items (queue/), and its monitors (watch/). What they know of each other is in the files of this folder.
 */
import { limits } from "#base";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { LivePools } from "./live/handlers/sampler.ts";
import { watchPools } from "./live/handlers/watch.ts";
import { poolDirectory } from "./pool/directory.ts";
import { createPool } from "./pool/handlers/create-pool.ts";
import { createVersion } from "./pool/handlers/versions.ts";
import { pool } from "./pool/index.ts";
import { listPools } from "./pool/list-pools.ts";
import { createRule, updateRule, validateRule } from "./pool/rule-targets.ts";
import { enqueueBatch, enqueueOne, previewAdmission } from "./queue/handlers/enqueue.ts";
import { listAdmissionGroups } from "./queue/handlers/groups.ts";
import { listQueues } from "./queue/handlers/lists.ts";
import { drainQueue, purgeDeadLetters } from "./queue/handlers/steps.ts";
import { workStream } from "./queue/handlers/work.ts";
import { makeQueue } from "./queue/index.ts";
import { countedRoutes } from "./router/counted-routes.ts";
import { recordOutcome, recordOutcomes } from "./router/handlers/outcomes.ts";
import { previewRoute, routeBatch, routeOne } from "./router/handlers/routes.ts";
import { router } from "./router/index.ts";
import { routeStream } from "./router/stream.ts";
import { monitorMethods } from "./watch/handlers/monitors.ts";
import { anomalyDirectory, makeWatch } from "./watch/index.ts";

/** As configured. */
export function configuredPools({ settings, metrics }: Pick<ModuleParts, "settings" | "metrics">): Module {
  const {
    "queue.series_hours": hours = limits.queueSeriesHoursDefault,
    "live.pools_max": poolsMax = limits.livePoolsMaxDefault,
    "anomaly.enabled": watches = true,
  } = settings;
  const live = watchPools(new LivePools(Number(poolsMax)));
  return {
    ...pools,
    actors: [pool, countedRoutes(router, { metrics }), makeQueue(Number(hours)), makeWatch(watches === true)],
    orchestrations: { ...pools.orchestrations, ...monitorMethods(settings) },
    streams: { ...pools.streams, "LiveService.WatchPools": live },
  };
}

export const pools: Module = {
  name: "pools",
  actors: [pool, router, makeQueue(limits.queueSeriesHoursDefault), makeWatch(true)],
  directories: [poolDirectory, anomalyDirectory],
  orchestrations: {
    "PoolService.CreatePool": createPool,
    "PoolService.ListPools": listPools,
    "PoolService.CreatePoolVersion": createVersion,
    "RuleService.CreateRule": createRule,
    "RuleService.UpdateRule": updateRule,
    "RuleService.ValidateRule": validateRule,
    "RoutingService.PreviewRoute": previewRoute,
    "RoutingService.Route": routeOne,
    "RoutingService.RouteBatch": routeBatch,
    "OutcomeService.RecordOutcome": recordOutcome,
    "OutcomeService.RecordOutcomes": recordOutcomes,
    "QueueService.Enqueue": enqueueOne,
    "QueueService.EnqueueBatch": enqueueBatch,
    "QueueControlService.ListQueues": listQueues,
    "QueueControlService.DrainQueue": drainQueue,
    "AdmissionService.PreviewAdmission": previewAdmission,
    "AdmissionService.ListAdmissionGroups": listAdmissionGroups,
    "DeadLetterService.Purge": purgeDeadLetters,
  },
  streams: { "RoutingService.RouteStream": routeStream, "QueueService.Work": workStream },
};
