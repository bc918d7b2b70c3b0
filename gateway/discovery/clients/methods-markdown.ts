import { type NamedMethod, namedMethods, type Surface } from "./surface.ts";
import { camelCase } from "./typescript.ts";

/** docs/sdk-methods.md, whole; a test compares the two. */
export function methodsMarkdown(surface: Surface): string {
  return `${head}${namedMethods(surface).map(rowOf).join("\n")}\n`;
}

const head = `# Methods of the clients

Written from the contract by \`npm run contract:build\`. [sdk.md](sdk.md) says how they are called; Python has the same names in snake_case.

| TypeScript | command | REST | permission |
|---|---|---|---|
`;

function rowOf({ cli, rest, permissions = [] }: NamedMethod): string {
  const words = cli.verb === undefined ? [cli.group] : [cli.group, cli.verb];
  const needs = permissions.length === 0 ? "–" : permissions.map((name) => `\`${name}\``).join(", ");
  return `| \`sy.${words.map(camelCase).join(".")}\` | \`${words.join(" ")}\` | \`${rest.verb} ${rest.path}\` | ${needs} |`;
}
