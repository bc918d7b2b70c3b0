import {
  answerName,
  camelCase,
  type Fields,
  isUpload,
  type NamedMethod,
  patchOf,
  wordsOf,
} from "../surface/index.ts";
import type { SnippetOptions } from "./curl.ts";
import { Code, entriesOf, listed, literal, typescript } from "./literal.ts";

/** The call as a program over `@switchyard/client`, which reads the address and the credential from the environment. */
export function asTypeScript(
  method: NamedMethod,
  request: Fields,
  { headers = {} }: SnippetOptions = {},
): string {
  const start = `import { Switchyard } from "@switchyard/client";\n\nconst sy = new Switchyard();\n`;
  const name = answerName(method);
  const lead = method.sse === undefined && method.page === undefined ? `const ${name} = await ` : loop;
  const callee = `sy.${wordsOf(method).map(camelCase).join(".")}`;
  const fields = requestOf(method, request, lead.length + callee.length + 1);
  const options = optionsOf(headers);
  const args = fields === "{}" && options.length === 0 ? [] : [fields, ...options];
  const call = `${callee}(${args.join(", ")})`;
  if (method.sse !== undefined) return `${start}for await (const event of ${call}) console.log(event);\n`;
  if (method.page === undefined) {
    return `${start}const ${name} = await ${call};\nconsole.log(${name});\n`;
  }
  return isOnePage(request)
    ? `${start}const page = await ${call}.page();\nconsole.log(page.data);\n`
    : `${start}for await (const one of ${call}) console.log(one);\n`;
}

/** A request that says where its page begins, or how long it is, asks for that one; else all pages are read. */
export function isOnePage({ limit, cursor, offset }: Fields): boolean {
  return [limit, cursor, offset].some((one) => one !== undefined);
}

const loop = "for await (const one of ";

function requestOf(method: NamedMethod, request: Fields, column: number): string {
  const entries = entriesOf(patchOf(method, request)).map(
    ([name, value]) =>
      [typescript.key(name), isUpload(method) && name === "data" ? bytesOf(String(value)) : value] as const,
  );
  return listed(["{", "}"], entries, typescript, { indent: 0, column });
}

/** From base64. */
function bytesOf(data: string): Code {
  return new Code(`Uint8Array.from(atob(${typescript.text(data)}), (one) => one.charCodeAt(0))`);
}

function optionsOf(headers: Readonly<Record<string, string>>): readonly string[] {
  const options: Record<string, unknown> = {};
  const others = Object.entries(headers).filter(([name, value]) => {
    const isKey = name.toLowerCase() === "idempotency-key";
    if (isKey) options.idempotencyKey = value;
    return !isKey;
  });
  if (others.length > 0) options.headers = Object.fromEntries(others);
  return Object.keys(options).length === 0 ? [] : [literal(options, typescript)];
}
