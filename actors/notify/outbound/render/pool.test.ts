import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import type { Engine } from "../types.ts";
import type { Job, JobResult } from "./jobs.ts";
import { RenderPool, type RenderPoolOptions } from "./pool.ts";

type Render = Extract<Job, { type: "render" }>;

// Longer than the setting's default: the machine may be busy, and a good template must not be ended by that.
const shared = new RenderPool({ threads: 1, timeoutMs: 1_000 });
test.after.always(() => shared.close());

function start(t: ExecutionContext, more?: Partial<RenderPoolOptions>) {
  const pool = more ? new RenderPool({ threads: 1, timeoutMs: 1_000, ...more }) : shared;
  if (more) t.teardown(() => pool.close());
  const render = (engine: Engine, body: string, data: unknown = {}, rest: Partial<Render> = {}) =>
    pool.run("a", {
      type: "render",
      html: true,
      engine,
      subject: "",
      body,
      data: JSON.stringify(data),
      ...rest,
    });
  return { pool, render };
}

const code = (result: JobResult) => (result.type === "failed" ? result.code : result.type);

test.serial(
  "given both engines, when data has HTML, then e-mail escapes it and other channels do not",
  async (t) => {
    const { render } = start(t);
    const data = { name: '<b onclick="x">&' };
    for (const engine of ["handlebars", "liquid"] as const) {
      const mail = await render(engine, "<p>{{ name }}</p>", data, { subject: "to {{ name }}" });
      t.like(mail, { type: "rendered", subject: 'to <b onclick="x">&', text: '<b onclick="x">&' }, engine);
      t.regex(
        (mail as { html: string }).html,
        /^<p>&lt;b onclick(=|&#x3D;)&(quot|#34);x&(quot|#34);&gt;&amp;<\/p>$/,
      );
      const sms = await render(engine, "hi {{ name }}", data, { html: false });
      t.deepEqual(sms, { type: "rendered", subject: "", text: 'hi <b onclick="x">&' }, engine);
    }
  },
);

test.serial(
  "given a layout, when the body has braces and HTML by now, then it is put in as it is and not rendered again",
  async (t) => {
    const { render } = start(t);
    const data = { name: "{{ secret }}{% raw %}", secret: "leaked" };
    for (const engine of ["handlebars", "liquid"] as const)
      for (const other of ["handlebars", "liquid"] as const) {
        const layout = { engine: other, body: "<main>{{ content }}</main>{{ name }}" };
        const result = await render(engine, "<p>{{ name }}</p>", data, { layout });
        t.is(
          (result as { html: string }).html,
          "<main><p>{{ secret }}{% raw %}</p></main>{{ secret }}{% raw %}",
          `${engine} in ${other}`,
        );
      }
  },
);

const hostile: readonly [string, Engine, string, unknown, readonly string[]][] = [
  [
    "an endless loop of liquid",
    "liquid",
    "{% for i in (1..1000000000) %}{{ i }}{% endfor %}",
    {},
    ["MEMORY"],
  ],
  [
    "loops in loops of liquid",
    "liquid",
    "{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}",
    {},
    ["TIMEOUT", "MEMORY"],
  ],
  [
    "arrays that double",
    "liquid",
    `{% assign a = "x,x,x,x,x,x,x,x" | split: "," %}${"{% assign a = a | concat: a %}".repeat(40)}{{ a | size }}`,
    {},
    ["MEMORY", "TIMEOUT"],
  ],
  [
    "texts that double",
    "liquid",
    `{% assign a = "xxxxxxxxxxxxxxxx" %}${"{% assign a = a | append: a %}".repeat(60)}{{ a }}`,
    {},
    ["MEMORY", "TIMEOUT", "OUTPUT_TOO_LARGE"],
  ],
  [
    "10^9 steps of handlebars",
    "handlebars",
    "{{#each l}}{{#each @root.l}}{{#each @root.l}}{{#each @root.l}}{{/each}}{{/each}}{{/each}}{{/each}}",
    { l: Array.from({ length: 200 }, () => 1) },
    ["TIMEOUT"],
  ],
  [
    "a gigabyte of output",
    "handlebars",
    "{{#each l}}{{#each @root.l}}{{#each @root.l}}{{{@root.t}}}{{/each}}{{/each}}{{/each}}",
    { l: Array.from({ length: 100 }, () => 1), t: "x".repeat(1_000) },
    ["OUTPUT_TOO_LARGE", "MEMORY", "TIMEOUT"],
  ],
  [
    "more than one line of output too many",
    "handlebars",
    "{{t}}",
    { t: "x".repeat(600_000) },
    ["OUTPUT_TOO_LARGE"],
  ],
  ["a source that is too large", "handlebars", "x".repeat(70_000), {}, ["SOURCE_TOO_LARGE"]],
  [
    "deep nesting",
    "handlebars",
    "{{#if a}}".repeat(7_000),
    {},
    ["SYNTAX", "MEMORY", "TEMPLATE_ERROR", "TIMEOUT"],
  ],
  [
    "deep nesting of liquid",
    "liquid",
    "{% if a %}".repeat(6_000),
    {},
    ["SYNTAX", "MEMORY", "TEMPLATE_ERROR", "TIMEOUT"],
  ],
  ["a partial", "handlebars", "{{> x}}", {}, ["SYNTAX"]],
  ["a decorator", "handlebars", "{{* x}}", {}, ["SYNTAX"]],
  ["an inline partial", "handlebars", '{{#*inline "x"}}{{/inline}}', {}, ["SYNTAX"]],
  ["the helper log", "handlebars", "{{log payload}}", {}, ["SYNTAX"]],
  ["an unknown helper", "handlebars", "{{constructor payload}}", {}, ["SYNTAX"]],
  ["an include", "liquid", "{% include 'x' %}", {}, ["SYNTAX"]],
  ["a render", "liquid", "{% render '/etc/passwd' %}", {}, ["SYNTAX"]],
  ["a layout", "liquid", "{% layout 'x' %}", {}, ["SYNTAX"]],
  ["an unknown filter", "liquid", "{{ a | constructor }}", {}, ["SYNTAX"]],
];

for (const [what, engine, body, data, codes] of hostile)
  test.serial(
    `given ${what}, when it is rendered, then it fails by name and the next render is fine`,
    async (t) => {
      const { render } = start(t);
      const result = await render(engine, body, data);
      t.true(codes.includes(code(result)), `${JSON.stringify(result).slice(0, 300)} is one of ${codes}`);
      t.like(await render("handlebars", "{{ a }}", { a: 1 }), { type: "rendered", html: "1" });
      t.like(await render("liquid", "{{ a }}", { a: 1 }), { type: "rendered", html: "1" });
    },
  );

test.serial(
  "given a source or an output of exactly its limit, when it is rendered, then it is; one byte more is refused, and characters count as their bytes",
  async (t) => {
    t.is(limits.templateSourceBytesMax, 65_536);
    t.is(limits.renderOutputBytesMax, 524_288);
    const { render } = start(t, { timeoutMs: limits.renderTimeoutMsMax });
    for (const engine of ["handlebars", "liquid"] as const)
      for (const unit of ["x", "é", "😀"]) {
        const about = `${engine} ${unit}`;
        const source = textOf(unit, limits.templateSourceBytesMax);
        t.is((await textIn(render(engine, source, {}, { html: false })))?.length, source.length, about);
        t.is(code(await render(engine, `${source}x`)), "SOURCE_TOO_LARGE", about);
        const whole = textOf(unit, limits.renderOutputBytesMax);
        const given = { t: whole, more: `${whole}x` };
        t.is((await textIn(render(engine, "{{ t }}", given, { html: false })))?.length, whole.length, about);
        t.is(code(await render(engine, "{{ more }}", given, { html: false })), "OUTPUT_TOO_LARGE", about);
        const within = (body: string) =>
          render(engine, "{{ t }}", given, { html: false, layout: { engine, body } });
        t.is(code(await within("{{ content }}")), "rendered", about);
        t.is(code(await within("{{ content }}x")), "OUTPUT_TOO_LARGE", about);
      }
    const mail = await render("handlebars", "{{ t }}", { t: textOf("é", limits.renderOutputBytesMax) });
    t.is(code(mail), "rendered", "HTML, and its text");
  },
);

function textOf(unit: string, bytes: number): string {
  const size = Buffer.byteLength(unit);
  return unit.repeat(Math.floor(bytes / size)) + "x".repeat(bytes % size);
}

async function textIn(result: Promise<JobResult>): Promise<string | undefined> {
  const told = await result;
  return told.type === "rendered" ? told.text : undefined;
}

test.serial(
  "given a template that asks for prototypes, when it is rendered, then there is nothing to read",
  async (t) => {
    const { render } = start(t);
    const data = JSON.parse(
      '{"a":{"b":"x"},"l":[1],"p":{"__proto__":{"polluted":"yes"},"constructor":"own"}}',
    );
    const paths = [
      "a.constructor",
      "a.__proto__",
      "a.b.constructor.constructor",
      "l.map",
      "a.toString",
      "a.hasOwnProperty",
    ];
    for (const path of paths) {
      t.like(await render("handlebars", `[{{ ${path} }}]`, data), { html: "[]" }, path);
      t.like(await render("handlebars", `[{{#with ${path}}}in{{/with}}]`, data), { html: "[]" }, path);
      t.like(await render("liquid", `[{{ ${path} }}]`, data), { html: "[]" }, path);
    }
    t.like(await render("handlebars", `[{{lookup a "constructor"}}]`, data), { html: "[]" });
    t.like(await render("liquid", `[{{ a["__proto__"] }}]`, data), { html: "[]" });
  },
);

test.serial("given an AST in the place of a source, when it is rendered, then it is refused", async (t) => {
  const { pool } = start(t);
  const ast = {
    type: "Program",
    body: [{ type: "MustacheStatement", path: { type: "NumberLiteral", value: "x" } }],
  };
  const result = await pool.run("a", {
    type: "render",
    html: true,
    engine: "handlebars",
    subject: "",
    body: ast as never,
    data: "{}",
  });
  t.is(result.type, "failed");
});

test.serial(
  "given a subject with a line break from data, when it is rendered, then it is SUBJECT_LINE_BREAK",
  async (t) => {
    const { render } = start(t);
    for (const name of ["a\r\nBcc: b@example.com", "a\nb", "a\rb"])
      t.is(code(await render("liquid", "x", { name }, { subject: "hi {{ name }}" })), "SUBJECT_LINE_BREAK");
  },
);

test.serial(
  "given a batch with a template that never ends, when its thread is replaced, then the others are rendered and only that one fails",
  async (t) => {
    const ended: [string, boolean][] = [];
    const { render } = start(t, { timeoutMs: 300, onEnd: (code, killed) => ended.push([code, killed]) });
    const [, engine, body, data] = hostile[4]!;
    await render("handlebars", "warm");
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index === 7 ? render(engine, body, data) : render("liquid", "{{ n }}", { n: index }),
      ),
    );
    t.deepEqual(
      results.map((result) => (result.type === "rendered" ? result.html : code(result))),
      Array.from({ length: 20 }, (_, index) => (index === 7 ? "TIMEOUT" : String(index))),
    );
    t.deepEqual(
      ended.filter(([, killed]) => killed),
      [["TIMEOUT", true]],
    );
  },
);

