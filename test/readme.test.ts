import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import test from "ava";
import { Server } from "./crash/server.ts";

const root = path.resolve(import.meta.dirname, "..");
const readme = readFileSync(path.resolve(root, "README.md"), "utf8");
const run = promisify(execFile);

/** Commands of the README's shell blocks, one each. */
const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap((block) => block[1]!.split("\n"))
  .filter((line) => line.startsWith("curl "));

test("the README's first steps work as they stand, from a new pool to a lease", async (t) => {
  t.is(commands.length, 5);
  const server = new Server();
  t.teardown(() => server.remove());
  await server.start();
  const names: Record<string, string> = {};
  const answers: Record<string, unknown>[] = [];
  for (const command of commands) {
    const here = command.replace("localhost:8080", server.url.replace("http://", ""));
    const { stdout } = await run("bash", ["-c", here], { env: { ...process.env, ...names } });
    const { data } = JSON.parse(stdout) as { data: Record<string, unknown> };
    t.truthy(data, `${command}\n${stdout}`);
    if (answers.length === 0) names.POOL = data.id as string;
    if (answers.length === 1) names.ADA = data.id as string;
    answers.push(data);
  }
  t.is(answers[2]!.recipient_id, names.ADA);
  t.is((answers[4]!.items as unknown[]).length, 1);
});

test("the README names every page of docs/", (t) => {
  const pages = readdirSync(path.resolve(root, "docs")).filter((name) => name.endsWith(".md"));
  t.true(pages.length > 8);
  for (const page of pages) t.true(readme.includes(`(docs/${page})`), page);
});

test("every page the README points to is there", (t) => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]!);
  t.true(links.length > 8);
  for (const link of links) t.true(existsSync(path.resolve(root, link)), link);
});

test("the list of decisions has every one of them, under its own title", (t) => {
  const folder = path.resolve(root, "docs/adr");
  const list = readFileSync(path.resolve(folder, "README.md"), "utf8");
  const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  t.true(pages.length > 20);
  for (const page of pages) {
    const title = /^# (.+)$/m.exec(readFileSync(path.resolve(folder, page), "utf8"))![1]!;
    t.true(list.includes(`| [${title}](${page}) |`), `${page}: ${title}`);
  }
});
