import test from "ava";
import { systemTenantId } from "#base";
import { loadContract } from "../../contract/index.ts";
import { rolesOf } from "../../contract/roles.ts";
import type { Principal } from "../call.ts";
import { grants, permissionOf } from "./roles.ts";

const { roles } = loadContract();
const resources = ["pool", "recipient", "rule", "queue", "dlq", "tenant", "api_key", "config", "promotion"];
const actions = ["read", "write", "delete", "preview", "admin"];
const all = resources.flatMap((resource) => actions.map((action) => `${resource}:${action}`));

function held(parts: Partial<Principal>, among = roles): string[] {
  const principal: Principal = {
    kind: "user",
    subject: "s",
    tenant: "T",
    roles: [],
    environmentMode: "any",
    ...parts,
  };
  return all.filter((name) => grants(principal, permissionOf(name, among)));
}

const viewer = all.filter((name) => /:(read|preview)$/.test(name));
const operator = all.filter(
  (name) =>
    viewer.includes(name) ||
    (name.endsWith(":write") && !/^(tenant|api_key|config):/.test(name)) ||
    /^(pool|recipient|rule):delete$/.test(name),
);
const withoutTenants = all.filter((name) => name !== "tenant:admin");

test("the roles of the contract grant what was decided, and unknown roles nothing", (t) => {
  t.deepEqual(held({ roles: ["viewer"] }), viewer);
  t.deepEqual(held({ roles: ["operator"] }), operator);
  t.deepEqual(held({ roles: ["admin"] }), withoutTenants);
  t.deepEqual(held({ roles: ["plumber"] }), []);
});

test("an administrator of the tenant system, or of no tenant, may also make and remove tenants", (t) => {
  t.deepEqual(held({ roles: ["admin"], tenant: systemTenantId }), all);
  const { tenant: _none, ...platform } = { kind: "service", roles: ["admin"], tenant: "" } as const;
  t.true(grants({ ...platform, subject: "s", environmentMode: "any" }, permissionOf("tenant:admin", roles)));
});

test("the role service has the scopes of its key, and without a key's scopes nothing", (t) => {
  const scopes = ["pool:read", "dlq:delete"];
  t.deepEqual(held({ kind: "api_key", roles: ["service"], scopes }), scopes);
  t.deepEqual(held({ kind: "api_key", roles: ["service"] }), []);
  t.deepEqual(held({ kind: "service", roles: ["service"] }), withoutTenants);
  t.deepEqual(held({ kind: "service", roles: ["service"], tenant: systemTenantId }), all);
  const maker = { kind: "api_key", roles: ["service"], scopes: ["tenant:admin"] } as const;
  t.deepEqual(held(maker), [], "a scope does not let a tenant's key make tenants");
  t.deepEqual(held({ roles: ["viewer"], scopes }), ["pool:read"], "scopes narrow other roles");
});

test("a role has what the roles it includes grant; its exceptions hold for its own grants only", (t) => {
  const declared = rolesOf([
    { name: "viewer", grants: ["*:read", "*:preview"] },
    { name: "author", includes: ["viewer"], grants: ["promotion:*"], except: ["*:admin", "*:read"] },
  ]);
  const own = ["promotion:write", "promotion:delete"];
  t.deepEqual(held({ roles: ["author"] }, declared).sort(), [...viewer, ...own].sort());
});
