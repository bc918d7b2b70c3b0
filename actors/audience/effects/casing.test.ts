import test from "ava";
import type { Casing } from "../../notify/outbound/types.ts";
import { recased } from "./casing.ts";

const given = { from_name: 1, "reply-to": { innerValue: [{ HTTPCode: "keep_this" }] }, X: null, _: true };

const expected: Readonly<Record<Casing, object>> = {
  none: given,
  snake_case: { from_name: 1, reply_to: { inner_value: [{ httpcode: "keep_this" }] }, x: null, _: true },
  camelCase: { fromName: 1, replyTo: { innerValue: [{ httpcode: "keep_this" }] }, x: null, _: true },
  PascalCase: { FromName: 1, ReplyTo: { InnerValue: [{ Httpcode: "keep_this" }] }, X: null, _: true },
  "kebab-case": {
    "from-name": 1,
    "reply-to": { "inner-value": [{ httpcode: "keep_this" }] },
    x: null,
    _: true,
  },
  CONSTANT_CASE: { FROM_NAME: 1, REPLY_TO: { INNER_VALUE: [{ HTTPCODE: "keep_this" }] }, X: null, _: true },
};

for (const casing of Object.keys(expected) as Casing[])
  test(`given names in several casings, when they become ${casing}, then at every depth, and values stay`, (t) => {
    t.deepEqual(recased(given, casing), expected[casing]);
  });
