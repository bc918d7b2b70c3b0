import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a thread from the compiled file of the build. When run from source, Node 20 does not pass the TypeScript
 * loader on to threads, and registering it in each costs a second on a busy machine. So the source is bundled once per
 * process, with the compiler that the loader contains.
 */
export function startThread(source: URL, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL(source.href.replace(/\.ts$/, ".js")), options);
  let code = bundles.get(source.href);
  if (code === undefined) {
    code = bundle(fileURLToPath(source));
    bundles.set(source.href, code);
  }
  return new Worker(code, { ...options, eval: true });
}

const bundles = new Map<string, string>();

interface Bundler {
  buildSync(options: object): { readonly outputFiles: readonly { readonly text: string }[] };
}

function bundle(entry: string): string {
  const require = createRequire(import.meta.url);
  const { buildSync } = createRequire(require.resolve("tsx"))("esbuild") as Bundler;
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    packages: "external",
    // This package can only be imported, not required: so it is bundled.
    alias: { canonicalize: fileURLToPath(import.meta.resolve("canonicalize")) },
    platform: "node",
    format: "cjs",
    conditions: ["source"],
    sourcemap: "inline",
    write: false,
    // Packages are resolved from here, not from the working folder of the process.
    banner: { js: `require = require("node:module").createRequire(${JSON.stringify(import.meta.url)});` },
  });
  return outputFiles[0]!.text;
}
