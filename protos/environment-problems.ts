import type { DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { environmentOf, methodOptions, serviceOptions } from "./options.ts";

/** An RPC that does not say in which environment it acts would be open to credentials that are limited to another one. */
export function environmentProblems(registry: FileRegistry, method: DescMethod): string[] {
  const { from = "FROM_UNSPECIFIED", open } = environmentOf(registry, method);
  if (from === "FROM_UNSPECIFIED") return ["does not say in which environment it acts (`environment`)"];
  const problems: string[] = [];
  if (open !== undefined && from !== "FROM_NONE")
    problems.push("environment.open is only for RPCs without an environment (FROM_NONE)");
  const own = methodOptions(registry, method).method?.environment;
  const given = serviceOptions(registry, method.parent).environment;
  if (own !== undefined && own.from === given?.from && own.open === given?.open)
    problems.push("environment repeats what the service says");
  return problems;
}
