/** What tests the node that it runs on; gateway/conformance has it. */
export interface ConformanceRunner {
  readonly suites: readonly SuiteFacts[];
  /** Of the contract, on the external plane. */
  methodCount(): number;
  /** Opens this tenant to its holder, on this node, until then. */
  sandboxKey(tenant: string, untilMs: number): string;
  run(suiteIds: readonly string[], as: RunAs): Promise<readonly SuiteResult[]>;
}

interface RunAs {
  readonly mode: Mode;
  /** Credentials, and the environment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly endMs: number;
}

export type Mode = "sandbox" | "dry_run";

export interface SuiteFacts {
  readonly id: string;
  readonly title: string;
  readonly cases: readonly CaseFacts[];
}

export interface CaseFacts {
  readonly id: string;
  readonly title: string;
  readonly required: boolean;
  readonly effect: "none" | "sandbox";
  readonly methods: readonly string[];
}

export interface SuiteResult {
  readonly id: string;
  readonly results: readonly CaseResult[];
}

export interface CaseResult {
  readonly id: string;
  readonly status: "passed" | "failed" | "not_run" | "not_applicable";
  /** For people: why not passed. */
  readonly detail: string;
}
