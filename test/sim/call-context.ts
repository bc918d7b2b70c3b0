import { devTenantId } from "#base";
import type { CallContext } from "../../actors/module.ts";
import type { Answer, Ask, Asker } from "../../runtime/index.ts";
import type { Callers } from "./caller.ts";
import { goneRefusal, lookAfter } from "./gone.ts";
import { epochMs } from "./process.ts";
import type { Stage } from "./scenario.ts";

/** What the gateway gives to module code that runs outside of entities. */
export function callContext({ scheduler }: Stage, asker: Asker): CallContext {
  const now = () => epochMs + scheduler.nowMs;
  return {
    caller: {
      tenant: devTenantId,
      subject: "client",
      owner: "client",
      principalKind: "user",
      requestId: "sim",
      environmentMode: "any",
      platform: false,
    },
    asker,
    deadlineMs: now() + 5_000,
    signal: new AbortController().signal,
    may: () => true,
    roles: [],
    headers: { get: () => undefined },
    clock: { now, monotonic: () => scheduler.nowMs },
  };
}

export function askerOf(post: (ask: Ask, reply: (answer: Answer) => void) => void): Asker {
  return { post, ask: (ask) => new Promise((resolve) => post(ask, resolve)) };
}

interface Watched {
  readonly seen?: (ask: Ask) => void;
  readonly heard?: (ask: Ask, answer: Answer) => void;
  /** After this time a question counts as lost. */
  readonly answerMsMax: (method: string) => number;
}

/** Every question gets an answer: if its process is gone, the answer is that the outcome is unknown. */
export function askerIn(stage: Stage, callers: Callers, { seen, heard, answerMsMax }: Watched): Asker {
  const { scheduler } = stage;
  return askerOf((ask, reply) => {
    seen?.(ask);
    let waits = true;
    const answer = (one: Answer) => {
      if (!waits) return;
      waits = false;
      heard?.(ask, one);
      reply(one);
    };
    const { to, method, request, signal } = ask;
    const process = callers.send({ to, method, request, ...(signal && { signal }) }, 0.05, answer);
    const untilMs = scheduler.nowMs + answerMsMax(method);
    lookAfter(scheduler, callers.owner, () => waits, {
      isThere: () => process?.alive === true && scheduler.nowMs < untilMs,
      gone: () => answer(goneRefusal()),
    });
  });
}
