import { readFileSync } from "node:fs";
import test from "ava";
import { send } from "./support/rest-client.ts";
import { startTestService } from "./support/service.ts";

const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

test("the first calls in docs/api.md work as written", async (t) => {
  const service = await startTestService({ runtime: true });
  t.teardown(() => service.close());
  const calls = [
    ...page.matchAll(/^curl localhost:8080(\S+) -H 'content-type: application\/json' -d '(.*)'$/gm),
  ];
  t.is(calls.length, 2);
  for (const [, path, body] of calls) {
    const answer = await send(service.ports.uws, "POST", path!, body, {});
    t.true(answer.status < 300, `${path}: ${answer.text}`);
  }
});

test("the discovery endpoints that docs/api.md names exist", async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  for (const path of [
    "/api/_meta/services",
    "/api/capabilities",
    "/api/v2/capabilities",
    "/api/config/schema",
  ]) {
    t.true(page.includes(`\`${path}\``), path);
    t.is((await send(service.ports.node, "GET", path, undefined, {})).status, 200, path);
  }
});
