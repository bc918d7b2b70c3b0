import { createPublicKey, type KeyObject } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { asError, limits } from "#base";
import { beginning, lineMark, type Position, type ReadLine, readLine } from "./chain.ts";
import { type Head, readHead } from "./head.ts";
import { isSignedBy } from "./signing-key.ts";

export interface AuditFiles {
  /** Oldest first; together they are one chain. */
  readonly logs: readonly string[];
  readonly head: string;
  readonly publicKey: string;
  /** The first entry that has to be there (default 1): entries before it are kept elsewhere or were deleted on purpose. */
  readonly beginsAt?: number;
}

export interface AuditReport {
  /** What is wrong; empty: the log is intact. */
  readonly findings: readonly string[];
  /** One line about what was read. */
  readonly summary: string;
}

/** Reads a whole audit log and says whether it is what was written. */
export async function verifyAudit(files: AuditFiles): Promise<AuditReport> {
  // Before the log: a service that runs writes the log first.
  const key = keyOf(files.publicKey);
  const head = headOf(files.head, key);
  const check = new Check(head.value, key, files.beginsAt ?? 1);
  for (const file of files.logs) await check.read(file);
  check.end();
  return {
    findings: [
      ...check.findings,
      ...(check.more > 0 ? [`and ${check.more} more findings`] : []),
      ...head.findings,
      ...(key === undefined
        ? [`unsigned: no public key at ${files.publicKey}, so no signature was checked`]
        : []),
    ],
    summary: check.summary(),
  };
}

class Check {
  readonly findings: string[] = [];
  readonly #head: Head | undefined;
  readonly #key: KeyObject | undefined;
  readonly #beginsAt: number;
  more = 0;
  #first: ReadLine["entry"] | undefined;
  #last: Position = beginning;
  #lastTime = "";
  #entries = 0;
  #checkpoints = 0;
  #sinceCheckpoint = 0;
  #lost = 0;
  #passed = 0;

  constructor(head: Head | undefined, key: KeyObject | undefined, beginsAt: number) {
    this.#head = head;
    this.#key = key;
    this.#beginsAt = beginsAt;
  }

  async read(file: string): Promise<void> {
    const input = createReadStream(file, "utf8");
    let number = 0;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const at = `${file}:${number}`;
      if (!line.startsWith(lineMark)) this.#passed++;
      else this.#check(line, at);
    }
  }

  end(): void {
    const head = this.#head;
    if (this.#entries === 0) this.#find("empty: there is no entry");
    else if (head !== undefined && head.seq > this.#last.seq)
      this.#find(
        `cut off: the log ends with entry ${this.#last.seq}, but entry ${head.seq} was signed at ${head.time}: ` +
          `entries ${this.#last.seq + 1} to ${head.seq} are missing`,
      );
  }

  summary(): string {
    const first = this.#first?.seq ?? 0;
    return (
      `${this.#entries} entries, ${first} to ${this.#last.seq}, until ${this.#lastTime || "never"}; ` +
      `${this.#checkpoints} checkpoints; ${this.#lost} calls recorded as lost` +
      `${first > 1 ? `; entries 1 to ${first - 1} were not read` : ""}` +
      `${this.#passed > 0 ? `; ${this.#passed} lines of others were passed over` : ""}`
    );
  }

  #check(line: string, at: string): void {
    const read = readLine(line);
    if (read === undefined) {
      this.#find(`changed: ${at} is not a whole entry of a chain`);
      return;
    }
    const { entry, hash, isWhole } = read;
    if (!isWhole) this.#find(`changed: entry ${entry.seq} (${at}) is not as it was written`);
    this.#follow(entry, at);
    this.#last = { seq: entry.seq, hash };
    this.#lastTime = String(entry.time);
    this.#entries++;
    if (entry.type === "lost") this.#lost += Number(entry.count);
    if (entry.type === "checkpoint") this.#checkpoint(entry, at);
    else if (++this.#sinceCheckpoint === limits.auditCheckpointEntries)
      this.#find(
        `missing: there is no checkpoint among the ${limits.auditCheckpointEntries} entries before ${at}`,
      );
    const head = this.#head;
    if (head?.seq === entry.seq && head.hash !== hash)
      this.#find(`changed: entry ${entry.seq} (${at}) is not the one that was signed at ${head.time}`);
  }

  #follow(entry: ReadLine["entry"], at: string): void {
    const { seq, hash } = this.#last;
    if (this.#first === undefined) {
      this.#first = entry;
      if (entry.seq === 1 && entry.prev !== beginning.hash)
        this.#find(`changed: entry 1 (${at}) is not the beginning of a chain`);
      if (entry.seq > this.#beginsAt)
        this.#find(
          `missing: the log begins with entry ${entry.seq} (${at}) and not with ${this.#beginsAt}: name the older files with --file, ` +
            `or say --begins-at ${entry.seq} if the entries before it are not kept`,
        );
    } else if (entry.seq > seq + 1)
      this.#find(
        `missing: ${entry.seq === seq + 2 ? `entry ${seq + 1} is` : `entries ${seq + 1} to ${entry.seq - 1} are`} not in the log (${at})`,
      );
    else if (entry.seq <= seq)
      this.#find(`out of order: entry ${entry.seq} stands behind entry ${seq} (${at})`);
    else if (entry.prev !== hash)
      this.#find(`changed: entry ${seq} is not the one that entry ${entry.seq} was written after (${at})`);
  }

  #checkpoint(entry: ReadLine["entry"], at: string): void {
    this.#checkpoints++;
    this.#sinceCheckpoint = 0;
    if (this.#key === undefined) return;
    const { node, time, signature, seq, prev } = entry as ReadLine["entry"] &
      Record<"node" | "time" | "signature", string>;
    if (!isSignedBy(this.#key, { node, time, seq: seq - 1, hash: prev }, String(signature)))
      this.#find(`changed: the checkpoint ${seq} (${at}) was not signed with this key`);
  }

  #find(finding: string): void {
    if (this.findings.length < limits.auditFindingsMax) this.findings.push(finding);
    else this.more++;
  }
}

function headOf(
  file: string,
  key: KeyObject | undefined,
): { readonly value?: Head; readonly findings: readonly string[] } {
  try {
    const value = readHead(file);
    if (value !== undefined && (key === undefined || isSignedBy(key, value, value.signature)))
      return { value, findings: [] };
    if (value !== undefined) return { findings: [`changed: ${file} was not signed with this key`] };
    return { findings: [`unsigned: there is no ${file}, so a cut-off end would not be seen`] };
  } catch (error) {
    return { findings: [`changed: ${file} cannot be used: ${asError(error).message}`] };
  }
}

function keyOf(file: string): KeyObject | undefined {
  return existsSync(file) ? createPublicKey(readFileSync(file)) : undefined;
}
