import { lostRefusal } from "../refusals.ts";
import type { Routes } from "../thread/thread.ts";

/** For what may be answered here only: what is not here has moved. */
export const nowhere: Routes = {
  ask: (_shard, _ask, reply) => reply(lostRefusal()),
  deliver: (_shard, _delivery, reply) => reply(lostRefusal()),
  broadcast: () => undefined,
};
