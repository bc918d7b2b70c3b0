import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { runCommand } from "./cli.ts";

export interface Ran {
  /** As written on the page. */
  readonly line: string;
  /** For a command: its exit code. */
  readonly code: number;
  readonly said: string;
}

/**
 * Runs the calls of the first `sh` block of a page, one after the other, in `folder`. `variables` returns the values of
 * `$NAME` after the calls so far. Commands of the service run in this process.
 */
export async function runExamples(page: string, { port, folder, variables }: Where): Promise<readonly Ran[]> {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const lines = /```sh\n([\s\S]*?)```/
    .exec(text)![1]!
    .trimEnd()
    .split(/\n(?=curl|service)/);
  const ran: Ran[] = [];
  for (const line of lines) {
    const isCommand = line.startsWith("service ");
    const one = isCommand
      ? await command(line, folder, port)
      : await call(line, folder, port, variables(ran));
    ran.push({ line, ...one });
  }
  return ran;
}

interface Where {
  readonly port: number;
  readonly folder: string;
  readonly variables: (ran: readonly Ran[]) => Readonly<Record<string, string>>;
}

/** `data` of the answer that a call got. */
export function dataOf({ said }: Ran): Record<string, unknown> {
  return (JSON.parse(said) as { data: Record<string, unknown> }).data;
}

function call(line: string, cwd: string, port: number, variables: Readonly<Record<string, string>>) {
  const ours = line.replace("localhost:8080", `127.0.0.1:${port}`).replace("curl", "curl -s");
  return new Promise<Omit<Ran, "line">>((resolve, reject) => {
    const child = spawn("sh", ["-c", ours], { cwd, env: { ...process.env, ...variables } });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, said }));
  });
}

async function command(line: string, folder: string, port: number): Promise<Omit<Ran, "line">> {
  const words = line.split(/\s+/).slice(1);
  const asks = words[0] === "conformance" ? ["--url", `http://127.0.0.1:${port}`] : [];
  const files = words.map((word) => (word.endsWith(".json") ? `${folder}/${word}` : word));
  const { code, said } = await runCommand([...files, ...asks]);
  return { code, said };
}
