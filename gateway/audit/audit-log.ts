import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { asError, limits } from "#base";
import type { Logger } from "#runtime";
import type { Config } from "../config/index.ts";
import { type Snapshot, single } from "../telemetry/index.ts";
import { beginning, chained, numbered, type Position } from "./chain.ts";
import type { AuditBatch } from "./entry.ts";
import { type Head, readHead, writeHead } from "./head.ts";
import { type AuditPaths, auditPaths } from "./paths.ts";
import { redacted } from "./redact.ts";
import { endOf } from "./resume.ts";
import { loadSigningKey, type Signed, type SigningKey } from "./signing-key.ts";
import { fileSink, type Sink, streamSink } from "./sink.ts";

interface AuditLogParts {
  readonly sink: Sink;
  readonly paths: AuditPaths;
  readonly key: SigningKey;
  readonly isChained: boolean;
  readonly redactsPersons: boolean;
  readonly node: string;
  readonly position: Position;
  readonly log: Logger;
}

/**
 * The audit log of this node, in the main thread. Entries get their place in the chain when they are written; what cannot be
 * written is tried again with the same place. Every 1,000 entries or 60 seconds a signed checkpoint is an entry itself, and
 * after every write the signed position of the chain is in a file of its own.
 */
export class AuditLog {
  readonly #parts: AuditLogParts;
  readonly #timer: NodeJS.Timeout;
  #position: Position;
  /** Not in the chain yet. */
  #waiting: object[] = [];
  /** In the chain, and not written yet. */
  #unwritten = "";
  #sinceCheckpoint = 0;
  #written = 0;
  #lost = 0;
  #lostUntold = 0;
  #problem = "";
  #running: Promise<void> | undefined;
  #closing = false;

