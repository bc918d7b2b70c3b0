import { type Logger, pino } from "pino";

/** JSON lines on standard error. What could be a secret is cut out by its name, wherever it stands. */
export function createLog(level: string, fields: Readonly<Record<string, unknown>> = {}): Logger {
  return pino(
    {
      level,
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: "[redacted]" },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

const secretNames = [
  "authorization",
  '["x-api-key"]',
  "cookie",
  "password",
  "secret",
  "token",
  "lease_token",
  "api_key",
  "token_secret",
  "token_secret_previous",
];

/** At the top and one or two levels down: pino looks up paths, it does not search. */
const redactedPaths = secretNames.flatMap((name) => {
  const dotted = name.startsWith("[") ? name : `.${name}`;
  return [name, `*${dotted}`, `*.*${dotted}`];
});
