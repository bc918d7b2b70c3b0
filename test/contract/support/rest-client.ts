import { request as httpRequest } from "node:http";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import type { Outcome, Told } from "./clients.ts";

/** A call over REST, with the message and the answer in their RPC form. */
export async function callRest(
  port: number,
  method: ContractMethod,
  message: unknown,
  headers: Record<string, string>,
): Promise<Outcome> {
  const { verb, path, body } = requestOf(method, message as Record<string, unknown>);
  const answer = await send(port, verb, path, body, headers);
  if (answer.status < 400 && method.descriptor.output.typeName === "google.api.HttpBody") {
    const data = Buffer.from(answer.text).toString("base64");
    const content_type = answer.headers.get("content-type") ?? "";
    return { ok: true, message: { content_type, data, extensions: [] }, headers: answer.headers };
  }
  const json = answer.text === "" ? undefined : (JSON.parse(answer.text) as Record<string, unknown>);
  if (answer.status >= 400) return { ok: false, error: toldBy(json ?? {}), headers: answer.headers };
  return { ok: true, message: messageOf(method, json), headers: answer.headers };
}

export function requestOf(method: ContractMethod, message: Record<string, unknown>) {
  const { verb, template } = method.rest[0]!;
  const parts = partsOf(method, message);
  let path = template.replace(variable, (_, field: string) =>
    encodeURIComponent(String(parts.path[field] ?? "")),
  );
  if (parts.body !== undefined) return { verb, path, body: JSON.stringify(parts.body) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts.query))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  if (query.size > 0) path += `?${query}`;
  return { verb, path, body: undefined };
}

const variable = /\{([^}=]+)(?:=[^}]*)?\}/g;

interface Parts {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Where REST has the fields of a message. */
export function partsOf(method: ContractMethod, message: Record<string, unknown>): Parts {
  const binding = method.rest[0]!;
  const rest = structuredClone(message);
  const path: Record<string, unknown> = {};
  for (const [, field] of binding.template.matchAll(variable)) {
    path[field!] = rest[field!];
    delete rest[field!];
  }
  if (binding.body === "*") return { path, query: {}, body: patched(method, rest) };
  return { path, query: queryOf(method, rest) };
}

/** REST uses a merge patch: a field that the mask names and the message does not have is reset by null. */
function patched(method: ContractMethod, message: Record<string, unknown>): Record<string, unknown> {
  if (method.rest[0]!.verb !== "PATCH") return message;
  const { update_mask: mask, ...rest } = message;
  for (const name of (mask as string[] | undefined) ?? [])
    if (!(name.split(".", 1)[0]! in rest)) rest[name] = null;
  return rest;
}

function queryOf(method: ContractMethod, message: Record<string, unknown>): Record<string, unknown> {
  const names: Record<string, string> =
    method.pagination?.convention === "cursor" ? { page_size: "limit", page_token: "cursor" } : {};
  return Object.fromEntries(Object.entries(message).map(([name, value]) => [names[name] ?? name, value]));
}

function messageOf(method: ContractMethod, json: Record<string, unknown> | undefined): unknown {
  const field = method.rest[0]!.responseBody;
  if (field !== undefined) return { [field]: method.envelope === "none" ? json : json?.data };
  if (json === undefined || method.envelope === "none") return json;
  const { pagination } = method;
  if (pagination === undefined) return json.data;
  const items = { [pagination.itemsField]: json.data };
  if (pagination.convention === "page") {
    const { total, page, per_page } = json;
    return { ...items, total, page, per_page };
  }
  const total = json.total === null || json.total === undefined ? {} : { total: json.total };
  return { ...items, next_page_token: json.next_cursor ?? "", ...total };
}

export function toldBy(problem: Record<string, unknown>): Told {
  return {
    errorCode: String(problem.errorCode),
    retryable: problem.retryable === true,
    detail: String(problem.detail),
    reason: problem.reason as string | undefined,
    fields: (problem.errors as Told["fields"] | undefined) ?? [],
    retryAfterMs: problem.retry_after_ms as number | undefined,
    explanation: problem.explanation,
  };
}

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export function send(
  port: number,
  verb: string,
  path: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method: verb,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => {
          const received = Object.entries(response.headers).map(
            ([name, value]) => [name, String(value)] as const,
          );
          resolve({ status: response.statusCode ?? 0, headers: new Map(received), text });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
