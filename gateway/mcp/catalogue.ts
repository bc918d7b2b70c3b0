import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "@modelcontextprotocol/server";
import { packageRoot } from "#protos";
import type { ContractMethod } from "../contract/index.ts";

/** A method as assistants see it. */
export interface MethodTool {
  readonly method: ContractMethod;
  readonly shown: Tool;
}

type Tools = ReadonlyMap<string, MethodTool>;

/** Those that were committed: none appears unseen. By name. */
export function methodTools(methods: readonly ContractMethod[]): Tools {
  const text = readFileSync(join(packageRoot(), "protos/gen/mcp-tools.json"), "utf8");
  const written: readonly (Tool & { readonly method: string })[] = JSON.parse(text);
  const byName = new Map(methods.map((method) => [method.name, method]));
  return new Map(
    written.flatMap(({ method: name, ...shown }) => {
      const method = byName.get(name);
      return method === undefined ? [] : [[shown.name, { method, shown }] as const];
    }),
  );
}

/** Clients of 2025 hold refusals against the schema of the answer too: theirs allows both. */
export function forOldClients(tools: Tools): Tools {
  const both = ({ outputSchema = {}, ...shown }: Tool): Tool => {
    const { $defs, ...answer } = outputSchema;
    return {
      ...shown,
      outputSchema: { type: "object", anyOf: [answer, refusal], ...($defs !== undefined && { $defs }) },
    };
  };
  return new Map([...tools].map(([name, { method, shown }]) => [name, { method, shown: both(shown) }]));
}

const refusal = { type: "object", required: ["errorCode", "retryable", "detail"] };
