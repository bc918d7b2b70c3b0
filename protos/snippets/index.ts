/**
 * The text of a call, for people to copy: in a shell by curl and by `service`, in TypeScript and in Python. Pure functions over
 * the surface that run in a browser too: nothing here imports anything but the surface.
 */
import { type Fields, isNamed, type Method, type Surface } from "../surface/index.ts";
import { asCommand } from "./command.ts";
import { asCurl, type SnippetOptions } from "./curl.ts";
import { asPython } from "./python.ts";
import { asTypeScript } from "./typescript.ts";

export type { CurlOptions, SnippetOptions } from "./curl.ts";
export { type Example, exampleOf } from "./example.ts";
export { shellWord } from "./literal.ts";
export { asCommand, asCurl, asPython, asTypeScript };

export interface Snippet {
  /** What a reader chooses by. */
  readonly label: "curl" | "service" | "TypeScript" | "Python";
  /** What colours it. */
  readonly lang: "Shell" | "JavaScript" | "Python";
  readonly source: string;
}

/** The call in every way there is. Clients have no methods of the internal plane. */
export function snippetsOf(
  surface: Pick<Surface, "schemas">,
  method: Method,
  request: Fields,
  options: SnippetOptions = {},
): readonly Snippet[] {
  if (!isNamed(method)) return [];
  const shell: readonly Snippet[] = [
    { label: "curl", lang: "Shell", source: asCurl(method, request, options) },
    { label: "service", lang: "Shell", source: asCommand(surface, method, request, options) },
  ];
  if (method.plane === "internal") return shell;
  return [
    ...shell,
    { label: "TypeScript", lang: "JavaScript", source: asTypeScript(method, request, options) },
    { label: "Python", lang: "Python", source: asPython(method, request, options) },
  ];
}
