import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import test from "ava";
import { webhookHeaders } from "../../actors/notify/outbound/webhook-signature.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";

const root = path.resolve(import.meta.dirname, "../..");

test("given the receiver of docs/webhooks.md, when it is sent a delivery, then it takes it, and refuses one that was changed", async (t) => {
  const [, code] = /```js\n([\s\S]+?)```/.exec(readFileSync(path.join(root, "docs/webhooks.md"), "utf8"))!;
  t.true(code!.trim().split("\n").length <= 15);
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const port = await freePort();
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), NODE_OPTIONS: "" };
  const receiver = spawn(process.execPath, ["--input-type=module", "-e", code!], { cwd: root, env });
  t.teardown(() => receiver.kill());
  let printed = "";
  receiver.stdout.on("data", (text) => {
    printed += text;
  });
  const body = JSON.stringify({ type: "pool.created", subject: "p" });
  const headers = webhookHeaders(secret, { id: "msg_1", now: Date.now(), body });
  const send = async (sent: string) => {
    const request = { method: "POST", body: sent, headers };
    return (await fetch(`http://127.0.0.1:${port}`, request)).status;
  };
  t.is(await eventually("it listens", () => send(body).catch(() => undefined)), 204);
  t.is(await eventually("it is printed", () => printed || undefined), "msg_1 pool.created p\n");
  t.is(await send(body.replace("p", "q")), 401);
});
