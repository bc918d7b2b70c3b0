import type { Fields, Method, Schema } from "#protos/surface";
import { CliError, exitCodes, misunderstood } from "../error.ts";
import { perform } from "./perform.ts";
import type { Server } from "./server.ts";
import type { Surface } from "./surface.ts";

type Row = Readonly<Record<string, unknown>>;

const usualPattern = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";

/** The request with ids where names were given. */
export async function withIds(
  surface: Surface,
  method: Method,
  request: Fields,
  server: Server,
): Promise<Fields> {
  const resolved: Record<string, unknown> = { ...request };
  for (const [field, schema] of Object.entries(surface.schema(method.request).properties ?? {})) {
    const value = resolved[field];
    if (schema.ref !== undefined && typeof value === "string" && !isId(schema, value))
      resolved[field] = await idOf(surface, { field, schema, value, request: resolved, server });
  }
  return resolved;
}

function isId({ pattern = usualPattern }: Schema, value: string): boolean {
  return new RegExp(pattern).test(value);
}

interface Named {
  readonly field: string;
  readonly schema: Schema;
  readonly value: string;
  readonly request: Fields;
  readonly server: Server;
}

/** What is inside of something else may be named with it: `support/ada`. */
async function idOf(surface: Surface, { field, schema, value, request, server }: Named): Promise<string> {
  const { list, by } = schema.ref!;
  const method = surface.method(list)!;
  const [outer] = method.cli!.args;
  const known = outer === undefined ? undefined : request[outer];
  const slash = value.indexOf("/");
  if (outer !== undefined && known === undefined && slash < 1)
    throw misunderstood(`${field} ${value}: give the id, or ${outer.replace(/_id$/, "")}/${by}`);
  const isPath = outer !== undefined && known === undefined;
  const name = isPath ? value.slice(slash + 1) : value;
  const within = isPath
    ? await withIds(surface, method, { [outer]: value.slice(0, slash) }, server)
    : request;
  const asked = outer === undefined ? {} : { [outer]: within[outer] };
  if (isPath && isId(schema, name)) return name;
  const rows = await rowsOf(surface, method, asked, { by, name, server });
  const found = rows.filter((row) => row[by] === name);
  if (found.length === 1) return String(found[0]!.id);
  const what = nounOf(list);
  if (found.length > 1)
    throw misunderstood(
      `${found.length} ${what} have the ${by} ${name}: give the id, ${found.map(({ id }) => id).join(" or ")}`,
    );
  const { nearest } = await import("#base");
  const names = rows.length > 0 ? rows : await rowsOf(surface, method, asked, { by, server });
  const near = nearest(
    name,
    names.map((row) => String(row[by])),
  );
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new CliError(`service: none of the ${what} has the ${by} ${name}${hint}`, exitCodes.notThere);
}

/** `PoolService.ListPools`: pools. */
function nounOf(list: string): string {
  return list.slice(list.indexOf(".List") + 5).toLowerCase();
}

interface Search {
  readonly by: string;
  /** Absent: the first thousand. */
  readonly name?: string;
  readonly server: Server;
}

/** All pages of a list; by its own filter where it has one. */
export async function rowsOf(
  surface: Surface,
  method: Method,
  request: Fields,
  { by, name, server }: Search,
): Promise<readonly Row[]> {
  const filters = surface.schema(method.request).properties ?? {};
  const filter = name !== undefined && by in filters ? { [by]: name } : {};
  const asked = { ...request, ...filter, limit: 1000 };
  const { data } = await perform(method, asked, { server, all: name !== undefined });
  return data as readonly Row[];
}
