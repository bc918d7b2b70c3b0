import type { Given } from "../command.ts";
import type { Outgoing, Server } from "./http.ts";
import { textOf } from "./settings.ts";

/** The call as a line of a shell. A credential stays where it is: the line names its file or its variable. */
export function curlOf(
  server: Server,
  { verb, path, headers = {}, body }: Outgoing,
  flags: Given["flags"],
): string {
  const words = [
    "curl",
    "-sS",
    ...(verb === "GET" ? [] : ["-X", verb]),
    quoted(new URL(path, server.url).href),
  ];
  for (const [name, value] of Object.entries({ ...server.headers, ...headers }))
    words.push("-H", headerOf(name, value, flags));
  if (body !== undefined) words.push("--data-binary", quoted(String(body)));
  return `${words.join(" ")}\n`;
}

function headerOf(name: string, value: string, flags: Given["flags"]): string {
  const file = textOf(flags["key-file"]);
  if (name === "x-api-key")
    return file === undefined ? '"x-api-key: $SWITCHYARD_API_KEY"' : `"x-api-key: $(cat ${quoted(file)})"`;
  if (name === "authorization") return '"authorization: Bearer $SWITCHYARD_TOKEN"';
  return quoted(`${name}: ${value}`);
}

/** For a shell: nothing in it has a meaning of its own. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function dryRun({ verb, path, body }: Outgoing): string {
  const text = body === undefined ? "" : `${JSON.stringify(JSON.parse(String(body)), undefined, 2)}\n`;
  return `${verb} ${path}\n${text}`;
}
