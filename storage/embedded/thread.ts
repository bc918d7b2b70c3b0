import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a thread from what the build made of its source file. Run from source, Node 20 does not hand the loader for
 * TypeScript on to threads, and registering it in each costs a second on a busy machine; so the source is bundled once
 * per process, by the compiler that the loader brings along.
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
    // It can be imported and not required: it becomes part of the bundle.
    alias: { canonicalize: fileURLToPath(import.meta.resolve("canonicalize")) },
    platform: "node",
    format: "cjs",
    conditions: ["source"],
    sourcemap: "inline",
    write: false,
    // Packages are found from here, not from the folder the process happens to run in.
    banner: { js: `require = require("node:module").createRequire(${JSON.stringify(import.meta.url)});` },
  });
  return outputFiles[0]!.text;
}
