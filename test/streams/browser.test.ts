import { readFileSync } from "node:fs";
import test from "ava";
import type { Browser } from "playwright-core";
import { Server } from "../crash/server.ts";
import { launchChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";

const run = "01BX5ZZKBKACTAV9WEVGEMMVRZ";
const base = `/api/workflow-streams/runs/${run}/streams`;
const total = 60;
const upTo = (to: number) => Array.from({ length: to }, (_, n) => n + 1);

/** What the page gets and what it has seen, kept by the page itself. */
interface Page {
  readonly records: number[];
  readonly ended: boolean;
}

async function post(server: Server, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

async function openPage(launched: Browser, server: Server, script: string, given: object) {
  const page = await launched.newPage();
  await page.goto(`${server.url}/docs/errors/NOT_FOUND`);
  await page.evaluate(
    `window.given = ${JSON.stringify(given)}; window.seen = { records: [], ended: false };`,
  );
  await page.evaluate(script);
  return page;
}

/** The consumer in docs/streams.md, as written there. */
function documented(): string {
  const text = readFileSync(new URL("../../docs/streams.md", import.meta.url), "utf8");
  const [, code] = /```js\n([\s\S]*?)```/.exec(text)!;
  return `(() => {
    const { run, stream } = window.given;
    const handle = async (record) => { window.seen.records.push(record.sequence); };
    const resync = () => {};
    ${code}
    events.addEventListener("end", () => { window.seen.ended = true; });
  })()`;
}

/** A Subscribe over a WebSocket that reconnects with its last sequence. */
const socket = `(() => {
  const { run, stream } = window.given;
  const { seen } = window;
  const open = () => {
    const socket = new WebSocket("ws://" + location.host + "/api/streams/WorkflowStreamService/Subscribe", "service.v1.json");
    socket.onopen = () => {
      socket.send(JSON.stringify({ headers: {} }));
      const after_sequence = seen.records.at(-1) ?? 0;
      socket.send(JSON.stringify({ message: { run_id: run, stream_id: stream, after_sequence } }));
    };
    socket.onmessage = ({ data }) => {
      const { message } = JSON.parse(data);
      if (message?.record) seen.records.push(message.record.sequence);
      if (message?.end) seen.ended = true;
    };
    socket.onclose = () => { if (!seen.ended) setTimeout(open, 300); };
  };
  open();
})()`;

needing(test, "chromium")(
  "the server is killed: in Chromium a documented EventSource and a WebSocket still see every record once",
  async (t) => {
    // The page comes back to where it was.
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const { id } = await post(server, base, { name: "s", content_classes: ["json"] });
    const path = `${base}/${id}`;
    const launched = await launchChromium();
    t.teardown(() => launched.close());
    const given = { run, stream: id };
    const pages = [
      await openPage(launched, server, documented(), given),
      await openPage(launched, server, socket, given),
    ];
    // Polled from here and not by waitForFunction, which uses eval: the pages' security policy forbids it.
    const seen = (page: (typeof pages)[number]) => page.evaluate<Page>("window.seen");
    const append = async (from: number, to: number) => {
      for (let n = from; n < to; n += 5)
        await post(server, `${path}/records`, {
          records: Array.from({ length: 5 }, (_, i) => ({
            payload: n + i,
            producer: { id: "p", epoch: 0, sequence: n + i },
          })),
        });
    };
    await append(0, 30);
    for (const page of pages)
      await eventually(
        "the first records are seen",
        async () => (await seen(page)).records.length >= 30 || undefined,
      );
    const { http } = server.ports;
    await server.kill();
    await server.start([`server.http_addr=127.0.0.1:${http}`]);
    await append(30, total);
    await post(server, `${path}/close`, {});
    for (const page of pages) {
      await eventually("the end is seen", async () => (await seen(page)).ended || undefined);
      t.deepEqual((await seen(page)).records, upTo(total));
    }
    // The last acknowledgement of the page may still be on its way.
    await eventually("the consumer has acknowledged everything", async () => {
      const answer = await fetch(`${server.url}${path}/consumers`);
      const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
      const [consumer] = data;
      return (consumer?.consumer_id === "me" && consumer.acknowledged_sequence === total) || undefined;
    });
  },
);
