import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { checkProviderFile } from "#actors";
import { limits } from "#base";
import { RefusedError } from "./call.ts";
import { CliError } from "./error.ts";
import { type InternalPlane, internalOptions, internalPlane } from "./internal.ts";
import { parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** Says what is wrong with a file of the catalogue, each with its place. */
export function connectorCheck([file, ...more]: readonly string[], terminal: Terminal): number {
  if (file === undefined || more.length > 0) throw new CliError("service: connector check takes one FILE", 2);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`);
  }
  const problems = checkProviderFile(text);
  for (const { line, column, path, reason } of problems)
    terminal.err(`${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${reason}\n`);
  if (problems.length === 0) terminal.out(`${file}: sound\n`);
  return problems.length === 0 ? 0 : 1;
}

interface Rotated {
  readonly data: {
    readonly rotated: number;
    readonly unchanged: number;
    readonly unreadable: number;
    readonly next_page_token: string;
  };
}

/** Page by page until nothing of the tenant is sealed under another key; it can be stopped and run again. */
export async function connectorRotate(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, { ...internalOptions, tenant: { type: "string" } });
  const plane = internalPlane(options, terminal);
  const { tenant } = options.flags;
  const headers = typeof tenant === "string" ? { "x-tenant-id": tenant } : {};
  const total = { rotated: 0, unchanged: 0, unreadable: 0 };
  let page_token = "";
  do {
    const { data } = await pageOf(plane, page_token, headers);
    total.rotated += data.rotated;
    total.unchanged += data.unchanged;
    total.unreadable += data.unreadable;
    page_token = data.next_page_token;
  } while (page_token !== "");
  terminal.out(
    `${total.rotated} sealed anew, ${total.unchanged} unchanged, ${total.unreadable} cannot be opened\n`,
  );
  return total.unreadable === 0 ? 0 : 1;
}

const pageAttemptsMax = 10;
const pagePauseMs = 1_000;
/** A node that is busy says these; what it has done of a page already is found to be unchanged. */
const passing = new Set(["TIMEOUT", "UNAVAILABLE", "RATE_LIMITED"]);

/** One slow page among a hundred does not end a rotation. */
async function pageOf(
  plane: InternalPlane,
  page_token: string,
  headers: Readonly<Record<string, string>>,
): Promise<Rotated> {
  const path = "/api/v2/connector/encryption:rotate";
  // Longer than the node itself gives a request.
  const answerMs = limits.requestTimeoutMs + pagePauseMs;
  for (let attempt = 1; ; attempt++)
    try {
      const answer = await plane.call({ method: "POST", path, body: { page_token }, headers, answerMs });
      return answer as unknown as Rotated;
    } catch (error) {
      const isPassing = error instanceof RefusedError && passing.has(error.errorCode);
      if (!isPassing || attempt === pageAttemptsMax) throw error;
      await sleep(pagePauseMs);
    }
}
