/** What is wrong with a request is told alike by every client: the nearest name, line and column, both ids, an error of the tool. */
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import anyTest, { type TestFn } from "ava";
import { Switchyard, SwitchyardError } from "#sdk";
import { surface } from "../../cli/client/surface.ts";
import { nobody } from "../contract/cases/case.ts";
import { send } from "../contract/support/rest-client.ts";
import { probeContract, startTestService, type TestService } from "../contract/support/service.ts";
import { type Assistant, connects, toolName } from "../mcp/clients.ts";
import { runCommand } from "../support/cli.ts";
import { needing } from "../support/needing.ts";
import { pythonPath } from "../support/parts.ts";

interface Context {
  readonly pool: string;
  readonly service: TestService;
  readonly url: string;
  readonly assistants: readonly Assistant[];
}
const test = anyTest as TestFn<Context>;

test.before(async (t) => {
  const service = await startTestService({ runtime: true, tenants: true, mcp: {} });
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const assistants = [
    await connects["client 2.4.0"](`${at(service.ports.uws)}/mcp`),
    await connects["sdk 1.32.2"](`${at(service.ports.node)}/mcp`),
  ];
  const url = at(service.ports.node);
  const { id: pool } = await new Switchyard({ url }).pools.create({ name: "filtered" });
  t.context = { service, url, assistants, pool };
});

test.after.always(async (t) => {
  for (const assistant of t.context.assistants ?? []) await assistant.close();
  await t.context.service?.close();
});

interface Slip {
  readonly method: string;
  /** Without its pool, which there is. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly said: RegExp;
}

const filter = 'state == "ready" &&\n  item.key ==== "x"';
const slips: Readonly<Record<string, Slip>> = {
  "an unknown field": {
    method: "PoolService.CreatePool",
    request: { name: "p", strateggy: "round_robin" },
    said: /did you mean (--)?strategy\?/,
  },
  "an unknown field inside of another": {
    method: "PoolService.CreatePool",
    request: { name: "p", config: { lease_second: 3 } },
    said: /did you mean (--config\.)?lease[_-]seconds\?/,
  },
  "an unknown parameter of a query": {
    method: "PoolService.ListPools",
    request: { name_prefx: "p" },
    said: /did you mean (--)?name[_-]prefix\?/,
  },
  "an unknown value": {
    method: "PoolService.CreatePool",
    request: { name: "p", strategy: "round_robbin" },
    said: /did you mean round_robin\?/,
  },
  "a filter of a list": {
    method: "QueueService.ListItems",
    request: { filter },
    said: /2:\d+|line 2,? column \d+/,
  },
  "a filter of a job": {
    method: "QueueService.CancelAll",
    request: { filter },
    said: /2:\d+|line 2,? column \d+/,
  },
};

function inPool({ pool }: Context, slip: Slip): Slip {
  return "filter" in slip.request ? { ...slip, request: { pool_id: pool, ...slip.request } } : slip;
}

type Say = (context: Context, slip: Slip) => Promise<{ readonly code: string; readonly said: string }>;

const clients: Readonly<Record<string, Say>> = {
  async REST({ service }, { method, request }) {
    const { verb, path, body } = surface().method(method)!.rest!;
    const { pool_id, ...rest } = request;
    const at = path.replace("{pool_id}", String(pool_id));
    const query = body === undefined ? `?${new URLSearchParams(rest as Record<string, string>)}` : "";
    const given = body === undefined ? undefined : JSON.stringify(rest);
    const { text } = await send(service.ports.uws, verb, at + query, given, {});
    const { errorCode, detail, errors = [] } = JSON.parse(text) as Problem;
    return { code: errorCode, said: `${detail} ${JSON.stringify(errors)}` };
  },
  async TypeScript({ url }, { method, request }) {
    const { group, verb } = surface().method(method)!.cli!;
    const camel = (text: string) => text.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const module = Reflect.get(new Switchyard({ url }), camel(group)) as Record<
      string,
      (given: object) => unknown
    >;
    try {
      const answer = module[camel(verb!)]!(request) as Promise<unknown> | { page(): Promise<unknown> };
      await ("page" in answer ? answer.page() : answer);
    } catch (error) {
      if (!(error instanceof SwitchyardError)) throw error;
      return { code: error.code, said: `${error.detail} ${JSON.stringify(error.fields)}` };
    }
    return { code: "OK", said: "" };
  },
  async "the command line, by a file"({ url }, { method, request }) {
    const { rest } = surface().method(method)!;
    if (rest!.body === undefined) return byFlags(url, method, request);
    const { err } = await runCommand(
      ["api", method, "-f", "-", "-o", "json"],
      { SWITCHYARD_URL: url },
      JSON.stringify(request),
    );
    const { errorCode, detail, errors = [] } = JSON.parse(err) as Problem;
    return { code: errorCode, said: `${detail} ${JSON.stringify(errors)}` };
  },
  async "the command line, by flags"({ url }, { method, request }) {
    return byFlags(url, method, request);
  },
};

interface Problem {
  readonly errorCode: string;
  readonly detail: string;
  readonly errors?: readonly object[];
}

/** A flag is misunderstood before anything is sent; it has dashes where the field has underscores. */
async function byFlags(url: string, method: string, request: Slip["request"]) {
  const flat = (fields: object, prefix: string): string[] =>
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "object"
        ? flat(value as object, `${prefix}${name}.`)
        : [`--${prefix}${name}`.replaceAll("_", "-"), String(value)],
    );
  const { code, err } = await runCommand(["api", method, ...flat(request, ""), "-o", "json"], {
    SWITCHYARD_URL: url,
  });
  if (code !== 2) {
    const { errorCode, detail, errors = [] } = JSON.parse(err) as Problem;
    return { code: errorCode, said: `${detail} ${JSON.stringify(errors)}` };
  }
  return { code: "INVALID_ARGUMENT", said: err };
}

