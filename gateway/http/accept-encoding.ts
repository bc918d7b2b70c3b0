/** What a caller says of the two codings we have: how much it wants each, 0 where it does not take it (RFC 9110, 12.5.3). */
interface Wanted {
  readonly gzip: number;
  readonly identity: number;
}

/** Whether a body goes out as gzip. One that is not worth it goes out as it is, unless its reader does not take that. */
export function sendsGzip(acceptEncoding: string | undefined, isWorthIt: boolean): boolean {
  // Most callers of an API say nothing, and mean it.
  if (acceptEncoding === undefined) return false;
  const { gzip, identity } = wanted(acceptEncoding);
  // A client that takes neither gets the plain answer, which all can read: refusing it would not help.
  if (gzip === 0) return false;
  return isWorthIt ? gzip >= identity : identity === 0;
}

function wanted(acceptEncoding: string): Wanted {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(",")) {
    const [name, ...parameters] = item.split(";").map((part) => part.trim());
    if (name) weights.set(name, weightOf(parameters));
  }
  const others = weights.get("*");
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? others ?? 0;
  // Taken without being named, but then only where nothing else is.
  const identity = weights.get("identity") ?? (others === 0 ? 0 : Number.MIN_VALUE);
  return { gzip, identity };
}

/** A weight that cannot be understood takes nothing: plain text is always right. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split("=").map((part) => part.trim());
    if (name === "q") return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value ?? "") ? Number(value) : 0;
  }
  return 1;
}
