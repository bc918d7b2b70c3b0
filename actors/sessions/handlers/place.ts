import { isLoopbackIp, isLoopbackName } from "#base";

interface Headers {
  get(name: string): string | undefined;
}

/** From where a browser comes. */
export interface Visit {
  readonly headers: Headers;
  readonly remoteAddress: string;
  readonly isEncrypted: boolean;
  /** `server.public_url` without a slash at its end; empty: not set. */
  readonly publicUrl: string;
}

/** Where this service is for the browser. */
export interface Place {
  readonly base: string;
  /** Its cookies are Secure; else it is this very machine. */
  readonly isSecure: boolean;
}

/** `undefined`: what the browser sends could be read on its way. */
export function placeOf(visit: Visit): Place | undefined {
  const { headers, isEncrypted, publicUrl } = visit;
  if (publicUrl.startsWith("https:")) return { base: publicUrl, isSecure: true };
  const host = headers.get("host") ?? "";
  if (isEncrypted) return { base: `https://${host}`, isSecure: true };
  return isLoopbackVisit(visit) ? { base: publicUrl || `http://${host}`, isSecure: false } : undefined;
}

/** By its address and by the name it was called by: a proxy on this machine has only the first. */
export function isLoopbackVisit({ headers, remoteAddress }: Visit): boolean {
  return isLoopbackIp(remoteAddress) && isLoopbackName(hostnameOf(`http://${headers.get("host") ?? ""}`));
}

/**
 * Whether a page of ours sent this. Browsers name the page's origin in every request that may change something; in reads of the same
 * origin they leave it out and say `Sec-Fetch-Site: same-origin`. One of them must be there, and neither may say otherwise.
 */
export function isOwnPage({ headers, publicUrl }: Visit): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = headers.get("origin");
  if (origin === undefined) return site !== undefined;
  if (!URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  if (protocol !== "https:" && !isLoopbackName(hostname)) return false;
  const own = URL.canParse(publicUrl) ? new URL(publicUrl).host : undefined;
  return host === hostOf(headers.get("host") ?? "", protocol) || host === own;
}

/** Without the port that the scheme implies, as origins are written. */
function hostOf(host: string, protocol: string): string | undefined {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
