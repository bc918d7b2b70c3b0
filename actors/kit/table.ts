import type { Context, Decision, RowWriter } from "#runtime";

/** Of commands, or of events. */
interface Typed {
  readonly type: string;
}

/** By type: all types there are, and no others. */
type Table<State, Given extends Typed, Tools, Result> = {
  readonly [Type in Given["type"]]: (
    state: State,
    given: Given & { readonly type: Type },
    tools: Tools,
  ) => Result;
};

/** What each command comes to, by its type. */
export function deciding<State, Command extends Typed, Event>(
  table: Table<State, Command, Context, Decision<Event>>,
): (state: State, command: Command, context: Context) => Decision<Event> {
  return choosing(table);
}

export type EventTable<State, Event extends Typed> = Table<State, Event, RowWriter, void>;

/** What each event changes, by its type. */
export function applying<State, Event extends Typed>(
  table: EventTable<State, Event>,
): (state: State, event: Event, rows: RowWriter) => void {
  return choosing(table);
}

function choosing<State, Given extends Typed, Tools, Result>(table: Table<State, Given, Tools, Result>) {
  return (state: State, given: Given, tools: Tools): Result => {
    const type: Given["type"] = given.type;
    return table[type](state, given as never, tools);
  };
}
