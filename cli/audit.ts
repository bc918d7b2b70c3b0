import { existsSync } from "node:fs";
import { auditFiles, verifyAudit } from "#gateway";
import type { Given } from "./command.ts";
import { CliError, exitCodes } from "./error.ts";
import { listed, loadSettings } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service audit verify`: exit code 1 when anything is wrong, 3 when there is no log at all. */
export async function auditVerify({ flags }: Given, terminal: Terminal): Promise<number> {
  const { file, head, "public-key": publicKey, "begins-at": first = "1" } = flags;
  const beginsAt = Number(first);
  if (!Number.isSafeInteger(beginsAt) || beginsAt < 1)
    throw new CliError(`service: --begins-at is the number of an entry, 1 or more, and not ${first}`, 2);
  const usual = await auditFiles(loadSettings(terminal, "production", flags).config);
  const files = {
    logs: Array.isArray(file) ? file : usual.logs,
    head: typeof head === "string" ? head : usual.head,
    publicKey: typeof publicKey === "string" ? publicKey : usual.publicKey,
    beginsAt,
  };
  const absent = files.logs.find((log) => !existsSync(log));
  if (absent !== undefined)
    throw new CliError(
      `service: there is no audit log at ${absent}; --file, \`audit.file\` and \`storage.dir\` say which is read`,
      exitCodes.notThere,
    );
  const { findings, summary } = await verifyAudit(files);
  if (findings.length > 0) throw new CliError(listed(`the audit log is not intact (${summary})`, findings));
  terminal.out(`intact: ${summary}\n`);
  return 0;
}
