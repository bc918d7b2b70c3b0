import { limits } from "#base";
import type { EffectRun } from "#runtime";
import { TemplateError } from "../../cel/template.ts";
import { type Mailbox, mailboxOf } from "../../notify/outbound/mail-rules.ts";
import { type Mail, type SmtpServer, sendMail } from "../../notify/outbound/smtp.ts";
import { type Outgoing, OutgoingError, type OutgoingResponse, waitAskedFor } from "../../outgoing.ts";
import { evaluate, type Rendering, render, rendering } from "../catalogue/template.ts";
import type { Action, AuthFile, Mutation } from "../catalogue/types.ts";
import type { CallResult } from "../connection/execution-results.ts";
import type { Parts } from "../parts.ts";
import {
  type Credential,
  type Prepared,
  prepare,
  scrubbed,
  shortened,
  type Values,
  valuesOf,
  withCredential,
} from "./request.ts";

export interface Performed {
  readonly action: Action;
  readonly mutation: Mutation;
  readonly values: Values;
  readonly credential: Credential;
  readonly credentialVersion: number;
  /** Of the execution: what makes a repeat the same request. */
  readonly key: string;
  readonly signal: AbortSignal;
}

type Failed = Extract<CallResult, { type: "failed" }>;

/** Sends a prepared request and says what came of it. */
export async function perform(outgoing: Outgoing, prepared: Prepared, about: Performed): Promise<CallResult> {
  const result =
    about.action.file.transport === "smtp"
      ? await performSmtp(outgoing, prepared, about)
      : await performHttp(outgoing, prepared, about);
  return scrubbed(result, about.credential);
}

/** Performs an action that changes nothing, for the module itself. Throws a TemplateError. */
export function performRead(
  { outgoing }: Parts,
  { id: key, signal }: EffectRun,
  about: Omit<Performed, "mutation" | "key" | "signal"> & { readonly auth: AuthFile },
): Promise<CallResult> {
  const { action, auth, values, credential } = about;
  const prepared = withCredential(prepare(action, values), auth, { ...values, credential, key });
  return perform(outgoing, prepared, { ...about, mutation: "none", key, signal });
}

async function performHttp(outgoing: Outgoing, prepared: Prepared, about: Performed): Promise<CallResult> {
  const { action, mutation, key, signal } = about;
  const header = action.file.idempotency?.header.toLowerCase();
  let response: OutgoingResponse;
  try {
    response = await outgoing.request({
      method: prepared.method,
      url: prepared.url,
      headers: {
        "user-agent": "switchyard",
        ...prepared.headers,
        ...(header !== undefined && { [header]: key }),
      },
      ...(prepared.body !== undefined && { body: prepared.body }),
      ...(prepared.secretHeaders && { secretHeaders: prepared.secretHeaders }),
      signal,
      timeoutMs: limits.executionCallMs,
      maxBytes: limits.executionAnswerBytesMax,
      maxRedirects: limits.outgoingRedirectsMax,
    });
  } catch (error) {
    if (error instanceof OutgoingError) return withoutAnswer(error, mutation);
    throw error;
  }
  return answered(response, about);
}

/** No whole answer came. */
function withoutAnswer({ stage, sent, message }: OutgoingError, mutation: Mutation): CallResult {
  const code = stage === "timeout" ? "TIMEOUT" : "NETWORK";
  if (!sent && stage !== "denied") return failed(code, message, "unsent");
  // Also after a redirect: what sent it may have acted on the request.
  if (sent && mutation === "non_idempotent") return { type: "unknown", message: shortened(message) };
  if (stage === "denied") return failed("EGRESS_DENIED", message, "no");
  if (stage === "too_large") return failed("ANSWER_TOO_LARGE", message, "no");
  return failed(code, message, stage === "redirect" ? "no" : "repeatable");
}

function failed(code: string, message: string, again: Failed["again"], more: Partial<Failed> = {}): Failed {
  return { type: "failed", code, message: shortened(message), again, ...more };
}