test.serial(
  "given hostile templates one after the other, when they have failed, then the memory of the process is what it was",
  async (t) => {
    const { render } = start(t, { timeoutMs: 300 });
    await render("handlebars", "warm");
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 3; round++)
      for (const index of [2, 3, 5]) {
        const [, engine, body, data] = hostile[index]!;
        t.is((await render(engine, body, data)).type, "failed");
      }
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    t.true(grown < 3 * (limits.renderHeapMb + limits.renderYoungHeapMb), `${grown} MiB more`);
  },
);

test.serial("given more jobs than may wait, when another comes, then it is BUSY", async (t) => {
  const { pool, render } = start(t, {});
  const all = Array.from({ length: limits.rendersWaitingOfTenantMax + limits.renderBatchMax + 1 }, () =>
    render("liquid", "x"),
  );
  const other = pool.run("b", plain);
  const codes = (await Promise.all(all)).map(code);
  t.is(codes.at(-1), "BUSY");
  t.is(codes[0], "rendered");
  t.is(code(await other), "previewed", "of another tenant");
});

const plain: Job = { type: "preview", html: false, engine: "liquid", body: "x", data: "{}" };

for (const [what, body, threads] of [
  [
    "end their thread",
    "{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}",
    1,
  ],
  [
    "end their thread",
    "{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}",
    2,
  ],
  ["take as long as may be", "{% for a in (1..400) %}{% for b in (1..400) %}{% endfor %}{% endfor %}", 1],
] as const)
  test.serial(
    `given a tenant with a line of templates that ${what}, when another tenant renders on ${threads} thread(s), then it waits for two of them at most`,
    async (t) => {
      const { pool } = start(t, { timeoutMs: 300, threads });
      await pool.run("b", plain);
      let ended = 0;
      const slow = Array.from({ length: 24 }, () =>
        pool
          .run("a", { type: "preview", html: false, engine: "liquid", body, data: "{}" })
          .then(() => ended++),
      );
      const before: number[] = [];
      for (let i = 0; i < 3; i++) {
        const had = ended;
        t.is(code(await pool.run("b", plain)), "previewed");
        before.push(ended - had);
      }
      t.true(Math.max(...before) <= 2, `${before} of the other tenant ran before it`);
      t.true(ended < slow.length);
    },
  );

