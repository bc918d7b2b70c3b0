/** One process for the snippets of a language: what would start anew for every snippet starts once, and the text is run word for word. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Snippet } from "#protos/snippets";
import { pythonPath } from "../support/parts.ts";

/** What came of a snippet of a program. */
export interface Logged {
  readonly logged: readonly unknown[];
  readonly error?: { readonly code: string; readonly detail: string };
}

/** What `service` did. */
export interface Commanded {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Runners {
  /** What it printed. */
  shell(source: string): Promise<string>;
  /** What it did until `isEnough`, then it is ended: in a shell and a folder of its own, because it may go on for ever. */
  follow(source: string, isEnough: (out: string) => boolean): Promise<Commanded>;
  /** Ended after `take` values, where it is given. */
  typescript(source: string, take?: number): Promise<Logged>;
  python(source: string, take?: number): Promise<Logged>;
  end(): void;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** For calls to the service at `url`. A process is started when its first snippet comes. */
export function runnersAt(url: string): Runners {
  const root = path.resolve(import.meta.dirname, "../..");
  const { PATH } = process.env;
  const environment = { PATH, LC_ALL: "C.UTF-8", SWITCHYARD_URL: url, SWITCHYARD_API_KEY: "" };
  const children: Child[] = [];
  const start = (program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const env = { ...environment, ...more };
    const child = spawn(program, args, { cwd: root, env, stdio: ["pipe", "pipe", "inherit"] });
    children.push(child);
    return child;
  };
  const file = (name: string) => path.join(import.meta.dirname, name);
  const shell = once(async () => {
    const command = asking(start(process.execPath, [file("command.mjs")]), "\n");
    const port = await command(undefined);
    return asking(start("bash", [file("shell.bash")], { COMMAND_PORT: port }), "\0");
  });
  const typescript = once(async () => asking(start(process.execPath, [file("typescript.mjs")]), "\n"));
  const python = once(async () =>
    asking(
      start(pythonPath()!, [file("python.py")], {
        PYTHONPATH: path.join(root, "sdk-python/src"),
        PYTHONDONTWRITEBYTECODE: "1",
      }),
      "\n",
    ),
  );
  return {
    shell: async (source) => (await shell())(source),
    follow: (source, isEnough) => followed(source, isEnough, environment),
    typescript: async (source, take) =>
      JSON.parse(await (await typescript())(JSON.stringify({ source, take }))) as Logged,
    python: async (source, take) =>
      JSON.parse(await (await python())(JSON.stringify({ source, take }))) as Logged,
    end() {
      for (const child of children) child.stdin.end();
    },
  };
}

async function followed(
  source: string,
  isEnough: (out: string) => boolean,
  environment: NodeJS.ProcessEnv,
): Promise<Commanded> {
  const cwd = mkdtempSync(path.join(tmpdir(), "snippets-"));
  const command = path.resolve(import.meta.dirname, "../../dist/cli/service.js");
  const env = { ...environment, XDG_CONFIG_HOME: "/nonexistent", NODE: process.execPath, COMMAND: command };
  const child = spawn("bash", ["--norc", "-c", `service() { "$NODE" "$COMMAND" "$@" -o json; }\n${source}`], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const said = { out: "", err: "" };
  let isEnded = false;
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    said.out += part;
    if (isEnded || !isEnough(said.out)) return;
    isEnded = true;
    // All of its group, and where it has ended by itself there is none.
    if (child.exitCode === null) process.kill(-child.pid!, "SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    said.err += part;
  });
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on("error", reject).on("close", (status) => resolve(status ?? 0));
    });
    return { code, ...said };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Asks in turn; a question and an answer end with the same character. */
function asking({ stdin, stdout }: Child, end: string): (question: string | undefined) => Promise<string> {
  const waiting: ((answer: string) => void)[] = [];
  let text = "";
  stdout.setEncoding("utf8").on("data", (part: string) => {
    const [last = "", ...whole] = (text + part).split(end).reverse();
    text = last;
    for (const answer of whole.reverse()) waiting.shift()!(answer);
  });
  return (question) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (question !== undefined) stdin.write(question + end);
    });
}

/** What a snippet of each kind says. */
export function sourceOf(snippets: readonly Snippet[], label: Snippet["label"]): string {
  return snippets.find((one) => one.label === label)!.source;
}
