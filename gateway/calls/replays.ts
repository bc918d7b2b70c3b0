import { isRefusal } from "#base";
import type { Answer, Asker } from "#runtime";
import type { Call } from "./call.ts";

/** Whether an answer is a stored one is for the door to say. Of several, all have to be: else something was done now. */
export function notingReplays(call: Call, asker: Asker): Asker {
  let done = false;
  const post: Asker["post"] = (ask, reply) =>
    asker.post(ask, (answer) => {
      if (ask.idempotency !== undefined && !isRefusal(answer)) {
        done ||= !answer.replayed;
        if (done) forgetReplay(call);
        else noteReplay(call, answer);
      }
      reply(answer);
    });
  return {
    ...(asker.subscribe && { subscribe: asker.subscribe }),
    post,
    ask: (ask) => new Promise((resolve) => post(ask, resolve)),
  };
}

export function noteReplay(call: Call, answer: Answer): void {
  if (isRefusal(answer) || !answer.replayed) return;
  call.replayed = true;
  call.responseHeaders.set("idempotent-replayed", "true");
}

function forgetReplay(call: Call): void {
  if (!call.replayed) return;
  call.replayed = false;
  call.responseHeaders.delete("idempotent-replayed");
}
