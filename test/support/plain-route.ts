import type { RouteContext, RouteRequest } from "#actors";

/** A request to a plain route from this machine, without headers, query or body unless given. */
export function routeRequest(given: Partial<RouteRequest>): RouteRequest {
  return {
    part: "",
    query: "",
    requestId: "r-1",
    remoteAddress: "127.0.0.1",
    isEncrypted: false,
    header: () => undefined,
    headers: () => ({}),
    body: async () => Buffer.alloc(0),
    ...given,
  };
}

/** Of routes that nobody signs in at. */
export function routeContext(given: Pick<RouteContext, "asker" | "clock">): RouteContext {
  const signIn = { isOpen: true, ways: [], identify: () => Promise.reject(new Error("nobody signs in")) };
  return { admit: async () => {}, audit: () => {}, signIn, ...given };
}
