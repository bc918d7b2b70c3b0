/**
 * The actor system: shards with bounded mailboxes, one writer each, replies held until what they report is durable.
 * Knows entities and their rows, not what they are about. What was acknowledged is never lost; what was only decided is
 * dropped and rebuilt after a failed or unknown append.
 */
export {
  type ActorDefinition,
  type Address,
  type AnyActorDefinition,
  type Caller,
  type Context,
  type Decided,
  type Decision,
  defineActor,
  type EntityMethod,
  isRowOf,
  type KeyOf,
  type Origin,
  type Park,
  type Range,
  type RangeRef,
  type RowKey,
  type RowRef,
  type Rows,
  type RowWriter,
  rowsOf,
  type StoredRow,
  type ValueOf,
} from "./actor.ts";
export type { Answer, Ask, Asker, Cancellation, IdempotencyRef } from "./ask.ts";
export type { ClusterBootstrap, ClusterReport, ClusterStatus, NodeStats } from "./cluster/bootstrap.ts";
export { missedTopic } from "./cluster/bridge.ts";
export { Membership, type MembershipState } from "./cluster/membership.ts";
export { ProofWriter } from "./cluster/proof.ts";
export { moveBucketsMs } from "./cluster/stats.ts";
export { FormatAgreement, misfit, protocolVersion } from "./cluster/versions.ts";
export { type Member, type NodeFacts, type View, viewOf } from "./cluster/view.ts";
export type {
  EffectHandler,
  EffectHandlers,
  EffectRequest,
  EffectRun,
  EffectStep,
} from "./effects/effect.ts";
export type { EventCursor, EventPage, EventPoint, PublishedEvent } from "./event-page.ts";
export type { FramePort } from "./links/link.ts";
export type { Logger } from "./logger.ts";
export { drainingRefusal } from "./refusals.ts";
export { latencyBucketsMs } from "./shard/metrics.ts";
export { sizeOfPlain } from "./shard/plain.ts";
export { type Runtime, type RuntimeOptions, startRuntime } from "./start.ts";
export type { ActorFilter, ListedActor, ShardStats, ThreadStats } from "./stats.ts";
export type { ThreadHealth } from "./thread/health.ts";
export { startThread } from "./workers/start-thread.ts";
export { type SuperviseOptions, type Supervisor, superviseWorkers } from "./workers/supervise.ts";
export { startWorkerRuntime, type WorkerRuntime } from "./workers/worker.ts";
export { systemWorld, type World } from "./world.ts";
