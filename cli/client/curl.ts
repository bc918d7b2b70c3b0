import { asCurl, shellWord } from "#protos/snippets";
import type { Fields, Method } from "#protos/surface";
import type { Given } from "../command.ts";
import { assertAddress } from "./request.ts";
import type { Server } from "./server.ts";
import { textOf } from "./settings.ts";

/** The call as a command of curl. A credential stays where it is: the text names its file or its variable. */
export function curlOf(
  { url, headers, tls }: Server,
  method: Method,
  request: Fields,
  { flags, key }: { readonly flags: Given["flags"]; readonly key?: string },
): string {
  assertAddress(method, request);
  const file = textOf(flags["key-file"]);
  const secret = {
    "x-api-key": file === undefined ? "$SWITCHYARD_API_KEY" : `$(cat ${shellWord(file)})`,
    authorization: `Bearer ${method.plane === "internal" ? "$SERVICE_TOKEN" : "$SWITCHYARD_TOKEN"}`,
  };
  const isSecret = (name: string): name is keyof typeof secret => Object.hasOwn(secret, name);
  const all = Object.entries({ ...headers, ...(key !== undefined && { "idempotency-key": key }) });
  const text = asCurl(method, request, {
    url,
    files: Object.fromEntries(Object.entries(tls).map(([name, { file }]) => [name, file])),
    secrets: Object.fromEntries(all.flatMap(([name]) => (isSecret(name) ? [[name, secret[name]]] : []))),
    headers: Object.fromEntries(all.filter(([name]) => !isSecret(name))),
  });
  return `${text}\n`;
}
