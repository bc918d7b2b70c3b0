import test from "ava";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { composeMail } from "./mail-bytes.ts";

const texts = {
  plain: "Hello\nthere",
  "with dots": ".\r\n..\r\n.end",
  "with trailing blanks": "one  \ntwo\t\n three ",
  "of one long line": "word ".repeat(400),
  "of one long word": "x".repeat(3_000),
  "with umlauts": `Grüße, ${"schöne ".repeat(60)}ß = ü`,
  japanese: "こんにちは。".repeat(80),
  "with emoji": "🎉 ".repeat(50),
  empty: "",
};

test("given mails of every kind of text, when they are composed, then they are what the library would stream", async (t) => {
  for (const [name, text] of Object.entries(texts))
    for (const parts of [{ text }, { html: `<p>${text}</p>` }, { text, html: `<p>${text}</p>` }]) {
      const mail = {
        from: "Ünal <us@example.com>",
        to: ["a@example.com"],
        subject: `About ${text.slice(0, 30).replaceAll(/[\r\n]/g, " ")}`,
        headers: { "x-own": "1" },
        messageId: "<1.1@example.com>",
        date: new Date(0),
        baseBoundary: "same",
        ...parts,
      };
      const { bytes, envelope, messageId } = composeMail(mail);
      const streamed = await new MailComposer(mail).compile().build();
      const of = `${name}: ${Object.keys(parts)}`;
      t.is(unfolded(bytes), unfolded(streamed), of);
      for (const line of bytes.toString().split("\r\n")) t.true(line.length <= 76, `${of}: ${line}`);
      t.deepEqual(envelope, { from: "us@example.com", to: ["a@example.com"] });
      t.is(messageId, "<1.1@example.com>");
    }
});

/** The library looks for places to break lines in parts of the text, so it may break the last ones elsewhere. */
function unfolded(mail: Buffer): string {
  return mail.toString().replaceAll("=\r\n", "");
}
