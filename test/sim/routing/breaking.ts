import type { AnyActorDefinition, Context, Decision, RowWriter } from "../../../runtime/index.ts";

type Command = { readonly type: string; readonly entries?: readonly unknown[] };
/** Ways to break a module from outside: what it decides, applies or writes. */
type Break = (actor: AnyActorDefinition) => AnyActorDefinition;

export function deciding(
  kind: string,
  instead: (
    decide: (command: Command, context: Context) => Decision<unknown>,
    state: unknown,
    command: Command,
    context: Context,
  ) => Decision<unknown>,
): Break {
  return (actor) => {
    if (actor.kind !== kind) return actor;
    return {
      ...actor,
      decide: (state, command, context) =>
        instead((given, within) => actor.decide(state, given, within), state, command as Command, context),
    };
  };
}

export function applying(
  kind: string,
  instead: (apply: (event: unknown, rows?: RowWriter) => void, event: unknown, rows: RowWriter) => void,
): Break {
  return (actor) => {
    if (actor.kind !== kind) return actor;
    return {
      ...actor,
      apply: (state, event, rows) =>
        instead((given, within = rows) => actor.apply(state, given, within), event, rows),
    };
  };
}

export function writing(kind: string, instead: (rows: RowWriter) => Partial<RowWriter>): Break {
  return (actor) => {
    if (actor.kind !== kind) return actor;
    return {
      ...actor,
      apply: (state, event, rows) => actor.apply(state, event, changed(rows, instead(rows))),
      ...(actor.beforeCommit && {
        beforeCommit: (state, rows) => actor.beforeCommit!(state, changed(rows, instead(rows))),
      }),
    };
  };
}

/** A copy of the object with some of its members replaced. */
export function changed<T extends object>(original: T, members: object): T {
  return new Proxy(original, {
    get: (target, name) => {
      if (name in members) return members[name as keyof typeof members];
      const value: unknown = target[name as keyof T];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export function except(rows: RowWriter, kept: string): Partial<RowWriter> {
  return {
    delete: (collection, key) => {
      if (collection !== kept) rows.delete(collection, key);
    },
  };
}
