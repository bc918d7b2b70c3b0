import { type CallContext, type Module, type Question, RefusedMessage, tenantSecretOf } from "#actors";
import { isRefusal, limits, RefusalError, refusalError, systemClock } from "#base";
import type { Asker, Cancellation, IdempotencyRef } from "#runtime";
import type { ActorKey, ContractMethod } from "../contract/method.ts";
import { addressOf } from "./address.ts";
import type { Call, Principal, Settle } from "./call.ts";
import { callerOf } from "./caller.ts";
import { idempotencyOf, needsFingerprintKey } from "./idempotency.ts";
import { CallerSignal, Lifetime, Wait } from "./lifetime.ts";
import { OpenCalls, Standing } from "./open-calls.ts";
import { costOf, quotaGuard } from "./quota.ts";
import { noteReplay, notingReplays } from "./replays.ts";
import type { Providers } from "./stages/stage.ts";
import { Stopping } from "./stopping.ts";
import { type Handler, missing, targetsOf } from "./targets.ts";

export interface DispatchParts {
  readonly methods: readonly ContractMethod[];
  readonly asker: Asker;
  readonly modules: readonly Module[];
  /** By method name: what the gateway answers itself. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly providers: Pick<Providers, "tenants">;
  readonly stopping?: Stopping;
  readonly openCalls?: OpenCalls;
  /** Whether a call that is open would be let in now; throws a RefusalError where it would not. */
  readonly again: (call: Call) => Promise<void>;
  /** Whether this principal holds a permission. */
  may(principal: Principal | undefined, permission: string, use?: "grant"): boolean;
}

