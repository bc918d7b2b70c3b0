/** Whatever a request holds, the text of its call sends exactly that: through real shells, Node and Python. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import anyTest, { type TestFn } from "ava";
import fc from "fast-check";
import { type Snippet, snippetsOf } from "#protos/snippets";
import type { Fields, Surface } from "#protos/surface";
import { needing } from "../support/needing.ts";
import { type Commanded, type Runners, runnersAt, sourceOf } from "./runners.ts";

interface Received {
  readonly verb: string;
  /** Between slashes, decoded. */
  readonly path: readonly string[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Context {
  server: Server;
  received: Received[];
  runners: Runners;
}

const test = anyTest as TestFn<Context>;
const surface: Surface = JSON.parse(
  readFileSync(new URL("../../protos/gen/surface.json", import.meta.url), "utf8"),
);
const methodOf = (id: string) => surface.methods.find((method) => method.id === id)!;

test.before(async (t) => {
  t.context.received = [];
  t.context.server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    const [path = "", query = ""] = request.url!.split("?");
    t.context.received.push({
      verb: request.method!,
      path: path.split("/").map(decodeURIComponent),
      query: [...new URLSearchParams(query)].sort(),
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: text === "" ? undefined : JSON.parse(text),
    });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: request.method === "GET" ? [] : {}, next_cursor: null }));
  });
  await new Promise<void>((resolve) => t.context.server.listen(0, "127.0.0.1", resolve));
  const { port } = t.context.server.address() as AddressInfo;
  t.context.runners = runnersAt(`http://127.0.0.1:${port}`);
});

test.after.always((t) => {
  t.context.runners?.end();
  t.context.server?.closeAllConnections();
  t.context.server?.close();
});

/** What means something to a shell, to curl, to a command line, to JavaScript or to Python. */
const traps = [
  "'",
  '"',
  "`",
  "\\",
  "$HOME",
  "$(id)",
  "$x",
  "`id`",
  "!!",
  "!x",
  "*",
  "?",
  "~",
  "#",
  "&",
  ";",
  "|",
  "<(x)",
  "%s",
  "%41",
  "a b",
  " ",
  "\n",
  "\nEOF\n",
  "EOF",
  "\r",
  "\t",
  "\u001b[31m",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u202e",
  "\ufeff",
  "😀",
  "\u{e0041}",
  "é",
  "-",
  "--",
  "-f",
  "--help",
  "-h",
  "--x=true",
  "@file",
  "@@",
  "=x",
  "{a,b}",
  "[1]",
  '{"a":1}',
  "true",
  "null",
  "5",
  "+5m",
  "''",
  '"""',
  "'''",
  "\\n",
  "\\u0041",
  "\\'",
  "__proto__",
  "constructor",
  "class",
  "a-b",
  "a.b",
  "$'x'",
  "\u0000",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
];

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.array(fc.constantFrom(...traps), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e21, 2 ** 53, -(2 ** 63), 5e-324, 1e-7),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

/** A member by this name, and no prototype. */
const proto: Record<string, unknown> = JSON.parse('{"__proto__": {"is": true}}');
const inPath = text.filter((one) => !/^\.{0,2}$/.test(one));
const visible = fc.string({
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});
const headers = fc.record({ "idempotency-key": visible, "x-note": visible }, { requiredKeys: [] });

const enqueued = fc.record(
  {
    pool_id: inPath,
    key: text,
    dedup_id: text,
    payload: value,
    attributes: fc.dictionary(text, value, { maxKeys: 3, noNullPrototype: true }),
    priority: fc.integer(),
    not_before: fc.constantFrom("2026-03-01T12:00:00Z", "+5m"),
  },
  { requiredKeys: ["pool_id"] },
);

/** A query has no place for NUL in a word of a shell. */
const listed = fc.record(
  {
    name: text.map((one) => one.replaceAll("\0", "")),
    name_prefix: text.map((one) => one.replaceAll("\0", "")),
    limit: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: ["limit"] },
);

type Run = (runners: Runners, source: string) => Promise<unknown>;

function holds(
  declare: (title: string, run: (t: { context: Context; pass(): void }) => Promise<void>) => void,
  label: Snippet["label"],
  run: Run,
) {
  const check = async (
    context: Context,
    id: string,
    request: Fields,
    own: Record<string, string>,
    expected: Partial<Received>,
  ) => {
    const source = sourceOf(snippetsOf(surface, methodOf(id), request, { headers: own }), label);
    context.received.length = 0;
    const said = await run(context.runners, source);
    const [received] = context.received;
    if (received === undefined) throw new Error(`nothing came: ${JSON.stringify(said)}\n${source}`);
    const { headers: sent } = received;
    const kept = Object.fromEntries(Object.keys(own).map((name) => [name, sent[name]]));
    const got = { ...received, headers: kept };
    const wanted = { ...got, ...expected, headers: own };
    if (canonical(got) !== canonical(wanted))
      throw new Error(`${canonical(got)}\n${canonical(wanted)}\n${source}`);
  };

  declare(
    `given any request with a body, when the snippet of ${label} runs, then it is what is sent`,
    async (t) => {
      const { context } = t;
      await fc.assert(
        fc.asyncProperty(enqueued, headers, ({ pool_id, ...body }, own) =>
          check(context, "QueueService.Enqueue", { pool_id, ...body }, own as Record<string, string>, {
            verb: "POST",
            path: ["", "api", "queues", pool_id, "items"],
            body: plain(body),
          }),
        ),
        { numRuns: 200, examples: [[{ pool_id: "a", payload: proto }, {}]] },
      );
      t.pass();
    },
  );

  declare(`given any query, when the snippet of ${label} runs, then it is what is sent`, async (t) => {
    const { context } = t;
    await fc.assert(
      fc.asyncProperty(listed, (request) =>
        check(
          context,
          "PoolService.ListPools",
          request,
          {},
          {
            verb: "GET",
            path: ["", "api", "pools"],
            query: Object.entries(request)
              .map(([name, one]) => [name, String(one)] as const)
              .sort(),
          },
        ),
      ),
      { numRuns: 100 },
    );
    t.pass();
  });
}

/** As JSON has it: there is no -0. */
function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body));
}

/** Members in the order of their names. */
function canonical(given: unknown): string {
  const sorted = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(sorted);
    if (typeof one !== "object" || one === null) return one;
    return Object.entries(one)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]);
  };
  return JSON.stringify(sorted(given));
}

const inShell = needing(test.serial, "curl") as never;
holds(inShell, "curl", (runners, source) => runners.shell(source));
holds(inShell, "service", async (runners, source) => {
  const said = await runners.shell(source);
  const { code, err } = JSON.parse(said) as Commanded;
  return code === 0 ? undefined : err;
});
holds(test.serial as never, "TypeScript", (runners, source) => runners.typescript(source));
holds(needing(test.serial, "python") as never, "Python", (runners, source) => runners.python(source));
