import test from "ava";
import fc from "fast-check";
import { parse } from "yaml";
import { same } from "../../../test/support/same.ts";
import { loadContract } from "../../contract/index.ts";
import { openApiDocument } from "./document.ts";
import { yamlOf } from "./yaml.ts";

const json = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });

test("what is written is read again as it was, by readers of either version", (t) => {
  const awkward = [
    ...[
      "",
      " ",
      "a ",
      " a",
      "yes",
      "No",
      "~",
      "null",
      "1",
      "1e3",
      "0x1",
      "2024-01-01",
      "-",
      "- a",
      "a: b",
      "a #b",
    ],
    ...[
      "a\nb",
      "a\n",
      "a\n\n",
      "\na",
      " a\nb",
      "a \nb",
      "a\n\nb",
      "a\tb\nc",
      "a\r\nb",
      "é\nü",
      "*a",
      "&a",
      "!a",
      "%a",
      "@a",
    ],
    ...[
      "[a",
      "{a",
      "a]",
      "'a",
      "`a`",
      "a, b",
      "200",
      "{id}:verb",
      "#",
      "?",
      "? a",
      ":",
      "|",
      ">",
      "=",
      "<<",
      "\u0085",
      "\u2028x\ny",
    ],
  ];
  const numbers = [1e21, -1e-7, 1.5e300, 0, -1, 0.1, 5e-324];
  const value = {
    numbers,
    text: awkward,
    keys: Object.fromEntries(awkward.map((key) => [key, { deep: [key, [key], {}] }])),
  };
  for (const version of ["1.1", "1.2"] as const)
    t.deepEqual(parse(yamlOf(value), { version }), value, version);
  fc.assert(
    fc.property(json, (made) => {
      // JSON has no -0.
      const any = JSON.parse(JSON.stringify(made)) as unknown;
      for (const version of ["1.1", "1.2"] as const) same(t, parse(yamlOf({ any }), { version }), { any });
    }),
  );
});

test("the document of the contract is read as it was made", (t) => {
  const servers = { production: "/", staging: "/staging", local: "http://127.0.0.1:8080" };
  const options = { plane: "internal", apiVersion: "2024-01-01", servers } as const;
  const document = JSON.parse(JSON.stringify(openApiDocument(loadContract(), options)));
  const text = yamlOf(openApiDocument(loadContract(), options));
  t.deepEqual(parse(text, { version: "1.2" }), document);
  t.deepEqual(parse(text, { version: "1.1" }), document);
});
