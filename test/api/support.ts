/** One `service dev` for all cases of a file: `api` calls it over REST, `openStream` opens streams. */
import anyTest, { type TestFn } from "ava";
import { type RunningService, startDev } from "../process/support.ts";

export { openStream } from "../support/open-stream.ts";

export type Message = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Message;
  readonly data: Message;
}

export const test = anyTest as TestFn<{ service: RunningService }>;
const cleanups: (() => void | Promise<void>)[] = [];

test.before(async (t) => {
  t.context.service = await startDev({ teardown: (cleanup) => void cleanups.push(cleanup) }, [
    ...["--set", "mcp.enabled=true"],
  ]);
});
test.after.always(async () => {
  for (const cleanup of cleanups) await cleanup();
});

export function api({ service }: { service: RunningService }) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed = (await response.json()) as Message;
    return { status: response.status, headers: response.headers, body: parsed, data: parsed.data as Message };
  };
}

/** An active connection to an HTTP server, without credentials. */
export function connectedTo(call: ReturnType<typeof api>, base_url: string): Promise<string> {
  return connected(call, { name: base_url, provider_key: "http", auth: "none", config: { base_url } }, {});
}

/** An active connection of a provider of the catalogue. */
export async function connected(
  call: ReturnType<typeof api>,
  provider: Message,
  fields: Message,
): Promise<string> {
  const at = "/api/v2/connector";
  const config = { name: provider.provider_key, ...provider };
  const { id } = (await call("POST", `${at}/provider-configs`, config)).data;
  await call("POST", `${at}/provider-configs/${id}:activate`, {});
  const session = (await call("POST", `${at}/connect-sessions`, { provider_config_id: id })).data;
  await call("POST", `${at}/connect-sessions/${session.id}/submit`, { fields });
  return session.connection_id as string;
}
