/** The page's one library, kept compressed as its authors publish it; its name changes with its version. */
export const rapidocName = "rapidoc-9.3.8.min.js";

/** The reference: one custom element over /openapi.yaml. Nothing on it comes from another server. */
export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchyard API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/reference.css">
<script type="module" src="/docs/assets/${rapidocName}"></script>
<script type="module" src="/docs/assets/reference.js"></script>
</head>
<body>
<rapi-doc id="reference" spec-url="/openapi.yaml" load-fonts="false" render-style="focused" schema-style="table"
  show-header="false" allow-spec-file-download="true" sort-tags="true" use-path-in-nav-bar="true"
  show-method-in-nav-bar="as-colored-block" persist-auth="false" allow-search="true" allow-advanced-search="false"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" primary-color="#1f6feb" theme="light">
  <nav slot="nav-logo" class="brand"><strong>Switchyard</strong><a href="/docs/errors">Errors</a></nav>
</rapi-doc>
<noscript>This page needs JavaScript; the document behind it is <a href="/openapi.yaml">/openapi.yaml</a>.</noscript>
</body>
</html>
`;

/** Follows the reader's light or dark setting. */
export const docsScript = `const reference = document.getElementById("reference");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => reference.setAttribute("theme", dark.matches ? "dark" : "light");
dark.addEventListener("change", follow);
follow();
`;

export const docsStyle = `body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
.brand { display: flex; gap: 16px; align-items: baseline; padding: 12px 16px; }
.brand strong { font-size: 18px; }
.brand a { color: inherit; }
main { max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: 4px 12px 4px 0; text-align: left; vertical-align: top; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
@media (prefers-color-scheme: dark) {
  body { background: #1b1d21; color: #e6e6e6; }
  a { color: #6cb6ff; }
}
`;