test.serial(
  "given a layout, when it is previewed, then content has a stand-in and paths are resolved or not",
  async (t) => {
    const { pool } = start(t);
    const data = JSON.stringify({ payload: { name: "Ada", items: [{ n: 1 }] }, subscriber: { city: "" } });
    const of = (engine: Engine, body: string) =>
      pool.run("a", { type: "preview", html: true, engine, body, data });
    t.deepEqual(
      await of(
        "handlebars",
        "{{payload.name}} {{content}} {{#each payload.items}}{{n}}{{@root.payload.more}}{{/each}}{{#with subscriber}}{{city}}{{town}}{{/with}}{{#if (lookup payload 'x')}}{{/if}}",
      ),
      {
        type: "previewed",
        output: "Ada [content] 1",
        resolved: ["payload", "payload.items", "payload.name", "subscriber", "subscriber.city"],
        unresolved: ["payload.more", "subscriber.town"],
      },
    );
    t.deepEqual(
      await of(
        "liquid",
        "{{ payload.name }} {{ content }} {% for i in payload.items %}{{ i.n }}{{ payload.more }}{% endfor %}",
      ),
      {
        type: "previewed",
        output: "Ada [content] 1",
        resolved: ["payload.items", "payload.name"],
        unresolved: ["payload.more"],
      },
    );
  },
);

