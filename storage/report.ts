/** What `service data verify` found. */
export interface DataReport {
  /** False: there is nothing to verify. */
  readonly found: boolean;
  /** False: something is corrupt or contradicts itself; the sentence about it begins with DAMAGED. */
  readonly sound: boolean;
  /** The findings, one sentence each. */
  readonly findings: readonly string[];
}
