import type { Names } from "./names.ts";

export function indexOf({ module, one, words, snakeOne, folder }: Names): string {
  return `/**
 * Owns the ${words} of a tenant: entity (${snakeOne}, tenant, ""). TODO: what it promises, what can be lost.
 *
 * 1. \`record_version\` grows by one with every change, and only then.
 */
import { recordActor } from "../kit/methods.ts";
import type { Module } from "../module.ts";
import { ${one[0]!.toLowerCase()}${one.slice(1)}Resource } from "./record.ts";

export const ${module}: Module = {
  name: "${folder}",
  actors: [recordActor("${snakeOne}", ${one[0]!.toLowerCase()}${one.slice(1)}Resource)],
  tenantRoots: (tenant) => [{ kind: "${snakeOne}", tenant, key: "" }],
};
`;
}

export function recordOf({ one, many }: Names): string {
  return `import type { Create${one}Request } from "#protos";
import { Collection } from "../kit/collection.ts";
import type { Owned } from "../kit/record.ts";
import { type Given, ownedMessage, type Resource } from "../kit/resource.ts";

export interface ${one} extends Owned {
  readonly name: string;
  readonly description: string;
}

export const ${one[0]!.toLowerCase()}${one.slice(1)}Resource: Resource<${one}> = {
  service: "${one}Service",
  one: "${one}",
  many: "${many}",
  store: new Collection<${one}>({ filters: ["environment"] }),
  fields: ["name", "description"],
  required: ["name"],
  settingsOf: ({ name, description = "" }: Given<Create${one}Request>) => ({ name, description }),
  messageOf: ({ name, description, ...rest }) => ({ name, description, ...ownedMessage(rest) }),
};
`;
}

export function testOf({ one, many, snakeOne, snakeMany, module }: Names): string {
  return `import test from "ava";
import { EntityDriver } from "../../test/support/entity.ts";
import { ${module} } from "./index.ts";

type Message = Record<string, unknown>;

function start() {
  const driver = new EntityDriver(${module}.actors);
  const at = { kind: "${snakeOne}", tenant: "01JTENANT00000000000000000", key: "" };
  const call = (method: string, request: Message = {}) =>
    driver.ask(at, \`${one}Service.\${method}\`, request) as Message;
  return { driver, call };
}

test("given one that was created, get and list show it", (t) => {
  const { call } = start();
  const { id } = call("Create${one}", { name: "first" });
  t.like(call("Get${one}", { ${snakeOne}_id: id }), { name: "first", record_version: 1 });
  t.like(call("List${many}"), { ${snakeMany}: [{ id }], total: 1 });
});

test.todo("what only this module promises");
`;
}

/** A good and a bad call of every method, and what is decided about it. */
export function casesOf(names: Names): string {
  const { one, many, snakeOne } = names;
  const caseOf = (method: string, claim: string, rest: string) =>
    `  { method: "${one}Service.${method}", claim: "${claim}", ${rest} },`;
  const cases = [
    caseOf(`Create${one}`, "one is created", "request: () => ({ name: newName() })"),
    caseOf(`Create${one}`, "a name is required", "request: () => ({}), refused: invalid"),
    caseOf(`Get${one}`, "one is found by its id", "request: made"),
    caseOf(`Get${one}`, "an unknown one is not found", "...unknown"),
    caseOf(`List${many}`, "a page of the tenant's", "request: twoMade"),
    caseOf(
      `List${many}`,
      "another list's cursor is refused",
      'request: () => ({ page_token: "x" }), refused: invalid',
    ),
    caseOf(`Update${one}`, "only what is named changes", "request: changed"),
    caseOf(`Update${one}`, "an unknown one is not found", "...unknown"),
    caseOf(`Delete${one}`, "one is deleted", "request: made"),
    caseOf(`Delete${one}`, "an unknown one is not found", "...unknown"),
  ];
  return `import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

let count = 0;
/** New in every call, and a time, so that the answers of two interfaces compare as equal. */
const newName = () => new Date(count++).toISOString();

async function made(world: World) {
  const { id } = await world.call<{ id: string }>("${one}Service.Create${one}", { name: newName() });
  return { ${snakeOne}_id: id };
}

async function twoMade(world: World) {
  await made(world);
  await made(world);
  return { page_size: 1 };
}

const changed = async (world: World) => ({ ...(await made(world)), description: "Second" });
const invalid = "INVALID_ARGUMENT";
const unknown = { request: () => ({ ${snakeOne}_id: nobody }), refused: "NOT_FOUND" } as const;

export const cases: readonly Case[] = [
${cases.join("\n")}
];

export const decided = \`
${decidedOf(names)}\`;
`;
}

function decidedOf({ one, many, snakeOne, folder }: Names): string {
  const path = `/api/${folder}`;
  const lines = [
    [`Create${one}`, `POST ${path}`, "write", "I"],
    [`Get${one}`, `GET ${path}/{${snakeOne}_id}`, "read", "R"],
    [`List${many}`, `GET ${path}`, "read", "R C"],
    [`Update${one}`, `PATCH ${path}/{${snakeOne}_id}`, "write", "I"],
    [`Delete${one}`, `DELETE ${path}/{${snakeOne}_id}`, "delete", "I"],
  ];
  return lines
    .map(
      ([name, at, action, flags]) =>
        `${one}Service.${name!.padEnd(`Update${one}`.length)} | ${at} | ${snakeOne}:${action} | | ${flags}\n`,
    )
    .join("");
}
