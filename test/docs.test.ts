import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import test from "ava";

const root = path.resolve(import.meta.dirname, "..");

/** Packages that pages name to say why the product does not use them. */
const comparedOnly = ["@grpc/proto-loader", "@node-rs/bcrypt", "piscina", "protobufjs", "ulid"];
/** Programs of other projects that an operator or a client may use. */
const programs = ["grpcurl", "sstableloader"];
/** The module that docs/modules.md writes as an example. */
const example = /^(actors\/notes\/.+|(protos\/service\/api\/)?note\.proto|test\/contract\/cases\/note\.ts)$/;
/** Files of an operator, and parts of the names of media types and protocols. */
const otherFiles = ["service.yaml", "service.v1.json", "service.v1.proto"];

const skipped = new Set(["node_modules", "dist", "data", ".git", ".cache"]);
const files = listed("");
const paths = new Set(files.flatMap((file) => [file, ...parentsOf(file)]));
/** Every path, and every end of one that begins at a slash: pages say `turn.ts` for `runtime/shard/turn.ts`. */
const ends = new Set([...paths].flatMap((name) => endsOf(name)));
const tops = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]!));
const pages = files.filter((file) => file === "README.md" || /^docs\/.+\.md$/.test(file));

const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Readonly<
  Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>
>;
const client: Readonly<Record<"name" | "version", string>> = JSON.parse(text("sdk/package.json"));
const named = { ...dependencies, ...devDependencies, [client.name]: client.version };
const versions = new Map(Object.entries(named).map(installed));
const words = new Set(
  files.filter((file) => isSource(file)).flatMap((file) => text(file).match(/[\w-]+/g) ?? []),
);

test("every path, link and package that README and docs name exists", (t) => {
  t.true(pages.length > 50);
  t.deepEqual(
    pages.flatMap((page) => missing(page, text(page)).map((name) => `${page}: ${name}`)),
    [],
  );
});

test("a path, link or package that does not exist is found, in whatever form a page names it", (t) => {
  const named = (page: string) => missing("docs/adr/0000-example.md", page);
  t.deepEqual(named("`gateway/none.ts`, `none.ts`, `test/{docs,none}.test.ts`, `runtime/none*.ts`"), [
    "gateway/none.ts",
    "none.ts",
    "test/{docs,none}.test.ts",
    "runtime/none*.ts",
  ]);
  t.deepEqual(named("[a](0000-none.md), [b](../storage.md#none)"), ["0000-none.md", "../storage.md#none"]);
  t.deepEqual(named("`left-pad`, `@none/none`, `ava@0.0.1`, `leftpad.js`"), [
    "left-pad",
    "@none/none",
    "ava@0.0.1",
    "leftpad.js",
  ]);
  t.deepEqual(
    named("`gateway/`, `readme.test.ts`, `test/{docs,readme}.test.ts`, `runtime/**/*.test.ts`"),
    [],
  );
  t.deepEqual(named("[a](../storage.md), [b](https://example.com/none), [c](#none)"), ["#none"]);
  t.deepEqual(named("`ava`, `@bufbuild/cel`, `lmdb`, `node:fs`, `zlib`, `@uwsjs/core`, `piscina`"), []);
  t.deepEqual(named("```\n`gateway/none.ts`\n```"), []);
});

test("every decision that a source, a test or a page names has its page", (t) => {
  const numbers = new Set(pages.flatMap((page) => /^docs\/adr\/(\d{4})-/.exec(page)?.[1] ?? []));
  t.true(numbers.size > 40);
  const named = files
    .filter((file) => isSource(file) || file.endsWith(".md"))
    .flatMap((file) =>
      [...text(file).matchAll(/(?:ADRs? |docs\/adr\/)(\d{4})/g)].map(([, number]) => [file, number!]),
    );
  t.true(named.length > 20);
  t.deepEqual(
    named.filter(([, number]) => !numbers.has(number!)),
    [],
  );
});

test("a package that is named for comparison only is not installed", (t) => {
  for (const name of comparedOnly) t.false(versions.has(name), name);
});

