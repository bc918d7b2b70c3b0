import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { TemplateError } from "../../cel/template.ts";
import { prepare, withCredential } from "../effects/request.ts";
import { checkFile, checkProviderFile } from "./check.ts";
import { loadCatalogue } from "./load.ts";

const folder = import.meta.dirname;
const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const catalogue = loadCatalogue({ disabled: ["stripe.create_refund"] });

test("the twelve providers are there, and every file is sound", (t) => {
  t.deepEqual(
    [...catalogue.providers.keys()],
    "fcm github google http microsoft sendgrid slack smtp stripe twilio web_push webhook".split(" "),
  );
  for (const name of names) {
    const checked = checkFile(readFileSync(join(folder, name), "utf8"));
    t.deepEqual("problems" in checked ? checked.problems : [], [], name);
  }
});

test("every action says what it does, returns and needs, and which others belong to it", (t) => {
  for (const { key, provider, file } of catalogue.actions.values()) {
    t.truthy(file.description, `description of ${key}`);
    t.truthy(file.output?.type, `output of ${key}`);
    t.truthy(file.permissions, `permissions of ${key}, which may be none`);
    if (provider.file.actions.length > 1) t.true((file.related ?? []).length > 0, `related of ${key}`);
    for (const name of file.related ?? []) t.true(catalogue.actions.has(`${provider.key}.${name}`), key);
  }
});

test("what no request is written for is listed and cannot be executed", (t) => {
  for (const key of ["fcm.send", "web_push.send"])
    t.like(catalogue.actions.get(key), { runtimeStatus: "catalog_only", runtimeReason: "NO_REQUEST" });
});

test("a connection can hold every field that docs/providers.md names for it", (t) => {
  const table = readFileSync(new URL("../../../docs/providers.md", import.meta.url), "utf8");
  const rows = [...table.matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]*) \|/gm)];
  t.true(rows.length >= 6);
  for (const [, key, fields] of rows) {
    const [, config = "", credential = ""] =
      /^(?:config ([^;]*))?;? ?(?:credential (.*))?$/.exec(fields!) ?? [];
    const file = catalogue.providers.get(key!)?.file;
    const held = propertiesOf(file?.config);
    for (const name of namesIn(config)) t.true(held.has(name), `${key}: config ${name}`);
    const given = new Set(Object.values(file?.auth ?? {}).flatMap((auth) => [...propertiesOf(auth.fields)]));
    for (const name of namesIn(credential)) t.true(given.has(name), `${key}: credential ${name}`);
  }
});

const propertiesOf = (schema?: Readonly<Record<string, unknown>>) =>
  new Set(Object.keys((schema?.properties as object | undefined) ?? {}));
const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!);

test("an action that the operator switched off is disabled, with its reason", (t) => {
  t.like(catalogue.actions.get("stripe.create_refund"), {
    runtimeStatus: "disabled",
    runtimeReason: "OPERATOR",
  });
  t.like(catalogue.actions.get("stripe.create_payment"), { runtimeStatus: "executable", runtimeReason: "" });
});

test("an action at an address that may not be called is blocked", (t) => {
  const inside = mkdtempSync(join(tmpdir(), "catalogue-"));
  t.teardown(() => rmSync(inside, { recursive: true }));
  const file = (key: string, base_url: string) =>
    writeFileSync(
      join(inside, `${key}.yaml`),
      `schema: 1\nkey: ${key}\nversion: "1"\nname: n\nbase_url: ${base_url}\nauth: { none: { type: none } }\nactions:\n  - { key: a, title: A, mutation: none, input: { type: object }, request: { path: / } }\n`,
    );
  file("private", "http://10.0.0.1/api");
  file("public", "https://api.example.com");
  const denies = (host: string) => host === "10.0.0.1";
  const { actions } = loadCatalogue({ folder: inside, disabled: [], denies });
  t.like(actions.get("private.a"), { runtimeStatus: "blocked", runtimeReason: "EGRESS_DENIED" });
  t.like(actions.get("public.a"), { runtimeStatus: "executable", runtimeReason: "" });
});

const requestOf = (key: string, input: object, config: object = {}) => {
  const { method, url, headers, body } = prepare(catalogue.actions.get(key)!, { input, config, now: 0 });
  return { line: `${method} ${url}`, type: headers["content-type"], body };
};

