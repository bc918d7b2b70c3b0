import test from "ava";
import { parse } from "yaml";
import { limits } from "#base";
import { type ContractMethod, loadContract } from "../contract/index.ts";
import { openApiYaml } from "../discovery/openapi/document.ts";
import { Call } from "./call.ts";
import { deadlineOf } from "./deadline-of.ts";

const contract = loadContract();
const waiting = contract.methods.filter(({ kind, wait }) => kind === "unary" && wait !== undefined);

test("the methods that wait are known by their option", (t) => {
  const names = waiting.map(({ name }) => name);
  t.true(names.length > 5);
  for (const name of ["NotificationService.Trigger", "ConnectorService.ExecuteAction"])
    t.true(names.includes(name), name);
});

for (const method of waiting)
  test(`${method.name}: a wait that is not given has the deadline of its default written out`, (t) => {
    const wait = method.wait!;
    if ("ms" in wait) t.is(leftMs(method, {}), wait.ms + limits.longPollGraceMs);
    else {
      const told = shownDefault(method, wait.field);
      t.true(Number.isInteger(told), "the reference shows the default");
      t.is(leftMs(method, {}), leftMs(method, { [wait.field]: told }));
      t.is(leftMs(method, {}), told * wait.unitMs + limits.longPollGraceMs);
    }
  });

/** What the reference says; a method without a REST binding is not in it. */
function shownDefault({ rest, descriptor }: ContractMethod, field: string): number {
  const [binding] = rest;
  if (binding === undefined) return 0;
  const shown =
    binding.body === "*"
      ? document.components.schemas[bodyName(descriptor.input.name)]!.properties[field]
      : document.paths[binding.template]![binding.verb.toLowerCase()]!.parameters.find(
          ({ name }) => name === field,
        )?.schema;
  return shown?.default as number;
}

function bodyName(input: string): string {
  const body = `${input.replace(/Request$/, "")}Body`;
  return body in document.components.schemas ? body : input;
}

/** The message as the doors read it: validation fills it whether or not its other fields are there. */
function leftMs(method: ContractMethod, message: Record<string, unknown>): number {
  const source = { headers: { get: () => undefined }, signal: new AbortController().signal };
  const call = new Call({ method, plane: "external", protocol: "rest", source });
  method.validate(message);
  return deadlineOf(call, message) - call.startedAtMs;
}

interface Shown {
  readonly default?: unknown;
}

interface Document {
  readonly paths: Record<string, Record<string, { parameters: readonly { name?: string; schema: Shown }[] }>>;
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, Shown> }> };
}

const servers = { production: "/", staging: "/", local: "/" };
const document = parse(
  openApiYaml(contract, { plane: "external", apiVersion: "2024-01-01", servers }),
) as Document;
