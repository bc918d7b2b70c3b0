import { existsSync, writeFileSync } from "node:fs";
import { devTenantId, isUlid, systemTenantId } from "#base";
import type { Given } from "../command.ts";
import { CliError, misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { internalServer } from "./internal.ts";
import { RefusedError, type Server, serverAt } from "./server.ts";
import { textOf } from "./settings.ts";

/** `service bootstrap`: the first tenant and its first admin key, by way of the internal plane. */
export async function bootstrap({ flags }: Given, terminal: Terminal): Promise<number> {
  const { tenant: given, ...others } = flags;
  const { "if-absent": ifAbsent, again } = flags;
  const [name, file, context] = [textOf(given), textOf(flags["key-file"]), textOf(flags["save-context"])];
  if (name === undefined) throw misunderstood("bootstrap needs --tenant NAME");
  if (file !== undefined && existsSync(file) && ifAbsent !== true)
    throw new CliError(`service: ${file} is there already and is not overwritten`);
  const plane = await internalServer(others, terminal);
  const tenant = await tenantOf(name, new Client(plane));
  const own = new Client(ofTenant(plane, tenant));
  if (again !== true && (await hasKey(own))) {
    if (ifAbsent !== true)
      throw new CliError(
        `service: tenant ${tenant} has a key already; nothing was made. --again makes one more admin key, --if-absent accepts this`,
      );
    terminal.err(`service: tenant ${tenant} has a key already; nothing was made\n`);
    return 0;
  }
  const { secret } = await own.call<{ secret: string }>("ApiKeyService.CreateApiKey", {
    name: "bootstrap",
    roles: ["admin"],
  });
  if (file !== undefined) writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  if (context !== undefined) await save(context, secret, textOf(flags.url), terminal);
  if (file === undefined && context === undefined) terminal.out(`${secret}\n`);
  terminal.err(`service: made an admin key for tenant ${tenant}; it is not shown again\n`);
  return 0;
}

function ofTenant(plane: Server, tenant: string): Server {
  // What may be wrong with the server was told of already.
  return serverAt({ ...plane, headers: { ...plane.headers, "x-tenant-id": tenant }, warn: () => {} });
}

async function save(
  name: string,
  api_key: string,
  url: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const { addContext } = await import("./contexts-command.ts");
  const at = url ?? terminal.environment.SWITCHYARD_URL ?? "http://127.0.0.1:8080";
  await addContext(name, { url: at, api_key }, terminal, true);
  terminal.err(`service: context ${name} has the key and is used from now on\n`);
}

const fixedTenants = new Map([
  ["dev", devTenantId],
  ["system", systemTenantId],
]);

/** Makes the tenant where tenants can be made. */
async function tenantOf(name: string, client: Client): Promise<string> {
  const fixed = fixedTenants.get(name) ?? (isUlid(name) ? name : undefined);
  if (fixed !== undefined) return fixed;
  try {
    return (await client.call<{ id: string }>("TenantService.CreateTenant", { name })).id;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (error.errorCode === "ALREADY_EXISTS") return findTenant(name, client);
    if (error.status !== 404) throw error;
    throw new CliError(
      `service: this version makes no tenants: --tenant takes dev, system or a tenant's id, not ${name}`,
    );
  }
}

async function findTenant(name: string, client: Client): Promise<string> {
  const tenants = await client.call<readonly { id: string; name: string }[]>("TenantService.ListTenants", {});
  const found = tenants.find((tenant) => tenant.name === name);
  if (found === undefined) throw new CliError(`service: there is no tenant ${name}`);
  return found.id;
}

async function hasKey(client: Client): Promise<boolean> {
  const keys = await client.call<readonly unknown[]>("ApiKeyService.ListApiKeys", { status: "active" });
  return keys.length > 0;
}
