import type { Tester } from "./tester.ts";

/** One promise of a surface, shown by calls. Ids are never reused: reports of years ago name them. */
export interface Case {
  /** `worker_protocol.lease-fence`: the suite, a dot, what is shown. */
  readonly id: string;
  readonly title: string;
  readonly required: boolean;
  /** `none`: nothing is changed, so it may run in any tenant. `sandbox`: in a tenant that is made for it. */
  readonly effect: "none" | "sandbox";
  /** What it calls. */
  readonly methods: readonly string[];
  /** Throws a CaseFailure, or a NotApplicable. */
  readonly run: (tester: Tester) => Promise<void>;
}

export interface Suite {
  readonly id: string;
  readonly title: string;
  /** The capability without which there is nothing to test. */
  readonly capability?: string;
  readonly cases: readonly Case[];
}

/** A case before its suite gives it the id. */
export type NamelessCase = Omit<Case, "id">;

export function suite({
  id,
  cases,
  ...rest
}: Omit<Suite, "cases"> & { readonly cases: Readonly<Record<string, NamelessCase>> }): Suite {
  const named = Object.entries(cases).map(([name, one]) => ({ id: `${id}.${name}`, ...one }));
  return { id, ...rest, cases: named };
}

/** A required case that changes its sandbox. */
export function inSandbox(title: string, methods: readonly string[], run: Case["run"]): NamelessCase {
  return { title, required: true, effect: "sandbox", methods, run };
}

/** A required case that changes nothing. */
export function reading(title: string, methods: readonly string[], run: Case["run"]): NamelessCase {
  return { title, required: true, effect: "none", methods, run };
}
