import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import test from "ava";
import { parse } from "yaml";
import { loadConfig } from "../config/index.ts";
import { type Contract, loadContract } from "../contract/index.ts";
import { operationsPages } from "../ops/index.ts";
import { discoveryPages } from "./index.ts";
import { type OpenApiOptions, openApiYaml } from "./openapi/document.ts";

const probe = new URL("../../test/contract/probe/probe.binpb", import.meta.url);
const product = loadContract();
const withProbe = loadContract({ extra: readFileSync(probe), extraPackages: ["service.probe"] });

interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security: readonly object[];
  readonly [extension: `x-service-${string}`]: unknown;
}

interface Document {
  readonly info: { readonly "x-contract-sha256": string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: object;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

function yamlOf(contract: Contract, plane: OpenApiOptions["plane"]): string {
  const servers = { production: "/", staging: "https://staging.test", local: "http://127.0.0.1:8080" };
  return openApiYaml(contract, { plane, apiVersion: "2024-01-01", servers });
}

function documentOf(contract: Contract, plane: OpenApiOptions["plane"] = "external"): Document {
  return parse(yamlOf(contract, plane)) as Document;
}

function operationsOf(document: Document): Map<string, Operation> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([verb, operation]) => [`${verb.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );
}

for (const plane of ["external", "internal"] as const) {
  test(`an independent validator finds the document of the ${plane} plane valid, references included`, async (t) => {
    for (const contract of [product, withProbe]) {
      const validator = new Validator();
      const result = await validator.validate(yamlOf(contract, plane));
      t.deepEqual(result.errors ?? [], []);
      t.true(result.valid);
      t.notThrows(() => validator.resolveRefs());
    }
  });
}

test("there is one operation per REST binding and per page of operators, and no other", (t) => {
  const bindings = product.methods
    .filter(({ governance }) => !governance.internalOnly)
    .flatMap(({ rest }) => rest.map(({ verb, template }) => `${verb} ${template}`));
  t.true(bindings.length > 10);
  const pages = ["/openapi.yaml", "/docs", "/docs/"];
  for (const name of ["/health", "/ready", "/metrics"]) pages.push(name, `${name}z`, `${name}-z`);
  const connect = ["GET /connect/callback", "GET /connect/{token}", "POST /connect/{token}"];
  const all = [...bindings, ...pages.map((path) => `GET ${path}`), ...connect];
  t.deepEqual([...operationsOf(documentOf(product)).keys()].sort(), all.sort());
});

for (const plane of ["external", "internal"] as const)
  test(`every page of operators answers on the ${plane} plane as the document says`, async (t) => {
    const { config } = loadConfig({ profile: "dev", environment: {}, set: [] });
    const unhealthy = { status: "unhealthy", detail: "no answer in time" } as const;
    const components = { database: unhealthy, cache: unhealthy, queue: unhealthy };
    const readiness = { ready: false, status: "not_ready", components } as const;
    const pages = new Map([
      ...operationsPages({ readiness: async () => readiness, metrics: async () => "up 1\n" }),
      ...discoveryPages({ contract: product, config, plane, apiVersion: "2024-01-01" }),
    ]);
    const operational = [...operationsOf(documentOf(product, plane))].filter(([, operation]) =>
      operation.operationId.startsWith("Operations_"),
    );
    t.is(operational.length, 12);
    for (const [address, operation] of operational) {
      t.is(operation["x-service-lifecycle"], "operational", address);
      t.is(operation["x-service-audience"], "public", address);
      const { status, headers, body } = await pages.get(address.slice("GET ".length))!({} as never);
      const described = operation.responses[status] as { content: Record<string, { schema: object }> };
      const type = new Map(headers).get("content-type")!.split(";")[0]!;
      const schema = described.content[type]?.schema;
      t.truthy(schema, `${address} ${status} ${type}`);
      const value = type === "application/json" ? JSON.parse(String(body)) : String(body);
      t.true(new Ajv2020().validate(schema!, value), address);
    }
  });

test("operation ids are unique", (t) => {
  const ids = [...operationsOf(documentOf(product)).values()].map(({ operationId }) => operationId);
  t.is(new Set(ids).size, ids.length);
});

test("every operation carries its nine governance fields, its security and its problems", (t) => {
  for (const [address, operation] of operationsOf(documentOf(withProbe))) {
    const extensions = Object.keys(operation).filter((key) => key.startsWith("x-service-"));
    t.is(extensions.length, 9, address);
    t.true(operation.responses.default !== undefined && operation.responses[400] !== undefined, address);
    t.is(operation.security.length, operation["x-service-authentication-required"] === true ? 2 : 0, address);
  }
});

test("the document declares three servers, two security schemes and the contract it was made from", (t) => {
  const document = documentOf(product);
  t.deepEqual(
    document.servers.map(({ description }) => description),
    ["Production", "Staging", "Local development"],
  );
  t.deepEqual(document.components.securitySchemes as object, {
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An access token." },
    apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "A key made by an admin." },
  });
  t.is(document.info["x-contract-sha256"], product.sha256);
});

test("internal-only methods are on the internal plane's document only", (t) => {
  const address = "POST /api/probe/internal-echo";
  t.false(operationsOf(documentOf(withProbe)).has(address));
  t.true(operationsOf(documentOf(withProbe, "internal")).get(address)?.["x-service-internal-only"] === true);
});

test("a list is described as REST answers it, in both conventions", (t) => {
  const operations = operationsOf(documentOf(withProbe));
  const answer = (address: string) =>
    JSON.stringify((operations.get(address)!.responses[200] as { content: object }).content);
  t.regex(answer("GET /api/pools"), /next_cursor.*has_more/);
  t.regex(answer("GET /api/probe/goods"), /"page".*"per_page"/);
  const names = operations
    .get("GET /api/pools")!
    .parameters.map(({ $ref, name }) => $ref?.split("/").at(-1) ?? name);
  t.true(["Limit", "Cursor", "Offset", "status"].every((name) => names.includes(name)));
  t.false(names.includes("page_token"));
});

test("a deprecated method is marked", (t) => {
  t.true(operationsOf(documentOf(withProbe)).get("POST /api/probe/old-echo")?.deprecated);
});

test("a create answers 201, and a merge patch does not ask for its mask", (t) => {
  const document = documentOf(product);
  const operations = operationsOf(document);
  t.deepEqual(Object.keys(operations.get("POST /api/pools")!.responses).includes("201"), true);
  const body = document.components.schemas.UpdatePoolBody as { properties: object };
  t.false("update_mask" in body.properties || "pool_id" in body.properties);
  t.true("record_version" in body.properties);
});

test("where a request must have exactly one of some fields, the document says so", (t) => {
  const { schemas } = documentOf(product).components;
  const exactlyOne = (...names: string[]) => [{ oneOf: names.map((name) => ({ required: [name] })) }];
  t.like(schemas.RuleAction, {
    allOf: exactlyOne("restrict", "prefer", "set_priority", "redirect", "reject"),
  });
  t.like(schemas.RecordOutcomeRequest, { allOf: exactlyOne("routing_id", "queue_item_id") });
});

test("closed sets are listed in answers too, without the value that stands for none", (t) => {
  const { schemas } = documentOf(product).components;
  const values = (message: string, field: string) =>
    (schemas[message] as { properties: Record<string, { enum?: string[] }> }).properties[field]?.enum;
  for (const [message, field, one] of [
    ["Pool", "strategy", "sticky_hash"],
    ["Pool", "status", "STATUS_DISABLED"],
    ["QueueItem", "state", "retry_wait"],
    ["Settlement", "state", "completed"],
    ["Admission", "outcome", "debounced"],
    ["AdmissionGroup", "constraint_kind", "throttle"],
    ["AdmissionGroup", "status", "cleared"],
    ["RetryAllOperation", "state", "running"],
    ["Outcome", "result", "timeout"],
  ] as const) {
    t.true(values(message, field)?.includes(one), `${message}.${field}`);
    t.false(values(message, field)!.includes("STATUS_UNSPECIFIED"));
  }
});

test("404 is there wherever a request names something, in its path or not", (t) => {
  const operations = operationsOf(documentOf(product));
  const answers = (id: string) =>
    Object.keys([...operations.values()].find(({ operationId }) => operationId === id)!.responses);
  for (const id of [
    "PoolService_GetPool",
    "OutcomeService_RecordOutcome",
    "AdmissionService_ListAdmissionGroups",
  ])
    t.true(answers(id).includes("404"), id);
  t.false(answers("PoolService_ListPools").includes("404"));
});

test("headers are described as the server takes them: no bound on X-Request-ID, the served versions, tags where a version is compared", (t) => {
  const document = documentOf(product);
  const { parameters } = document.components as unknown as {
    readonly parameters: Record<string, { readonly schema: object; readonly description: string }>;
  };
  t.deepEqual(parameters.RequestId!.schema, { type: "string" });
  t.like(parameters.ApiVersion, { schema: { format: "date", default: "2024-01-01" } });
  t.regex(parameters.ApiVersion!.description, /from 2024-01-01 to 2024-01-01; any other is 400/);
  const operations = operationsOf(document);
  const takes = (address: string, name: string) =>
    operations.get(address)!.parameters.some(({ $ref }) => $ref?.endsWith(`/${name}`));
  for (const address of [
    "PATCH /api/pools/{pool_id}",
    "GET /api/pools/{pool_id}",
    "DELETE /api/rules/{rule_id}",
  ]) {
    t.true(takes(address, "IfMatch"), address);
    t.true("412" in operations.get(address)!.responses, address);
  }
  t.false(takes("GET /api/pools", "IfMatch"));
  t.false(takes("POST /api/recipients/{recipient_id}/pause", "IfMatch"));
});
