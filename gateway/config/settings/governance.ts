import { duration, flag, list, oneOf, publicKeys, text, whole } from "../kinds.ts";
import { setting } from "../setting.ts";

/** Audit, evidence, conformance, promotions. */
export const governanceSettings = {
  "audit.sink": setting(oneOf("none", "stderr", "stdout", "file"), {
    default: "none",
    reason:
      "Where the audit log goes: changes as each method's contract says, and every denial. none: nothing is recorded.",
  }),
  "audit.file": setting(text, {
    default: "",
    reason:
      "File of the sink file; empty: audit.log in storage.dir. It may be moved away while the service runs.",
  }),
  "audit.hash_chain": setting(flag, {
    default: true,
    reason: "Chains entries by SHA-256 and signs the chain, for `service audit verify`.",
  }),
  "audit.redact_pii": setting(flag, {
    default: false,
    reason:
      "Persons, addresses and names that callers chose are written as keyed hashes, free text not at all.",
  }),
  "audit.signing_key_file": setting(text, {
    default: "",
    reason: "Ed25519 key (PKCS #8, PEM) that signs the chain; empty: one is made in storage.dir.",
  }),
  "evidence.signing_key_file": setting(text, {
    default: "",
    reason:
      "Ed25519 key (PKCS #8, PEM) that signs exports of evidence; empty: one is made in storage.dir. Nodes of a cluster need the same one.",
  }),
  "evidence.trusted_keys": setting(publicKeys, {
    default: [],
    dynamic: "tenant",
    reason: "Keys of producers whose receipts count as signed: Ed25519 or ECDSA, SPKI (DER) in base64.",
  }),
  "conformance.enabled": setting(flag, {
    default: true,
    reason: "Lets callers run the conformance suites against this node; reports can be read in any case.",
  }),
  "promotion.live_environments": setting(list, {
    default: ["production"],
    dynamic: "tenant",
    reason: "Environments that customers depend on: nothing is tested in them but by dry runs.",
  }),
  "promotion.evidence_required": setting(oneOf("none", "live", "all"), {
    default: "live",
    dev: "none",
    reason:
      "In which environments a promotion is approved only where the gate of its evidence pack is satisfied.",
  }),
  "promotion.approvals_required": setting(whole({ min: 1, max: 5 }), {
    default: 1,
    reason: "Owners who have to approve a promotion: an API key counts as its maker.",
  }),
  "promotion.allow_self_approval": setting(flag, {
    default: false,
    dev: true,
    reason: "Whether the maker of a candidate or of a version in it may approve it.",
  }),
  "promotion.approval_ttl": setting(duration({ min: 60_000 }), {
    default: 24 * 3_600_000,
    reason: "How long an approval holds: a promotion later than that is approved anew.",
  }),
} as const;
