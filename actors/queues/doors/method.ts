import type { EntityMethod } from "#runtime";
import type { Command } from "../decide.ts";
import { type ListCommand, list } from "../reads/list.ts";
import { type ViewCommand, view } from "../reads/view.ts";
import type { Event, State } from "../state.ts";

export type Method = EntityMethod<State, Command, Event>;
export type Methods = Readonly<Record<string, Method>>;

/** A method whose answer is read from the state, before and after alike. */
export function viewMethod<Request>(make: (request: Request) => ViewCommand): Method {
  return {
    command: (request) => inPool(request, make(request as Request)),
    respond: (state, _events, command, context) => view(state, command as ViewCommand, context, []),
  };
}

export function listMethod<Request>(make: (request: Request) => ListCommand): Method {
  return {
    command: (request) => inPool(request, make(request as Request)),
    respond: (state, _events, command, context) => list(state, command as ListCommand, context, []),
  };
}

/** The command of a request that names its pool, as it names it. */
export function inPool(request: unknown, command: Command): Command {
  const { pool_id } = request as { pool_id?: string };
  if (pool_id === undefined) return command;
  // Nobody else has the command yet.
  (command as { poolId?: string }).poolId = pool_id;
  return command;
}
