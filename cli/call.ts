import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { CliError } from "./error.ts";

export interface Called {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How long an answer may take; unset: ten seconds. */
  readonly answerMs?: number;
  /** PEM, where the other side asks for a certificate, or is known by an authority of its own. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

/** The service has answered, and said no. */
export class RefusedError extends CliError {
  readonly status: number;
  readonly errorCode: string;
  constructor(status: number, errorCode: string, detail: string) {
    super(`service: refused with ${errorCode}: ${detail}`);
    this.status = status;
    this.errorCode = errorCode;
  }
}

/** A node answers in a moment; one that does not is in trouble, and that is an answer too. */
const answerMsMax = 10_000;

/** Answers with the whole body. By node:http: `fetch` would drag a connection pool along that keeps the command from ending. */
export function call({
  url,
  method,
  path,
  headers,
  body,
  answerMs = answerMsMax,
  tls,
}: Called): Promise<Record<string, unknown>> {
  const { host, protocol } = new URL(url);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const given = { ...headers, ...(text !== undefined && { "content-type": "application/json" }) };
  const request = protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const away = (why: string) => reject(new CliError(`service: no answer from ${host}: ${why}`));
    const sent = request(new URL(path, url), { method, headers: given, agent: false, ...tls }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        answer += chunk;
      });
      response.on("error", (error) => away(error.message));
      response.on("end", () => {
        const { statusCode = 0 } = response;
        try {
          const read = JSON.parse(answer) as Record<string, unknown>;
          if (statusCode < 300) resolve(read);
          else reject(new RefusedError(statusCode, String(read.errorCode), String(read.detail)));
        } catch {
          away("this is not a node of this service");
        }
      });
    });
    sent.setTimeout(answerMs, () => sent.destroy(new Error("it takes too long")));
    sent.on("error", (error: NodeJS.ErrnoException) =>
      away(error.code === "ECONNRESET" ? `it ended the connection. ${withCertificate(url)}` : error.message),
    );
    sent.end(text);
  });
}

/** What a listener with TLS does to clients that speak plain HTTP. */
function withCertificate(url: string): string {
  if (url.startsWith("https:")) return "It takes no connection with this certificate, or with none";
  return "Where server.internal_require_mtls is set, ask with a certificate: --cert FILE --key FILE --ca FILE";
}