  /** `undefined` where the settings want none. */
  static open(config: Config, log: Logger): AuditLog | undefined {
    const where = config["audit.sink"];
    if (where === "none") return undefined;
    const paths = auditPaths(config);
    const key = loadSigningKey(paths, config["audit.signing_key_file"] !== "");
    const head = knownHead(paths, key, log);
    const { position, tornBytes } = where === "file" ? endOf(paths.log) : { tornBytes: 0 };
    const node = head?.node ?? randomUUID();
    const last = later(position, head, log);
    const audit = new AuditLog({
      sink: where === "file" ? fileSink(paths.log) : streamSink(process[where]),
      paths,
      key,
      isChained: config["audit.hash_chain"],
      redactsPersons: config["audit.redact_pii"],
      node,
      position: last,
      log,
    });
    audit.#note("start", {
      node,
      host: hostname(),
      key: key.id,
      ...(tornBytes > 0 && { torn_bytes: tornBytes }),
    });
    return audit;
  }

  private constructor(parts: AuditLogParts) {
    this.#parts = parts;
    this.#position = parts.position;
    this.#timer = setInterval(() => {
      if (parts.isChained && this.#sinceCheckpoint > 0) this.#note("checkpoint", {});
    }, limits.auditCheckpointMs);
    this.#timer.unref();
  }

  add({ entries, lost }: AuditBatch): void {
    const { redactsPersons, key } = this.#parts;
    const room = Math.max(0, limits.auditWaitingMax - this.#waiting.length);
    const taken = entries.slice(0, room);
    const redactionKey = redactsPersons ? key.redactionKey : "";
    for (const entry of taken) this.#waiting.push(redactsPersons ? redacted(entry, redactionKey) : entry);
    this.#lose(lost + entries.length - taken.length);
    this.#run();
  }

  snapshot(): Snapshot {
    return [
      single("counter", "service_audit_entries_total", this.#written),
      single("counter", "service_audit_lost_total", this.#lost),
      single("gauge", "service_audit_waiting", this.#waiting.length),
      single("gauge", "service_audit_position", this.#position.seq),
    ];
  }

  /** Writes what waits, and a last checkpoint. A sink that does not take it is not waited for. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#waiting.push({ type: "stop" }, { type: "checkpoint" });
    this.#closing = true;
    this.#run();
    await this.#running;
    if (this.#unwritten !== "" || this.#waiting.length > 0)
      this.#parts.log.error(
        { entries: this.#waiting.length },
        "the end of the audit log could not be written",
      );
  }

  #lose(count: number): void {
    if (count === 0) return;
    if (this.#lostUntold === 0)
      this.#parts.log.error(
        { lost: count },
        "audit entries were lost: they come faster than they are written",
      );
    this.#lost += count;
    this.#lostUntold += count;
  }

  #note(type: "start" | "checkpoint", fields: object): void {
    this.#waiting.push({ type, ...fields });
    this.#run();
  }

  #run(): void {
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten !== "" || this.#waiting.length > 0 || this.#lostUntold > 0) {
      if (this.#unwritten === "") this.#chain();
      try {
        await this.#parts.sink.write(this.#unwritten);
        this.#unwritten = "";
        this.#written = this.#position.seq - this.#parts.position.seq;
        if (this.#parts.isChained) await this.#sign();
        this.#problem = "";
      } catch (error) {
        this.#failed(asError(error));
        if (this.#closing) return;
        await new Promise((resolve) => setTimeout(resolve, limits.auditRetryMs));
      }
    }
  }

  #failed(error: Error): void {
    if (error.message !== this.#problem)
      this.#parts.log.error({ err: error }, "the audit log cannot be written; it is tried again");
    this.#problem = error.message;
  }

  /** Gives the next entries their place. */
  #chain(): void {
    const next = this.#waiting.splice(0, limits.auditLinesAtOnce);
    const lines: string[] = [];
    if (this.#lostUntold > 0) {
      lines.push(this.#place({ time: now(), type: "lost", count: this.#lostUntold }));
      this.#lostUntold = 0;
    }
    for (const entry of next) {
      const { type } = entry as { type: string };
      if (type === "checkpoint") lines.push(...this.#checkpoint());
      else lines.push(this.#place(type === "call" ? entry : { time: now(), ...entry }));
      // The checkpoint is one of them.
      if (this.#sinceCheckpoint >= limits.auditCheckpointEntries - 1) lines.push(...this.#checkpoint());
    }
    this.#unwritten = lines.join("");
  }

  #checkpoint(): readonly string[] {
    if (!this.#parts.isChained || this.#sinceCheckpoint === 0) return [];
    const { key } = this.#parts;
    const signed = this.#signed();
    const line = this.#place({
      time: signed.time,
      type: "checkpoint",
      node: signed.node,
      key: key.id,
      signature: key.sign(signed),
    });
    this.#sinceCheckpoint = 0;
    return [line];
  }

  #place(entry: object): string {
    const { line, position } = (this.#parts.isChained ? chained : numbered)(entry, this.#position);
    this.#position = position;
    this.#sinceCheckpoint++;
    return line;
  }

  #signed(): Signed {
    return { node: this.#parts.node, ...this.#position, time: now() };
  }

  #sign(): Promise<void> {
    return writeHead(this.#parts.paths.head, this.#signed(), this.#parts.key);
  }
}

function now(): string {
  return new Date().toISOString();
}

/** A head that this key did not sign is of no use: the key was changed, or the file was. */
function knownHead(paths: AuditPaths, key: SigningKey, log: Logger): Head | undefined {
  let head: Head | undefined;
  try {
    head = readHead(paths.head);
  } catch (error) {
    log.error({ file: paths.head, err: error }, "the position of the audit log cannot be read");
    return undefined;
  }
  if (head === undefined || key.verifies(head, head.signature)) return head;
  log.error({ file: paths.head, key: key.id }, "the position of the audit log was not signed with this key");
  return undefined;
}

/** Where the chain goes on: after what is in the log, or after what was signed where that is missing from the log. */
function later(inLog: Position | undefined, head: Head | undefined, log: Logger): Position {
  if (head === undefined) return inLog ?? beginning;
  if (inLog !== undefined && inLog.seq >= head.seq) return inLog;
  if (inLog !== undefined)
    log.error({ last: inLog.seq, signed: head.seq }, "the end of the audit log is missing");
  return { seq: head.seq, hash: head.hash };
}
