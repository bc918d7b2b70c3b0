/**
 * The Model Context Protocol: methods that the contract marks are tools of assistants. A door like the others: it turns a tool call
 * into a call and keeps nothing between two requests. Loaded only where `mcp.enabled` is true.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "#protos";
import type { Invoker } from "../calls/invoke.ts";
import type { Config } from "../config/index.ts";
import type { Contract } from "../contract/index.ts";
import type { Page, PathDoor } from "../http/server.ts";
import { forOldClients, methodTools } from "./catalogue.ts";
import { createPathDoor } from "./door.ts";
import { resourceMetadata } from "./metadata.ts";
import { toolServer } from "./tool-server.ts";

export interface McpParts {
  readonly invoker: Invoker;
  readonly contract: Pick<Contract, "sha256">;
  readonly config: Config;
}

export interface McpDoor {
  readonly door: PathDoor;
  /** What tells clients where tokens come from. */
  readonly pages: ReadonlyMap<string, Page>;
}

export function createMcpDoor({ invoker, contract, config }: McpParts): McpDoor {
  const { pages, urlOf } = resourceMetadata(config);
  const modern = methodTools(invoker.methods);
  const tools = { modern, legacy: forOldClients(modern) };
  const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as {
    version: string;
  };
  const info = { name: "switchyard", version, contract_sha256: contract.sha256 };
  const door = createPathDoor({
    invoker,
    path: config["mcp.path"],
    legacy: config["mcp.legacy"],
    errorsUrl: config["api.errors_url"],
    metadataUrl: urlOf,
    serverOf: (call, request, era) => toolServer({ invoker, tools: tools[era], info }, call, request),
  });
  return { door, pages };
}
