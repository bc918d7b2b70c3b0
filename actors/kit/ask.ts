import { isRefusal, orThrow, type Refusal, RefusalError } from "#base";
import type { Answers, Requests } from "#protos";
import type { Address, IdempotencyRef } from "#runtime";
import type { CallContext, Question as EntityQuestion, MethodName, Orchestration } from "../module.ts";
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

/** One of the contract that modules ask, too: with the types of the contract, or with what the entity takes beside them. */
export function contractMethod<Name extends MethodName>(
  kind: string,
  name: Name,
): Method<Requests[Name], Answers[Name]>;
export function contractMethod<Request, Response>(kind: string, name: string): Method<Request, Response>;
export function contractMethod(kind: string, name: string): Method<unknown, unknown> {
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

/** What a question of an orchestration has of its call. */
export type Asking = Pick<CallContext, "caller" | "asker" | "deadlineMs"> &
  Partial<Pick<CallContext, "signal" | "idempotency">>;

/** One question to an entity: for the caller, within its deadline. Throws the refusal. */
export async function ask<Request, Response>(
  call: Asking,
  method: Method<Request, Response>,
  question: Question<NoInfer<Request>>,
): Promise<Response> {
  const answer = orThrow(await tryAsk(call, method, question));
  return answer.response;
}

/** As `ask`, with the refusal as an answer. */
export function tryAsk<Request, Response>(
  call: Asking,
  { kind, name: method }: Method<Request, Response>,
  { tenant = call.caller.tenant, key = "", request, step }: Question<NoInfer<Request>>,
): Promise<AnswerOf<Response>> {
  const { caller, asker, deadlineMs, signal } = call;
  const idempotency = stepOf(call, step);
  const asked = { to: { kind, tenant, key }, method, request, caller, deadlineMs, signal, idempotency };
  return asker.ask(asked) as Promise<AnswerOf<Response>>;
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
): Orchestration<Request> {
  return handle;
}

/** The orchestration that asks one entity which the contract cannot name, with what `asked` makes of the request. */
export function questionOf<Request>(
  method: string,
  asked: (request: Request, call: CallContext) => { readonly to: Address; readonly request: unknown },
): EntityQuestion<Request> {
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

/** How often encrypting starts again because another request changed the record meanwhile. */
const encryptAgainMax = 5;

/** A secret is encrypted for the next version; where that was taken meanwhile, it is encrypted again. */
export async function encryptedAnew<Response>(attempt: () => Promise<AnswerOf<Response>>): Promise<Response> {
  for (let again = 0; ; again++) {
    const answer = await attempt();
    if (!isRefusal(answer)) return answer.response;
    if (answer.reason !== "CREDENTIAL_VERSION" || again > encryptAgainMax) throw new RefusalError(answer);
  }
}
