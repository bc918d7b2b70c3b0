import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { filesOf, writeModule } from "./make.ts";
import { namesOf } from "./names.ts";

test("a name gives all spellings of its resource", (t) => {
  t.deepEqual(namesOf("api-key"), {
    folder: "api-keys",
    module: "apiKeys",
    one: "ApiKey",
    many: "ApiKeys",
    snakeOne: "api_key",
    snakeMany: "api_keys",
    words: "api keys",
  });
  t.is(namesOf("policy").many, "Policies");
  t.is(namesOf("patch").folder, "patches");
  for (const bad of ["", "Note", "api_key", "note-"]) t.throws(() => namesOf(bad), { message: /not a name/ });
});

test("a module is five files, below 300 lines with its contract; every method has cases and a line of what is decided", (t) => {
  const files = filesOf(namesOf("note"));
  t.is(Object.keys(files).length, 5);
  t.true(Object.values(files).join("").split("\n").length < 300);
  const methods = [...files["protos/service/api/note.proto"]!.matchAll(/rpc (\w+)/g)].map(
    ([, name]) => name!,
  );
  t.is(methods.length, 5);
  const cases = files["test/contract/cases/note.ts"]!;
  for (const name of methods) {
    t.is(cases.split(`method: "NoteService.${name}"`).length, 3, name);
    t.regex(cases, new RegExp(`^NoteService\\.${name} +\\| `, "m"));
  }
});

test("given files that are there already, nothing is written over", (t) => {
  const root = mkdtempSync(join(tmpdir(), "new-module-"));
  t.teardown(() => rmSync(root, { recursive: true }));
  const names = namesOf("note");
  const made = writeModule(root, names);
  const before = made.map((file) => readFileSync(join(root, file), "utf8"));
  t.throws(() => writeModule(root, names), { message: /nothing was written/ });
  t.deepEqual(
    made.map((file) => readFileSync(join(root, file), "utf8")),
    before,
  );
});
