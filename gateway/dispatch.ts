import type { CallContext, Module, Orchestration, StreamHandler } from "#actors";
import { isRefusal, RefusalError, refuse, systemTenantId } from "#base";
import type { Answer, Asker, Caller, Cancellation, IdempotencyRef } from "#runtime";
import { addressOf } from "./address.ts";
import type { Call } from "./call.ts";
import type { ActorKey, ContractMethod } from "./contract/method.ts";
import { idempotencyOf } from "./idempotency.ts";
import { CallerSignal, Lifetime, withinDeadline } from "./lifetime.ts";

/** A method the gateway answers itself; of a streaming one, request and answer are iterables. Throws to refuse. */
export type Handler = (request: unknown, call: Call) => unknown;

interface DispatchParts {
  readonly methods: readonly ContractMethod[];
  readonly asker: Asker;
  readonly modules: readonly Module[];
  readonly handlers: Readonly<Record<string, Handler>>;
}

type Target =
  | { readonly type: "handler"; readonly handle: Handler }
  | { readonly type: "orchestration"; readonly run: Orchestration }
  | { readonly type: "stream"; readonly open: StreamHandler }
  | { readonly type: "actor"; readonly key: ActorKey }
  | { readonly type: "missing" };

/** Beyond the pipeline: from the method to whoever answers it. */
export function createDispatch(parts: DispatchParts) {
  const targets = new Map(parts.methods.map((method) => [method, targetOf(method, parts)]));
  const { asker } = parts;

  return {
    unary(call: Call, message: unknown): Promise<unknown> {
      const target = targets.get(call.method) ?? missing;
      switch (target.type) {
        case "actor":
          return withinDeadline(call, askActor(call, target.key, message));
        case "handler": {
          const answer = target.handle(message, call);
          return answer instanceof Promise ? withinDeadline(call, answer) : Promise.resolve(answer);
        }
        case "orchestration": {
          const signal = new CallerSignal(call);
          const context = contextOf(call, idempotencyOf(call, message), signal);
          return withinDeadline(call, target.run(message, context), signal);
        }
        case "stream":
        case "missing":
          return Promise.reject(unimplemented(call));
      }
    },

    stream(call: Call, messages: AsyncIterable<unknown>): AsyncIterable<unknown> {
      const target = targets.get(call.method) ?? missing;
      switch (target.type) {
        case "stream": {
          const lifetime = new Lifetime(call);
          return lifetime.each(target.open(messages, contextOf(call, undefined, lifetime.signal)));
        }
        case "handler":
          return new Lifetime(call).each(target.handle(messages, call) as AsyncIterable<unknown>);
        case "actor":
        case "orchestration":
        case "missing":
          throw unimplemented(call);
      }
    },
  };

  async function askActor(call: Call, key: ActorKey, request: unknown): Promise<unknown> {
    const idempotency = idempotencyOf(call, request);
    const answer = await asker.ask({
      to: addressOf(call, key, request),
      method: call.method.name,
      request,
      caller: callerOf(call),
      deadlineMs: call.deadlineMs,
      signal: call.signal,
      ...(idempotency === undefined ? undefined : { idempotency }),
    });
    noteReplay(call, answer);
    if (isRefusal(answer)) throw new RefusalError(answer);
    return answer.response;
  }

  /** What an orchestration or a stream knows of its call. */
  function contextOf(call: Call, idempotency: IdempotencyRef | undefined, signal: Cancellation): CallContext {
    const { deadlineMs, startedAtMs: now } = call;
    const caller = callerOf(call);
    if (idempotency === undefined) return { caller, asker, deadlineMs, signal, now };
    return { caller, asker: notingReplays(call, asker), deadlineMs, signal, now, idempotency };
  }
}

/** Whether an answer is a stored one is for the door to say. */
function notingReplays(call: Call, asker: Asker): Asker {
  return {
    ...(asker.subscribe && { subscribe: asker.subscribe }),
    async ask(ask) {
      const answer = await asker.ask(ask);
      if (ask.idempotency !== undefined) noteReplay(call, answer);
      return answer;
    },
  };
}

function targetOf(method: ContractMethod, { handlers, modules }: DispatchParts): Target {
  const handle = handlers[method.name];
  if (handle !== undefined) return { type: "handler", handle };
  for (const module of modules) {
    const run = module.orchestrations?.[method.name];
    if (run !== undefined) return { type: "orchestration", run };
    const open = module.streams?.[method.name];
    if (open !== undefined) return { type: "stream", open };
  }
  return method.actor === undefined ? missing : { type: "actor", key: method.actor };
}

const missing: Target = { type: "missing" };

function unimplemented(call: Call): RefusalError {
  return new RefusalError(refuse("UNIMPLEMENTED", `${call.method.name} is not implemented`));
}

function noteReplay(call: Call, answer: Answer): void {
  if (isRefusal(answer) || !answer.replayed) return;
  call.replayed = true;
  call.responseHeaders.set("idempotent-replayed", "true");
}

function callerOf(call: Call): Caller {
  const { principal } = call;
  const caller = {
    tenant: call.tenant ?? systemTenantId,
    subject: principal?.subject ?? "anonymous",
    requestId: call.requestId,
    environmentMode: principal?.environmentMode ?? "any",
    platform: principal !== undefined && principal.tenant === undefined,
  };
  const environment = call.headers.get("x-environment");
  return environment === undefined ? caller : { ...caller, environment };
}
