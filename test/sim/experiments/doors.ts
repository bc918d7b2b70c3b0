import { RefusalError } from "#base";
import type { Answer, Asker } from "../../../runtime/index.ts";
import { modules } from "../../support/module-parts.ts";
import { orchestrate } from "../../support/orchestrate.ts";
import { askerIn, callContext } from "../call-context.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Message } from "./told.ts";

const { orchestrations = {} } = modules.find(({ name }) => name === "experiments")!;
const answerMsMax = 6_000;

/** What a gateway runs for one call: questions to the directory, the experiment and its unit shards. */
export class Door {
  readonly #stage: Stage;
  readonly #asker: Asker;

  constructor(stage: Stage, callers: Callers) {
    this.#stage = stage;
    this.#asker = askerIn(stage, callers, { answerMsMax: () => answerMsMax });
  }

  /** `heard` always gets an answer: if the owner is gone, that the outcome is unknown. */
  call(method: string, request: Message, heard: (answer: Answer) => void): void {
    const context = callContext(this.#stage, this.#asker);
    orchestrate(orchestrations[`ExperimentService.${method}`]!, request, context).then(
      (response) => heard({ response, replayed: false }),
      (thrown: unknown) => {
        if (!(thrown instanceof RefusalError)) throw thrown;
        heard(thrown.refusal);
      },
    );
  }
}
