import type { Config } from "./table.ts";

/** One control that `security_profile=enterprise` forces. */
interface Control {
  readonly key: string;
  /** In force where the operator set nothing. */
  readonly value: unknown;
  /** Which values an operator may set, and how that is said to people; absent: only that one. */
  readonly takes?: { readonly wants: string; readonly isOne: (value: unknown) => boolean };
  readonly reason: string;
}

const isSome = (value: unknown) => value !== "none";

/** The whole profile. Settings of parts that are not there yet are forced from the day they are. */
export const enterpriseControls: readonly Control[] = [
  { key: "auth.enabled", value: true, reason: "every caller is known" },
  { key: "auth.allow_anonymous", value: false, reason: "no caller is taken without credentials" },
  {
    key: "authz.allow_when_unconfigured",
    value: false,
    reason: "without an authorizer everything is denied",
  },
  { key: "ratelimit.fail_mode", value: "closed", reason: "calls whose limit cannot be counted are refused" },
  { key: "egress.mode", value: "enforce", reason: "calls to private networks are refused" },
  { key: "entitlement.enforcement", value: "strict", reason: "what a tenant is not entitled to is refused" },
  {
    key: "audit.sink",
    value: "file",
    takes: { wants: "file, stdout or stderr", isOne: isSome },
    reason: "changes and denials are on record",
  },
  { key: "promotion.allow_self_approval", value: false, reason: "a change of production has two persons" },
  {
    key: "promotion.evidence_required",
    value: "live",
    takes: { wants: "live or all", isOne: isSome },
    reason: "a change of production has evidence",
  },
  {
    key: "notification.queue.mode",
    value: "tiered",
    reason: "a broadcast does not hold up a direct notification",
  },
  {
    key: "analytics.allow_unscoped_metrics",
    value: false,
    reason: "stats of all tenants together are shown to none of them",
  },
  { key: "mcp.legacy", value: false, reason: "assistants speak the revision without sessions" },
];

function wantsOf({ value, takes }: Control): string {
  return takes?.wants ?? String(value);
}

/** What the settings say against the profile, each with its key, its value and what the profile wants. */
export function profileProblems(config: Config): readonly string[] {
  if (config.security_profile !== "enterprise") return [];
  const values = config as Readonly<Record<string, unknown>>;
  const keyless = requiredKeys
    .filter(({ key }) => values[key] === "")
    .map(({ key, reason }) => `${key}: is required because security_profile is enterprise: ${reason}`);
  const contradictions = enterpriseControls
    .filter(({ key, value, takes }) => {
      if (!Object.hasOwn(values, key)) return false;
      return !(takes?.isOne(values[key]) ?? values[key] === value);
    })
    .map((control) => {
      const { key, reason } = control;
      return `${key}: ${String(values[key])} is refused because security_profile is enterprise, which wants ${wantsOf(control)}: ${reason}`;
    });
  return [...contradictions, ...keyless];
}

/** There is no value that could be put in their place. */
const requiredKeys = [
  {
    key: "connector.encryption_key",
    reason: "credentials of connections are sealed with the operator's key",
  },
  {
    key: "evidence.signing_key_file",
    reason: "exports of evidence are signed with the operator's key, the same on every node",
  },
];

/** The table of docs/security.md; a test compares the two. */
export function profileMarkdown(): string {
  const rows = enterpriseControls.map(
    (control) =>
      `| \`${control.key}\` | \`${String(control.value)}\` | ${wantsOf(control)} | ${control.reason} |`,
  );
  return ["| setting | in force | may be set to | so that |", "|---|---|---|---|", ...rows].join("\n");
}