/** Beyond the pipeline: from the method to what answers it. */
export function createDispatch(parts: DispatchParts) {
  const targets = targetsOf(parts);
  const { asker, again, stopping = new Stopping(), openCalls = new OpenCalls() } = parts;
  const quota = quotaGuard(asker);
  const { tenants } = parts.providers;

  return {
    standingOf,

    unary(call: Call, message: unknown, settle: Settle): void {
      if (!needsFingerprintKey(call)) {
        charged(call, message, settle);
        return;
      }
      const { deadlineMs, tenantFacts } = call;
      const asked = { asker, caller: callerOf(call), deadlineMs, tenantSecret: tenantFacts?.secret };
      void tenantSecretOf(asked).then(
        (secret) => {
          call.fingerprintKey = secret;
          charged(call, message, settle);
        },
        (thrown) => settle(thrown, undefined),
      );
    },

    stream(call: Call, messages: AsyncIterable<unknown>): AsyncIterable<unknown> {
      const target = targets.get(call.method) ?? missing;
      switch (target.type) {
        case "stream": {
          const lifetime = whileAdmitted(call, new Lifetime(call));
          const sent = stopping.messages(call.method, counted(call, messages), lifetime);
          return lifetime.each(target.open(sent, contextOf(call, undefined, lifetime.signal)));
        }
        case "handler":
          return whileAdmitted(call, new Lifetime(call)).each(
            target.handle(sound(messages), call) as AsyncIterable<unknown>,
          );
        case "actor":
        case "orchestration":
        case "missing":
          throw unimplemented(call);
      }
    },
  };

  /** A stream ends when its caller would not be let in any more. */
  function whileAdmitted(call: Call, lifetime: Lifetime): Lifetime {
    // A caller that left while the stages looked at it is told nothing more, and nothing would stop the looks.
    if (lifetime.signal.aborted) return lifetime;
    const standing = standingOf(call, (refusal) => lifetime.cut(refusal));
    lifetime.signal.addEventListener("abort", () => standing.stop());
    return lifetime;
  }

  /** So does a wait for something to happen. */
  function waitOf(call: Call, settle: Settle, signal?: CallerSignal): Wait {
    if (!isWaiting(call)) return new Wait(call, settle, signal);
    const wait = new Wait(
      call,
      (thrown, response) => {
        standing.stop();
        settle(thrown, response);
      },
      signal,
    );
    const standing = standingOf(call, (refusal) => wait.fail(refusal));
    return wait;
  }

  function standingOf(call: Call, cut: (refusal: RefusalError) => void): Standing {
    return new Standing(call, { openCalls, tenants, again }, cut);
  }

  /** Idempotency is looked at where the effect is: a repeat is charged nothing, see `quotaGuard`. */
  function charged(call: Call, message: unknown, settle: Settle): void {
    if (call.method.quota === undefined) {
      dispatch(call, message, settle);
      return;
    }
    const limit = quota.limitOf(call);
    if (limit !== undefined) {
      quota.unary(call, message, limit, settle, (settleToo) => dispatch(call, message, settleToo));
      return;
    }
    call.uses = costOf(call.method.quota, message);
    dispatch(call, message, settle);
  }

  function counted(call: Call, messages: AsyncIterable<unknown>): AsyncIterable<unknown> {
    const limit = quota.limitOf(call);
    return limit === undefined ? messages : quota.stream(call, messages, limit);
  }

  function dispatch(call: Call, message: unknown, settle: Settle): void {
    const target = targets.get(call.method) ?? missing;
    switch (target.type) {
      case "actor":
        askActor(call, target.key, message, settle);
        return;
      case "handler":
        handle(call, target.handle, message, settle);
        return;
      case "orchestration": {
        if (typeof target.run === "object") {
          ask(call, target.run, message, settle);
          return;
        }
        const signal = new CallerSignal(call);
        const context = contextOf(call, idempotencyOf(call, message), signal);
        waitOf(call, settle, signal).for(target.run(message, context));
        return;
      }
      case "stream":
      case "missing":
        settle(unimplemented(call), undefined);
        return;
    }
  }

  function askActor(call: Call, key: ActorKey, request: unknown, settle: Settle): void {
    const ended = isWaiting(call) ? new CallerSignal(call) : undefined;
    const wait = waitOf(call, settle, ended);
    try {
      const asked = {
        to: addressOf(call, key, request),
        method: call.method.name,
        request,
        caller: callerOf(call),
        deadlineMs: call.deadlineMs,
        signal: ended ?? call.cancellation,
        idempotency: idempotencyOf(call, request),
      };
      asker.post(asked, (answer) => {
        noteReplay(call, answer);
        if (isRefusal(answer)) wait.fail(answer);
        else wait.answer(answer.response);
      });
    } catch (thrown) {
      wait.fail(thrown);
    }
  }

  function ask(call: Call, question: Question, message: unknown, settle: Settle): void {
    const signal = new CallerSignal(call);
    const wait = waitOf(call, settle, signal);
    try {
      const context = contextOf(call, idempotencyOf(call, message), signal);
      context.asker.post(question.ask(message, context), (answer) => {
        try {
          const response = question.read(answer, message, context);
          if (response instanceof Promise) wait.for(response);
          else wait.answer(response);
        } catch (thrown) {
          wait.fail(thrown);
        }
      });
    } catch (thrown) {
      wait.fail(thrown);
    }
  }

  /** What an orchestration or a stream knows of its call. */
  function contextOf(call: Call, idempotency: IdempotencyRef | undefined, signal: Cancellation): CallContext {
    const { principal, tenantFacts: facts } = call;
    return {
      caller: callerOf(call),
      asker: idempotency === undefined ? asker : notingReplays(call, asker),
      deadlineMs: call.deadlineMs,
      signal,
      clock: systemClock,
      may: (permission, use) => parts.may(call.principal, permission, use),
      tenantLimits: facts?.limits,
      tenantSettings: facts?.settings,
      tenantSecret: facts?.secret,
      tenantEnvironments: facts?.environments,
      roles: principal?.roles ?? [],
      scopes: principal?.scopes,
      // A token ends before what it stands for does: its end is no end of what its bearer makes.
      keyExpiresAtMs: principal?.kind === "api_key" ? principal.expiresAtMs : principal?.keyExpiresAtMs,
      headers: call.headers,
      idempotency,
    };
  }
}

/**
 * Most long polls find what they want at once, or do not wait for it: only those that may take long are looked at again. A write
 * that waits for its own result has happened: told that it was refused, its caller would do it once more.
 */
function isWaiting({ method, deadlineMs, startedAtMs, principal }: Call): boolean {
  if (method.wait === undefined || method.audit !== "none" || principal?.kind === "module") return false;
  return deadlineMs - startedAtMs > limits.longPollGraceMs;
}

/** For doors without a form for a refused message: it ends the stream. */
async function* sound(messages: AsyncIterable<unknown>): AsyncIterable<unknown> {
  for await (const message of messages) {
    if (message instanceof RefusedMessage) throw new RefusalError(message.refusal);
    yield message;
  }
}

function handle(call: Call, handler: Handler, message: unknown, settle: Settle): void {
  let answer: unknown;
  try {
    answer = handler(message, call);
  } catch (thrown) {
    settle(thrown, undefined);
    return;
  }
  if (answer instanceof Promise) new Wait(call, settle).for(answer);
  else settle(undefined, answer);
}

function unimplemented(call: Call): RefusalError {
  return refusalError("UNIMPLEMENTED", `${call.method.name} is not implemented`);
}
