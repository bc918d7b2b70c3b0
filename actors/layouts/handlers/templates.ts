import { limits, RefusalError, refuse } from "#base";
import { ask, contractMethod, handling } from "../../kit/ask.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { checkTemplates, renderMessage } from "../../notify/outbound/methods.ts";
import type { CheckedTemplate, JobResult } from "../../notify/outbound/render/jobs.ts";
import type { RenderPool } from "../../notify/outbound/render/pool.ts";
import type { Engine, JsonObject, Rendered, RenderRequest } from "../../notify/outbound/types.ts";
import { look, type Picked, pick } from "../service.ts";

/** The methods that need a render thread. */
export function templateMethods(pool: RenderPool): Readonly<Record<string, Orchestration>> {
  return {
    "LayoutService.CreateLayout": checked(pool, "LayoutService.CreateLayout"),
    "LayoutService.UpdateLayout": checked(pool, "LayoutService.UpdateLayout"),
    "LayoutService.PreviewLayout": (request, call) => preview(pool, request as PreviewRequest, call),
  };
}

/** What other modules ask. */
export function internalMethods(pool: RenderPool): Readonly<Record<string, Orchestration>> {
  const picked = new SharedQuestions<Picked>();
  return {
    [renderMessage.name]: handling(renderMessage, (request, call) => render(pool, picked, request, call)),
    [checkTemplates.name]: handling(checkTemplates, async ({ templates }, { caller }) => {
      await check(pool, caller.tenant, templates);
      return {};
    }),
  };
}

/** Asks the entity when the body has compiled. */
function checked(pool: RenderPool, name: `LayoutService.${string}`): Orchestration {
  const put = contractMethod<LayoutGiven, unknown>("layouts", name);
  return async (given, call) => {
    const request = given as LayoutGiven;
    const { engine, body: source } = request;
    await check(pool, call.caller.tenant, [{ field: "body", engine, source, isLayout: true }]);
    return ask(call, put, { request, step: "" });
  };
}

interface LayoutGiven {
  readonly engine: Engine;
  readonly body: string;
}

async function check(pool: RenderPool, tenant: string, templates: readonly CheckedTemplate[]): Promise<void> {
  const result = await pool.run(tenant, { type: "check", templates });
  if (result.type === "failed") throw refusalOf(result);
  if (result.type !== "checked" || result.problems.length === 0) return;
  const [first] = result.problems;
  throw new RefusalError(
    refuse("INVALID_ARGUMENT", `${first!.field} is not a template: ${placed(first!)}`, {
      reason: "BAD_TEMPLATE",
      fields: result.problems
        .slice(0, limits.fieldErrorsMax)
        .map((problem) => ({ field: problem.field, reason: placed(problem) })),
    }),
  );
}

function placed({ line, column, message }: { line: number; column: number; message: string }): string {
  return `line ${line}, column ${column}: ${message}`;
}

interface PreviewRequest {
  readonly layout_id: string;
  readonly payload?: JsonObject;
  readonly subscriber?: JsonObject;
}

async function preview(
  pool: RenderPool,
  { layout_id, payload = {}, subscriber = {} }: PreviewRequest,
  call: CallContext,
): Promise<unknown> {
  const { engine, body, channel } = await ask(call, look, { request: { layout_id } });
  const data = JSON.stringify({ payload, subscriber });
  const html = channel === "email";
  const result = await pool.run(call.caller.tenant, { type: "preview", html, engine, body, data });
  if (result.type === "failed") throw refusalOf(result);
  const { type: _, ...shown } = result;
  return shown;
}

function refusalOf({ code, message }: Extract<JobResult, { type: "failed" }>): RefusalError {
  if (code === "BUSY")
    return new RefusalError(refuse("UNAVAILABLE", message, { retryAfterMs: limits.retryAfterMs }));
  return new RefusalError(
    refuse("FAILED_PRECONDITION", `the template cannot be rendered: ${message}`, {
      reason: `RENDER_${code}`,
    }),
  );
}

async function render(
  pool: RenderPool,
  picked: SharedQuestions<Picked>,
  request: RenderRequest,
  { caller, asker, deadlineMs }: CallContext,
): Promise<Rendered> {
  const { channel, layout_id, engine, subject, body, data } = request;
  const { layout } = await picked.ask(`${caller.tenant} ${channel} ${layout_id ?? ""}`, () =>
    // Of all that share it: it does not end with one of them.
    ask({ caller, asker, deadlineMs }, pick, { request: { channel, layout_id } }),
  );
  const result = await pool.run(caller.tenant, {
    type: "render",
    html: channel === "email",
    engine,
    subject,
    body,
    ...(layout && { layout }),
    data: JSON.stringify(data),
  });
  // A thread without a processor runs out of time as a slow template does.
  if (result.type === "failed")
    return { ...result, retryable: result.code === "BUSY" || result.code === "TIMEOUT" };
  return result as Extract<JobResult, { type: "rendered" }>;
}
