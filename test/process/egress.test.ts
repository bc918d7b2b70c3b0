import test from "ava";
import { freePort } from "../support/free-port.ts";
import { startDev } from "./support.ts";

test("given the default egress.mode, when an action calls a listener of its own service, then it is refused, and the log of the start says what is", async (t) => {
  // Ports that are found and one that is set: both are known to every thread.
  const native = await freePort();
  const service = await startDev(t, [
    "--ephemeral",
    "--set",
    "server.workers=2",
    "--set",
    `api.addr=127.0.0.1:${native}`,
  ]);
  const post = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${service.ports.http}/api/v2/connector${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { data: Record<string, unknown> };
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer.data;
  };
  const connect = async (base_url: string) => {
    const made = { name: "calls", provider_key: "http", auth: "api_key", config: { base_url } };
    const { id } = await post("/provider-configs", made);
    await post(`/provider-configs/${id}:activate`, {});
    const session = await post("/connect-sessions", { provider_config_id: id });
    await post(`/connect-sessions/${session.id}/submit`, { fields: { api_key: "the key" } });
    return session.connection_id;
  };
  t.deepEqual(Object.keys(service.ports).sort(), ["grpc", "http", "internal", "metrics", "native"]);
  for (const [name, port] of Object.entries(service.ports)) {
    const connection_id = await connect(`http://localhost:${port}`);
    const body = { connection_id, input: { url: "/metrics" }, wait_seconds: 20 };
    const execution = await post("/actions/http.request:execute", body);
    t.like(
      execution,
      { status: "failed", error: { code: "EGRESS_DENIED" } },
      `${name} ${JSON.stringify(execution)}`,
    );
  }
  service.signal("SIGTERM");
  t.regex((await service.ended).stderr, /egress\.mode is shadow: .* are always refused/);
});
