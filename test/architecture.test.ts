import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "ava";

const root = path.resolve(import.meta.dirname, "..");

/** Which folders a folder may import, besides itself. The table is the complete rule. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protos: [],
  sdk: [],
  storage: ["base"],
  runtime: ["base", "storage"],
  actors: ["base", "protos", "runtime"],
  gateway: ["base", "protos", "storage", "runtime", "actors"],
  cli: ["base", "protos", "sdk", "storage", "runtime", "actors", "gateway"],
};

/** The parts of a folder, in order. A part may import values only from parts before it; types from any part. */
const ranked: Readonly<Record<string, readonly string[]>> = {
  "actors/pools/queue": [
    "rows",
    "memory",
    "state.ts",
    "unit",
    "admission",
    "apply",
    "dead-letters",
    "jobs",
    "commands",
    "reads",
    "decide.ts",
    "handlers",
    "service.ts",
    "index.ts",
  ],
  runtime: [
    "actor.ts",
    "fifo.ts",
    "lazy-map.ts",
    "slots.ts",
    "secret-source.ts",
    "world.ts",
    "refusals.ts",
    "row-shape.ts",
    "placement.ts",
    "shard",
    "links",
    "effects",
    "thread",
    "events.ts",
    "stats.ts",
    "subscribe.ts",
    "start.ts",
    "cluster",
    "workers",
    "index.ts",
  ],
  gateway: [
    "config",
    "contract",
    "errors",
    "calls",
    "telemetry",
    "redis",
    "egress",
    "key-ring",
    "audit",
    "settings.ts",
    "http",
    "identity",
    "rpc",
    "ops",
    "discovery",
    "mcp",
    "conformance",
    "cluster",
    "doors",
    "process",
    "index.ts",
  ],
};

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly target: string;
  /** Type imports leave nothing at run time. */
  readonly typeOnly: boolean;
}

const files = Object.keys(allowed).flatMap((folder) => sourcesIn(folder));
const imports = files.flatMap(importsOf);

test("imports point one way: gateway to actors to runtime to storage to base", (t) => {
  t.true(files.length > 50, `saw ${files.length} files`);
  t.true(imports.length > 100, `saw ${imports.length} imports`);
  for (const folder of Object.keys(allowed))
    t.true(
      files.some((file) => file.startsWith(`${folder}/`)),
      folder,
    );
  const upward = imports.filter(
    ({ folder, target }) => folderOf(target) !== folder && !mayImport(folder, target),
  );
  t.deepEqual(upward, []);
});

test("commands of clients import nothing of the service: they start at once, and are what any client may do", (t) => {
  const own = imports.filter(({ file }) => file.startsWith("cli/client/"));
  t.true(own.length > 50, `saw ${own.length} imports`);
  const mayUse = new Set(["#base", "#protos/snippets", "#protos/surface", "#sdk", "#sdk/calls"]);
  t.deepEqual(
    own.filter(({ target }) => target.startsWith("#") && !mayUse.has(target)),
    [],
  );
});

