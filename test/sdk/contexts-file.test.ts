import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { type Contexts, contextNamed, keyOf, readContexts } from "../../sdk/contexts.ts";
import { SwitchyardError } from "../../sdk/errors.ts";

function stored(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), "contexts-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "switchyard"));
  const write = (text: string) => writeFileSync(join(folder, "switchyard", "contexts.yaml"), text);
  return { write, folder, variables: { XDG_CONFIG_HOME: folder } };
}

const name = fc.stringMatching(/^[\w-]{1,8}$/).filter((one) => one !== "__proto__");
const value = fc.oneof(
  fc.stringMatching(/^[\w/.:@#~ '"$+|>{}[\]!&*%,-]{1,12}$/),
  fc.constantFrom("http://a:1", "0123", "true", "null", "~/key", "echo a # b", "a: b", "é"),
);
const members = fc.dictionary(fc.constantFrom("url", "tenant", "api_key", "api_key_command"), value);

test("given a file as YAML writes it, when it is read, then each value is the text that stands there", async (t) => {
  const { write, variables } = stored(t);
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, members, { maxKeys: 3 }), name, async (contexts, current) => {
      const text = stringify({ current, contexts });
      write(text);
      t.deepEqual(await readContexts(variables), expectedOf(text), text);
    }),
    { numRuns: 500 },
  );
});

/** What the library makes of it; a context that is empty has no members. */
function expectedOf(text: string): Contexts {
  const { contexts, current } = parse(text, { schema: "failsafe" });
  const full = Object.entries(contexts || {}).map(([name, one]) => [name, one || {}]);
  return { ...(typeof current === "string" && { current }), contexts: Object.fromEntries(full) };
}

/** Lines that people write, good and bad. */
const line = fc
  .tuple(
    fc.constantFrom("", "  ", "    ", "   "),
    fc.constantFrom("contexts:", "current:", "local:", "url:", "tenant:", "# a comment", ""),
    fc.constantFrom(
      "",
      " ",
      " a",
      ' "b c"',
      " 'd'",
      " e # f",
      " g#h",
      " i: j",
      " |",
      " {k: l}",
      " *m",
      " n o",
      ' "p',
      " q:",
    ),
  )
  .map((parts) => parts.join(""));

test("given lines written by hand, when they are read, then it is what YAML makes of them, or an error", async (t) => {
  const { write, variables } = stored(t);
  let understood = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
      const text = `current: local\ncontexts:\n  local:\n    url: http://a\n${lines.join("\n")}`;
      write(text);
      const read = await readContexts(variables).catch((error: unknown) => {
        t.true(error instanceof SwitchyardError, text);
      });
      if (read === undefined) return;
      understood++;
      t.deepEqual(read, expectedOf(text), text);
    }),
    { numRuns: 2_000 },
  );
  t.true(understood > 100, `${understood} were understood`);
});

test("a name that is not there tells those that are; without a name it is the one in use", async (t) => {
  const { write, variables } = stored(t);
  t.deepEqual(await contextNamed(undefined, variables), {});
  write("contexts: {here: {url: 'http://a'}, there: {}}\ncurrent: here\n");
  t.deepEqual(await contextNamed(undefined, variables), { url: "http://a" });
  const error = await t.throwsAsync(contextNamed("her", variables), { instanceOf: SwitchyardError });
  t.regex(error.message, /no context her in .*contexts\.yaml; there are: here, there$/);
  t.false(error.retryable);
  for (const wrong of ["contexts: [a]", "contexts: {a: b}", "contexts: {a: {url: [x]}}", "{", "- a"]) {
    write(wrong);
    await t.throwsAsync(readContexts(variables), { instanceOf: SwitchyardError }, wrong);
  }
});

test("a key stands in the file, in a file of its own, or is printed by a command", async (t) => {
  const { folder } = stored(t);
  const key_file = join(folder, "key");
  writeFileSync(key_file, "of-a-file\n");
  t.is(await keyOf({ key_file }), "of-a-file");
  t.is(await keyOf({ api_key_command: "echo printed", key_file }), "printed");
  t.is(await keyOf({ api_key: "own", api_key_command: "echo printed" }), "own");
  t.is(await keyOf({}), undefined);
  await t.throwsAsync(keyOf({ api_key_command: "exit 3" }), {
    message: /api_key_command of the context has failed/,
  });
  await t.throwsAsync(keyOf({ key_file: "/nonexistent" }), { message: /\/nonexistent cannot be read/ });
});
