import { systemTenantId } from "#base";
import { accessOf, permissionNames } from "../calls/access.ts";
import type { Contract, ContractMethod } from "../contract/index.ts";

/** docs/permissions.md, whole; a test compares the two. */
export function permissionsMarkdown(contract: Contract): string {
  const roles = [...contract.roles.names];
  const held = new Map(roles.map((role) => [role, permissionsOf(contract, role)]));
  const asked = (method: ContractMethod) => {
    const { resource, action, scopes } = method.governance;
    return [...new Set([`${resource}:${action}`, ...scopes])];
  };
  const rows = contract.methods.map((method) => {
    const { governance } = method;
    const needs = governance.authorizationRequired ? asked(method) : [];
    const cells = roles.map((role) => {
      const isNamed = governance.roles.length === 0 || governance.roles.includes(role);
      return isNamed && needs.every((name) => held.get(role)!.has(name)) ? "yes" : "–";
    });
    const plane = governance.internalOnly ? "internal" : "both";
    const gate = governance.roles.length === 0 ? "–" : governance.roles.join(", ");
    const permission = needs.length === 0 ? "–" : needs.map((name) => `\`${name}\``).join(", ");
    return `| \`${method.name}\` | ${plane} | ${environmentOf(method)} | ${permission} | ${gate} | ${cells.join(" | ")} |`;
  });
  const names = permissionNames(contract.methods).map((name) => `\`${name}\``);
  return `${head}${table(roles, rows)}\n\n## Scopes\n\n${names.join(", ")}\n`;
}

function environmentOf({ environment: { from, open } }: ContractMethod): string {
  if (from !== "none") return from;
  return open === undefined ? "–" : "– (open)";
}

/** With every scope, and as the tenant \`system\` would: what the role can hold at most. */
function permissionsOf(contract: Contract, role: string): ReadonlySet<string> {
  const scopes = permissionNames(contract.methods);
  const access = accessOf(() => contract);
  return new Set(access.permissionsOf({ roles: [role], scopes, tenant: systemTenantId }));
}

function table(roles: readonly string[], rows: readonly string[]): string {
  const columns = ["method", "plane", "environment", "permissions", "for the roles", ...roles];
  return [`| ${columns.join(" | ")} |`, `|${"---|".repeat(columns.length)}`, ...rows].join("\n");
}

const head = `# Permissions

Made from the contract; a test compares it. A call needs every permission in its row and, where roles are named, one of
them. A caller holds what its roles grant, narrowed to its scopes where it has any. The columns at the end say which role can
make the call: \`service\` with a key or token whose scopes name the permissions, \`admin\` of the tenant \`system\` for
\`tenant:admin\`. A key can never do more than its maker.

\`environment\` says what a credential with an \`environment_mode\` other than \`any\` may do. \`resource\`: only where what the
request names is in an environment it may use. \`new\`: only where \`X-Environment\` (else production) is. \`each\`: it gets what is in those
environments. –: the call is about the whole tenant or the installation, and refused; (open): it is not refused, and the contract
says why.

`;
