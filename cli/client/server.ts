import { type Fetch, nodeFetch, SwitchyardError, type Tls, Transport } from "#sdk/calls";
import { CliError, exitCodes } from "../error.ts";

/** One server and who asks. */
export interface Server {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Tls;
  readonly transport: Transport;
  /** Of a call with its repeats, where it is not the usual one. */
  readonly timeoutMs?: number;
  readonly isInternal?: boolean;
}

interface Place extends Pick<Server, "url" | "headers" | "isInternal"> {
  readonly tls?: Tls;
  /** Takes what may be wrong and stops nothing. */
  readonly warn: (message: string) => void;
}

/** The transport of the client library. Node's own `fetch` takes as long to load as the rest of a command. */
export function serverAt({ url, headers, tls = {}, warn, ...place }: Place): Server {
  const target = {
    url,
    headers,
    fetch: withNews(nodeFetch(tls)),
    ...(tls.ca !== undefined && { ca: tls.ca }),
  };
  const settings = { timeoutMs: 30_000, retries: 5, target: async () => target };
  const transport = new Transport({
    ...settings,
    warn: (message) => warn(`${message.replace(/^switchyard:/, "service:")}\n`),
  });
  return { ...place, url, headers, tls, transport };
}

/** How long a connection that is refused is tried again, while nothing has ever answered there. */
const refusedMs = 500;

/** What will not pass is told at once: an address with nothing behind it, a name that is not known, a wrong certificate. */
function withNews(fetch: Fetch): Fetch {
  const startedMs = performance.now();
  let hasAnswered = false;
  return async (url, init) => {
    try {
      const answer = await fetch(url, init);
      hasAnswered = true;
      return answer;
    } catch (cause) {
      if (init.signal.aborted) throw cause;
      const code = codeOf(cause);
      const isPassing =
        code === "ECONNREFUSED" ? hasAnswered || performance.now() - startedMs < refusedMs : !isLasting(code);
      const reason = "CONNECTION_LOST";
      throw new SwitchyardError({ code: "UNAVAILABLE", reason, detail: code, retryable: isPassing, cause });
    }
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isLasting(code: string): boolean {
  return code === "ENOTFOUND" || code === "EPROTO" || code.startsWith("HPE_") || isCertificate(code);
}

function isCertificate(code: string): boolean {
  return /CERT|SIGNED|SIGNATURE|ERR_TLS/.test(code);
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
  override readonly problem: Problem;
  constructor(status: number, problem: Problem, { isInternal = false }: Pick<Server, "isInternal">) {
    const { detail = "", errors = [] } = problem;
    const others = errors.filter(({ field, reason }) => !detail.includes(`${field} ${reason}`));
    const fields = others.map(({ field, reason }) => `\n  ${field}: ${reason}`);
    super(
      `service: ${problem.errorCode}: ${detail}${problem.errorCode === "UNAUTHENTICATED" ? keyHint(isInternal) : ""}${fields.join("")}`,
      exitCodeOf(problem.errorCode),
    );
    this.status = status;
    this.problem = problem;
  }

  get errorCode(): string {
    return String(this.problem.errorCode);
  }
}

function keyHint(isInternal: boolean): string {
  return isInternal
    ? ". --token or SERVICE_TOKEN gives a token"
    : ". --key-file, SWITCHYARD_API_KEY, SWITCHYARD_TOKEN or a context says who asks";
}

function exitCodeOf(errorCode: string | undefined): number {
  if (errorCode === "NOT_FOUND") return exitCodes.notThere;
  const isDenied = errorCode === "PERMISSION_DENIED" || errorCode === "UNAUTHENTICATED";
  return isDenied ? exitCodes.notAllowed : exitCodes.refused;
}

/** An error of the client library as a command tells it; others stay as they are. */
export function told(error: unknown, server: Server): unknown {
  if (!(error instanceof SwitchyardError)) return error;
  const { cause, status } = error;
  if (isProblem(cause)) return new RefusedError(status, cause, server);
  const why = error.reason === "CONNECTION_LOST" ? whyLost(cause, server) : whyOdd(error);
  return new CliError(`service: no answer from ${new URL(server.url).host}: ${why}`, exitCodes.noAnswer);
}

function isProblem(cause: unknown): cause is Problem {
  return typeof cause === "object" && cause !== null && "errorCode" in cause;
}

function whyOdd({ code, status, reason, detail }: SwitchyardError): string {
  if ((status === 0 && reason !== "NOT_JSON") || reason === "REDIRECTED") return detail;
  const passing = code === "UNAVAILABLE" || code === "TIMEOUT" ? ", or something in between" : "";
  return `this is not a node of this service${passing}${status === 0 ? "" : ` (status ${status})`}`;
}

function whyLost(cause: unknown, { url, isInternal = false }: Server): string {
  const code = codeOf(cause);
  if (code === "ECONNREFUSED") return `nothing listens there${isInternal ? "" : startHint}`;
  if (code === "ENOTFOUND") return "there is no host of this name";
  if (code === "EPROTO") return "it speaks no TLS; is it http: instead of https:?";
  if (code.startsWith("HPE_")) return "it speaks no HTTP/1.1; commands ask the port of REST";
  const message = cause instanceof Error && cause.message !== "" ? cause.message : code;
  if (isCertificate(code))
    return `${message}; ${isInternal ? "--ca" : "ca_file of a context"} says who signed it`;
  return code === "ECONNRESET" ? `it ended the connection${resetHint(url, isInternal)}` : message;
}

const startHint = ". `service dev` starts a service; --url, SWITCHYARD_URL or a context names another one";

/** What a listener with TLS does to clients that speak plain HTTP, or have no certificate. */
function resetHint(url: string, isInternal: boolean): string {
  if (url.startsWith("https:")) return ". It takes no connection with this certificate, or with none";
  return isInternal
    ? ". Where server.internal_require_mtls is set, ask with a certificate: --cert FILE --key FILE --ca FILE"
    : "";
}
