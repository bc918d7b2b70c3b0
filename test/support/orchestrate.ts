import type { AnyHandler, CallContext } from "#actors";

/** Runs an orchestration of either form to its end. */
export async function orchestrate(
  orchestration: AnyHandler,
  given: unknown,
  call: CallContext,
): Promise<unknown> {
  const request = given as never;
  if (typeof orchestration === "function") return orchestration(request, call);
  return orchestration.read(await call.asker.ask(orchestration.ask(request, call)), request, call);
}
