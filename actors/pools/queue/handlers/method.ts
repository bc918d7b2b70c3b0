import type { EntityMethod } from "#runtime";
import { answered } from "../../../kit/methods.ts";
import type { Command } from "../decide.ts";
import type { ListCommand } from "../reads/list.ts";
import type { ViewCommand } from "../reads/view.ts";
import type { Event, State } from "../state.ts";

export type Method = EntityMethod<State, Command, Event>;
export type Methods = Readonly<Record<string, Method>>;

/** A method that changes nothing: it is answered with what was decided. */
export function readMethod<Request>(make: (request: Request) => ViewCommand | ListCommand): Method {
  return answered((request) => ({ ...make(request as Request), poolId: poolIdOf(request) }));
}

/** The pool that a request names, as it names it. */
export function poolIdOf(request: unknown): string | undefined {
  return (request as { readonly pool_id?: string }).pool_id;
}
