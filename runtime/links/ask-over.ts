import { type Refusal, refuse } from "#base";
import type { Answer, Ask } from "../ask.ts";
import type { Delivery } from "../shard/outbox.ts";
import { sizeOfPlain } from "../shard/plain.ts";
import { packAsk } from "./ask-codec.ts";
import type { Link } from "./link.ts";

const gone = refuse("CANCELLED", "the caller went away");

/** Hands an ask to the peer; a caller that goes away is told to it. */
export function askOver(
  link: Link,
  operation: "ask" | "askHere",
  ask: Ask,
  reply: (answer: Answer) => void,
): void {
  const { signal } = ask;
  if (signal?.aborted) {
    reply(gone);
    return;
  }
  const bytes = ask.bytes ?? sizeOfPlain(ask.request);
  const packed = packAsk(ask, bytes);
  if (signal === undefined) {
    link.call(operation, packed, (refusal, answer) => reply(refusal ?? answer), bytes);
    return;
  }
  const onAbort = () => link.cancel(call);
  const answered = (refusal: Refusal | undefined, answer: Answer) => {
    signal.removeEventListener("abort", onAbort);
    reply(refusal ?? answer);
  };
  const call = link.call(operation, packed, answered, bytes);
  if (call > 0) signal.addEventListener("abort", onAbort, { once: true });
}

export function deliverOver(
  link: Link,
  operation: "deliver" | "deliverHere",
  delivery: Delivery,
  reply: (refusal: Refusal | undefined) => void,
): void {
  link.call(operation, delivery, (refusal, answer) => reply(refusal ?? answer ?? undefined));
}
