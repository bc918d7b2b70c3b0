import type { EntityMethod } from "#runtime";
import type { Directory } from "../kit/directory.ts";
import { findInDirectory, listDirectory } from "../kit/entity-list.ts";
import { answered, answering } from "../kit/methods.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** The creates of all directories, and what modules ask of any of them. */
export function methodsOf(directories: readonly Directory[]): Readonly<Record<string, Method>> {
  const creates = directories.flatMap(({ create }) => (create ? [create.method] : []));
  return {
    ...Object.fromEntries(creates.map((method) => [method, createMethod])),
    [listDirectory.name]: answering(listDirectory, (request) => ({ type: "list", request })),
    [findInDirectory.name]: answering(findInDirectory, ({ name }) => ({ type: "find", name })),
  };
}

const createMethod: Method = answered((request: never) => ({ type: "create", request }));
