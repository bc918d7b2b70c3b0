/** What every command ends with; verdicts of commands that judge begin at 10. */
export const exitCodes = {
  done: 0,
  refused: 1,
  notUnderstood: 2,
  notThere: 3,
  notAllowed: 4,
  noAnswer: 5,
} as const;

export const verdictCodes: Readonly<Record<string, number>> = {
  healthy: 0,
  degraded: 10,
  unhealthy: 11,
  unknown: 12,
};

/** Said to the user as it stands, without a stack. */
export class CliError extends Error {
  override readonly name: string = "CliError";
  readonly exitCode: number;
  /** What the service has answered with; a program that asked for JSON gets it. */
  readonly problem?: unknown;
  constructor(message: string, exitCode: number = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line is not understood. */
export function misunderstood(message: string): CliError {
  return new CliError(`service: ${message}`, exitCodes.notUnderstood);
}
