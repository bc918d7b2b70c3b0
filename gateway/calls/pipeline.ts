import { RefusedMessage } from "#actors";
import { limits, type Refusal, RefusalError } from "#base";
import type { Call, Done, Settle } from "./call.ts";
import { apiVersion } from "./stages/api-version.ts";
import { authentication } from "./stages/authentication.ts";
import { authorization } from "./stages/authorization.ts";
import { concurrency } from "./stages/concurrency.ts";
import { deprecation } from "./stages/deprecation.ts";
import { errorMasking, mask } from "./stages/error-masking.ts";
import { rateLimit } from "./stages/rate-limit.ts";
import { recovery } from "./stages/recovery.ts";
import { requestId } from "./stages/request-id.ts";
import { slowRequestLog } from "./stages/slow-request-log.ts";
import type { Ending, PipelineParts, Stage, StageName } from "./stages/stage.ts";
import { statusMapping } from "./stages/status-mapping.ts";
import { telemetry } from "./stages/telemetry.ts";
import { tenant } from "./stages/tenant.ts";
import { validation } from "./stages/validation.ts";

/** What every call passes, outermost first, in the order of the specification; each plane has an instance of its own. */
const stages: readonly ((parts: PipelineParts) => Stage)[] = [
  recovery,
  telemetry,
  requestId,
  apiVersion,
  authentication,
  authorization,
  tenant,
  deprecation,
  validation,
  concurrency,
  rateLimit,
  errorMasking,
  statusMapping,
  slowRequestLog,
];

/** Stages before it look at the headers only. */
const firstWithMessage = stages.indexOf(validation);

/** For tests: told of every stage a call enters and leaves. */
export type StageObserver = (stage: StageName, step: "enter" | "leave", call: Call) => void;

export interface Pipeline {
  /**
   * Enters the stages that need no message: who calls, and whether the caller may. A door asks before it reads the body; a call
   * that is admitted goes on in `unary` or `stream`, which both end it. `done` is called once, at once where nothing waits.
   */
  admit(call: Call, done: (refusal: Refusal | undefined) => void): void;
  /** Runs a unary call through all stages; `handle` is what they stand around. `done` is called once, and not thrown at. */
  unary(
    call: Call,
    message: unknown,
    handle: (call: Call, message: unknown, settle: Settle) => void,
    done: Done,
  ): void;
  stream(
    call: Call,
    messages: AsyncIterable<unknown>,
    handle: (call: Call, messages: AsyncIterable<unknown>) => AsyncIterable<unknown>,
  ): AsyncIterable<unknown>;
  /** Whether a call that is open would be let in now; throws a RefusalError where it would not. */
  again(call: Call): Promise<void>;
}

export function createPipeline(parts: PipelineParts, observe?: StageObserver): Pipeline {
  const chain = stages.map((make) => (observe === undefined ? make(parts) : observed(make(parts), observe)));
  const enters = chain.map((stage) => stage.enter);
  const leaves = chain.map((stage) => stage.leave);
  const eaches = chain.flatMap((stage) => (stage.each === undefined ? [] : [stage.each]));
  const agains = chain.flatMap((stage) => (stage.again === undefined ? [] : [stage.again]));

  return {
    admit(call, done) {
      const refused = (thrown: unknown) => end(call, undefined, { atMs: Date.now(), thrown }, done);
      enter(call, undefined, firstWithMessage, refused, () => done(undefined));
    },

    unary(call, message, handle, done) {
      const settle: Settle = (thrown, response) =>
        end(call, message, { atMs: Date.now(), response, thrown }, done);
      const goOn = () => enter(call, message, enters.length, settle, () => handle(call, message, settle));
      // A body may take its time, and what was found before it may have changed.
      if (call.entered === 0 || Date.now() - call.startedAtMs < limits.admittedMs) goOn();
      else void again(call).then(goOn, (thrown) => settle(thrown, undefined));
    },

    async *stream(call, messages, handle) {
      const ending: Ending = { atMs: 0 };
      let one: { message: unknown } | undefined;
      try {
        for (; call.entered < enters.length; call.entered++) {
          if (call.entered === firstWithMessage && oneMessage(call)) one = await firstOf(messages);
          await enters[call.entered]?.(call, one?.message);
        }
        const inbound = one === undefined ? checked(call, messages) : just(one.message);
        yield* handle(call, inbound);
      } catch (thrown) {
        ending.thrown = thrown;
      } finally {
        // Also where the reader goes away in the middle of the answer.
        ending.atMs = Date.now();
        leave(call, ending);
        parts.audit?.ended(call, one?.message, ending);
      }
      if (ending.refusal !== undefined) throw new RefusalError(ending.refusal);
    },

    again,
  };

  async function again(call: Call): Promise<void> {
    for (const judge of agains) await judge(call);
  }

  /** Goes on from the stage that the call has come to. */
  function enter(
    call: Call,
    message: unknown,
    last: number,
    refused: (thrown: unknown, response: undefined) => void,
    entered: () => void,
  ): void {
    for (; call.entered < last; call.entered++) {
      let waiting: void | Promise<void>;
      try {
        waiting = enters[call.entered]?.(call, message);
      } catch (thrown) {
        refused(thrown, undefined);
        return;
      }
      if (waiting === undefined) continue;
      waiting.then(
        () => {
          call.entered++;
          enter(call, message, last, refused, entered);
        },
        (thrown) => refused(thrown, undefined),
      );
      return;
    }
    entered();
  }

  function end(call: Call, message: unknown, ending: Ending, done: Done): void {
    try {
      leave(call, ending);
    } catch (error) {
      // Only the caller waits for this, and it must hear of it.
      mask(error, call, ending, parts.telemetry.log);
    }
    parts.audit?.ended(call, message, ending);
    done(ending.refusal, ending.response);
  }

  function leave(call: Call, ending: Ending): void {
    // Those that let the call in, innermost first; the stage that refused it is not among them.
    while (call.entered > 0) leaves[--call.entered]?.(call, ending);
  }

  async function* checked(call: Call, messages: AsyncIterable<unknown>): AsyncIterable<unknown> {
    for await (const message of messages) yield refused(call, message) ?? message;
  }

  /** One message that breaks the contract is told to the handler that answers it; one that cannot be read ends the stream. */
  function refused(call: Call, message: unknown): RefusedMessage | undefined {
    try {
      for (const each of eaches) each(call, message);
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof RefusalError) || thrown === message) throw thrown;
      return new RefusedMessage(message, thrown.refusal);
    }
  }
}

function oneMessage(call: Call): boolean {
  return call.method.kind === "server_streaming";
}

/** A message that could not be read is judged where others are validated, after the caller has been. */
async function firstOf(messages: AsyncIterable<unknown>): Promise<{ message: unknown }> {
  try {
    for await (const message of messages) return { message };
  } catch (thrown) {
    if (thrown instanceof RefusalError) return { message: thrown };
    throw thrown;
  }
  return { message: undefined };
}

async function* just(message: unknown): AsyncIterable<unknown> {
  yield message;
}

function observed(stage: Stage, observe: StageObserver): Stage {
  return {
    ...stage,
    enter(call, message) {
      observe(stage.name, "enter", call);
      return stage.enter?.(call, message);
    },
    leave(call, ending) {
      observe(stage.name, "leave", call);
      stage.leave?.(call, ending);
    },
  };
}
