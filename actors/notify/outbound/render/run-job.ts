import { compile } from "html-to-text";
import { asError, limits } from "#base";
import type { Engine } from "../types.ts";
import { compileHandlebars } from "./handlebars.ts";
import type { CheckedTemplate, Job, JobFailure, JobResult, TemplateProblem } from "./jobs.ts";
import { compileLiquid } from "./liquid.ts";
import { SyntaxProblem, type Template } from "./template.ts";

/** One job, in a render thread. Never throws. */
export function runJob(job: Job): JobResult {
  try {
    switch (job.type) {
      case "render":
        return render(job);
      case "check":
        return { type: "checked", problems: job.templates.flatMap(problemsOf) };
      case "preview":
        return preview(job);
    }
  } catch (error) {
    return error instanceof Failed ? error.failure : failureOf(error);
  }
}

/** What layouts have in the place of the content when they are shown alone. */
const standIn = "[content]";

function render({ html, engine, subject, body, layout, data }: Extract<Job, { type: "render" }>): JobResult {
  const given = JSON.parse(data) as object;
  const line = bounded(compiled(engine, subject, false).render(given), limits.renderSubjectLengthMax);
  if (/[\r\n]/.test(line)) throw new Failed("SUBJECT_LINE_BREAK", "the subject has more than one line");
  const inner = bounded(compiled(engine, body, html).render(given));
  // The body is a value of the layout: whatever braces it has by now are text.
  const output = layout ? bounded(compiled(layout.engine, layout.body, html).render(given, inner)) : inner;
  if (!html) return { type: "rendered", subject: line, text: output };
  return { type: "rendered", subject: line, html: output, text: bounded(toText(output)) };
}

// Compiled once: its table of selectors takes longer to build than a mail to convert.
const toText = compile({ wordwrap: false, limits: { maxInputLength: limits.renderOutputBytesMax } });

function preview({ html, engine, body, data }: Extract<Job, { type: "preview" }>): JobResult {
  const given = JSON.parse(data) as object;
  const template = compiled(engine, body, html);
  const output = bounded(template.render(given, standIn));
  const paths = template.variables();
  const resolved = paths.filter((path) => isResolved(given, path));
  const unresolved = paths.filter((path) => !resolved.includes(path));
  return { type: "previewed", output, resolved, unresolved };
}

/** `a.b[0].c` and `a.b.0.c` are the same path. */
function isResolved(data: object, path: string): boolean {
  let at: unknown = data;
  for (const part of path.replaceAll(/\[["']?([^\]"']*)["']?\]/g, ".$1").split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return false;
    at = (at as Record<string, unknown>)[part];
  }
  return at !== undefined && at !== null;
}

function problemsOf({ field, engine, source, isLayout }: CheckedTemplate): TemplateProblem[] {
  try {
    const template = compiled(engine, source, true);
    if (!isLayout || template.hasContent) return [];
    return [{ field, line: 1, column: 1, message: "it must contain {{ content }}" }];
  } catch (error) {
    if (error instanceof SyntaxProblem)
      return [{ field, line: error.line, column: error.column, message: error.message }];
    const { message } = error instanceof Failed ? error.failure : failureOf(error);
    return [{ field, line: 1, column: 1, message }];
  }
}

class Failed extends Error {
  readonly failure: JobFailure;

  constructor(code: JobFailure["code"], message: string) {
    super(message);
    this.failure = { type: "failed", code, message };
  }
}

function failureOf(error: unknown): JobFailure {
  const { name, message } = asError(error);
  if (error instanceof SyntaxProblem)
    return {
      type: "failed",
      code: "SYNTAX",
      message: `line ${error.line}, column ${error.column}: ${message}`,
    };
  if (/render limit exceeded/.test(message)) return { type: "failed", code: "TIMEOUT", message };
  if (/memory alloc limit exceeded/.test(message) || name === "RangeError")
    return { type: "failed", code: "MEMORY", message };
  return { type: "failed", code: "TEMPLATE_ERROR", message: message.slice(0, limits.renderMessageLengthMax) };
}

function bounded(output: string, bytesMax: number = limits.renderOutputBytesMax): string {
  if (output.length > bytesMax || Buffer.byteLength(output) > bytesMax)
    throw new Failed("OUTPUT_TOO_LARGE", `it is more than ${bytesMax} bytes`);
  return output;
}

/** Compiled templates of this thread, the one used last at the end. */
const cache = new Map<string, Template>();
let cachedLength = 0;

function compiled(engine: Engine, source: string, html: boolean): Template {
  if (Buffer.byteLength(source) > limits.templateSourceBytesMax)
    throw new Failed("SOURCE_TOO_LARGE", `it is more than ${limits.templateSourceBytesMax} bytes`);
  const key = `${engine} ${html} ${source}`;
  const known = cache.get(key);
  if (known) cache.delete(key);
  const template = known ?? (engine === "liquid" ? compileLiquid : compileHandlebars)(source, html);
  cache.set(key, template);
  if (known) return template;
  cachedLength += key.length;
  for (const [oldest] of cache) {
    if (cachedLength <= limits.renderCacheLengthMax || oldest === key) break;
    cache.delete(oldest);
    cachedLength -= oldest.length;
  }
  return template;
}
