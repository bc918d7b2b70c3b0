import { limits, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { CheckedTemplate, JobResult } from "../../notify/outbound/render/jobs.ts";
import type { RenderPool } from "../../notify/outbound/render/pool.ts";
import {
  type CheckTemplatesRequest,
  type Engine,
  type JsonObject,
  layoutsAddress,
  type Rendered,
  type RenderRequest,
} from "../../notify/outbound/types.ts";
import type { Layout } from "../record.ts";

/** The methods that need a render thread. */
export function templateMethods(pool: RenderPool): Readonly<Record<string, Orchestration>> {
  return {
    "LayoutService.CreateLayout": (request, call) =>
      checked(pool, "LayoutService.CreateLayout", request as Message, call),
    "LayoutService.UpdateLayout": (request, call) =>
      checked(pool, "LayoutService.UpdateLayout", request as Message, call),
    "LayoutService.PreviewLayout": (request, call) => preview(pool, request as Message, call),
  };
}

/** What other modules ask. */
export function internalMethods(pool: RenderPool): Readonly<Record<string, Orchestration>> {
  const picked = new SharedQuestions<Picked>();
  return {
    "Layouts.Render": (request, call) => render(pool, picked, request as RenderRequest, call),
    "Layouts.Check": async (request, { caller }) => {
      await check(pool, caller.tenant, (request as CheckTemplatesRequest).templates);
      return {};
    },
  };
}

async function checked(
  pool: RenderPool,
  method: string,
  request: Message,
  call: CallContext,
): Promise<unknown> {
  const source = request.body as string;
  await check(pool, call.caller.tenant, [
    { field: "body", engine: request.engine as Engine, source, isLayout: true },
  ]);
  return ask(call, { to: layoutsAddress(call.caller.tenant), method, request, step: "" });
}

async function check(pool: RenderPool, tenant: string, templates: readonly CheckedTemplate[]): Promise<void> {
  const result = await pool.run(tenant, { type: "check", templates });
  if (result.type === "failed") throw failedAtTheDoor(result);
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

async function preview(pool: RenderPool, request: Message, call: CallContext): Promise<unknown> {
  const { layout_id, payload = {}, subscriber = {} } = request as { payload?: JsonObject } & Message;
  const layout = await ask<Layout>(call, {
    to: layoutsAddress(call.caller.tenant),
    method: "Layouts.Look",
    request: { layout_id },
  });
  const { engine, body, channel } = layout;
  const data = JSON.stringify({ payload, subscriber });
  const html = channel === "email";
  const result = await pool.run(call.caller.tenant, { type: "preview", html, engine, body, data });
  if (result.type === "failed") throw failedAtTheDoor(result);
  const { type: _, ...shown } = result;
  return shown;
}

function failedAtTheDoor({ code, message }: Extract<JobResult, { type: "failed" }>): RefusalError {
  if (code === "BUSY")
    return new RefusalError(refuse("UNAVAILABLE", message, { retryAfterMs: limits.retryAfterMs }));
  return new RefusalError(
    refuse("FAILED_PRECONDITION", `the template cannot be rendered: ${message}`, {
      reason: `RENDER_${code}`,
    }),
  );
}

/** The layout of a message. */
interface Picked {
  readonly layout: { readonly engine: Engine; readonly body: string } | null;
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
    ask<Picked>(
      { caller, asker, deadlineMs },
      {
        to: layoutsAddress(caller.tenant),
        method: "Layouts.Pick",
        request: { channel, ...(layout_id !== undefined && { layout_id }) },
      },
    ),
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
