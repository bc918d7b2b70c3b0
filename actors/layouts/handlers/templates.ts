import { limits, type RefusalError, refusalError } from "#base";
import type { PreviewLayoutRequest, UpdateLayoutRequest } from "#protos";
import { ask, contractMethod, handling, type Method } from "../../kit/ask.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { CallContext, Handlers, Orchestration } from "../../module.ts";
import { checkTemplates, renderMessage } from "../../notify/outbound/methods.ts";
import type { CheckedTemplate, JobResult } from "../../notify/outbound/render/jobs.ts";
import type { RenderPool } from "../../notify/outbound/render/pool.ts";
import type { Rendered, RenderRequest } from "../../notify/outbound/types.ts";
import { look, type Picked, pick } from "../service.ts";

/** The methods that need a render thread. */
export function templateMethods(pool: RenderPool): Handlers {
  return {
    "LayoutService.CreateLayout": checked(pool, contractMethod("layouts", "LayoutService.CreateLayout")),
    "LayoutService.UpdateLayout": checked(pool, contractMethod("layouts", "LayoutService.UpdateLayout")),
    "LayoutService.PreviewLayout": (request, call) => preview(pool, request, call),
  };
}

/** What other modules ask. */
export function internalMethods(pool: RenderPool): Readonly<Record<string, Orchestration<never>>> {
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
function checked<Request extends Pick<UpdateLayoutRequest, "engine" | "body">>(
  pool: RenderPool,
  put: Method<Request, unknown>,
): Orchestration<Request> {
  return async (request, call) => {
    const { engine, body: source } = request;
    await check(pool, call.caller.tenant, [{ field: "body", engine, source, isLayout: true }]);
    return ask(call, put, { request, step: "" });
  };
}

async function check(pool: RenderPool, tenant: string, templates: readonly CheckedTemplate[]): Promise<void> {
  const result = await pool.run(tenant, { type: "check", templates });
  if (result.type === "failed") throw refusalOf(result);
  if (result.type !== "checked" || result.problems.length === 0) return;
  const fields = result.problems.slice(0, limits.fieldErrorsMax).map(({ field, line, column, message }) => ({
    field,
    reason: `line ${line}, column ${column}: ${message}`,
  }));
  const detail = `${fields[0]!.field} is not a template: ${fields[0]!.reason}`;
  throw refusalError("INVALID_ARGUMENT", detail, { reason: "BAD_TEMPLATE", fields });
}

async function preview(
  pool: RenderPool,
  { layout_id, payload = {}, subscriber = {} }: PreviewLayoutRequest,
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
  if (code === "BUSY") return refusalError("UNAVAILABLE", message, { retryAfterMs: limits.retryAfterMs });
  return refusalError("FAILED_PRECONDITION", `the template cannot be rendered: ${message}`, {
    reason: `RENDER_${code}`,
  });
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