/** What a page names and the repository does not have. */
function missing(page: string, content: string): string[] {
  const prose = content.replace(/^( *)```[\s\S]*?^\1```/gm, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  const tokens = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, token]) => token!);
  return [
    ...tokens.filter((token) => !exists(token)),
    ...links.filter((link) => !/^[a-z]+:/.test(link) && !leads(page, link, content)),
  ];
}

function leads(page: string, link: string, content: string): boolean {
  const [file, part] = link.split("#") as [string, string | undefined];
  const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file).replace(/\/$/, "");
  if (file !== "" && !paths.has(target)) return false;
  if (part === undefined) return true;
  const headings = (file === "" ? content : text(target)).match(/^#+ .*$/gm) ?? [];
  return headings.map(anchorOf).includes(part);
}

/** Whether a text in backticks exists, if it looks like a path, a file or a package; every other text does. */
function exists(token: string): boolean {
  const name = token.replace(/\/$/, "");
  if (example.test(name) || otherFiles.includes(name)) return true;
  if (/^[\w.@*{}<>,-]+(\/[\w.@*{}<>,-]+)+$/.test(name) && tops.has(name.split("/")[0]!))
    return paths.has(name) || (/[*{<]/.test(name) && files.some((file) => patternOf(name).test(file)));
  if (/^[\w@-][\w.@/-]*\.(ts|mjs|py|proto|md|json|ya?ml)$/.test(name)) return ends.has(name);
  const named = /^(@[a-z\d-]+\/[a-z\d.-]+|[a-z][a-z\d-]*(?:\.js)?)(?:@([\d.]+))?$/.exec(token);
  return named === null || isPackage(named[1]!, named[2]) || (named[2] === undefined && isKnown(named[1]!));
}

function isPackage(name: string, version: string | undefined): boolean {
  if (builtinModules.includes(name) || comparedOnly.includes(name)) return true;
  const found = versions.get(name);
  return found !== undefined && (version === undefined || found.includes(version));
}

/** A word of the sources (a field, a setting, a bench), the name of a file, or a program. */
const isKnown = (name: string): boolean => words.has(name) || ends.has(name) || programs.includes(name);

/** `a/*.ts`, `a/**`, `a/{b,c}.ts` and `a/<name>.ts`. Of alternatives each must exist. */
function patternOf(name: string): RegExp {
  const alternatives = /\{([^}]*)\}/.exec(name);
  if (alternatives !== null) {
    const each = alternatives[1]!.split(",").map((part) => name.replace(alternatives[0], part));
    return each.every(exists) ? /(?:)/ : /^$/;
  }
  const parts = name.replace(/<[^>]*>/g, "*").split(/(\*\*\/|\*\*|\*)/);
  const source = parts.map((part) => {
    if (part === "**/") return "(.+/)?";
    if (part === "**") return ".+";
    return part === "*" ? "[^/]*" : part.replace(/[.+]/g, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`);
}

function anchorOf(heading: string): string {
  const words = heading.replace(/^#+ /, "").toLowerCase();
  return words.replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
}

/** The name under which a package is published, and its version. */
function installed([name, version]: [string, string]): [string, string] {
  const alias = /^npm:(.+)@(.+)$/.exec(version);
  return alias === null ? [name, version] : [alias[1]!, alias[2]!];
}

function isSource(file: string): boolean {
  if (file === "package-lock.json" || file === "test/docs.test.ts") return false;
  return /\.(ts|js|mjs|json|proto|ya?ml|py)$|^\.ci\/|Dockerfile$/.test(file);
}

function listed(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (skipped.has(entry.name)) return [];
    return entry.isDirectory() ? listed(name) : [name];
  });
}

function parentsOf(file: string): string[] {
  const parent = path.posix.dirname(file);
  return parent === "." ? [] : [parent, ...parentsOf(parent)];
}

function endsOf(name: string): string[] {
  const slash = name.indexOf("/");
  return slash < 0 ? [name] : [name, ...endsOf(name.slice(slash + 1))];
}

function text(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}