test("requests are what the providers document", (t) => {
  t.deepEqual(requestOf("slack.post_message", { channel: "C1", text: "hi" }), {
    line: "POST https://slack.com/api/chat.postMessage",
    type: "application/json",
    body: '{"channel":"C1","text":"hi"}',
  });
  t.deepEqual(requestOf("github.create_issue", { owner: "a/../b", repo: "r", title: "t", labels: ["x"] }), {
    line: "POST https://api.github.com/repos/a%2F..%2Fb/r/issues",
    type: "application/json",
    body: '{"title":"t","labels":["x"]}',
  });
  t.deepEqual(requestOf("stripe.create_payment", { amount: 5, currency: "eur", metadata: { order: "7" } }), {
    line: "POST https://api.stripe.com/v1/payment_intents",
    type: "application/x-www-form-urlencoded",
    body: "amount=5&currency=eur&metadata%5Border%5D=7",
  });
  const account_sid = `AC${"0".repeat(32)}`;
  t.deepEqual(
    requestOf("twilio.send_sms", { to: "+4915112345678", from: "+1", body: "hi" }, { account_sid }),
    {
      line: `POST https://api.twilio.com/2010-04-01/Accounts/${account_sid}/Messages.json`,
      type: "application/x-www-form-urlencoded",
      body: "To=%2B4915112345678&From=%2B1&Body=hi",
    },
  );
  t.is(
    requestOf("sendgrid.send_mail", { from: "a@x.io", to: ["b@x.io"], subject: "s", text: "t" }).body,
    '{"personalizations":[{"to":[{"email":"b@x.io"}]}],"from":{"email":"a@x.io"},"subject":"s","content":[{"type":"text/plain","value":"t"}]}',
  );
  t.is(
    requestOf("microsoft.send_mail", { to: ["b@x.io"], subject: "s", body: "t" }).body,
    '{"message":{"subject":"s","body":{"contentType":"Text","content":"t"},"toRecipients":[{"emailAddress":{"address":"b@x.io"}}]}}',
  );
  t.is(
    requestOf("google.list_events", {}).line,
    "GET https://www.googleapis.com/calendar/v3/calendars/primary/events?singleEvents=true",
  );
});

test("a URL of another origin, a path that climbs, and a header with a line break are refused", (t) => {
  const http = (input: object) => () =>
    requestOf("http.request", input, { base_url: "https://api.example.com/v1/" });
  t.throws(http({ url: "https://evil.example.com/" }), { instanceOf: TemplateError });
  t.throws(http({ url: "https://api.example.com@evil.example.com/" }), { instanceOf: TemplateError });
  t.throws(http({ url: "/", headers: { "x-a": "1\r\nx-b: 2" } }), { instanceOf: TemplateError });
  t.throws(http({ url: "/", headers: { Host: "evil" } }), { instanceOf: TemplateError });
  t.throws(() => requestOf("github.create_issue", { owner: "..", repo: "r", title: "t" }), {
    instanceOf: TemplateError,
  });
  t.is(http({ url: "items" })().line, "GET https://api.example.com/v1/items");
});

test("credentials are applied as the file says, and only they are", (t) => {
  const action = catalogue.actions.get("twilio.get_account")!;
  const config = { account_sid: `AC${"0".repeat(32)}` };
  const values = { input: {}, config, now: 0 };
  const auth = action.provider.file.auth.basic!;
  const applied = withCredential(prepare(action, values), auth, {
    ...values,
    credential: { username: "user", password: "pass" },
    key: "id",
  });
  t.is(applied.headers.authorization, `Basic ${Buffer.from("user:pass").toString("base64")}`);
});

test("the example of docs/catalogue.md is sound", (t) => {
  const page = readFileSync(join(folder, "../../../docs/catalogue.md"), "utf8");
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(page)!;
  t.deepEqual(checkProviderFile(example!), []);
});

test("a bad file is told with line, column and path", (t) => {
  const checked = checkFile(
    "schema: 1\nkey: x\nversion: '1'\nname: X\nbase_url: https://x.io\nauth: {none: {type: none}}\nactions:\n  - {key: a, title: A, mutation: none, input: {type: object}, request: {path: '/$" +
      "{nothing.x}'}}\n",
  );
  t.deepEqual("problems" in checked && checked.problems, [
    {
      line: 8,
      column: 79,
      path: "actions.0.request.path",
      reason: "unknown name nothing: there are input, config and now (character 1 of the expression)",
    },
  ]);
  const broken = checkFile("key: [");
  t.true("problems" in broken && broken.problems[0]!.line >= 1);
});

test("a mutated file is an error with its place or sound, never a crash (CATALOGUE_RUNS sets how many)", (t) => {
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8"));
  let refused = 0;
  fc.assert(
    fc.property(
      fc.nat(texts.length - 1),
      fc.array(fc.tuple(fc.nat(100_000), fc.nat(40), fc.string({ maxLength: 8, unit: "grapheme-ascii" })), {
        minLength: 1,
        maxLength: 3,
      }),
      (which, edits) => {
        let text = texts[which]!;
        for (const [at, length, put] of edits) {
          const from = at % text.length;
          text = text.slice(0, from) + put + text.slice(from + length);
        }
        const checked = checkFile(text);
        if (!("problems" in checked)) return;
        refused++;
        for (const { line, column, reason } of checked.problems)
          if (line < 1 || column < 1 || reason === "") throw new Error(JSON.stringify(checked.problems));
      },
    ),
    { numRuns: Number(process.env.CATALOGUE_RUNS ?? 300) },
  );
  t.true(refused > 0);
});
