/**
 * Clients of the service that others' generators make from its OpenAPI document: a Python package by openapi-python-client, and types
 * by openapi-typescript for openapi-fetch. `.ci/openapi-clients` installs them.
 */
import { execFile, spawn } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openApiGenerators } from "./parts.ts";

const run = promisify(execFile);
const here = fileURLToPath(new URL("openapi-clients/", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const home = openApiGenerators() ?? "";

/** One call, as the document names its parts. */
export interface ClientCall {
  readonly operation: string;
  readonly verb: string;
  readonly template: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** In base64, instead of `body`. */
  readonly bytes?: string;
  /** How the answer is read. */
  readonly parseAs: "json" | "text" | "arrayBuffer";
}

interface Called {
  /** 0: it could not be sent or read. */
  readonly status: number;
  readonly problems: readonly string[];
}

export interface GeneratedClient {
  call(call: ClientCall): Promise<Called>;
  /** What is found when all calls were made. */
  close(): Promise<readonly string[]>;
}

/** A warning of the generator is an error: it leaves out what it warns of. */
export async function pythonClient(
  document: string,
  folder: string,
  address: string,
): Promise<GeneratedClient> {
  const python = join(home, "python/bin/python");
  const made = join(folder, "switchyard_client");
  await run(python, [
    ...["-m", "openapi_python_client", "generate", "--path", document, "--output-path", made],
    ...["--meta", "none", "--config", join(here, "python.yaml"), "--fail-on-warning"],
  ]).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`openapi-python-client: ${error.stdout}${error.stderr}`);
  });
  const process = spawn(python, ["-B", join(here, "call.py"), made, address], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  return {
    async call(call) {
      process.stdin.write(`${JSON.stringify(call)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("the Python client has ended");
      return JSON.parse(value) as Called;
    },
    async close() {
      process.stdin.end();
      return [];
    },
  };
}

interface Fetching {
  request(verb: string, path: string, init: object): Promise<{ error?: unknown; response: Response }>;
}

/** Calls are made at once; that the types allow them is checked for all of them in the end, by our own TypeScript. */
export async function typescriptClient(
  document: string,
  folder: string,
  address: string,
): Promise<GeneratedClient> {
  const cli = join(home, "node_modules/openapi-typescript/bin/cli.js");
  // What has a default may be left out of a request.
  await run(process.execPath, [cli, document, "-o", join(folder, "api.ts"), "--default-non-nullable=false"]);
  const library = join(home, "node_modules/openapi-fetch/dist/index.mjs");
  const { default: createClient } = (await import(pathToFileURL(library).href)) as {
    default(options: { baseUrl: string }): Fetching;
  };
  const client = createClient({ baseUrl: address });
  const lines: string[] = [];
  return {
    async call({ verb, template, path, query, header, body, bytes, parseAs }) {
      const places = Object.entries({ path, query, header });
      const params = Object.fromEntries(places.filter(([, values]) => Object.keys(values).length > 0));
      const raw = bytes === undefined ? undefined : Buffer.from(bytes, "base64");
      const init = {
        params,
        ...(raw !== undefined && { body: raw, bodySerializer: (whole: Uint8Array) => whole }),
        ...(body !== undefined && { body }),
        parseAs,
      };
      const written = { params, ...(body !== undefined && { body }), ...(raw !== undefined && { body: "" }) };
      lines.push(`client.${verb}(${JSON.stringify(template)}, ${JSON.stringify(written)});`);
      const { error, response } = await client.request(verb.toLowerCase(), template, init);
      return { status: response.status, problems: error === undefined ? [] : [JSON.stringify(error)] };
    },
    close: () => typeErrors(folder, lines),
  };
}

/** A line for each; none: every call is as the types say. */
async function typeErrors(folder: string, lines: readonly string[]): Promise<readonly string[]> {
  const head = [
    'import createClient from "openapi-fetch";',
    'import type { paths } from "./api.ts";',
    'const client = createClient<paths>({ baseUrl: "" });',
  ];
  writeFileSync(join(folder, "calls.ts"), [...head, ...lines, ""].join("\n"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(home, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true, types: [] },
    ...{ target: "es2023", module: "nodenext", lib: ["es2023", "dom"], allowImportingTsExtensions: true },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["calls.ts"] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    await run(process.execPath, [tsc, "-p", folder], { maxBuffer: 64 * 1024 * 1024 });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.split("\n").map((line) => {
      const at = /calls\.ts\((\d+),/.exec(line)?.[1];
      return at === undefined ? line : `${line} ${lines[Number(at) - 1 - head.length]}`;
    });
  }
}
