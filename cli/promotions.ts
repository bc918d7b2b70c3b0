import { openClient } from "./client.ts";
import { CliError } from "./error.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const own = { state: { type: "string" } } as const;

type Row = Readonly<Record<string, unknown>>;

/** `service promotions list | show ID` */
export async function promotions(args: readonly string[], terminal: Terminal): Promise<number> {
  const [verb = "", id = ""] = args;
  if (verb !== "list" && verb !== "show")
    throw new CliError(`service: there is no command "promotions ${verb}"; there are list, show`, 2);
  if (verb === "show" && (id === "" || id.startsWith("-")))
    throw new CliError("service: promotions show needs the id of a candidate", 2);
  const { flags, call } = openClient(args.slice(verb === "show" ? 2 : 1), terminal, own);
  const filter = typeof flags.state === "string" ? `&state=${encodeURIComponent(flags.state)}` : "";
  const query = verb === "show" ? `/${encodeURIComponent(id)}` : `?limit=1000${filter}`;
  const { data } = (await call({ method: "GET", path: `/api/promotions/candidates${query}` })) as Row;
  const isJson = flags.json === true || verb === "show";
  const columns = ["id", "name", "environment_id", "state", "updated_at"];
  terminal.out(isJson ? `${JSON.stringify(data, undefined, 2)}\n` : table(columns, data as Row[]));
  return 0;
}