test.serial(
  "given templates with mistakes, when they are checked, then each has its field, line and column",
  async (t) => {
    const { pool } = start(t);
    const of = async (engine: Engine, source: string, isLayout = false) => {
      const result = await pool.run("a", {
        type: "check",
        templates: [{ field: "body", engine, source, isLayout }],
      });
      return (result as Extract<JobResult, { type: "checked" }>).problems;
    };
    t.like((await of("handlebars", "a\n{{#if x}}\n{{/each}}"))[0], { field: "body", line: 2 });
    t.like((await of("handlebars", "a\n  {{> p}}"))[0], {
      line: 2,
      column: 3,
      message: "partials cannot be used here",
    });
    t.like((await of("liquid", "a\n  {% nope %}"))[0], {
      line: 2,
      column: 3,
      message: 'tag "nope" not found',
    });
    for (const engine of ["handlebars", "liquid"] as const) {
      t.deepEqual(await of(engine, "<p>{{ content }}</p>", true), []);
      const inside =
        engine === "liquid" ? "{% if a %}{{ content }}{% endif %}" : "{{#if a}}{{content}}{{/if}}";
      t.deepEqual(await of(engine, inside, true), []);
      for (const source of ["<p></p>", "{{ contents }}", "{{ content.x }}", "<!-- content -->"])
        t.like(
          (await of(engine, source, true))[0],
          { field: "body", message: "it must contain {{ content }}" },
          source,
        );
    }
  },
);