function answered(response: OutgoingResponse, about: Performed): CallResult {
  const { action, values } = about;
  const { errors = {} } = action.provider.file;
  const { status } = response;
  const body = bodyOf(response);
  const at = rendering("response", {
    ...valuesOf(action, values),
    response: { status, headers: response.headers, body },
  });
  const holds = (source: string) => attempted(source, at) === true;
  const isFailure = status >= 400 || (errors.failed !== undefined && holds(errors.failed));
  if (!isFailure) return succeeded(action, at, body);
  const message = (errors.message && attempted(errors.message, at)) ?? `the provider answered ${status}`;
  const retryAfterMs = retryAfter(errors.retry_after ?? defaultRetryAfter, at, values.now);
  const more: Partial<Failed> = {
    providerStatus: status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  const text = String(message);
  const unauthorized = { credentialVersion: about.credentialVersion };
  if (status === 401) return failed("UNAUTHORIZED", text, "no", { ...more, unauthorized });
  if (status === 429) return failed("RATE_LIMITED", text, "unsent", more);
  if ((errors.not_executed ?? []).some(holds)) return failed("NOT_EXECUTED", text, "unsent", more);
  if (status === 408 || status === 425 || status >= 500)
    return failed("PROVIDER_ERROR", text, "repeatable", more);
  return failed("PROVIDER_REFUSED", text, "no", more);
}

/** What cannot be evaluated is as if it were not there. */
function attempted(source: string, at: Rendering): unknown {
  try {
    return evaluate(source, at);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function succeeded(action: Action, at: Rendering, body: unknown): CallResult {
  const { result } = action.file;
  let output: unknown;
  try {
    output = result === undefined ? body : render(result, at);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { type: "succeeded", output: body, outputInvalid: true };
  }
  if (Buffer.byteLength(JSON.stringify(output ?? null)) > limits.executionOutputBytesMax)
    return { type: "succeeded", output: null, outputInvalid: true };
  return { type: "succeeded", output, outputInvalid: action.validateOutput?.(output) === false };
}

function bodyOf({ headers, body }: OutgoingResponse): unknown {
  if (body.length === 0) return null;
  const text = Buffer.from(body).toString();
  if (!/\bjson\b/i.test(headers["content-type"] ?? "")) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const defaultRetryAfter = ["response.headers['retry-after']"];

/** By the first expression that has such a value. */
function retryAfter(sources: readonly string[], at: Rendering, now: number): number | undefined {
  for (const source of sources) {
    const ms = waitAskedFor(attempted(source, at), now);
    if (ms !== undefined) return ms;
  }
  return undefined;
}

async function performSmtp(outgoing: Outgoing, { mail }: Prepared, about: Performed): Promise<CallResult> {
  const config = about.values.config as Omit<SmtpServer, "timeoutMs" | "user" | "password">;
  const { username: user, password = "" } = about.credential as { username?: string; password?: string };
  const addressed = mailOf(mail as MailInput, `<${about.key}@switchyard>`);
  if (!addressed) return failed("BAD_ADDRESS", "an address of the mail is none, or a line breaks", "no");
  const login = user === undefined ? {} : { user, password };
  const server = { ...config, timeoutMs: limits.executionCallMs, ...login };
  const outcome = await sendMail(outgoing, server, addressed, about.signal);
  switch (outcome.type) {
    case "accepted": {
      const { messageId, accepted, rejected, response } = outcome;
      const output = { message_id: messageId, accepted, rejected, response };
      return { type: "succeeded", output, outputInvalid: about.action.validateOutput?.(output) === false };
    }
    case "refused": {
      const again = outcome.code < 500 ? "unsent" : "no";
      const code = outcome.code === 535 ? "UNAUTHORIZED" : "PROVIDER_REFUSED";
      return failed(code, outcome.message, again, { providerStatus: outcome.code });
    }
    case "unsent":
      return outcome.denied
        ? failed("EGRESS_DENIED", outcome.message, "no")
        : failed("NETWORK", outcome.message, "unsent");
    case "unknown":
      return { type: "unknown", message: shortened(outcome.message) };
  }
}

type Addresses = string | readonly string[];
type MailInput = Pick<Mail, "subject" | "text" | "html"> & {
  readonly from: string;
  readonly to: Addresses;
  readonly cc?: Addresses;
  readonly bcc?: Addresses;
  readonly replyTo?: string;
};

/** With its addresses read; nothing where one is no address. */
function mailOf({ from, to, cc, bcc, replyTo, ...rest }: MailInput, messageId: string): Mail | undefined {
  const [sender, reply] = [boxesOf(from), boxesOf(replyTo)];
  const [tos, ccs, bccs] = [boxesOf(to), boxesOf(cc), boxesOf(bcc)];
  if (!sender || !reply || !tos || !ccs || !bccs || /[\r\n\0]/.test(rest.subject)) return undefined;
  return {
    ...rest,
    messageId,
    from: sender[0]!,
    to: tos,
    cc: ccs,
    bcc: bccs,
    ...(reply[0] && { replyTo: reply[0] }),
  };
}

function boxesOf(given: Addresses = []): readonly Mailbox[] | undefined {
  const boxes = [given].flat().map((one) => mailboxOf(one));
  return boxes.every((box) => box !== undefined) ? boxes : undefined;
}
