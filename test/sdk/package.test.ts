import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import test, { type ExecutionContext } from "ava";
import { publint } from "publint";
import { Server } from "../crash/server.ts";
import { installClient } from "../support/client-package.ts";
import { needing } from "../support/needing.ts";
import { newestNodePath, nodePath } from "../support/parts.ts";

const root = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const server = new Server();
let folder: string;
/** The same without `ws`. */
let without: string;
let programs: readonly string[];

test.before(async (t) => {
  t.timeout(480_000);
  folder = await installClient();
  await server.start();
  programs = await compiledPrograms();
  without = `${folder}-without-ws`;
  await cp(folder, without, { recursive: true });
  await rm(path.join(without, "node_modules/ws"), { recursive: true });
});
test.after.always(async () => {
  await server.remove();
  for (const made of [folder, without]) await rm(made, { recursive: true, force: true });
});

/** The programs of the pages, and the worker below, compiled without types of Node; the examples compile too. */
async function compiledPrograms(): Promise<readonly string[]> {
  const texts = [...(await programsOf("docs/sdk.md")), ...(await programsOf("sdk/README.md")), worker];
  const files = texts.map((_, index) => `program-${index}.ts`);
  for (const [index, text] of texts.entries())
    await writeFile(path.join(folder, files[index]!), text.replace("http://127.0.0.1:8080", server.url));
  const options = "--strict --target es2022 --module nodenext --lib es2022,dom,dom.asynciterable".split(" ");
  const examples = path.join(root, "examples/worker-typescript");
  for (const file of ["work.ts", "produce.ts"]) await cp(path.join(examples, file), path.join(folder, file));
  const tsc = path.join(root, "node_modules/.bin/tsc");
  await run(tsc, [...options, "--types", "", ...files, "work.ts", "produce.ts"], { cwd: folder }).catch(
    ({ stdout }) => {
      throw new Error(stdout);
    },
  );
  return files.map((file) => file.replace(".ts", ".js"));
}

/** The `ts` blocks of a page, each a program of its own. */
async function programsOf(page: string): Promise<readonly string[]> {
  const text = await readFile(path.join(root, page), "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
}

/** Completes ten items and says what its worker had to cope with: with no WebSocket it would be a lost connection. */
const worker = `
import { Switchyard } from "@switchyard/client";
const sy = new Switchyard({ url: "http://127.0.0.1:8080" });
const { id: pool_id } = await sy.pools.create({ name: "worked-on" });
const troubles: string[] = [];
const onError = (error: { reason: string | undefined; detail: string }) => troubles.push(error.detail);
const worker = sy.worker(pool_id, (item) => item.payload, { onError });
const payloads = Array.from({ length: 10 }, (_, index) => ({ index }));
const items = await Promise.all(payloads.map((payload) => sy.enqueueAndWait({ pool_id, payload })));
await worker.stop();
console.log("worked", items.map(({ state }) => state).join(), troubles.join());
`;

test("the package is sound, has one dependency, and its table is small", async (t) => {
  const pkgDir = path.join(folder, "node_modules/@switchyard/client");
  const { messages } = await publint({ pkgDir, pack: false, strict: true });
  t.deepEqual(messages, []);
  const { dependencies } = JSON.parse(await readFile(path.join(pkgDir, "package.json"), "utf8"));
  t.deepEqual(dependencies, { ws: "8.23.0" });
  const [, table = ""] =
    /table = `([^`]*)`/.exec(await readFile(path.join(root, "sdk/generated.ts"), "utf8")) ?? [];
  t.true(gzipSync(table).byteLength <= 4_500, `${gzipSync(table).byteLength} bytes`);
});

test("a bundle for a page has nothing of Node and of `ws`, and the size that the page about the client names", async (t) => {
  const require = createRequire(import.meta.url);
  const esbuild = createRequire(require.resolve("tsx"))("esbuild");
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [path.join(folder, "node_modules/@switchyard/client/dist/index.js")],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
  });
  const foreign = Object.keys(metafile.inputs).filter((file) => !file.includes("@switchyard/client/dist/"));
  // What `ws` has for browsers: a function that says that they have one of their own.
  t.deepEqual(
    foreign.map((file) => file.slice(file.lastIndexOf("node_modules/"))),
    ["node_modules/ws/browser.js"],
  );
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).byteLength;
  const said = /(\d+\.\d) KB of gzip/.exec(await readFile(path.join(root, "docs/sdk.md"), "utf8"));
  t.true(
    Math.abs(size / 1_000 / Number(said?.[1]) - 1) < 0.05,
    `${size} bytes, and docs/sdk.md says ${said?.[1]} KB`,
  );
  t.notRegex(outputFiles[0].text, /from"node:|import\("(node:|yaml)|require\("/);
});

test("installed without yaml, contexts of the usual form are read, and others say what is missing", async (t) => {
  await mkdir(path.join(folder, "switchyard"));
  const program = `import { Switchyard } from "@switchyard/client";
const sy = new Switchyard({ context: "there", fetch: async (url) => (console.log(url), Response.json({ data: {} })) });
await sy.pools.get({ pool_id: "x" }).catch((error) => console.log(error.detail));`;
  const told = async (text: string) => {
    await writeFile(path.join(folder, "switchyard/contexts.yaml"), text);
    const env = { ...process.env, XDG_CONFIG_HOME: folder };
    const args = ["--input-type=module", "-e", program];
    return (await run(process.execPath, args, { cwd: folder, env })).stdout;
  };
  t.is(await told("contexts:\n  there:\n    url: http://there # mine\n"), "http://there/api/pools/x\n");
  t.regex(await told("contexts: {there: {url: http://there}}"), /to read it: npm install yaml/);
});

const nodes = [
  { name: "this Node", path: () => process.execPath, declare: test },
  { name: "Node 22", path: () => nodePath(22)!, declare: needing(test, "node 22") },
  { name: "the newest Node", path: () => newestNodePath()!, declare: needing(test, "newest node") },
];
for (const node of nodes) {
  const say = async (cwd: string, file: string) =>
    (await run(node.path(), [file], { cwd, env: { ...process.env, NODE_OPTIONS: "" } })).stdout;

  node.declare(
    `on ${node.name}, installed in an empty folder, the programs of the pages run`,
    async (t: ExecutionContext) => {
      t.timeout(240_000);
      t.true(programs.length >= 3);
      for (const file of programs.slice(0, -1))
        t.regex(await say(folder, file), /completed \{ answered: '[0-9A-Z]{26}' \}/, file);
    },
  );

  node.declare(
    `on ${node.name}, a worker has a WebSocket: its own, or else that of ws`,
    async (t: ExecutionContext) => {
      t.timeout(240_000);
      const file = programs.at(-1)!;
      const worked = `worked ${"completed,".repeat(10).slice(0, -1)} `;
      t.is((await say(folder, file)).trimEnd(), worked.trimEnd());
      const { stdout } = await run(node.path(), ["-p", "typeof WebSocket"]);
      const alone = await say(without, file);
      if (stdout.trim() === "function") t.is(alone.trimEnd(), worked.trimEnd(), "nothing else is loaded");
      else
        t.regex(
          alone,
          new RegExp(`^${worked}no answer from the server: Cannot find package 'ws'`),
          "it claims",
        );
    },
  );
}
