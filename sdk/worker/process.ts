/** The name under which this machine is known: of the host, or of the kind of program. */
export function hostName(): string {
  return isNode() ? process.getBuiltinModule("node:os").hostname() : "browser";
}

/** Calls `stop` at SIGTERM and SIGINT. Returns what takes that back. */
export function stopOnSignals(stop: () => void): () => void {
  if (!isNode()) return () => {};
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.once(signal, stop);
  return () => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
}

function isNode(): boolean {
  return typeof process !== "undefined" && typeof process.versions?.node === "string";
}