test("the surface and the snippets run in browsers: they import one another, and use nothing of Node", (t) => {
  const own = files.filter((file) => /^protos\/(surface|snippets)\//.test(file));
  t.true(own.length > 8, `saw ${own.length} files`);
  const foreign = own.flatMap((file) =>
    [...source(file).matchAll(/^(?:import|export|\}).* from "([^"]+)"/gm)]
      .map(([, name]) => `${file}: ${path.join(path.dirname(file), name!)}`)
      .filter((at) => !/: protos\/(surface|snippets)\/[\w-]+\.ts$/.test(at)),
  );
  t.deepEqual(foreign, []);
  for (const file of own)
    t.notRegex(source(file), /\b(process|Buffer|require|__dirname)\b[.(]|import\.meta/, file);
});

test("a folder is entered by its index only", (t) => {
  const deep = imports.filter(
    ({ folder, target }) =>
      !target.startsWith("#") && folderOf(target) !== folder && folderOf(target) in allowed,
  );
  t.deepEqual(deep, []);
});

test("a decision reads no range that ends at the present: when it runs again with its rows, the present is a later one", (t) => {
  const actors = files.filter((file) => file.startsWith("actors/"));
  t.deepEqual(
    actors.filter((file) => /\b(from|to): \[[^\]]*\bnow\b/.test(source(file))),
    [],
  );
});

test("a module never imports a sibling module", (t) => {
  // Modules may import what they all share: the kit, expressions, messages to people, and `actors/module.ts`.
  const shared = new Set(["kit", "cel", "notify", "module.ts", "outgoing.ts", "parts.ts"]);
  const sideways = imports.filter(({ file, target }) => {
    const own = file.split("/")[1];
    const other = target.split("/")[1];
    const isModule = file.startsWith("actors/") && file.split("/").length > 2;
    return isModule && target.startsWith("actors/") && other !== own && !shared.has(other ?? "");
  });
  t.deepEqual(sideways, []);
});

for (const [folder, parts] of Object.entries(ranked))
  test(`parts of ${folder} import values only from parts listed before them in docs/architecture.md`, (t) => {
    const calls = imports.filter(
      ({ file, target, typeOnly }) => !typeOnly && [file, target].every((at) => at.startsWith(`${folder}/`)),
    );
    t.true(calls.length > 100, `saw ${calls.length} imports`);
    const partOf = (at: string): string => at.slice(folder.length + 1).split("/")[0]!;
    t.deepEqual(
      [...new Set(calls.flatMap(({ file, target }) => [partOf(file), partOf(target)]))].sort(),
      [...parts].sort(),
    );
    const rank = (at: string): number => parts.indexOf(partOf(at));
    t.deepEqual(
      calls.filter(({ file, target }) => rank(target) > rank(file)),
      [],
    );
  });

test("no files import one another in a circle", (t) => {
  t.deepEqual(circlesOf(imports.filter(({ typeOnly }) => !typeOnly)), []);
});

test("no files import one another's types in a circle: each can be read without the files that use it", (t) => {
  t.true(imports.some(({ typeOnly }) => typeOnly));
  t.deepEqual(circlesOf(imports), []);
});

/**
 * Files of a module, by name, that may call entities, stream or reach out. All other files decide or help to, in future
 * modules too.
 */
const waits =
  /^(service|.*stream|subscribe|effects|create-api-key|list-.*|rule-targets|ask|plain-route|partitioned|entity-list|tenants)\.ts$/;

test("state and decisions are pure: no clock, no randomness, no waiting", (t) => {
  const pure = files.filter(
    (file) =>
      /^actors\/.+\//.test(file) &&
      !/\/(handlers|effects|outbound)\//.test(file) &&
      !waits.test(path.basename(file)),
  );
  t.true(pure.length > 100, `saw ${pure.length} files`);
  for (const part of ["pools/rules.ts", "pools/queue/commands/claim.ts", "kit/decide.ts"])
    t.true(pure.includes(`actors/${part}`), part);
  for (const file of pure) {
    const text = readFileSync(path.join(root, file), "utf8");
    t.notRegex(text, /\bDate\.now\(|\bMath\.random\(|\bawait\b(?![-"])|\bsetTimeout\(/, file);
  }
});

test("only the field plan inspects the kind of a field", (t) => {
  const asking = files.filter(
    (file) =>
      file.startsWith("gateway/") &&
      /\.(field|list|map)Kind\b|\.mapKey\b/.test(readFileSync(path.join(root, file), "utf8")),
  );
  t.deepEqual(asking, ["gateway/contract/field-plan.ts"]);
});

/** In which files of a module its parts are: the same names in every folder. */
const places: readonly { readonly part: RegExp; readonly file: RegExp }[] = [
  { part: /\bdefineActor[<(]/, file: /\/(index|service)\.ts$/ },
  { part: /\bexport (function|const) methods\b/, file: /\/service\.ts$/ },
  { part: /\bexport (function|const) decide(With)?\b/, file: /\/decide\.ts$/ },
  { part: /\bexport (function|const) (empty|bytesOf)\b/, file: /\/state\.ts$/ },
  { part: /\bexport (function|const) apply\b/, file: /\/(state|apply)\.ts$/ },
  { part: /\bexport (function|const) (restore|resident)\b/, file: /\/(state|restore|rows)\.ts$/ },
  { part: /: Resource</, file: /\/record\.ts$/ },
];
/** Names of earlier shapes, and names that say nothing. */
const noNames =
  /\/(doors|orchestrate[^/]*|commands?-handlers?|helpers?|utils?|common|misc|types-of-[^/]*)(\/|\.ts$)/;

function misplaced(file: string, text: string): boolean {
  return noNames.test(file) || places.some(({ part, file: name }) => part.test(text) && !name.test(file));
}

test("modules have one shape: index, record, state, decide, service, handlers and effects", (t) => {
  const modules = files.filter((file) => moduleFolders().some((folder) => file.startsWith(`${folder}/`)));
  t.true(modules.length > 300, `saw ${modules.length} files`);
  t.deepEqual(
    modules.filter((file) => misplaced(file, source(file))),
    [],
  );
  for (const folder of moduleFolders()) t.true(files.includes(`${folder}/index.ts`), folder);
  // An entity has its state and its decisions beside its definition, or below it.
  const bare = modules.filter(
    (file) =>
      /\bdefineActor[<(]/.test(source(file)) &&
      ["state.ts", "decide.ts"].some((name) => !modules.some((other) => isBelow(other, file, name))),
  );
  t.deepEqual(bare, []);
});

test("a module of another shape is seen", (t) => {
  t.true(misplaced("actors/notes/note-actor.ts", "export const noteActor = defineActor<State>({"));
  t.true(misplaced("actors/notes/logic.ts", "export function decide(state: State) {"));
  t.true(misplaced("actors/notes/index.ts", "export function apply(state: State) {"));
  t.true(misplaced("actors/notes/doors/create.ts", ""));
  t.true(misplaced("actors/notes/helpers.ts", ""));
  t.false(misplaced("actors/notes/handlers/create.ts", "export const createNote = async () => {};"));
});

function isBelow(file: string, definition: string, name: string): boolean {
  return file.startsWith(`${path.dirname(definition)}/`) && file.endsWith(`/${name}`);
}

test("an entity is asked by the value of a method, not by its name as text", (t) => {
  const asking = files.filter(
    (file) =>
      /^actors\/.*(\/(handlers|effects)\/|\/service\.ts$)/.test(file) &&
      /\bmethod: ("\w+\.\w+"|`)|\b(ask|tryAsk|askAs)\(\s*[\w.]+,\s*["`]/.test(source(file)),
  );
  t.deepEqual(asking, []);
});

/** Those whose position is more than that of one list: where each shard's events stand, and lists inside a list. */
const ownPositions = ["actors/events/position.ts", "actors/pools/queue/handlers/groups.ts"];

test("only the kit pages", (t) => {
  const paging = files.filter(
    (file) =>
      /^(actors|gateway)\//.test(file) &&
      !file.startsWith("actors/kit/") &&
      /\b(openCursor|cursorOf)\b/.test(source(file)),
  );
  t.deepEqual(
    paging.filter((file) => file !== "actors/index.ts"),
    ownPositions,
  );
});

/** Words that were replaced by ordinary ones, and where: names in the contract stay. */
const replaced: readonly { readonly words: RegExp; readonly where: RegExp }[] = [
  // ownership term, budget, worker bootstrap, stats, corruption, evicted
  {
    words: /\b([Tt]enures?|[Pp]urses?|[Ss]eats?|[Ii]nsights?|[Dd]amaged?|orchestrate|put away)\b/,
    where: /./,
  },
  // subscriber
  { words: /\b[Cc]ards?\b/, where: /^(base|storage|runtime|actors)\// },
  // handler or interface; sign, encrypt or beforeCommit
  { words: /\b([Dd]oors?|([Uu]n)?[Ss]eal(s|ed|ing)?)\b/, where: /^(runtime|actors)\// },
  // name who: a caller, a worker, a reader
  { words: /\b([Ww]hoever|[Nn]obody)\b/, where: /^(runtime|actors)\// },
];

test("comments and names have ordinary words", (t) => {
  const found = files.flatMap((file) =>
    replaced.flatMap(({ words, where }) => {
      const word = where.test(file) ? words.exec(source(file)) : null;
      return word ? [`${file}: ${word[0]}`] : [];
    }),
  );
  t.deepEqual(found, []);
  t.true(replaced.some(({ words }) => words.test("the door to it")));
});

/** Lines of product source of a module that `linesMax` does not name. */
const moduleLinesMax = 300;
/** Lines of product source, each rounded up to ten. A commit that raises one says why. */
const linesMax: Readonly<Record<string, number>> = {
  "actors/api-keys": 370,
  "actors/audience": 5_450,
  "actors/cel": 1_710,
  "actors/conformance": 690,
  "actors/connectors": 7_040,
  "actors/directory": 282,
  "actors/events": 370,
  "actors/evidence": 2_050,
  "actors/experiments": 3_500,
  "actors/health": 1_080,
  "actors/index.ts": 160,
  "actors/integrations": 840,
  "actors/kit": 3_880,
  "actors/layouts": 460,
  "actors/module.ts": 233,
  "actors/notices": 430,
  "actors/notify": 2_950,
  "actors/outgoing.ts": 90,
  "actors/parts.ts": 137,
  "actors/pools": 19_310,
  "actors/promotions": 1_920,
  "actors/quotas": 240,
  "actors/tenants": 710,
  "actors/sessions": 1_090,
  "actors/topics": 1_270,
  "actors/webhooks": 1_560,
  "actors/workflow-streams": 3_020,
  "actors/workflows": 3_630,
  base: 1_990,
  cli: 3_560,
  gateway: 25_730,
  protos: 2_340,
  runtime: 13_390,
  sdk: 2_800,
  storage: 8_870,
};

test("no part grows beyond its budget of lines", (t) => {
  const counts: Record<string, number> = {};
  for (const file of files) {
    const part = file
      .split("/")
      .slice(0, file.startsWith("actors/") ? 2 : 1)
      .join("/");
    counts[part] = (counts[part] ?? 0) + source(file).split("\n").length - 1;
  }
  const modules = moduleFolders();
  const mostOf = (part: string) => linesMax[part] ?? (modules.includes(part) ? moduleLinesMax : 0);
  const over = Object.entries(counts).filter(([part, lines]) => lines > mostOf(part));
  t.deepEqual(over, []);
});

function moduleFolders(): string[] {
  const folders = files.filter((file) => /^actors\/[^/]+\//.test(file)).map((file) => file.split("/")[1]!);
  const shared = ["kit", "cel", "notify"];
  return [...new Set(folders)].filter((name) => !shared.includes(name)).map((name) => `actors/${name}`);
}

function source(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** The files of every circle of imports, including circles over several files. */
function circlesOf(edges: readonly Import[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target } of edges) targets.set(file, (targets.get(file) ?? new Set()).add(target));
  const reached = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [from];
    for (let file = open.pop(); file !== undefined; file = open.pop())
      for (const target of targets.get(file) ?? [])
        if (!seen.has(target)) {
          seen.add(target);
          open.push(target);
        }
    return seen;
  };
  const reach = new Map([...targets.keys()].map((file) => [file, reached(file)]));
  const circles = new Map<string, string[]>();
  for (const [file, seen] of reach) {
    if (!seen.has(file)) continue;
    const circle = [...seen].filter((other) => reach.get(other)?.has(file)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

function sourcesIn(folder: string): string[] {
  return (
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => path.join(folder, file))
      .filter((file) => file.endsWith(".ts") && !/\.(test|cases|d)\.ts$/.test(file))
      // Generated files, and the template of a test, whose imports are valid only where it is copied to.
      .filter(
        (file) =>
          !file.startsWith("protos/gen/") &&
          file !== "sdk/generated.ts" &&
          file !== "protos/new-module/code.ts",
      )
  );
}

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const statements = [...text.matchAll(/(?:(import|export)\s+(type\s)?([^;"]*?)from|import\()\s*"([^"]+)"/g)];
  return statements
    .map(([, , type, names = "", specifier]) => ({
      specifier: specifier!,
      typeOnly: type !== undefined || namesTypesOnly(names),
    }))
    .filter(({ specifier }) => specifier.startsWith(".") || specifier.startsWith("#"))
    .map(({ specifier, typeOnly }) => ({
      file,
      folder: folderOf(file),
      target: specifier.startsWith("#") ? specifier : path.join(path.dirname(file), specifier),
      typeOnly,
    }));
}

/** `{ type A, type B }` */
function namesTypesOnly(names: string): boolean {
  const listed = names.replace(/[{}\s]+/g, " ").trim();
  return (
    listed !== "" && listed.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "))
  );
}

function folderOf(target: string): string {
  return target.replace(/^#/, "").split("/")[0]!;
}

function mayImport(folder: string, target: string): boolean {
  return allowed[folder]?.includes(folderOf(target)) ?? false;
}
