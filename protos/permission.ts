export const actions: ReadonlySet<string> = new Set(["read", "write", "delete", "preview", "admin"]);

/** `pool:write` */
export function isPermission(text: string): boolean {
  const [resource = "", action = "", ...more] = text.split(":");
  return /^[a-z][a-z_]*$/.test(resource) && actions.has(action) && more.length === 0;
}

/** A permission, or several: either part may be `*`. */
export function isGrant(text: string): boolean {
  return isPermission(text.replace(/^\*:/, "any:").replace(/:\*$/, ":read"));
}
