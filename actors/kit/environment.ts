import { type Refusal, refuse } from "#base";
import type { Caller } from "#runtime";

/**
 * Whether the caller may see a resource of this environment. A header that names another one does not find it; a
 * principal bound to the other side is told so. Timers and messages have no caller and pass.
 */
export function checkEnvironment(environment: string, caller: Caller | undefined): Refusal | undefined {
  if (caller === undefined) return undefined;
  if (caller.environment !== undefined && caller.environment !== environment)
    return refuse("NOT_FOUND", `there is no such resource in environment ${caller.environment}`);
  return checkMode(environment, caller);
}

/** A redirect stays inside the environment it came from, whatever its caller may see; empty: it is no redirect. */
export function checkRedirect(from: string, environment: string): Refusal | undefined {
  if (from === "" || from === environment) return undefined;
  return refuse("FAILED_PRECONDITION", `a rule redirects from ${from} to ${environment}`, {
    reason: "REDIRECT_ENVIRONMENT",
  });
}

/** The environment of something new: what X-Environment names, or production. */
export function environmentFor(caller: Caller | undefined): { environment: string } | Refusal {
  const environment = caller?.environment ?? "production";
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(environment))
    return refuse("INVALID_ARGUMENT", "X-Environment is not the name of an environment", {
      fields: [{ field: "X-Environment", reason: "must be a lower-case name" }],
    });
  return (caller && checkMode(environment, caller)) ?? { environment };
}

/** Whether a principal of this mode may act in the environment. */
export function isInMode(environment: string, mode: Caller["environmentMode"]): boolean {
  return mode === "any" || (environment === "production") === (mode === "production_only");
}

function checkMode(environment: string, { environmentMode }: Caller): Refusal | undefined {
  if (isInMode(environment, environmentMode)) return undefined;
  return refuse("PERMISSION_DENIED", `this principal is ${environmentMode.replaceAll("_", " ")}`, {
    reason: "ENVIRONMENT_MODE",
  });
}
