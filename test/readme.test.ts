import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import test from "ava";
import { parse } from "yaml";
import { Server } from "./crash/server.ts";
import { needing } from "./support/needing.ts";

const root = path.resolve(import.meta.dirname, "..");
const readme = readFileSync(path.resolve(root, "README.md"), "utf8");
const run = promisify(execFile);

/** The commands in the README's shell blocks, one by one. */
const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap((block) => block[1]!.split("\n"))
  .filter((line) => /^(curl|service) /.test(line));

needing(test, "curl")(
  "the README's first steps work as written, from a new pool to a completed item",
  async (t) => {
    t.is(commands.length, 7);
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const service = `service() { '${process.execPath}' '${root}/dist/cli/service.js' "$@"; }`;
    const said: string[] = [];
    for (const command of commands) {
      const here = command.replace("localhost:8080", server.url.replace("http://", ""));
      const env = { ...process.env, SWITCHYARD_URL: server.url };
      said.push((await run("bash", ["--norc", "-c", `${service}\n${here}`], { env })).stdout);
    }
    t.regex(said[2]!, /recipient_id/);
    t.regex(said[5]!, /completed/);
    t.truthy((JSON.parse(said[6]!) as { data: object }).data);
  },
);

needing(test, "curl")(
  "the first connection and the first trigger in docs/connectors.md work as written",
  async (t) => {
    const page = readFileSync(path.resolve(root, "docs/connectors.md"), "utf8");
    const [first, trigger] = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => script!);
    t.true(first!.trim().split("\n").length <= 10, "ten lines at most");
    const bearers: (string | undefined)[] = [];
    const api = createServer((request, response) => {
      bearers.push(request.headers.authorization);
      response.setHeader("content-type", "application/json").end('{"up":true}');
    }).listen(0, "127.0.0.1");
    await once(api, "listening");
    t.teardown(() => void api.close());
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const here = `${first}${trigger}`
      .replaceAll("localhost:8080", server.url.replace("http://", ""))
      .replace("https://api.example.com", `http://127.0.0.1:${(api.address() as AddressInfo).port}`);
    // Not every machine has jq.
    const jq = `jq() { node -e 'let v = JSON.parse(require("fs").readFileSync(0)); for (const k of process.argv[1].slice(1).split(".")) v = v[k]; console.log(v)' "$2"; }`;
    const { stdout } = await run("bash", ["--norc", "-c", `${jq}\n${here}`]);
    t.regex(stdout, /"status": ?"succeeded"/);
    t.deepEqual(bearers, ["Bearer the key"]);
    const [address, secret] = stdout.trim().split("\n").slice(-2);
    t.regex(address!, /\/connect\/hooks\/\S+$/);
    t.regex(secret!, /^whsec_/);
  },
);

test("every container of the product is without capabilities, and no store is reachable or without a password", (t) => {
  const { services, networks } = parse(readFileSync(path.resolve(root, "docker-compose.yml"), "utf8"), {
    merge: true,
  }) as Compose;
  const built = Object.values(services).filter(({ build }) => build !== undefined);
  t.true(built.length >= 5);
  for (const { cap_drop, read_only, security_opt } of built)
    t.deepEqual([cap_drop, read_only, security_opt], [["ALL"], true, ["no-new-privileges:true"]]);
  t.true(networks.stores.internal);
  for (const store of ["redis", "cassandra"]) {
    t.deepEqual(services[store]!.networks, ["stores"]);
    t.is(services[store]!.ports, undefined);
  }
  const { SERVICE_REDIS_URL: redis, SERVICE_STORAGE_CASSANDRA_PASSWORD: cassandra } =
    services.service!.environment!;
  t.regex(redis!, /:\$\{REDIS_PASSWORD:\?/);
  t.regex(cassandra!, /^\$\{CASSANDRA_PASSWORD:\?/);
});

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: { readonly stores: { readonly internal: boolean } };
}

interface ComposeService {
  readonly build?: string;
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
  readonly security_opt?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

test("the README links every page of docs/", (t) => {
  const pages = readdirSync(path.resolve(root, "docs")).filter((name) => name.endsWith(".md"));
  t.true(pages.length > 8);
  for (const page of pages) t.true(readme.includes(`(docs/${page})`), page);
});

test("every page that the README links exists", (t) => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]!);
  t.true(links.length > 8);
  for (const link of links) {
    const [file, part] = link.split("#");
    t.true(existsSync(path.resolve(root, file!)), link);
    if (part === undefined) continue;
    const headings = readFileSync(path.resolve(root, file!), "utf8").match(/^#+ .*$/gm) ?? [];
    t.true(headings.map(anchorOf).includes(part), link);
  }
});

const anchorOf = (heading: string) =>
  heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

test("the list of decisions has every ADR, under its own title", (t) => {
  const folder = path.resolve(root, "docs/adr");
  const list = readFileSync(path.resolve(folder, "README.md"), "utf8");
  const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  t.true(pages.length > 20);
  for (const page of pages) {
    const title = /^# (.+)$/m.exec(readFileSync(path.resolve(folder, page), "utf8"))![1]!;
    t.true(list.includes(`| [${title}](${page}) |`), `${page}: ${title}`);
  }
});
