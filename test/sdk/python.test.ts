import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import test from "ava";
import { pythonFiles } from "../../gateway/discovery/clients/python.ts";
import { Server } from "../crash/server.ts";
import { casesNeeding } from "../support/needing.ts";
import { pythonPath } from "../support/parts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "sdk-python");
const run = promisify(execFile);

test("the generated half of the Python client is what the surface gives", async (t) => {
  const surface = JSON.parse(await readFile(join(root, "protos/gen/surface.json"), "utf8"));
  for (const [name, text] of Object.entries(pythonFiles(surface)))
    t.is(await readFile(join(folder, "src/switchyard", name), "utf8"), text, name);
});

test("a call whose name is a word of Python has another name", async (t) => {
  const surface = JSON.parse(await readFile(join(root, "protos/gen/surface.json"), "utf8"));
  const { "_modules.py": modules } = pythonFiles(surface);
  t.true(modules!.includes("async def await_("));
  t.false(modules!.includes("def await("));
});

/** Completes ten items, as the program for the other package does. */
const worker = `
import asyncio
from switchyard import AsyncSwitchyard

async def answer(item, context):
    return item["payload"]

async def main():
    async with AsyncSwitchyard("http://127.0.0.1:8080") as sy:
        pool = await sy.pools.create(name="worked-on")
        work = asyncio.create_task(sy.worker(pool["id"], answer))
        asked = [sy.enqueue_and_wait(pool["id"], {"index": index}) for index in range(10)]
        items = await asyncio.gather(*asked)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        print("worked", ",".join(item["state"] for item in items))

asyncio.run(main())
`;

casesNeeding("the Python client", ["python"], () => {
  const python = (args: readonly string[], cwd: string, environment: Record<string, string> = {}) =>
    run(pythonPath()!, [...args], { cwd, env: { ...process.env, ...environment }, maxBuffer: 1 << 26 });

  const pytest = (...args: readonly string[]) =>
    python(["-m", "pytest", "-q", "-p", "no:cacheprovider", ...args], folder, {
      PYTHONPATH: join(folder, "src"),
    });

  test("mypy --strict finds nothing", async (t) => {
    t.timeout(240_000);
    const { stdout } = await python(["-m", "mypy", "--no-incremental"], folder);
    t.regex(stdout, /no issues found/);
  });

  test("mypy --strict finds nothing in the examples", async (t) => {
    t.timeout(240_000);
    const names = await readdir(join(root, "examples"), { recursive: true });
    const files = names.filter((name) => name.endsWith(".py")).map((name) => join("examples", name));
    t.true(files.length >= 5);
    const { stdout } = await python(["-m", "mypy", "--strict", "--no-incremental", ...files], root, {
      MYPYPATH: join(folder, "src"),
    });
    t.regex(stdout, /no issues found/);
  });

  test("500 seeds of the worker, and the parts without a server", async (t) => {
    t.timeout(280_000);
    const { stdout } = await pytest("--ignore-glob=tests/test_processes*", "tests");
    t.regex(stdout, /passed/);
  });

  test("real services, killed and stopped", async (t) => {
    t.timeout(900_000);
    const { stdout } = await pytest("tests/test_processes.py", "tests/test_processes_handlers.py");
    t.regex(stdout, /passed/);
  });

  test("a wheel installs into an empty folder, with its types, and runs the program of its page and a worker", async (t) => {
    t.timeout(480_000);
    const empty = await mkdtemp(join(tmpdir(), "switchyard-wheel-"));
    t.teardown(() => rm(empty, { recursive: true }));
    const source = join(empty, "source");
    await mkdir(source);
    for (const name of ["src", "pyproject.toml", "README.md"])
      await cp(join(folder, name), join(source, name), { recursive: true });
    const install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target"];
    await python([...install, join(empty, "site"), source], empty);
    const use =
      "import switchyard, pathlib; print(pathlib.Path(switchyard.__file__).with_name('py.typed').exists())";
    const { stdout } = await python(["-c", use], empty, { PYTHONPATH: join(empty, "site") });
    t.is(stdout.trim(), "True");
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const page = await readFile(join(root, "docs/sdk-python.md"), "utf8");
    const [, first = ""] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
    const said = async (program: string) => {
      const here = program.replace("http://127.0.0.1:8080", server.url);
      return (await python(["-W", "error", "-c", here], empty, { PYTHONPATH: join(empty, "site") })).stdout;
    };
    t.regex(await said(first), /^[0-9A-Z]{26} ready$/m);
    t.is(await said(worker), `worked ${"completed,".repeat(10).slice(0, -1)}\n`);
  });
});
