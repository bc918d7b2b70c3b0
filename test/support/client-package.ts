import { execFile } from "node:child_process";
import { cp, mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");
const sdk = path.join(root, "sdk");

/** A new folder with nothing else but the TypeScript client, those files of it that npm packs, and what it depends on. */
export async function installClient(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "client-package-"));
  const [source, modules] = [path.join(folder, "source"), path.join(folder, "node_modules")];
  // A build of its own: test files that run at the same time read theirs.
  await run(path.join(root, "node_modules/.bin/tsc"), ["-p", sdk, "--outDir", path.join(source, "dist")]);
  for (const file of ["package.json", "README.md"]) await cp(path.join(sdk, file), path.join(source, file));
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: source });
  const [{ files }]: [{ files: readonly { path: string }[] }] = JSON.parse(stdout);
  for (const { path: file } of files)
    await cp(path.join(source, file), path.join(modules, "@switchyard/client", file), { recursive: true });
  const ws = path.dirname(createRequire(import.meta.url).resolve("ws/package.json"));
  await cp(ws, path.join(modules, "ws"), { recursive: true });
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}
