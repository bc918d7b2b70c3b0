/**
 * Every test file is a separate process, and most load some hundred modules. The output of esbuild for a module is
 * cached in node_modules/.cache/typescript with the time and size of its source: a process then reads one file per
 * module and compiles none. Imports name their files with extension, so nothing has to be searched for.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const cache = `${root}node_modules/.cache/typescript/`;

const isOurs = (url) => url.startsWith("file:") && /\.ts(\?|$)/.test(url) && !url.includes("/node_modules/");
/** What `#base` and the like stand for. */
const aliases = new Map();

export async function resolve(specifier, context, nextResolve) {
  const { parentURL } = context;
  if (parentURL === undefined) return nextResolve(specifier, context);
  if (!isOurs(parentURL)) return nextResolve(specifier, { ...context, conditions: built(context) });
  if (specifier.startsWith(".")) {
    const { href } = new URL(specifier, parentURL);
    if (isOurs(href)) return { url: href, format: "module", shortCircuit: true };
  }
  if (!specifier.startsWith("#")) return nextResolve(specifier, { ...context, conditions: built(context) });
  if (!aliases.has(specifier)) aliases.set(specifier, await nextResolve(specifier, context));
  return { ...aliases.get(specifier), shortCircuit: true };
}

/** `source` means ours: some packages have TypeScript under it, which Node does not load from there. */
const built = ({ conditions }) => conditions.filter((name) => name !== "source");

export function load(url, context, nextLoad) {
  if (!isOurs(url)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  return { format: "module", source: javascriptOf(path), shortCircuit: true };
}

function javascriptOf(path) {
  const { mtimeMs, size } = statSync(path);
  const stamp = `// ${mtimeMs} ${size}\n`;
  const cached = `${cache}${relative(root, path).replaceAll("../", "_/")}.js`;
  const known = readIfThere(cached);
  if (known?.endsWith(stamp)) return known;
  const made = `${transform(path)}${stamp}`;
  mkdirSync(dirname(cached), { recursive: true });
  // Threads of one process load the same modules at the same time.
  const partial = `${cached}.${randomUUID()}`;
  writeFileSync(partial, made);
  renameSync(partial, cached);
  return made;
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

let esbuild;

/** esbuild comes with tsx. */
function transform(path) {
  const require = createRequire(import.meta.url);
  esbuild ??= createRequire(require.resolve("tsx"))("esbuild");
  const { code } = esbuild.transformSync(readFileSync(path, "utf8"), {
    loader: "ts",
    format: "esm",
    target: "es2023",
    sourcefile: basename(path),
    sourcemap: "inline",
    sourcesContent: false,
  });
  return code;
}
