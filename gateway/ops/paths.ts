/** Where the pages of probes and Prometheus are, aliases included. */
export const operationsPaths = {
  health: withAliases("/health"),
  ready: withAliases("/ready"),
  metrics: withAliases("/metrics"),
} as const;

function withAliases(path: string): readonly string[] {
  return [path, `${path}z`, `${path}-z`];
}
