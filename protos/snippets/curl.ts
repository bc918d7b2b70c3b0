import type { Fields, Method } from "../surface/index.ts";
import { httpOf, isUpload } from "../surface/index.ts";
import { json, literal, shellLine, shellWord } from "./literal.ts";

export interface SnippetOptions {
  /** Sent with the call. The client's own way to say it is taken where it has one: `idempotency-key`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CurlOptions extends SnippetOptions {
  /** Default: what the variable of the other clients says. */
  readonly url?: string;
  /** Headers whose values the shell finds out, so that no secret is in the text: `$SWITCHYARD_API_KEY`, `$(cat key)`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Of PEM: who signed the server's certificate, and the caller's own. */
  readonly files?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** The call as a command of curl. */
export function asCurl(method: Method, request: Fields, options: CurlOptions = {}): string {
  const isExternal = method.plane === "external";
  const { headers = {}, files = {}, url = isExternal ? undefined : internalUrl } = options;
  const { secrets = isExternal ? externalSecret : internalSecret } = options;
  const { verb, path, headers: own, body } = httpOf(method, request);
  const start = [
    method.sse === undefined ? "curl -sS" : "curl -sSN",
    ...(verb === "GET" ? [] : [`-X ${verb}`]),
    url === undefined ? `"$SWITCHYARD_URL${path}"` : shellWord(url + path),
  ];
  const groups = [
    start.join(" "),
    ...Object.entries(files).map(([name, file]) => `--${name === "ca" ? "cacert" : name} ${shellWord(file)}`),
    ...Object.entries(secrets).map(([name, value]) => `-H "${name}: ${value}"`),
    ...Object.entries({ ...own, ...headers }).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellWord(literal(body, json))}`]),
  ];
  if (!isUpload(method)) return shellLine(groups);
  const data = `printf %s ${shellWord(String(request.data ?? ""))} | base64 -d |`;
  return `${data} ${shellLine([...groups, "--data-binary @-"])}`;
}

const externalSecret = { "x-api-key": "$SWITCHYARD_API_KEY" };
const internalSecret = { authorization: "Bearer $SERVICE_TOKEN" };
/** Where a node listens for its operator unless its settings say otherwise. */
const internalUrl = "http://127.0.0.1:50053";
