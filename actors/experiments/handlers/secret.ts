import { isRefusal, limits, RefusalError } from "#base";
import type { Answer, Ask, Asker } from "#runtime";
import { directoryOf } from "../../kit/directory.ts";
import type { CallContext } from "../../module.ts";

/**
 * The secret of a tenant's directory of experiments, which makes unit keys and receipts. It is drawn once and never changes, so what
 * a door remembers cannot be stale.
 */
const known = new WeakMap<Asker, Map<string, string>>();

/** `undefined`: it has to be asked for. */
export function knownSecret({ asker, caller }: CallContext): string | undefined {
  return known.get(asker)?.get(caller.tenant);
}

export async function secretOf(call: CallContext): Promise<string> {
  return knownSecret(call) ?? learnSecret(await call.asker.ask(askForSecret(call)), call);
}

export function askForSecret({ caller, deadlineMs, signal }: CallContext): Ask {
  const to = directoryOf(caller.tenant, "experiment");
  return { to, method: "Directory.CursorSecret", request: {}, caller, deadlineMs, signal };
}

export function learnSecret(answer: Answer, { asker, caller }: CallContext): string {
  if (isRefusal(answer)) throw new RefusalError(answer);
  const { secret } = answer.response as { readonly secret: string };
  const secrets = known.get(asker) ?? new Map<string, string>();
  if (secrets.size >= limits.experimentSecretsMax) secrets.clear();
  secrets.set(caller.tenant, secret);
  known.set(asker, secrets);
  return secret;
}
