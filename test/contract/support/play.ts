import { setTimeout as sleep } from "node:timers/promises";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import type { Case } from "../cases/case.ts";
import { World } from "../cases/world.ts";
import type { Door, Outcome, StreamOptions } from "./clients.ts";

export type Unary = (
  method: ContractMethod,
  request: Readonly<Record<string, unknown>>,
  headers: Record<string, string>,
) => Promise<Outcome>;
export type Streaming = (
  method: ContractMethod,
  messages: readonly Readonly<Record<string, unknown>>[],
  options: StreamOptions & { readonly headers: Record<string, string> },
) => Promise<Outcome>;

/** One case: what it needs is made through the door, the call itself is made by the client. */
export async function play(
  door: Door,
  method: ContractMethod,
  one: Case,
  { unary, stream }: { readonly unary: Unary; readonly stream: Streaming },
): Promise<Outcome> {
  const world = new World(door);
  const request = await one.request(world);
  const headers = { ...one.headers, ...world.headers };
  const { take, first, meanwhile } = one;
  const pending =
    method.kind === "unary"
      ? unary(method, request as Record<string, unknown>, headers)
      : stream(method, request as Record<string, unknown>[], {
          headers,
          ...(take !== undefined && { take }),
        });
  const outcome = await (meanwhile === undefined ? pending : busily(pending, () => meanwhile(world)));
  return first === undefined || !outcome.ok
    ? outcome
    : { ...outcome, message: firstWith(first, outcome.message) };
}

/** That member alone: whether the answer has others, such as a cursor, depends on the time as well. */
function firstWith(member: string, answers: unknown): readonly unknown[] {
  const found = (answers as readonly Record<string, unknown>[]).find(
    (answer) => answer[member] !== undefined,
  );
  return found === undefined ? [] : [{ [member]: found[member] }];
}

async function busily<T>(pending: Promise<T>, act: () => Promise<void>): Promise<T> {
  let over = false;
  const done = pending.finally(() => {
    over = true;
  });
  while (!over) {
    await act();
    await sleep(50);
  }
  return done;
}
