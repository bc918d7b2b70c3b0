import { runbooks } from "#actors";
import { keysOf } from "#base";
import { markup, shell } from "./error-pages.ts";

export type RunbookCode = keyof typeof runbooks;

export const runbookCodes: readonly RunbookCode[] = keysOf(runbooks);

/** What a reason of a health report means, and the steps. */
export function runbookPage(code: RunbookCode): string {
  const { title, means, steps } = runbooks[code];
  const items = steps.map((step) => `<li>${markup(step)}</li>`).join("\n");
  return shell(
    title,
    `<h1>${title}</h1>
<p><code>${code}</code></p>
<p>${markup(means)}</p>
<ol>
${items}
</ol>
<p><a href="/docs/runbooks">All runbooks</a></p>`,
  );
}

export function runbookIndexPage(): string {
  const rows = runbookCodes.map(
    (code) =>
      `<tr><td><a href="/docs/runbooks/${code}"><code>${code}</code></a></td><td>${runbooks[code].title}</td></tr>`,
  );
  return shell(
    "Runbooks",
    `<h1>Runbooks</h1>
<p>For each reason of an operational health report: what it means, and what to do.</p>
<table><tr><th>Reason</th><th>What to do</th></tr>
${rows.join("\n")}</table>
<p><a href="/docs">API reference</a></p>`,
  );
}

/** docs/runbooks/CODE.md, whole; a test compares the two. */
export function runbookMarkdown(code: RunbookCode): string {
  const { title, means, steps } = runbooks[code];
  const items = steps.map((step, index) => `${index + 1}. ${step}`).join("\n");
  return `# ${title}\n\n\`${code}\`, a reason of [health reports](../health.md).\n\n${means}\n\n${items}\n`;
}
