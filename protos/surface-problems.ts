import type { DescMessage, DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { governanceOf, type MethodOptions } from "./options.ts";

/** `commands`: those of the methods before it. */
export function commandProblems(
  { http, method }: MethodOptions,
  { input, name }: DescMethod,
  commands: Map<string, string>,
): string[] {
  const { cli, columns } = method ?? {};
  if (cli === undefined) {
    if (http !== undefined) return ["has a REST path and no command (`cli`)"];
    return columns === undefined ? [] : ["has columns and no command (`cli`)"];
  }
  if (http === undefined) return ["has a command (`cli`) and no REST path, by which it would be called"];
  const problems: string[] = [];
  const [group = "", verb = "", ...args] = cli.split(" ");
  const command = `${group} ${verb}`.trim();
  if (![group, verb].every((word) => /^([a-z][a-z0-9]*(-[a-z0-9]+)*)?$/.test(word)) || group === "")
    problems.push(`cli: "${command}" is not in words of a-z, 0-9 and -`);
  const other = commands.get(command);
  if (other !== undefined) problems.push(`cli: ${other} has the command "${command}" too`);
  commands.set(command, name);
  return [...problems, ...missingFields(input, args, "cli")];
}

/** What a table shows, and what people know a thing by. */
export function namedProblems({ method }: MethodOptions, { output }: DescMethod): string[] {
  const { columns, named, pagination } = method ?? {};
  if (columns === undefined && named === undefined) return [];
  const items = output.fields.find(({ name, fieldKind }) =>
    pagination === undefined ? fieldKind === "list" : name === pagination.items_field,
  )?.message;
  if (items === undefined) return ["has `columns` or `named` and is no list of messages"];
  const problems = missingFields(items, columns?.split(" ") ?? [], "columns");
  return named === undefined
    ? problems
    : [...problems, ...missingFields(items, ["id", named.by ?? ""], "named")];
}

/** What an assistant may call reads, or has effects that are applied once; it never hands over a secret. */
export function toolProblems(
  registry: FileRegistry,
  { method }: MethodOptions,
  descriptor: DescMethod,
): string[] {
  const { mcp, repeat } = method ?? {};
  if (mcp === undefined) return [];
  const problems: string[] = [];
  const { internal_only: internal, resource = "" } = governanceOf(registry, descriptor);
  if (descriptor.methodKind !== "unary") problems.push("mcp: a stream is no tool");
  if (internal === true) problems.push("mcp: an internal method is no tool");
  if (noTools.has(resource)) problems.push(`mcp: methods about ${resource} are no tools`);
  const reads = descriptor.idempotency === 1 || repeat === "REPEAT_NO_EFFECT";
  if (mcp === "MCP_READ" && !reads) problems.push("mcp: MCP_READ has side effects");
  if (mcp === "MCP_TRIGGER" && repeat !== "REPEAT_BY_KEY")
    problems.push("mcp: MCP_TRIGGER takes no Idempotency-Key");
  return problems;
}

/** Stream records and objects, secrets, keys, members, webhooks and billing. */
const noTools = new Set([
  "api_key",
  "billing",
  "connect_session",
  "member",
  "provider_config",
  "secret",
  "tenant",
  "webhook",
  "workflow_stream",
]);

function missingFields(message: DescMessage, names: readonly string[], option: string): string[] {
  return names
    .filter((name) => !message.fields.some((field) => field.name === name))
    .map((name) => `${option}: ${message.name} has no ${name}`);
}
