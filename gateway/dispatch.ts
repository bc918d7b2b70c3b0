import type { CallContext, Module, Orchestration, StreamHandler } from "#actors";
import { isRefusal, RefusalError, refuse, systemTenantId } from "#base";
import type { Answer, Asker, Caller } from "#runtime";
import { addressOf } from "./address.ts";
import type { Call } from "./call.ts";
import type { ActorKey, ContractMethod } from "./contract/method.ts";
import { idempotencyOf } from "./idempotency.ts";
import { Lifetime, withinDeadline } from "./lifetime.ts";

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
        case "orchestration":
          return orchestrate(call, target.run, message);
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
          return lifetime.each(
            target.open(
              messages,
              contextOf(call, undefined, () => lifetime.signal),
            ),
          );
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

  async function orchestrate(call: Call, run: Orchestration, message: unknown): Promise<unknown> {
    // Most orchestrations ask one entity and never look at the signal: it is made when somebody does.
    let lifetime: Lifetime | undefined;
    const signal = () => {
      lifetime ??= new Lifetime(call);
      return lifetime.signal;
    };
    try {
      return await withinDeadline(call, run(message, contextOf(call, message, signal)));
    } finally {
      lifetime?.end();
    }
  }

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

  function contextOf(call: Call, message: unknown, signal: () => AbortSignal): CallContext {
    const idempotency = idempotencyOf(call, message);
    return {
      caller: callerOf(call),
      asker: {
        ...(asker.subscribe && { subscribe: asker.subscribe }),
        async ask(ask) {
          const answer = await asker.ask(ask);
          if (ask.idempotency !== undefined) noteReplay(call, answer);
          return answer;
        },
      },
      deadlineMs: call.deadlineMs,
      get signal() {
        return signal();
      },
      now: call.startedAtMs,
      ...(idempotency === undefined ? undefined : { idempotency }),
    };
  }
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
  const environment = call.headers.get("x-environment");
  return {
    tenant: call.tenant ?? systemTenantId,
    subject: principal?.subject ?? "anonymous",
    requestId: call.requestId,
    environmentMode: principal?.environmentMode ?? "any",
    platform: principal !== undefined && principal.tenant === undefined,
    ...(environment === undefined ? undefined : { environment }),
  };
}
