import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { ExecutionContext } from "ava";
import { Server } from "../crash/server.ts";
import { pythonPath } from "./parts.ts";

const root = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Runs the `sh` blocks of an example's README word for word, in one shell at a service of its own, and returns what they print. */
export async function runExample(t: ExecutionContext, name: string, how: How = {}): Promise<string> {
  t.timeout(480_000);
  const server = new Server(how.settings);
  t.teardown(() => server.remove());
  await server.start();
  const text = readFileSync(path.join(root, "examples", name, "README.md"), "utf8");
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
  const { between } = how;
  // Bash takes the socket that is its input for one of `rshd`, and would then read ~/.bashrc first.
  const running = run("bash", ["--norc", "-ec", blocks.join(between === undefined ? "\n" : waitForReader)], {
    cwd: root,
    env: { ...process.env, SWITCHYARD_URL: server.url, ...how.environment?.(server.ports) },
    timeout: 240_000,
  });
  if (between !== undefined) {
    const { stdin, stdout } = running.child;
    let printed = "";
    let passed = 0;
    stdout!.on("data", async (text) => {
      printed += text;
      if (printed.split(mark).length - 1 === passed) return;
      await between(printed, ++passed).catch((error) => {
        t.fail(String(error));
        running.child.kill();
      });
      stdin!.write("\n");
    });
  }
  return (await running).stdout;
}

const mark = "--- the reader reads on ---\n";
const waitForReader = `\nprintf '%s' '${mark}'; read -r _\n`;

interface How {
  /** What a reader does after each block but the last; `said`: all that was printed so far. */
  readonly between?: (said: string, block: number) => Promise<void>;
  /** Of the service. */
  readonly settings?: readonly string[];
  /** `ports`: of the service, by listener. */
  readonly environment?: (ports: Readonly<Record<string, number>>) => Readonly<Record<string, string>>;
}

/** As in a shell where the environment with the Python client is active. Call it where the part `python` is here. */
export function withPython(): Readonly<Record<string, string>> {
  const folder = path.dirname(pythonPath()!);
  return {
    PATH: `${folder}${path.delimiter}${process.env.PATH ?? ""}`,
    PYTHONPATH: path.join(root, "sdk-python/src"),
  };
}
