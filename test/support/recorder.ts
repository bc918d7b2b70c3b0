import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ExecutionContext } from "ava";

/** An HTTP server that records requests, and answers with nothing or with this JSON. */
export async function recorder(t: ExecutionContext, answer?: object) {
  const seen: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    if (answer !== undefined) response.setHeader("content-type", "application/json");
    response.end(answer && JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
