import type { Refusal } from "#base";
import type { Decided, Park } from "../actor.ts";
import type { Answer } from "../ask.ts";
import type { AskWork } from "./cell.ts";

/** What a step of a command hands on: what becomes of the command next. */
export type Next =
  /** Rows have to be read first; then the command begins again. */
  | { readonly next: "read"; readonly read: (done: (failure: unknown) => void) => void }
  | { readonly next: "apply"; readonly decided: Decided<unknown> }
  /** It ran: this is its part of the commit of the turn. */
  | Ran
  /** Its caller is told this by what the cell has come to. */
  | { readonly next: "answer"; readonly reply: Answer }
  /** As `answer`; a method that asks for it has a commit prove first who the owner is. */
  | { readonly next: "confirm"; readonly reply: Answer }
  /** A stored answer waits again for the messages that it had to wait for. */
  | { readonly next: "replay"; readonly reply: Answer }
  | { readonly next: "suspend"; readonly park: Park["park"] }
  /** The same request is suspended: this one has its answer when that has one. */
  | { readonly next: "follow"; readonly leader: AskWork }
  /** Not now: it goes back to its caller, its sender or its timer. */
  | { readonly next: "return"; readonly refusal: Refusal }
  /** A message that was applied before. */
  | { readonly next: "settle" }
  /** A timer that was moved or cleared since: only its row is left. */
  | { readonly next: "clear"; readonly timerId: string; readonly dueMs: number }
  /** A step of an effect does not count. */
  | { readonly next: "reject"; readonly reply: () => void };

export interface Ran {
  readonly next: "commit";
  /** What its caller is told when the commit is durable; absent: nothing, or not yet. */
  readonly reply?: Answer;
  /** It changed nothing: the reply tells what was seen. */
  readonly seen?: true;
  /** It is not answered yet: it is suspended until then when the turn is closed. */
  readonly park?: Park["park"];
  /** Messages that the reply waits for. */
  readonly sends?: readonly number[];
  /** It shares its turn with none that comes after it. */
  readonly last?: true;
}
