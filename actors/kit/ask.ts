import { isRefusal, type Refusal, RefusalError } from "#base";
import type { Address, Answer, IdempotencyRef } from "#runtime";
import type { CallContext, Question as EntityQuestion, Orchestration } from "../module.ts";
import type { CalledAs, ModuleCall } from "../parts.ts";

/** A method that one entity asks of another: which kind answers it, what it takes, and what it answers. */
export interface Method<Request, Response> {
  readonly kind: string;
  /** In the `methods` of the kind's definition. */
  readonly name: string;
  /** For the compiler alone. */
  readonly types?: (request: Request) => Response;
}

/** One that the contract does not have: its name begins in lower case, as no service does. */
export function method<Request, Response>(kind: string, name: string): Method<Request, Response> {
  return { kind, name: `${kind}.${name}` };
}

/** One of the contract that modules ask, too. */
export function contractMethod<Request, Response>(
  kind: string,
  name: `${string}Service.${string}`,
): Method<Request, Response> {
  return { kind, name };
}

export type AnswerOf<Response> = Refusal | { readonly response: Response; readonly replayed: boolean };

export interface Question<Request> {
  /** Absent: the caller's. */
  readonly tenant?: string;
  /** Absent: the one entity of the tenant. */
  readonly key?: string;
  readonly request: Request;
  /**
   * For a change: names this question among the others of the call, so that a repeat of the call with the same key applies it
   * once. Absent: a read.
   */
  readonly step?: string;
}

export interface Asked {
  readonly to: Address;
  readonly method: string;
  readonly request: unknown;
  /**
   * For a change: names this question among the others of the call, so that a repeat of the call with the same key applies it
   * once. Absent: a read.
   */
  readonly step?: string;
}

/** What a question of an orchestration has of its call. */
export type Asking = Pick<CallContext, "caller" | "asker" | "deadlineMs"> &
  Partial<Pick<CallContext, "signal" | "idempotency">>;

/** One question to an entity: for the caller, within its deadline. Throws the refusal. */
export function ask<Request, Response>(
  call: Asking,
  method: Method<Request, Response>,
  question: Question<NoInfer<Request>>,
): Promise<Response>;
export function ask<Response>(call: Asking, asked: Asked): Promise<Response>;
export async function ask(
  call: Asking,
  asked: Asked | Method<unknown, unknown>,
  question?: Question<unknown>,
): Promise<unknown> {
  const answer = await asker(
    call,
    question ? addressed(call, asked as Method<unknown, unknown>, question) : (asked as Asked),
  );
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response;
}

/** As `ask`, with the refusal as an answer. */
export function tryAsk<Request, Response>(
  call: Asking,
  method: Method<Request, Response>,
  question: Question<NoInfer<Request>>,
): Promise<AnswerOf<Response>>;
export function tryAsk(call: Asking, asked: Asked): Promise<Answer>;
export function tryAsk(
  call: Asking,
  asked: Asked | Method<unknown, unknown>,
  question?: Question<unknown>,
): Promise<Answer> {
  return asker(
    call,
    question ? addressed(call, asked as Method<unknown, unknown>, question) : (asked as Asked),
  );
}

function asker(call: Asking, { to, method, request, step }: Asked): Promise<Answer> {
  const { caller, asker, deadlineMs, signal } = call;
  return asker.ask({ to, method, request, caller, deadlineMs, signal, idempotency: stepOf(call, step) });
}

function addressed(
  { caller }: Asking,
  { kind, name }: Method<unknown, unknown>,
  { tenant = caller.tenant, key = "", request, step }: Question<unknown>,
): Asked {
  return { to: { kind, tenant, key }, method: name, request, ...(step !== undefined && { step }) };
}

function stepOf({ idempotency }: Asking, step: string | undefined): IdempotencyRef | undefined {
  if (idempotency === undefined || step === undefined) return undefined;
  return { ...idempotency, scope: `${idempotency.scope}${step}` };
}

/** A question of an effect or a handler that has no caller: `as` names the tenant. Throws the refusal. */
export function askAs<Request, Response>(
  call: ModuleCall,
  { kind, name }: Method<Request, Response>,
  { key = "", request }: Pick<Question<NoInfer<Request>>, "key" | "request">,
  as: CalledAs,
): Promise<Response> {
  return call(name, request, { ...as, entity: { kind, key } }) as Promise<Response>;
}

/** What a module's `internal` has under the name of a method that needs more than one entity. */
export function handling<Request, Response>(
  _method: Method<Request, Response>,
  handle: (request: Request, call: CallContext) => Promise<Response>,
): Orchestration {
  return taking(handle);
}

/** An orchestration of the contract, with the request that the contract says. */
export function taking<Request>(
  handle: (request: Request, call: CallContext) => Promise<unknown>,
): Orchestration {
  return (request, call) => handle(request as Request, call);
}

/** The orchestration that asks one entity which the contract cannot name, with what `asked` makes of the request. */
export function questionOf(
  method: string,
  asked: (request: unknown, call: CallContext) => Pick<Asked, "to" | "request">,
): EntityQuestion {
  return {
    // Field by field: spreading costs more than the rest of a question.
    ask(request, call) {
      const { to, request: asking } = asked(request, call);
      const { caller, deadlineMs, signal, idempotency } = call;
      return { to, method, request: asking, caller, deadlineMs, signal, idempotency };
    },
    read(answer) {
      if (isRefusal(answer)) throw new RefusalError(answer);
      return answer.response;
    },
  };
}
