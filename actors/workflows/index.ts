/**
 * Owns workflow definitions: entity (workflow_definition, tenant, handle) is one, with its draft and its versions.
 *
 * 1. A version never changes, and an unchanged draft is not published twice.
 * 2. What is published has no problems: every expression compiles, and every step that it names can have run.
 * 3. Keys are unique in the tenant, and fixed.
 * 4. The publisher of a version held every permission that its steps need.
 *
 * Publishes workflow_definition.* with every new status and version; tells the directory the status.
 */
import { defineActor } from "#runtime";
import type { Module } from "../module.ts";
import type { EntityPurge } from "../shared/records/directory.ts";
import { type Command, decide } from "./definitions/decide.ts";
import { definitionDirectory } from "./definitions/directory.ts";
import type { DefinitionCreation } from "./definitions/record.ts";
import { definitionMethods, definitionOrchestrations } from "./definitions/service.ts";
import { apply, bytesOf, empty, resident, restore } from "./definitions/state.ts";

export { problemsOf } from "./body/check.ts";
export type { Problem } from "./body/problem.ts";

export const workflows: Module = {
  name: "workflows",
  actors: [
    defineActor({
      kind: "workflow_definition",
      placement: "key",
      empty,
      resident,
      restore,
      bytesOf,
      decide,
      apply,
      methods: definitionMethods,
      onMessage: (message): Command => message as DefinitionCreation | EntityPurge,
    }),
  ],
  directories: [definitionDirectory],
  orchestrations: definitionOrchestrations,
};
