import { RefusalError } from "#base";
import type { CallContext } from "../../../actors/module.ts";
import { pools } from "../../../actors/pools/index.ts";
import type { Answer, Asker } from "../../../runtime/index.ts";
import { orchestrate } from "../../support/orchestrate.ts";
import { askerOf, callContext } from "../call-context.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Message } from "./told.ts";

/**
 * What the gateway runs for one call: a question to the entity, and more if a rule redirects. Each question takes time
 * and may be lost, and so may its answer; then the caller repeats the whole call.
 */
export class Doors {
  readonly #callers: Callers;
  readonly #stage: Stage;

  constructor(callers: Callers, stage: Stage) {
    this.#callers = callers;
    this.#stage = stage;
  }

  call(method: string, request: Message, key: string | undefined, heard: (answer: Answer) => void): void {
    const answered = this.#run(method, request, {
      ...this.context(this.#asker()),
      ...(key !== undefined && { idempotency: { scope: key, fingerprint: "f" } }),
    });
    answered.then(
      (response) => heard({ response, replayed: false } as Answer),
      (error: unknown) => {
        if (!(error instanceof RefusalError)) throw error;
        heard(error.refusal);
      },
    );
  }

  #run(method: string, request: Message, context: CallContext): Promise<unknown> {
    return orchestrate(pools.orchestrations![method]!, request, context);
  }

  #asker(): Asker {
    return askerOf(({ to, method, request, idempotency }, reply) =>
      this.#callers.send({ to, method, request, ...(idempotency && { idempotency }) }, 0.05, reply),
    );
  }

  context(asker: Asker): CallContext {
    return callContext(this.#stage, asker);
  }
}
