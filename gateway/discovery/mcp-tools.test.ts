import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import test from "ava";
import { loadContract } from "../contract/index.ts";
import { toolsJson } from "./mcp-tools.ts";

const written = readFileSync(new URL("../../protos/gen/mcp-tools.json", import.meta.url), "utf8");
const tools = JSON.parse(written) as Record<string, unknown>[];

test("protos/gen/mcp-tools.json is what the contract gives", (t) => {
  t.is(written, toolsJson(loadContract()));
});

test("a tool is named by package, service and method; its schemas stand alone", (t) => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  for (const { name, method, description, inputSchema, outputSchema } of tools) {
    t.is(name, `api_${String(method).replace(".", "_").toLowerCase()}`);
    t.regex(String(description), /^[A-Z].+/s, String(name));
    for (const schema of [inputSchema, outputSchema] as object[]) {
      t.like(schema, { type: "object" });
      t.notThrows(() => ajv.compile(schema), String(name));
    }
  }
});

test("a trigger takes an idempotency key, what reads does not", (t) => {
  for (const { annotations, inputSchema } of tools) {
    const { properties } = inputSchema as { properties: object };
    t.is("idempotency_key" in properties, !(annotations as { readOnlyHint: boolean }).readOnlyHint);
  }
});
