import test from "ava";
import { servers, startFront } from "./support.ts";

const look = { name: "ada", tags: ["x"], large: 7 };
const handlers = {
  "ProbeService.Unwrap": () => ({ look }),
  "ProbeService.UnwrapBare": () => ({ look }),
  "ProbeService.Download": (request: unknown) => {
    const { content_type } = request as { content_type: string };
    return { content_type, data: bytes.toString("base64") };
  },
};
/** All 256 byte values: none may be changed on the way. */
const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

for (const [name, listen] of Object.entries(servers)) {
  async function start(t: { teardown(fn: () => Promise<void>): void }) {
    const server = await startFront(listen, { handlers });
    t.teardown(() => server.close());
    return (path: string, headers = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
  }

  test(`${name}: response_body makes one field the answer, in the envelope or in its place`, async (t) => {
    const get = await start(t);
    t.like(await (await get("/api/probe/unwrapped/ada")).json(), { data: look });
    t.deepEqual(await (await get("/api/probe/unwrapped-bare/ada")).json(), look);
  });

  test(`${name}: a google.api.HttpBody is sent as its bytes and its type, without an envelope`, async (t) => {
    const get = await start(t);
    const answer = await get("/api/probe/downloads/a?content_type=image/png");
    t.is(answer.headers.get("content-type"), "image/png");
    t.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
    t.is(answer.headers.get("api-version"), "2024-01-01");
    const untyped = await get("/api/probe/downloads/a");
    t.is(untyped.headers.get("content-type"), "application/octet-stream");
  });

  test(`${name}: Server-Timing is sent only to clients that ask for it`, async (t) => {
    const get = await start(t);
    for (const path of ["/api/probe/unwrapped/ada", "/api/probe/downloads/a"]) {
      const asked = await get(path, { "x-server-timing": "1" });
      t.regex(asked.headers.get("server-timing") ?? "", /^total;dur=\d+(\.\d+)?$/);
      t.is((await get(path)).headers.get("server-timing"), null);
      t.is((await get(path, { "x-server-timing": "0" })).headers.get("server-timing"), null);
    }
  });
}
