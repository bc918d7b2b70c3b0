import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import anyTest, { type TestFn } from "ava";
import { parse } from "yaml";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { openApiYaml } from "../../gateway/discovery/openapi/document.ts";
import type { Case } from "./cases/case.ts";
import { casesByArea } from "./cases/index.ts";
import { World } from "./cases/world.ts";
import { type Door, doorsOf } from "./support/clients.ts";
import { sendRaw } from "./support/raw-client.ts";
import { requestOf } from "./support/rest-client.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; door: Door }>;

interface Content {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

interface Document {
  readonly components: { readonly responses: Readonly<Record<string, Content>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const servers = { production: "/", staging: "/", local: "/" };
const yaml = openApiYaml(probeContract, { plane: "external", apiVersion: "2024-01-01", servers });
const document = closed(parse(yaml)) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
for (const format of ["int32", "int64"]) ajv.addFormat(format, true);
ajv.addSchema(document as object, "openapi");

test.before(async (t) => {
  const service = await startTestService({ runtime: true });
  t.context = { service, door: doorsOf(service)["rest-node"] };
});

test.after.always(async (t) => {
  await t.context.service?.close();
});

for (const [area, cases] of Object.entries(casesByArea)) {
  const documented = cases.filter((one) => isDocumented(probeContract.byName.get(one.method)));
  // An area that is only on the internal plane is not in this document.
  if (documented.length === 0) continue;
  test(`${area}: every answer of REST matches the OpenAPI document, to the last field`, async (t) => {
    for (const one of documented) {
      const method = probeContract.byName.get(one.method)!;
      t.deepEqual(await problemsOf(method, one, t.context), [], `${one.method}: ${one.claim}`);
    }
  });
}

test("parts of an object, and refusals of its ranges and conditions, match the OpenAPI document", async (t) => {
  const { door, service } = t.context;
  const { method: name, request } = casesByArea["workflow-stream-object"]!.find(
    (one) => one.method === "WorkflowStreamService.GetObject" && one.refused === undefined,
  )!;
  const method = probeContract.byName.get(name)!;
  const { path } = requestOf(method, namedIn(await request(new World(door))));
  const { responses } = document.paths[method.rest[0]!.template]!.get!;
  for (const [status, headers] of [
    [206, { range: "bytes=1-2" }],
    [304, { "if-none-match": "*" }],
    [412, { "if-match": '"another"' }],
    [416, { range: "bytes=1000-" }],
  ] as const) {
    const answer = await sendRaw(service.ports.node, "GET", path, headers);
    t.is(answer.status, status);
    t.deepEqual(undocumentedHeaders(responses[status]!, answer.headers.keys()), [], String(status));
    if (status > 400)
      t.deepEqual(check(["components", "schemas", "Problem"], JSON.parse(answer.body.toString())), []);
  }
});

function isDocumented(method: ContractMethod | undefined): boolean {
  return method !== undefined && method.rest.length > 0 && !method.governance.internalOnly;
}

async function problemsOf(
  method: ContractMethod,
  one: Case,
  { door, service }: { door: Door; service: TestService },
): Promise<unknown[]> {
  const world = new World(door);
  const message = await one.request(world);
  const { template } = method.rest[0]!;
  const { verb, path, body } = requestOf(method, namedIn(message));
  const bytes = method.raw === undefined ? body : bytesIn(message);
  const headers = { ...one.headers, ...world.headers, ...(body !== undefined && json) };
  const answer = await sendRaw(service.ports.node, verb, path, headers, bytes);
  const text = answer.body.toString();
  const place = ["paths", template, verb.toLowerCase()];
  const operation = document.paths[template]![verb.toLowerCase()]!;
  const problems: unknown[] = [];
  if (answer.status < 400 && body !== undefined) {
    problems.push(
      ...check([...place, "requestBody", "content", "application/json", "schema"], JSON.parse(body)),
    );
  }
  // The probe refuses with any code it is asked for; methods of the product must document their codes.
  const response =
    operation.responses[answer.status] ??
    (template === "/api/probe/fail" ? operation.responses.default : undefined);
  if (response === undefined) return [...problems, `${answer.status} is not documented: ${text}`];
  problems.push(...undocumentedHeaders(response, answer.headers.keys()));
  if (answer.status === 204) return problems;
  const type = answer.headers.get("content-type")!;
  if (response.$ref !== undefined) {
    if (type !== "application/problem+json") problems.push(`${answer.status} is ${type}`);
    return [...problems, ...check(["components", "schemas", "Problem"], JSON.parse(text))];
  }
  const content = response.content ?? {};
  if (content[type] === undefined && content["*/*"] === undefined)
    return [...problems, `${type} is not documented`];
  if (type !== "application/json") return problems;
  const schema = [...place, "responses", String(answer.status), "content", type, "schema"];
  return [...problems, ...check(schema, JSON.parse(text))];
}

const json = { "content-type": "application/json" };

/** A stream's first message names what it is about. */
function namedIn(message: unknown): Record<string, unknown> {
  return (Array.isArray(message) ? message[0] : message) as Record<string, unknown>;
}

function bytesIn(message: unknown): Buffer {
  const [, ...pieces] = message as { data?: string }[];
  return Buffer.concat(pieces.map(({ data = "" }) => Buffer.from(data, "base64")));
}

/** Headers of every server, or documented once for the whole API in docs/api.md. */
const general = [
  ...["cache-control", "connection", "content-length", "content-type", "date", "keep-alive"],
  ...["deprecation", "link", "sunset", "transfer-encoding"],
];

function undocumentedHeaders(
  response: Content & { readonly $ref?: string },
  names: Iterable<string>,
): readonly string[] {
  const { headers = {} } =
    response.$ref === undefined
      ? response
      : document.components.responses[response.$ref.slice("#/components/responses/".length)]!;
  const known = new Set([...general, ...Object.keys(headers).map((name) => name.toLowerCase())]);
  return [...names].filter((name) => !known.has(name)).map((name) => `the header ${name} is not documented`);
}

function check(place: readonly string[], value: unknown): readonly unknown[] {
  const pointer = place
    .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/");
  const validate = ajv.getSchema(`openapi#/${pointer}`);
  if (validate === undefined) return [`there is no ${place.join(" ")}`];
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => ({ instancePath, message, params }));
}

/**
 * The document with every object closed, so that an undocumented field is an error. Only problem documents may have
 * more fields.
 */
function closed(node: unknown, name = ""): unknown {
  if (Array.isArray(node)) return node.map((item) => closed(item));
  if (typeof node !== "object" || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closed(value, key)]),
  );
  const isObject = copy.type === "object" && typeof copy.properties === "object";
  return isObject && name !== "Problem" ? { additionalProperties: false, ...copy } : copy;
}
