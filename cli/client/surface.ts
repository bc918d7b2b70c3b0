import { existsSync, readFileSync } from "node:fs";
import type { Method, Schema } from "#protos/surface";

/** A method and a schema have a line each: of one command only its own lines are parsed, so that it starts at once. */
class Surface {
  readonly #lines: readonly string[];
  readonly #first: number;

  constructor(text: string) {
    this.#lines = text.split("\n");
    this.#first = this.#lines.indexOf('"schemas":{');
  }

  /** As `X-Contract` names it. */
  get contractId(): string {
    return this.contractSha256.slice(0, 12);
  }

  get contractSha256(): string {
    return /"contract_sha256":"(\w+)"/.exec(this.#lines[0]!)![1]!;
  }

  get methods(): readonly Method[] {
    return this.#lines
      .slice(0, this.#first)
      .filter((line) => line.startsWith('{"id":'))
      .map(parsedLine<Method>);
  }

  group(name: string): readonly Method[] {
    const mark = `"cli":{"group":"${name}"`;
    return this.#lines
      .slice(0, this.#first)
      .filter((line) => line.includes(mark))
      .map(parsedLine<Method>);
  }

  /** The names of all groups. */
  get groups(): readonly string[] {
    const named = this.#lines.flatMap((line) => /"cli":\{"group":"([^"]+)"/.exec(line)?.[1] ?? []);
    return [...new Set(named)].sort();
  }

  method(id: string): Method | undefined {
    const line = this.#lines.find((one) => one.startsWith(`{"id":"${id}",`));
    return line === undefined ? undefined : parsedLine<Method>(line);
  }

  /** The field by which ids of a service have names; none where a name counts only inside of something else. */
  namesIn(service: string): string | undefined {
    const mark = new RegExp(`"ref":\\{"list":"(${service}\\.\\w+)","by":"(\\w+)"`);
    const line = this.#lines.slice(this.#first).find((one) => mark.test(one));
    const [, list = "", by] = mark.exec(line ?? "") ?? [];
    return this.method(list)?.cli?.args.length === 0 ? by : undefined;
  }

  /** A schema with nothing in it where there is none of that name. */
  schema(name: string | undefined): Schema {
    const mark = `"${name}":`;
    const line = this.#lines.slice(this.#first).find((one) => one.startsWith(mark));
    return line === undefined ? {} : parsedLine<Schema>(line.slice(mark.length));
  }

  /** A schema in place of a reference to it. */
  resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...own } = schema;
    return { ...this.schema($ref.slice($ref.lastIndexOf("/") + 1)), ...own };
  }
}

export type { Surface };

function parsedLine<T>(line: string): T {
  return JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line) as T;
}

let loaded: Surface | undefined;

/** From source this file is two folders deep, from what is built of it three. */
export function surface(): Surface {
  if (loaded !== undefined) return loaded;
  const [file] = ["../..", "../../.."]
    .map((up) => new URL(`${up}/protos/gen/surface.json`, import.meta.url))
    .filter((url) => existsSync(url));
  loaded = new Surface(readFileSync(file!, "utf8"));
  return loaded;
}
