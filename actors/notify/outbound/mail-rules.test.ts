import test from "ava";
import { mailboxOf, mailProblems } from "./mail-rules.ts";

test("given texts, when they are read as a mailbox, then only one address with an optional name is one", (t) => {
  for (const [text, name, address] of [
    ["a@b.com", "", "a@b.com"],
    ["root@localhost", "", "root@localhost"],
    ["Ada Lovelace <ada+mail@mail.example.com>", "Ada Lovelace", "ada+mail@mail.example.com"],
    ['"Lovelace, Ada" <ada@example.com>', "Lovelace, Ada", "ada@example.com"],
    ["Ünal <ünal@bücher.example>", "Ünal", "ünal@bücher.example"],
    ["<a@b.com>", "", "a@b.com"],
  ] as const)
    t.deepEqual(mailboxOf(text), { name, address }, text);
  for (const text of [
    "",
    "a",
    "a@",
    "@b.com",
    "a@b.com>",
    "<a@b.com",
    "a@b.com <c@d.com",
    "a@b.com <c@d.com>",
    "a@b.com, c@d.com",
    "a@b.com; c@d.com",
    "a@b.com c@d.com",
    "A <a@b.com>, C <c@d.com>",
    "group: a@b.com;",
    "a@b@c.com",
    "a..b@c.com",
    ".a@c.com",
    "a@b..com",
    "a@-b.com",
    "a@b.com\r\nBcc: c@d.com",
    "A\r\nBcc: c@d.com <a@b.com>",
    '"A\nB" <a@b.com>',
    "a\u0000@b.com",
    '"a b"@c.com',
    "a@[127.0.0.1]",
    "a@b.com(c)",
    `${"a".repeat(65)}@b.com`,
    `a@${"b".repeat(64)}.com`,
    `a@${"b.".repeat(200)}com`,
  ])
    t.is(mailboxOf(text), undefined, text);
});

test("given settings of a mail, when a header is not on the list, an address is none, or a line breaks, then the field is named", (t) => {
  const good = {
    from: "A <a@b.com>",
    reply_to: "c@d.com",
    headers: { "X-Priority": "1", "in-reply-to": "<1@b.com>" },
    other: 1,
  };
  t.deepEqual(mailProblems(good), []);
  const fieldsOf = (settings: object) => mailProblems(settings as never, "at.").map(({ field }) => field);
  for (const name of [
    "Bcc",
    "bcc",
    "Cc",
    "To",
    "From",
    "Sender",
    "Reply-To",
    "Resent-Bcc",
    "Return-Path",
    "X-SMTPAPI",
    "X-MC-BccAddress",
    "X-Anything",
    " x-priority",
    "x-priority:",
    "Bcc\r\nX-Priority",
  ])
    t.deepEqual(fieldsOf({ headers: { [name]: "c@d.com" } }), [`at.headers.${name}`], name);
  t.deepEqual(fieldsOf({ headers: { "x-priority": "1\r\nBcc: c@d.com" } }), ["at.headers.x-priority"]);
  t.deepEqual(fieldsOf({ headers: { "x-priority": { toString: 1 } } }), ["at.headers.x-priority"]);
  t.deepEqual(fieldsOf({ headers: [["Bcc", "c@d.com"]] }), ["at.headers"]);
  t.deepEqual(fieldsOf({ from: "a@b.com>" }), ["at.from"]);
  t.deepEqual(fieldsOf({ reply_to: "a@b.com\nBcc: c@d.com" }), ["at.reply_to"]);
  // An integration may recase the names of a trigger's settings.
  t.deepEqual(fieldsOf({ Headers: { Bcc: "c@d.com" } }), ["at.Headers.Bcc"]);
  t.deepEqual(fieldsOf({ HEADERS: { Bcc: "c@d.com" }, "reply-to": "x" }), ["at.HEADERS.Bcc", "at.reply-to"]);
});
