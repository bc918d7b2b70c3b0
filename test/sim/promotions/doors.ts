import { makeModules } from "#actors";
import { devTenantId, handleOf, isRefusal, type Refusal, RefusalError } from "#base";
import { directoryOf } from "../../../actors/kit/directory.ts";
import { packAddress, promotionAddress } from "../../../actors/kit/evidence.ts";
import type { Address, Asker } from "../../../runtime/index.ts";
import { testParts } from "../../support/module-parts.ts";
import { orchestrate } from "../../support/orchestrate.ts";
import { askerIn, callContext } from "../call-context.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";

export type Message = Readonly<Record<string, unknown>>;

/** Every caller of a run is the same person: permissions are not tested here. */
const modules = makeModules(testParts());
export const actors = modules.flatMap((module) => module.actors);
const orchestrations = Object.assign({}, ...modules.map((module) => module.orchestrations ?? {}));

/** Longer than an operation of a promotion lets its caller wait. */
const answerMs = 12_000;

/** What the gateway runs for one call. Its questions take time and may be lost, and so may their answers. */
export class Doors {
  readonly #stage: Stage;
  readonly #asker: Asker;

  constructor(stage: Stage, callers: Callers) {
    this.#stage = stage;
    this.#asker = askerIn(stage, callers, { answerMsMax: () => answerMs });
  }

  async call(method: string, request: Message): Promise<Message | Refusal> {
    const context = callContext(this.#stage, this.#asker);
    try {
      if (orchestrations[method])
        return (await orchestrate(orchestrations[method], request, context)) as Message;
      const { caller, deadlineMs } = context;
      const to = addressOf(method, request);
      const answer = await this.#asker.ask({ to, method, request, caller, deadlineMs });
      return isRefusal(answer) ? answer : (answer.response as Message);
    } catch (thrown) {
      if (!(thrown instanceof RefusalError)) throw thrown;
      return thrown.refusal;
    }
  }
}

export function addressOf(method: string, request: Message): Address {
  if (method === "PoolService.CreatePool") return directoryOf(devTenantId, "pool");
  const { candidate_id, pack_id, pool_id } = request as Record<string, string | undefined>;
  if (candidate_id !== undefined) return promotionAddress(devTenantId, candidate_id);
  if (pack_id !== undefined) return packAddress(devTenantId, pack_id);
  return { kind: "pool", tenant: devTenantId, key: handleOf(pool_id!) };
}
