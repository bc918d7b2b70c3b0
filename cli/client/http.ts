import { type IncomingMessage, request as requestHttp } from "node:http";
import { CliError, exitCodes } from "../error.ts";
import { surface } from "./surface.ts";

/** One server and who asks. */
export interface Server {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** PEM, where the other side asks for a certificate, or is known by an authority of its own. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly timeoutMs?: number;
  /** Takes what may be wrong and stops nothing. */
  readonly warn?: (message: string) => void;
}

export interface Outgoing {
  readonly verb: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How long the server itself may wait before it answers. */
  readonly waitMs?: number;
}

export interface Problem {
  readonly errorCode?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly field: string; readonly reason: string }[];
  readonly [member: string]: unknown;
}

/** The service has answered, and refused. */
export class RefusedError extends CliError {
  readonly status: number;
  readonly problem: Problem;
  constructor(status: number, problem: Problem) {
    const fields = (problem.errors ?? []).map(({ field, reason }) => `\n  ${field}: ${reason}`);
    super(`service: ${problem.errorCode}: ${problem.detail}${fields.join("")}`, codeOf(problem.errorCode));
    this.status = status;
    this.problem = problem;
  }

  get errorCode(): string {
    return String(this.problem.errorCode);
  }
}

function codeOf(errorCode: string | undefined): number {
  if (errorCode === "NOT_FOUND") return exitCodes.notThere;
  const isDenied = errorCode === "PERMISSION_DENIED" || errorCode === "UNAUTHENTICATED";
  return isDenied ? exitCodes.notAllowed : exitCodes.refused;
}

/** A node answers in a moment; one that does not is in trouble. What it may wait by itself comes on top. */
const answerMs = 30_000;

/**
 * Sends, and resolves with the answer, whose body is still to be read. By node:http: `fetch` takes as long to load as the rest
 * of a command.
 */
export async function open(server: Server, outgoing: Outgoing): Promise<IncomingMessage> {
  const { url, tls, timeoutMs = answerMs } = server;
  const { host, protocol } = new URL(url);
  const request = protocol === "https:" ? (await import("node:https")).request : requestHttp;
  const headers = { "x-contract": surface().contractId, ...server.headers, ...outgoing.headers };
  const { verb: method, path, body, waitMs = 0 } = outgoing;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers, agent: false, ...tls }, resolve);
    sent.setTimeout(timeoutMs + waitMs, () => sent.destroy(new Error("it takes too long")));
    sent.on("error", (error: NodeJS.ErrnoException) => reject(away(host, whyOf(error, url))));
    sent.end(body);
  });
  compare(server, response.headers["x-contract"]);
  if (response.statusCode! < 300) return response;
  const text = (await bytesOf(response)).toString();
  throw new RefusedError(response.statusCode!, problemOf(text, host));
}

let hasWarned = false;

/** A node names its contract where it is another one. Said once. */
function compare({ warn }: Server, served: unknown): void {
  if (typeof served !== "string" || hasWarned) return;
  hasWarned = true;
  warn?.(
    `service: the server has the contract ${served}, this command ${surface().contractId}; what they know may differ\n`,
  );
}

export async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return Buffer.concat(parts);
}

/** The whole answer as JSON. */
export async function answerOf(server: Server, outgoing: Outgoing): Promise<Record<string, unknown>> {
  const text = (await bytesOf(await open(server, outgoing))).toString();
  return jsonOf(text, new URL(server.url).host);
}

function problemOf(text: string, host: string): Problem {
  const problem = jsonOf(text, host) as Problem;
  if (problem.errorCode === undefined) throw away(host, "this is not a node of this service");
  return problem;
}

function jsonOf(text: string, host: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw away(host, "this is not a node of this service");
  }
}

function away(host: string, why: string): CliError {
  return new CliError(`service: no answer from ${host}: ${why}`, exitCodes.noAnswer);
}

/** What a listener with TLS does to clients that speak plain HTTP. */
function whyOf(error: NodeJS.ErrnoException, url: string): string {
  if (error.code !== "ECONNRESET") return error.message;
  const hint = url.startsWith("https:")
    ? "It takes no connection with this certificate, or with none"
    : "Where server.internal_require_mtls is set, ask with a certificate: --cert FILE --key FILE --ca FILE";
  return `it ended the connection. ${hint}`;
}
