import { limits } from "#base";
import { deciding } from "../../kit/table.ts";
import type { SessionMessage } from "../record.ts";
import type { Event, State } from "./state.ts";

export type Command = SessionMessage | { readonly type: "end_all" };

export const decide = deciding<State, Command, Event>({
  started({ started }, message) {
    const all = [...started, [message.id, message.at] as const].sort(([, a], [, b]) => a - b);
    const ids = all.slice(0, Math.max(0, all.length - limits.consoleSessionsMax)).map(([id]) => id);
    return { events: ids.length === 0 ? [message] : [message, { type: "ending", ids, why: "replaced" }] };
  },
  ended: ({ started }, message) => ({ events: started.has(message.id) ? [message] : [] }),
  end_all({ started }) {
    const ids = [...started.keys()];
    return {
      events: [{ type: "ending", ids, why: "signed_out" }],
      answer: { ended: ids.length },
      awaitDelivery: true,
    };
  },
});
