/**
 * The audit log of a node: which caller changed what, and which caller was denied. Threads record calls and send them in
 * batches; the main thread gives every entry its place in one hash chain, signs the chain's position and writes it to
 * `audit.sink`. Recording never waits: the process can lose what its threads recorded in the last 100 ms (see
 * docs/security.md). Entries that had to be dropped are counted in the chain itself.
 */
export { AuditLog } from "./audit-log.ts";
export type { AuditBatch } from "./entry.ts";
export { auditPaths } from "./paths.ts";
export { AuditRecorder } from "./recorder.ts";
export { type AuditFiles, type AuditReport, verifyAudit } from "./verify.ts";
