import { type Refusal, refuse } from "#base";

/** A Host that is not ours means a browser was led here by another name (DNS rebinding), or a mistake. */
export function hostCheck(allowed: readonly string[]): (host: string) => Refusal | undefined {
  if (allowed.length === 0 || allowed.includes("*")) return () => undefined;
  // Nearly every request names the same one.
  let lastAllowed: string | undefined;
  return (host) => {
    if (host === lastAllowed) return undefined;
    const name = hostName(host);
    if (name === undefined || !allowed.includes(name))
      return refuse("INVALID_ARGUMENT", "the Host of this request is not one of ours; see api.allowed_hosts");
    lastAllowed = host;
    return undefined;
  };
}

/** Without the port, lower case, IPv6 in brackets; `undefined` for what is not a host. */
function hostName(host: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/.exec(host);
  return match?.[1]?.toLowerCase();
}
