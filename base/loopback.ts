/** Of an address as sockets tell it. */
export function isLoopbackIp(address: string): boolean {
  return /^(::ffff:)?127\.[0-9.]+$/i.test(address) || address === "::1";
}

/** Of the host of a URL, without its port. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.[0-9]+\.[0-9]+\.[0-9]+$/.test(hostname);
}