for (const [client, say] of Object.entries(clients))
  for (const [what, slip] of Object.entries(slips))
    test(`${client}: given ${what}, then the error says what is meant, or where it is`, async (t) => {
      const { code, said } = await say(t.context, inPool(t.context, slip));
      t.is(code, "INVALID_ARGUMENT", said);
      t.regex(said, slip.said);
    });

needing(test, "python")(
  "Python: given each of them, then the error says what is meant, or where it is",
  async (t) => {
    const child = spawn(pythonPath()!, ["-m", "tests.door"], {
      cwd: fileURLToPath(new URL("../../sdk-python", import.meta.url)),
      env: { ...process.env, PYTHONPATH: "src" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.teardown(() => child.stdin.end());
    for (const slip of Object.values(slips)) {
      const { method, request } = inPool(t.context, slip);
      const { group, verb } = surface().method(method)!.cli!;
      child.stdin.write(
        `${JSON.stringify({ url: t.context.url, words: [group, verb], request, headers: {} })}\n`,
      );
    }
    const expected = Object.entries(slips);
    for await (const line of createInterface({ input: child.stdout })) {
      const [what, slip] = expected.shift()!;
      const { error } = JSON.parse(line) as { error?: { code: string; detail: string } };
      t.is(error?.code, "INVALID_ARGUMENT", what);
      t.regex(error!.detail, slip.said, what);
      if (expected.length === 0) break;
    }
  },
);

test("given two pools of one name, then commands name both ids; the TypeScript client and tools take ids", async (t) => {
  const { url, assistants } = t.context;
  const sy = new Switchyard({ url });
  const ids = [(await sy.pools.create({ name: "twice" })).id, (await sy.pools.create({ name: "twice" })).id];
  const names = (text: string) => ids.every((id) => text.includes(id));
  for (const words of [
    ["pools", "get", "twice"],
    ["items", "enqueue", "twice"],
    ["work", "twice", "--", "true"],
    ["jobs", "follow", "twice", nobody],
  ]) {
    const { code, err } = await runCommand(words, { SWITCHYARD_URL: url });
    t.is(code, 2, err);
    t.true(names(err), err);
  }
  const error = await t.throwsAsync(sy.pools.get({ pool_id: "twice" }), { instanceOf: SwitchyardError });
  t.is(error!.code, "INVALID_ARGUMENT");
  for (const assistant of assistants)
    t.like(await assistant.call("api_poolservice_getpool", { pool_id: "twice" }), { isError: true });
});

/** A worker for a pool that is given by its name, from threads and from a loop. */
const workers = `
import asyncio, sys
from switchyard import AsyncSwitchyard, Switchyard, SwitchyardError

def say(work):
    try:
        work()
    except SwitchyardError as error:
        print(error.code, error.detail)

async def work():
    async with AsyncSwitchyard(sys.argv[1]) as sy:
        await sy.worker(sys.argv[2], print)

say(lambda: Switchyard(sys.argv[1]).worker(sys.argv[2], print))
say(lambda: asyncio.run(work()))
`;

needing(test, "python")(
  "Python: given two pools of one name, then a worker for that name is refused with both ids",
  async (t) => {
    const { url } = t.context;
    const sy = new Switchyard({ url });
    const name = "twice-for-python";
    const ids = [(await sy.pools.create({ name })).id, (await sy.pools.create({ name })).id];
    const { stdout } = await promisify(execFile)(pythonPath()!, ["-c", workers, url, name], {
      cwd: fileURLToPath(new URL("../../sdk-python", import.meta.url)),
      env: { ...process.env, PYTHONPATH: "src" },
    });
    const said = stdout.trim().split("\n");
    t.is(said.length, 2, stdout);
    for (const line of said) {
      t.true(line.startsWith(`INVALID_ARGUMENT more than one pool is called "${name}": `), line);
      t.true(
        ids.every((id) => line.includes(id)),
        line,
      );
    }
  },
);

test("tools: given a filter that does not compile, then the error of the tool has its line and column", async (t) => {
  const { request, said } = slips["a filter of a list"]!;
  for (const assistant of t.context.assistants) {
    const args = { ...request, pool_id: t.context.pool };
    const { isError, structuredContent } = await assistant.call("api_queueservice_listitems", args);
    t.true(isError, assistant.name);
    t.regex(JSON.stringify(structuredContent), said);
  }
});

for (const method of probeContract.methods.filter(({ tool }) => tool !== undefined))
  test(`${toolName(method)}: a wrong argument is an error of the tool that names the nearest, never of the protocol`, async (t) => {
    const [field] = method.descriptor.input.fields.filter(({ name }) => name.length >= 4);
    const wrong = field === undefined ? "wrong" : `${field.name}x`;
    for (const assistant of t.context.assistants)
      for (const args of [{ [wrong]: 1 }, { [wrong]: { deep: [[[]]] } }]) {
        const { isError, structuredContent } = await assistant.call(toolName(method), args);
        t.true(isError, assistant.name);
        const { errorCode, detail } = structuredContent as Problem;
        t.is(errorCode, "INVALID_ARGUMENT", detail);
        if (field !== undefined) t.true(detail.includes(`did you mean ${field.name}?`), detail);
      }
  });
