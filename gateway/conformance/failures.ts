/** The service did not do what the case says. */
export class CaseFailure extends Error {
  override readonly name = "CaseFailure";
}

/** What the case needs is not served by this installation. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CaseFailure(otherwise);
}
