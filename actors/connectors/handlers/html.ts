import type { RouteResponse } from "../../module.ts";
import type { JsonSchema } from "../catalogue/types.ts";

/** A page that says one thing. */
export function notice(status: number, title: string, text: string): RouteResponse {
  return page(status, title, `<p>${escaped(text)}</p>`, "");
}

interface FieldsForm {
  readonly provider: string;
  readonly name: string;
  readonly fields: JsonSchema;
  readonly error: string;
  /** Where the browser is sent at the end. */
  readonly returnOrigin: string;
}

/** The fields of credentials, as their schema names them. */
export function fieldsForm({ provider, name, fields, error, returnOrigin }: FieldsForm): RouteResponse {
  const required = new Set((fields.required ?? []) as string[]);
  const properties = Object.entries(
    (fields.properties ?? {}) as Record<string, { title?: string; maxLength?: number }>,
  );
  const inputs = properties.map(([key, { title = key, maxLength = 4_096 }]) => {
    const type = /user|name|host|account/.test(key) ? "text" : "password";
    const must = required.has(key) ? " required" : "";
    return `<p><label>${escaped(title)}<br><input name="${escaped(key)}" type="${type}" maxlength="${maxLength}" autocomplete="off"${must}></label></p>`;
  });
  const problem = error === "" ? "" : `<p role="alert">${escaped(error)}</p>`;
  const form = `<p>${escaped(name)}</p>${problem}<form method="post">${inputs.join("")}<p><button>Connect</button></p></form>`;
  return page(200, `Connect ${provider}`, form, returnOrigin);
}

/** No script, nothing from elsewhere. A form may end in a redirect to the caller's page. */
function page(status: number, title: string, content: string, formOrigin: string): RouteResponse {
  const policy = [
    "default-src 'none'",
    `form-action 'self'${formOrigin === "" ? "" : ` ${formOrigin}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head><body><h1>${escaped(title)}</h1>${content}</body></html>`,
  };
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => names[character]!);
}
