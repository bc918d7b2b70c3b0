import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { type Problem, problemsOf } from "#actors";
import { type Client, openClient } from "./client.ts";
import { CliError } from "./error.ts";
import { listed } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type Draft = Readonly<Record<string, unknown>>;

/** `service workflows check FILE`: exit code 1 where the file has problems. No service is asked. */
export function check(args: readonly string[], terminal: Terminal): number {
  const [file, ...rest] = args;
  if (rest.length > 0) throw new CliError("service: workflows check takes one FILE", 2);
  const draft = draftIn(file);
  const problems = problemsOf(draft);
  if (problems.length > 0) throw new CliError(listed(`${file} cannot be published`, problems.map(lineOf)));
  terminal.out(`${file} can be published\n`);
  return 0;
}

/** `service workflows publish FILE` */
export async function publish(args: readonly string[], terminal: Terminal): Promise<number> {
  const [file, ...rest] = args;
  const draft = draftIn(file);
  const client = openClient(rest, terminal, { key: { type: "string" } });
  const { key = path.parse(file!).name } = client.flags;
  const id = await stored(client, String(key), draft);
  const { data } = (await client.call({
    method: "POST",
    path: `/api/workflow-definitions/${id}/publish`,
    body: {},
  })) as { data: { active_version: number } };
  terminal.out(`${key} (${id}) is published: version ${data.active_version} is active\n`);
  return 0;
}

/** The id of the definition whose draft is now this one. */
async function stored(client: Client, key: string, draft: Draft): Promise<string> {
  const list = `/api/workflow-definitions?key=${encodeURIComponent(key)}`;
  const [found] = ((await client.call({ method: "GET", path: list })) as { data: { id: string }[] }).data;
  if (!found) {
    const body = { key, draft };
    const made = await client.call({ method: "POST", path: "/api/workflow-definitions", body });
    return (made.data as { id: string }).id;
  }
  const at = `/api/workflow-definitions/${found.id}/draft`;
  // A patch merges: what the file no longer has would stay.
  await client.call({ method: "PATCH", path: at, body: { draft: null } });
  await client.call({ method: "PATCH", path: at, body: { draft } });
  return found.id;
}

function draftIn(file: string | undefined): Draft {
  if (file === undefined || file.startsWith("--"))
    throw new CliError("service: name the FILE with the workflow", 2);
  let draft: unknown;
  try {
    draft = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`, 2);
  }
  if (typeof draft !== "object" || draft === null || Array.isArray(draft))
    throw new CliError(`service: ${file} is no workflow: it must be an object with steps`, 2);
  return draft as Draft;
}

function lineOf({ path: at, reason, line, column }: Problem): string {
  const place = line === undefined ? "" : ` (line ${line}, column ${column} of the expression)`;
  return `${at}: ${reason}${place}`;
}
