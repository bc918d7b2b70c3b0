import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import test from "ava";
import { parse } from "yaml";
import { modules } from "../../test/support/module-parts.ts";
import { loadConfig } from "../config/index.ts";
import { type Contract, loadContract } from "../contract/index.ts";
import { corsHeaders, preflightAnswer } from "../http/cors.ts";
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
  readonly "x-codeSamples"?: readonly { readonly label: string; readonly source: string }[];
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
  return openApiYaml(contract, { plane, apiVersion: "2024-01-01", servers, routes });
}

const routes = modules.flatMap((module) => module.routes ?? []);
const documents = new Map<string, Document>();

/** Read once: it is long. */
function documentOf(contract: Contract, plane: OpenApiOptions["plane"] = "external"): Document {
  const key = `${contract.methods.length} ${plane}`;
  const document = documents.get(key) ?? (parse(yamlOf(contract, plane)) as Document);
  documents.set(key, document);
  return document;
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
  pages.push("/docs/assets/{name}", "/docs/errors", "/docs/errors/{code}");
  pages.push("/docs/runbooks", "/docs/runbooks/{code}");
  for (const name of ["/health", "/ready", "/metrics"]) pages.push(name, `${name}z`, `${name}-z`);
  const sockets = "GET /api/streams/{service}/{method}";
  const plain = routes.flatMap(({ path, methods }) => Object.keys(methods).map((verb) => `${verb} ${path}`));
  t.true(plain.includes("POST /connect/hooks/{token}"));
  const all = [...bindings, ...pages.map((path) => `GET ${path}`), sockets, ...plain];
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
    t.is(operational.length, 17);
    const paths = operational.map(([address]) => address.slice("GET ".length));
    const patterns = paths.map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`));
    for (const path of pages.keys())
      t.true(
        patterns.some((pattern) => pattern.test(path)),
        path,
      );
    for (const [address, operation] of operational) {
      const code = address.includes("runbooks") ? "CLOCK_SKEW" : "NOT_FOUND";
      const values = { "{name}": "reference.css", "{code}": code };
      t.is(operation["x-service-lifecycle"], "operational", address);
      t.is(operation["x-service-audience"], "public", address);
      const { status, headers, body } = await pages.get(
        address.slice("GET ".length).replaceAll(/\{\w+\}/g, (name) => values[name as keyof typeof values]),
      )!({} as never);
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

test("every operation of the contract shows how it is called, each client by the name it has there", (t) => {
  const samples = (plane: "external" | "internal", address: string) => {
    const found = operationsOf(documentOf(product, plane)).get(address)?.["x-codeSamples"] ?? [];
    return new Map(found.map(({ label, source }) => [label, source]));
  };
  for (const plane of ["external", "internal"] as const)
    for (const { rest, governance, name } of product.methods) {
      const [binding] = rest;
      if (binding === undefined || (governance.internalOnly && plane === "external")) continue;
      const labels = governance.internalOnly ? 2 : 4;
      t.is(samples(plane, `${binding.verb} ${binding.template}`).size, labels, name);
    }
  const create = samples("external", "POST /api/pools");
  t.is(create.get("service"), "service pools create support --strategy round_robin");
  t.regex(create.get("curl")!, /^curl -sS -X POST "\$SWITCHYARD_URL\/api\/pools" /);
  t.regex(create.get("TypeScript")!, /await sy\.pools\.create\(\{ name: "support"/);
  t.regex(create.get("Python")!, /sy\.pools\.create\(name="support"/);
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
  t.like(parameters.ApiVersion, { schema: { type: "string", default: "2024-01-01" } });
  t.false("format" in parameters.ApiVersion!.schema);
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

test("a page of an allowed origin may send and read every header of the document", (t) => {
  const listed = (headers: Iterable<readonly [string, string]>, name: string) =>
    new Map(headers).get(name)!.toLowerCase().split(", ");
  const [policy, origin] = [{ allowedOrigins: ["https://app.test"] }, "https://app.test"];
  const allowed = listed(preflightAnswer(policy, origin).headers, "access-control-allow-headers");
  const exposed = listed(corsHeaders(policy, origin), "access-control-expose-headers");
  const document = documentOf(product);
  const { parameters, responses } = document.components as unknown as {
    readonly parameters: Record<string, { readonly name: string; readonly in: string }>;
    readonly responses: Record<string, { readonly headers?: object }>;
  };
  const sent = Object.values(parameters).flatMap(({ name, in: place }) => (place === "header" ? [name] : []));
  t.true(["X-Object-Receipt", "Last-Event-ID", "Range", "If-Range"].every((name) => sent.includes(name)));
  for (const name of sent) t.true(allowed.includes(name.toLowerCase()), name);
  const operations = [...operationsOf(document).values()];
  const answers = [...Object.values(responses), ...operations.flatMap((one) => Object.values(one.responses))];
  const read = new Set(answers.flatMap((one) => Object.keys((one as { headers?: object }).headers ?? {})));
  t.true(["Content-Range", "ETag", "Accept-Ranges"].every((name) => read.has(name)));
  // A browser lets every page read some; others are for itself, or for a proxy.
  const others = ["Content-Length", "Vary", "Content-Encoding", "Accept-Encoding", "X-Accel-Buffering"];
  for (const name of others) read.delete(name);
  for (const name of read) t.true(exposed.includes(name.toLowerCase()), name);
});

test("the object of a stream is described as it is served: raw bytes, its receipt, ranges and conditions", (t) => {
  const document = documentOf(product);
  const operations = operationsOf(document);
  const path = "/api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}";
  const described = (address: string) => {
    const { parameters, responses, requestBody } = operations.get(address)! as Operation & {
      readonly requestBody?: { readonly content: object };
    };
    const names = parameters.map(({ $ref, name }) => $ref?.split("/").at(-1) ?? name!);
    return {
      names,
      statuses: Object.keys(responses),
      queries: parameters.filter((parameter) => parameter.in === "query"),
      content: requestBody?.content,
    };
  };
  const bytes = { schema: { type: "string", format: "binary" } };
  const [upload, download, commit] = [`PUT ${path}`, `GET ${path}`, `POST ${path}/commit`].map(described);
  t.deepEqual(upload!.content, { "application/octet-stream": bytes });
  for (const { names, queries } of [upload!, commit!]) {
    t.true(names.includes("XObjectReceipt"));
    t.deepEqual(queries, []);
  }
  t.deepEqual(download!.queries, []);
  t.true(["Range", "IfRange", "IfMatch", "IfNoneMatch"].every((name) => download!.names.includes(name)));
  t.true(["200", "206", "304", "412", "416"].every((status) => download!.statuses.includes(status)));
  t.true(upload!.statuses.includes("413"));
  const records = described(`GET ${path.replace("objects/{object_id}", "records")}`);
  t.true(records.statuses.includes("410"));
});
