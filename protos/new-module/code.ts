import type { Names } from "./names.ts";

export function indexOf({ module, one, many, snakeOne, folder }: Names): string {
  return `/**
 * TODO: what the module owns, what it promises, what can be lost. Owns the ${many} of a tenant: entity (${snakeOne}, tenant, "").
 *
 * 1. \`record_version\` grows by one with every change, and only then.
 */
import type { Module } from "../module.ts";
import { recordActor } from "../kit/methods.ts";
import { ${one[0]!.toLowerCase()}${one.slice(1)}Resource } from "./record.ts";

export const ${module}: Module = {
  name: "${folder}",
  actors: [recordActor("${snakeOne}", ${one[0]!.toLowerCase()}${one.slice(1)}Resource)],
  tenantRoots: (tenant) => [{ kind: "${snakeOne}", tenant, key: "" }],
};
`;
}

export function recordOf({ one, many }: Names): string {
  return `import { Collection } from "../kit/collection.ts";
import type { Owned } from "../kit/record.ts";
import { ownedMessage, type Resource } from "../kit/resource.ts";

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
  settingsOf: ({ name, description }) => ({
    name: name as string,
    description: (description as string | undefined) ?? "",
  }),
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
  const unknown = `() => ({ ${snakeOne}_id: nobody })`;
  const made = (more = "") => `async (world) => ({ ${snakeOne}_id: await create(world)${more} })`;
  const page = `async (world) => {
      await create(world);
      await create(world);
      return { page_size: 1 };
    }`;
  const texts = [
    caseOf(`${one}Service.Create${one}`, "one is created with its defaults", "() => ({ name: newName() })"),
    caseOf(`${one}Service.Create${one}`, "a name is required", "() => ({})", "INVALID_ARGUMENT"),
    caseOf(`${one}Service.Get${one}`, "one is found by its id", made()),
    caseOf(`${one}Service.Get${one}`, "an unknown one is not found", unknown, "NOT_FOUND"),
    caseOf(`${one}Service.List${many}`, "a page of the tenant's", page),
    caseOf(
      `${one}Service.List${many}`,
      "a cursor of another list is refused",
      '() => ({ page_token: "none" })',
      "INVALID_ARGUMENT",
    ),
    caseOf(`${one}Service.Update${one}`, "only what is named changes", made(', description: "Second"')),
    caseOf(`${one}Service.Update${one}`, "an unknown one is not found", unknown, "NOT_FOUND"),
    caseOf(`${one}Service.Delete${one}`, "one is deleted", made()),
    caseOf(`${one}Service.Delete${one}`, "an unknown one is not found", unknown, "NOT_FOUND"),
  ];
  return `import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

let made = 0;
/** New in every call, and a time, so that the answers of two doors compare as equal. */
const newName = () => new Date(made++).toISOString();

async function create(world: World): Promise<string> {
  const { id } = await world.call<{ id: string }>("${one}Service.Create${one}", { name: newName() });
  return id;
}

export const cases: readonly Case[] = [
${texts.join("\n")}
];

export const decided = \`
${decidedOf(names)}\`;
`;
}

function caseOf(method: string, claim: string, request: string, refused?: string): string {
  const lines = [`method: "${method}",`, `claim: "${claim}",`, `request: ${request},`];
  if (refused !== undefined) lines.push(`refused: "${refused}",`);
  return `  {\n${lines.map((line) => `    ${line}\n`).join("")}  },`;
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
