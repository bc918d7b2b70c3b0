import { existsSync, writeFileSync } from "node:fs";
import { devTenantId, isUlid, systemTenantId } from "#base";
import { RefusedError } from "./call.ts";
import { CliError } from "./error.ts";
import { type InternalPlane, internalOptions, internalPlane } from "./internal.ts";
import { parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service bootstrap`: the first tenant and its first admin key, by way of the internal plane. */
export async function bootstrap(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, {
    ...internalOptions,
    tenant: { type: "string" },
    "if-absent": { type: "boolean" },
    again: { type: "boolean" },
    "key-file": { type: "string" },
  });
  const { tenant: name, "if-absent": ifAbsent, again, "key-file": file } = options.flags;
  if (typeof name !== "string" || name === "")
    throw new CliError("service: bootstrap needs --tenant NAME", 2);
  if (typeof file === "string" && existsSync(file) && ifAbsent !== true)
    throw new CliError(`service: ${file} is there already and is not overwritten`);
  const plane = internalPlane(options, terminal);
  const tenant = await tenantOf(name, plane);
  if (again !== true && (await hasKey(tenant, plane))) {
    if (ifAbsent !== true)
      throw new CliError(
        `service: tenant ${tenant} has a key already; nothing was made. --again makes one more admin key, --if-absent accepts this`,
      );
    terminal.err(`service: tenant ${tenant} has a key already; nothing was made\n`);
    return 0;
  }
  const { data } = (await plane.call({
    method: "POST",
    path: "/api/v2/api-keys",
    headers: { "x-tenant-id": tenant },
    body: { name: "bootstrap", roles: ["admin"] },
  })) as { data: { secret: string } };
  if (typeof file === "string") writeFileSync(file, `${data.secret}\n`, { mode: 0o600 });
  else terminal.out(`${data.secret}\n`);
  terminal.err(`service: made an admin key for tenant ${tenant}; it is not shown again\n`);
  return 0;
}

/** Makes the tenant where tenants can be made. */
async function tenantOf(name: string, plane: InternalPlane): Promise<string> {
  const fixed = fixedTenants.get(name) ?? (isUlid(name) ? name : undefined);
  if (fixed !== undefined) return fixed;
  try {
    const made = await plane.call({ method: "POST", path: "/api/tenants", headers: {}, body: { name } });
    return (made.data as { id: string }).id;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (error.errorCode === "ALREADY_EXISTS") return findTenant(name, plane);
    if (error.status !== 404) throw error;
    throw new CliError(
      `service: this version makes no tenants: --tenant takes dev, system or a tenant's id, not ${name}`,
    );
  }
}

const fixedTenants = new Map([
  ["dev", devTenantId],
  ["system", systemTenantId],
]);

async function findTenant(name: string, plane: InternalPlane): Promise<string> {
  let cursor = "";
  for (;;) {
    const path = `/api/tenants?limit=1000${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await plane.call({ method: "GET", path, headers: {} });
    const found = (page.data as { id: string; name: string }[]).find((tenant) => tenant.name === name);
    if (found !== undefined) return found.id;
    if (typeof page.next_cursor !== "string") throw new CliError(`service: there is no tenant ${name}`);
    cursor = page.next_cursor;
  }
}

async function hasKey(tenant: string, plane: InternalPlane): Promise<boolean> {
  const path = "/api/v2/api-keys?status=active&limit=1";
  const page = await plane.call({ method: "GET", path, headers: { "x-tenant-id": tenant } });
  return (page.data as unknown[]).length > 0;
}
