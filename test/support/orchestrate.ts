import type { CallContext, Orchestration, Question } from "#actors";

/** Runs an orchestration of either form to its end. */
export async function orchestrate(
  orchestration: Orchestration | Question,
  request: unknown,
  call: CallContext,
): Promise<unknown> {
  if (typeof orchestration === "function") return orchestration(request, call);
  return orchestration.read(await call.asker.ask(orchestration.ask(request, call)), request, call);
}
