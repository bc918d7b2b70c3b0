import { exampleOf, snippetsOf } from "#protos/snippets";
import { camelCase, type NamedMethod, type Surface, wordsOf } from "#protos/surface";
import { grouped, namedMethods } from "./surface.ts";

/** docs/sdk-methods.md, whole; a test compares the two. */
export function methodsMarkdown(surface: Surface): string {
  const methods = namedMethods(surface);
  const groups = [...grouped(methods)].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = groups.flatMap(([, own]) => own.map((method) => sectionOf(surface, method)));
  return `${head}${methods.map(rowOf).join("\n")}\n${sections.join("")}`;
}

const head = `# Methods of the clients

Written from the contract by \`npm run contract:build\`. [sdk.md](sdk.md) says how they are called; Python has the same names in snake_case.
Below the table each method is called by curl, \`service\`, TypeScript and Python; \`/docs\` of a running service shows the same. All of them
read \`SWITCHYARD_URL\` and \`SWITCHYARD_API_KEY\` ([clients.md](clients.md)); curl has no default for the first.

| TypeScript | command | REST | permission |
|---|---|---|---|
`;

function rowOf(method: NamedMethod): string {
  const { rest, permissions = [] } = method;
  const words = wordsOf(method);
  const needs = permissions.length === 0 ? "–" : permissions.map((name) => `\`${name}\``).join(", ");
  return `| \`sy.${words.map(camelCase).join(".")}\` | [\`${words.join(" ")}\`](#${words.join("-")}) | \`${rest.verb} ${rest.path}\` | ${needs} |`;
}

function sectionOf(surface: Surface, method: NamedMethod): string {
  const { request, headers } = exampleOf(surface, method);
  const blocks = snippetsOf(surface, method, request, { headers }).map(
    ({ lang, source }) => `\`\`\`${fences[lang]}\n${source.trimEnd()}\n\`\`\`\n`,
  );
  return `\n## ${wordsOf(method).join(" ")}\n${method.comment}\n${blocks.join("")}`;
}

const fences = { Shell: "sh", JavaScript: "ts", Python: "python" } as const;
