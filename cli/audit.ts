import { existsSync } from "node:fs";
import { auditFiles, verifyAudit } from "#gateway";
import { CliError } from "./error.ts";
import { listed, loadSettings, parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** As for `service data verify`: a script tells a wrong path from a log that was changed. */
const nothingThere = 3;

/** `service audit verify`: exit code 1 when anything is wrong, 3 when there is no log at all. */
export async function auditVerify(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, {
    file: { type: "string", multiple: true },
    head: { type: "string" },
    "public-key": { type: "string" },
    "begins-at": { type: "string" },
  });
  const { file, head, "public-key": publicKey, "begins-at": first = "1" } = options.flags;
  const beginsAt = Number(first);
  if (!Number.isSafeInteger(beginsAt) || beginsAt < 1)
    throw new CliError(`service: --begins-at is the number of an entry, 1 or more, and not ${first}`, 2);
  const usual = await auditFiles(loadSettings(terminal, "production", options).config);
  const files = {
    logs: (file as unknown as string[] | undefined) ?? usual.logs,
    head: typeof head === "string" ? head : usual.head,
    publicKey: typeof publicKey === "string" ? publicKey : usual.publicKey,
    beginsAt,
  };
  const absent = files.logs.find((log) => !existsSync(log));
  if (absent !== undefined)
    throw new CliError(
      `service: there is no audit log at ${absent}; --file, \`audit.file\` and \`storage.dir\` say which is read`,
      nothingThere,
    );
  const { findings, summary } = await verifyAudit(files);
  if (findings.length > 0) throw new CliError(listed(`the audit log is not intact (${summary})`, findings));
  terminal.out(`intact: ${summary}\n`);
  return 0;
}
