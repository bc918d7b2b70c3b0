import type { AnyActorDefinition, Asker, Caller, Cancellation } from "#runtime";

/** One module of the domain: the entities it owns and the methods that need more than one entity. */
export interface Module {
  readonly name: string;
  readonly actors: readonly AnyActorDefinition[];
  /** By method name (`QueueControlService.ListQueues`): asks several entities and joins their answers. */
  readonly orchestrations?: Readonly<Record<string, Orchestration>>;
  /** By method name: streaming methods. */
  readonly streams?: Readonly<Record<string, StreamHandler>>;
}

export interface CallContext {
  readonly caller: Caller;
  readonly asker: Asker;
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly now: number;
  /** Present when the caller sent an Idempotency-Key. */
  readonly idempotency?: { readonly scope: string; readonly fingerprint: string };
}

/** Throws a RefusalError to refuse. */
export type Orchestration = (request: unknown, call: CallContext) => Promise<unknown>;

export type StreamHandler = (requests: AsyncIterable<unknown>, call: CallContext) => AsyncIterable<unknown>;
