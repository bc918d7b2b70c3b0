import { openClient } from "./client.ts";
import type { Terminal } from "./terminal.ts";

/** `service whoami` */
export async function whoami(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags, call } = openClient(args, terminal);
  const { data } = (await call({ method: "GET", path: "/api/_meta/whoami" })) as { data: Identity };
  if (flags.json === true) terminal.out(`${JSON.stringify(data, undefined, 2)}\n`);
  else {
    const rows = {
      kind: data.kind,
      subject: data.subject,
      tenant: data.tenant_id ?? "(none: a platform principal)",
      roles: data.roles.join(", "),
      scopes: data.scopes.length === 0 ? "(not narrowed)" : data.scopes.join(", "),
      permissions: data.permissions.join(", "),
    };
    for (const [name, value] of Object.entries(rows)) terminal.out(`${name.padEnd(12)} ${value}\n`);
  }
  return 0;
}

interface Identity {
  readonly kind: string;
  readonly subject: string;
  readonly tenant_id?: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly permissions: readonly string[];
}
