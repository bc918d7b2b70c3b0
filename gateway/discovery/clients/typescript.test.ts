import { readFileSync } from "node:fs";
import test from "ava";
import type { Surface } from "#protos/surface";
import { methodsMarkdown } from "./methods-markdown.ts";
import { namedMethods } from "./surface.ts";
import { typescriptClient } from "./typescript.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const surface: Surface = JSON.parse(read("protos/gen/surface.json"));
const written = read("sdk/generated.ts");

test("sdk/generated.ts is what the surface gives", (t) => {
  t.is(written, typescriptClient(surface));
});

test("docs/sdk-methods.md is what the surface gives", (t) => {
  t.is(read("docs/sdk-methods.md"), methodsMarkdown(surface));
});

test("every external method with a REST path has a line of the table", (t) => {
  const lines = /table = `\n([^`]*)`/.exec(written)?.[1]?.split("\n") ?? [];
  t.is(lines.length, namedMethods(surface).length);
  t.is(new Set(lines.map((line) => line.split(" ")[0])).size, lines.length);
  t.true(lines.includes("pools.create POST /api/pools key"));
  t.true(lines.includes("items.claim POST /api/queues/{pool_id}/items:claim key wait=wait_seconds*1000"));
});
