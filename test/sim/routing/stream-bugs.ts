import { isRefusal } from "#base";
import type { StreamHandler } from "../../../actors/module.ts";
import type { Answer, Ask, Asker } from "../../../runtime/index.ts";
import { type PlantedBug, replace } from "../planted.ts";
import { played } from "./played.ts";

/** Bugs of the streams: each wraps what a stream asks. */
export const streamBugs: readonly PlantedBug[] = [
  {
    name: "a Work stream takes more than it has credit for",
    plant: () =>
      replace(played, "work", (over, [rest]) =>
        asking(over(rest), (ask, asked) => {
          const request = asked.request as { max_items?: number };
          const most = request.max_items ?? 0;
          return ask(most > 0 ? { ...asked, request: { ...request, max_items: most + 1 } } : asked);
        }),
      ),
  },
  {
    name: "a Work stream keeps what it could not send",
    plant: () =>
      replace(played, "work", (over, [rest]) =>
        asking(over(rest), (ask, asked) =>
          asked.method === "QueueService.SettleBatch"
            ? Promise.resolve({ response: { results: [] }, replayed: false })
            : ask(asked),
        ),
      ),
  },
  {
    name: "the answers of a RouteStream are those of its neighbours",
    plant: () =>
      replace(played, "route", (stream) =>
        asking(stream(), async (ask, asked) => {
          const answer = await ask(asked);
          return isRefusal(answer)
            ? answer
            : { ...answer, response: (answer.response as unknown[]).toReversed() };
        }),
      ),
  },
];

/** The stream with an asker that behaves differently. */
function asking<Request>(
  stream: StreamHandler<Request>,
  instead: (ask: Asker["ask"], asked: Ask) => Promise<Answer>,
): StreamHandler<Request> {
  return (requests, call) => {
    const ask: Asker["ask"] = (asked) => instead((given) => call.asker.ask(given), asked);
    return stream(requests, { ...call, asker: { ...call.asker, ask } });
  };
}
