/**
 * Checks the requests of our catalogue against what Stripe and GitHub publish, and signatures against Slack's
 * framework. Writes stripe.json, github.json and slack.json for tests of actors/connectors. Part of `npm run oracles`:
 * needs the network, and stripe-mock on the PATH (go install github.com/stripe/stripe-mock@v0.203.0).
 */
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCatalogue } from "../../actors/connectors/catalogue/load.ts";
import { prepare } from "../../actors/connectors/effects/request.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { inputs } from "./requests.ts";

type Json = Record<string, unknown>;

const bolt = "@slack/bolt@5.1.0";
const openapi = "@octokit/openapi@23.0.2";
const { actions } = loadCatalogue({ disabled: [] });
const of = (provider: string) => Object.entries(inputs).filter(([key]) => key.startsWith(`${provider}.`));
const written = (name: string, value: unknown) =>
  writeFileSync(new URL(name, import.meta.url), `${JSON.stringify(value, null, 1)}\n`);

written("stripe.json", await stripe());
written("github.json", github());
written("slack.json", await slack());

/** Every request as it was sent to stripe-mock, which checks it against Stripe's own description, and the answer. */
async function stripe(): Promise<Json[]> {
  const port = await freePort();
  const mock = spawn("stripe-mock", ["-http-addr", `127.0.0.1:${port}`], { stdio: "ignore" });
  const base_url = `http://127.0.0.1:${port}`;
  const headers = { authorization: "Bearer sk_test_123" };
  try {
    await eventually("stripe-mock answers", () =>
      fetch(`${base_url}/v1/balance`, { headers }).then(
        () => true,
        () => undefined,
      ),
    );
    const samples: Json[] = [];
    for (const [key, given] of of("stripe"))
      for (const input of given) {
        const request = prepare(actions.get(key)!, { input, config: { base_url }, now: 0 });
        const { method, url, body } = request;
        const answer = await fetch(url, {
          method,
          headers: { ...request.headers, ...headers },
          ...(body !== undefined && { body }),
        });
        const said = (await answer.json()) as Json;
        if (!answer.ok) throw new Error(`${key} ${JSON.stringify(input)}: ${JSON.stringify(said)}`);
        const { object, status } = said;
        const path = url.slice(base_url.length);
        samples.push({ action: key, input, request: { method, path, body }, answer: { object, status } });
      }
    // stripe-mock must refuse an unknown parameter: otherwise its acceptance would prove nothing.
    const wrong = await fetch(`${base_url}/v1/refunds`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: "nothing=1",
    });
    if (wrong.ok) throw new Error("stripe-mock takes a parameter that Stripe does not have");
    return samples;
  } finally {
    mock.kill();
  }
}

/** What Slack's own framework says about signed requests: Bolt verifies and does not sign. */
async function slack(): Promise<Json[]> {
  const folder = mkdtempSync(join(tmpdir(), "bolt-"));
  try {
    execFileSync("npm", ["install", "--silent", "--ignore-scripts", "--no-save", "--prefix", folder, bolt]);
    const path = join(folder, "node_modules/@slack/bolt/dist/receivers/verify-request.js");
    const { verifySlackRequest } = (await import(path)) as {
      verifySlackRequest(options: Json): void;
    };
    const seconds = 1_700_000_000;
    const body = JSON.stringify({ type: "event_callback", event_id: "Ev1", text: "ünïcode ✓" });
    const signature = (secret: string, at: number, text: string) =>
      `v0=${createHmac("sha256", secret).update(`v0:${at}:${text}`).digest("hex")}`;
    const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
    const good = { at: seconds, now: seconds, text: body, sign: signature(signingSecret, seconds, body) };
    const cases = [
      good,
      { ...good, text: `${body} ` },
      { ...good, at: seconds + 1 },
      { ...good, now: seconds + 299 },
      { ...good, now: seconds + 301 },
      { ...good, sign: signature("another secret", seconds, body) },
      { ...good, sign: good.sign.slice(3) },
      { ...good, sign: good.sign.replace("v0", "v1") },
      { ...good, sign: `${good.sign}0` },
      { ...good, sign: "" },
    ];
    return cases.map(({ at, now, text, sign }) => {
      const headers = { "x-slack-signature": sign, "x-slack-request-timestamp": at };
      let taken = true;
      try {
        verifySlackRequest({ signingSecret, body: text, headers, nowMilliseconds: now * 1_000 });
      } catch {
        taken = false;
      }
      return {
        secret: signingSecret,
        body: text,
        timestamp: String(at),
        signature: sign,
        now: now * 1_000,
        taken,
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What GitHub's own description says about the operations that we call: paths, parameters and bodies. */
function github(): Json[] {
  const folder = mkdtempSync(join(tmpdir(), "octokit-"));
  try {
    const packed = execFileSync("npm", ["pack", "--silent", openapi], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
    const file = "package/generated/api.github.com.deref.json";
    execFileSync("tar", ["xzf", packed, file], { cwd: folder });
    const { paths } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { paths: Record<string, Json> };
    return of("github").map(([key, given]) => {
      const { method, url } = prepare(actions.get(key)!, { input: given[0]!, config: {}, now: 0 });
      const { pathname } = new URL(url);
      const found = Object.keys(paths).filter((path) => patternOf(path).test(pathname));
      const path = found.sort((a, b) => a.split("{").length - b.split("{").length)[0];
      const operation = path && (paths[path]![method.toLowerCase()] as Json | undefined);
      if (!operation) throw new Error(`GitHub has no ${method} ${pathname}`);
      const { parameters = [], requestBody } = operation as { parameters?: Json[]; requestBody?: Json };
      const content = requestBody?.content as Record<string, Json> | undefined;
      return {
        action: key,
        method,
        path,
        parameters: parameters.map(({ name, in: where, required, schema }) => ({
          name,
          in: where,
          ...(required === true && { required }),
          schema: withoutProse(schema),
        })),
        ...(content && { body: withoutProse(content["application/json"]!.schema) }),
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{[^}]+\}/g, "[^/]+")}$`);
}

/** Only what is needed to check a request, without redundant `nullable`. */
function withoutProse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (typeof schema !== "object" || schema === null) return schema;
  const prose = ["description", "example", "examples", "title", ...("type" in schema ? [] : ["nullable"])];
  const kept = Object.entries(schema).filter(
    ([name, value]) => !prose.includes(name) || typeof value === "object",
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutProse(value)]));
}
