import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import anyTest, { type ExecutionContext, type TestFn } from "ava";
import { type ContractMethod, loadContract } from "../../gateway/contract/index.ts";
import { openApiYaml } from "../../gateway/discovery/openapi/document.ts";
import { modules } from "../support/module-parts.ts";
import { casesNeeding } from "../support/needing.ts";
import {
  type ClientCall,
  type GeneratedClient,
  pythonClient,
  typescriptClient,
} from "../support/openapi-clients.ts";
import type { Case } from "./cases/case.ts";
import { casesByArea } from "./cases/index.ts";
import { World } from "./cases/world.ts";
import { doorsOf } from "./support/clients.ts";
import { partsOf } from "./support/rest-client.ts";
import { startTestService, type TestService } from "./support/service.ts";

type Context = { service: TestService; folder: string };
const test = anyTest as TestFn<Context>;
const contract = loadContract();

const clients = { python: pythonClient, typescript: typescriptClient };

casesNeeding("clients that are made from the OpenAPI document", ["openapi generators"], () => {
  test.before(async (t) => {
    t.context = {
      service: await startTestService({ runtime: true }),
      folder: await mkdtemp(join(tmpdir(), "switchyard-clients-")),
    };
    const servers = { production: "/", staging: "/", local: "/" };
    const routes = modules.flatMap((module) => module.routes ?? []);
    const yaml = openApiYaml(contract, { plane: "external", apiVersion: "2024-01-01", servers, routes });
    await writeFile(join(t.context.folder, "openapi.yaml"), yaml);
  });

  test.after.always(async (t) => {
    await t.context.service?.close();
    if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true });
  });

  for (const [language, generate] of Object.entries(clients))
    test.serial(
      `${language}: a client made from the OpenAPI document calls every operation of every module`,
      (t) => callAll(t, generate),
    );
});

async function callAll(t: ExecutionContext<Context>, generate: typeof pythonClient): Promise<void> {
  t.timeout(280_000);
  const { service, folder } = t.context;
  const address = `http://127.0.0.1:${service.ports.uws}`;
  const client = await generate(join(folder, "openapi.yaml"), folder, address);
  const wanted = contract.methods.filter(isServed).map(({ name }) => name);
  const cases = goodCases(new Set(wanted));
  const failed: string[] = [];
  try {
    for (const one of cases.values()) failed.push(...(await callOne(service, client, one)));
  } finally {
    failed.push(...(await client.close()));
  }
  t.deepEqual(failed, []);
  t.deepEqual([...cases.keys()].sort(), [...wanted].sort());
}

/** An event stream has no end that a generated client would wait for. */
function isServed({ rest, governance, sse }: ContractMethod): boolean {
  return rest.length > 0 && !governance.internalOnly && sse === undefined;
}

/** The first of each method. */
function goodCases(wanted: ReadonlySet<string>): ReadonlyMap<string, Case> {
  const found = new Map<string, Case>();
  for (const one of Object.values(casesByArea).flat())
    if (one.refused === undefined && wanted.has(one.method) && !found.has(one.method))
      found.set(one.method, one);
  return found;
}

/** What went wrong. */
async function callOne(service: TestService, client: GeneratedClient, one: Case): Promise<string[]> {
  const method = contract.byName.get(one.method)!;
  const world = new World(doorsOf(service)["rest-node"]);
  const message = await one.request(world);
  // Cases send what an earlier call needed, too.
  const needed = method.headers.map((name) => [name, world.headers[name.toLowerCase()]!]);
  const called = await client.call(
    callOf(method, message, { ...one.headers, ...Object.fromEntries(needed) }),
  );
  const problems =
    called.status >= 200 && called.status < 300 ? called.problems : [...called.problems, called.status];
  return problems.map((problem) => `${one.method}: ${problem}`);
}

function callOf(method: ContractMethod, message: unknown, header: Record<string, string>): ClientCall {
  const { verb, template } = method.rest[0]!;
  const [named, ...pieces] = (Array.isArray(message) ? message : [message]) as Record<string, unknown>[];
  const parts = partsOf(method, named!);
  const bytes = method.kind === "client_streaming" ? pieces.map(({ data }) => data).join("") : undefined;
  const isDownload = method.raw !== undefined && bytes === undefined;
  return {
    operation: method.name.replace(".", "_"),
    verb,
    template: template.replaceAll(/=[^}]*\}/g, "}"),
    path: parts.path,
    query: parts.query,
    header,
    parseAs: method.mediaType !== undefined ? "text" : isDownload ? "arrayBuffer" : "json",
    ...(parts.body !== undefined && { body: parts.body }),
    ...(bytes !== undefined && { bytes }),
  };
}
