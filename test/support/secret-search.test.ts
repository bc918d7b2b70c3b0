import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { findSecrets } from "./secret-search.ts";

test("a secret is found in plain text, hex and base64 at any offset, and is not found where it is absent", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "search-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const secret = "a secret of some length";
  const found = (text: string | Buffer) => {
    writeFileSync(join(folder, "file"), text);
    return findSecrets([secret], { folder, texts: {} }).length > 0;
  };
  t.false(found("a secret of another length"));
  t.true(found(`before ${secret} after`));
  t.true(found(Buffer.from(secret).toString("hex")));
  for (const before of ["", "1", "12", "123"])
    for (const after of ["", "x", "yz"])
      for (const form of ["base64", "base64url"] as const)
        t.true(found(Buffer.from(before + secret + after).toString(form)), `${before}|${after} ${form}`);
  const texts = { log: `{"password":"${secret}"}` };
  writeFileSync(join(folder, "file"), "");
  t.deepEqual(findSecrets([secret], { folder, texts }), [`log holds ${secret} in clear`]);
});
