import { type ErrorCode, errorCodes, keysOf } from "#base";
import { errorAdvice } from "./errors-catalogue.ts";

/** Every code, with its statuses and its page. */
export function errorIndexPage(): string {
  const rows = keysOf(errorCodes).map((code) => {
    const { http, grpc, retryable, title } = errorCodes[code];
    const link = `<a href="/docs/errors/${code}"><code>${code}</code></a>`;
    return `<tr><td>${link}</td><td>${title}</td><td>${http}</td><td>${grpc}</td><td>${retryable ? "yes" : "no"}</td></tr>`;
  });
  return shell(
    "Errors",
    `<h1>Errors</h1>
<p>Branch on <code>errorCode</code>: it never changes. Titles and details may.</p>
<table><tr><th>errorCode</th><th>Title</th><th>HTTP</th><th>gRPC</th><th>Retryable</th></tr>
${rows.join("\n")}</table>
<p><a href="/docs">API reference</a></p>`,
  );
}

/** What one code means and what to do about it: the page that \`type\` points to. */
export function errorPage(code: ErrorCode): string {
  const { http, grpc, retryable, title } = errorCodes[code];
  const advice = errorAdvice[code];
  return shell(
    title,
    `<h1>${title}</h1>
<p><code>${code}</code> · HTTP ${http} · gRPC ${grpc} · ${retryable ? "retryable" : "not retryable"}</p>
<p>${markup(advice.means)}</p>
<p>${markup(advice.do)}</p>
<p><a href="/docs/errors">All errors</a></p>`,
  );
}

export function shell(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Switchyard</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/reference.css">
</head>
<body><main>
${body}
</main></body>
</html>
`;
}

export function markup(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return escaped.replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
