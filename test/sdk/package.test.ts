import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import test from "ava";
import { publint } from "publint";
import { Server } from "../crash/server.ts";

const root = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

// Scripts of packages do not run here, so packing does not build.
test.before(() => run("npm", ["run", "build"], { cwd: path.join(root, "sdk") }));

/** The package as npm makes it, in a folder with nothing else but what it depends on. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "sdk-package-"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: path.join(root, "sdk") });
  await run("tar", ["xzf", "switchyard-client-0.1.0.tgz"], { cwd: folder });
  await mkdir(path.join(folder, "node_modules/@switchyard"), { recursive: true });
  await cp(path.join(folder, "package"), path.join(folder, "node_modules/@switchyard/client"), {
    recursive: true,
  });
  const ws = path.dirname(createRequire(import.meta.url).resolve("ws/package.json"));
  await cp(ws, path.join(folder, "node_modules/ws"), { recursive: true });
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** The `ts` blocks of a page, each a program of its own. */
async function programsOf(page: string): Promise<readonly string[]> {
  const text = await readFile(path.join(root, page), "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
}

test("the package is sound, has one dependency, and its table is small", async (t) => {
  const { messages } = await publint({ pkgDir: path.join(root, "sdk"), pack: false, strict: true });
  t.deepEqual(messages, []);
  const { dependencies } = JSON.parse(await readFile(path.join(root, "sdk/package.json"), "utf8"));
  t.deepEqual(dependencies, { ws: "8.23.0" });
  const [, table = ""] =
    /table = `([^`]*)`/.exec(await readFile(path.join(root, "sdk/generated.ts"), "utf8")) ?? [];
  t.true(gzipSync(table).byteLength <= 4_500, `${gzipSync(table).byteLength} bytes`);
});

test("a page can bundle it: nothing of Node is left, and it stays small", async (t) => {
  const require = createRequire(import.meta.url);
  const esbuild = createRequire(require.resolve("tsx"))("esbuild");
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(root, "sdk/index.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  const size = gzipSync(outputFiles[0].contents).byteLength;
  t.true(size < 20_000, `${size} bytes`);
});

test("installed in an empty folder, the programs of the pages compile without types of Node, and run", async (t) => {
  t.timeout(600_000);
  const folder = await installed();
  t.teardown(() => rm(folder, { recursive: true }));
  const server = new Server();
  t.teardown(() => server.remove());
  await server.start();
  const programs = [...(await programsOf("docs/sdk.md")), ...(await programsOf("sdk/README.md"))];
  t.true(programs.length >= 2);
  for (const [index, program] of programs.entries())
    await writeFile(
      path.join(folder, `program-${index}.ts`),
      program.replace("http://127.0.0.1:8080", server.url),
    );
  const files = programs.map((_, index) => `program-${index}.ts`);
  const options = [
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2022,dom,dom.asynciterable",
  ];
  const tsc = path.join(root, "node_modules/.bin/tsc");
  await run(tsc, [...options, "--types", "", ...files], { cwd: folder }).catch(({ stdout }) =>
    t.fail(stdout),
  );
  for (const file of files) {
    const { stdout } = await run(process.execPath, [file.replace(".ts", ".js")], { cwd: folder });
    t.regex(stdout, /completed \{ answered: '[0-9A-Z]{26}' \}/, file);
  }
});
