/** What `service data verify` found. */
export interface DataReport {
  /** False: there is nothing to verify, neither sound nor damaged. */
  readonly found: boolean;
  /** False: something is damaged or contradicts itself; the sentence that says so begins with DAMAGED. */
  readonly sound: boolean;
  /** What was found, one sentence each. */
  readonly findings: readonly string[];
}
