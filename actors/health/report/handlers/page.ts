import { createHash } from "node:crypto";
import type { ModuleRoute } from "../../../module.ts";

/** One page for people: it asks REST for the report, and keeps the key that it is given in memory only. */
export const healthPage: ModuleRoute = {
  path: "/workspaces/{tenant}/health",
  methods: {
    GET: {
      operationId: "Workspace_health",
      summary: "The page that shows operational health reports.",
      about: "operational_health:read",
      answers: { 200: { description: "A page.", type: "text/html" } },
      handle: async () => ({ status: 200, headers, body }),
    },
  },
};

const style = `
:root { color-scheme: light dark; --ink: #1c2128; --soft: #57606a; --paper: #ffffff; --line: #d0d7de; --link: #0969da;
  --healthy: #1a7f37; --degraded: #9a6700; --unhealthy: #cf222e; --unknown: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --line: #3d444d; --link: #4493f8;
  --healthy: #3fb950; --degraded: #d29922; --unhealthy: #f85149; --unknown: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; margin: 0 0 1.5rem; }
label { display: grid; gap: .2rem; font-size: .875rem; color: var(--soft); }
input, select, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
  padding: .35rem .6rem; }
button { cursor: pointer; font-size: .875rem; }
a { color: var(--link); }
h1 { font-size: 1rem; font-weight: 600; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
.verdict { display: flex; gap: .75rem; align-items: center; font-size: 2rem; line-height: 1.2; font-weight: 650; margin: 0; }
.verdict svg { width: 2rem; height: 2rem; flex: none; fill: currentColor; }
.healthy { color: var(--healthy); } .degraded { color: var(--degraded); }
.unhealthy { color: var(--unhealthy); } .unknown { color: var(--unknown); }
.soft { color: var(--soft); margin: .25rem 0 0; overflow-wrap: anywhere; }
ol { padding-left: 1.25rem; } li { margin: .4rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-size: .875rem; font-weight: 500; color: var(--soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
`;

const script = `
const tenant = decodeURIComponent(location.pathname.split("/")[2]);
const at = (id) => document.getElementById(id);
const shapes = { healthy: "M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0zm3.6 5L7 9.6 4.9 7.5l-1.2 1.2L7 12l5.8-5.8z",
  degraded: "M8 0l8 15H0zM7 5v5h2V5zm0 6v2h2v-2z", unhealthy: "M5 0h6l5 5v6l-5 5H5l-5-5V5zm0 4L4 5l3 3-3 3 1 1 3-3 3 3 1-1-3-3 3-3-1-1-3 3z",
  unknown: "M0 2h16v12H0zm7 8v2h2v-2zm-2-4h2c0-1.4 2-1.4 2 0 0 1-2 1-2 3h2c0-1.4 2-1.4 2-3.2C11 3 5 3 5 6z" };
const words = { healthy: "Healthy", degraded: "Degraded", unhealthy: "Unhealthy", unknown: "Unknown" };
const signals = { failure_ratio_bps: ["Failed runs", (n) => n / 100 + " %"], idle_runs: ["Idle runs"], ready_depth: ["Items ready"],
  oldest_ready_seconds: ["Oldest ready item", span], incompatible_attempts: ["Runs of a later version"], workflow_dlq: ["Failed runs, open"] };
let key = "";
let asked = 0;

function span(seconds) {
  if (seconds < 60) return seconds + " s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + " min";
  return Math.floor(minutes / 60) + " h" + (minutes % 60 ? " " + (minutes % 60) + " min" : "");
}
function make(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
async function get(path) {
  const headers = { "X-Tenant-ID": tenant };
  if (key !== "") key.split(".").length === 3 ? (headers.Authorization = "Bearer " + key) : (headers["X-API-Key"] = key);
  const response = await fetch(path, { headers, cache: "no-store", signal: AbortSignal.timeout(14000) });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail || body.title), { status: response.status });
  return body.data;
}
function showVerdict(verdict, text, more) {
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  shape.setAttribute("viewBox", "0 0 16 16");
  shape.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", shapes[verdict]);
  path.setAttribute("fill-rule", "evenodd");
  shape.append(path);
  const line = make("p", undefined, "verdict " + verdict);
  line.append(shape, make("span", text));
  at("verdict").replaceChildren(line, ...more.map((one) => make("p", one, "soft")));
}
function show(report) {
  const { verdict, scope, window, confidence, freshness } = report;
  const from = new Date(window.from).toLocaleString();
  const to = new Date(window.to).toLocaleTimeString();
  const age = freshness.telemetry_age_ms === undefined ? "no answer from queues" : "queues heard of " + span(Math.round(freshness.telemetry_age_ms / 1000)) + " ago";
  const known = verdict === "unknown" ? [] : [confidence + " confidence"];
  showVerdict(verdict, words[verdict], [[scope.environment, from + " to " + to, ...known, age].join(" · "), report.report_id]);
  const steps = report.next_steps.map(({ title, runbook, code }) => {
    const item = make("li");
    const link = make("a", title);
    link.href = runbook;
    link.title = code;
    item.append(link);
    return item;
  });
  if (report.reasons.some(({ signal }) => signal === "pools"))
    steps.unshift(make("li", "Nothing is here yet: make a pool with POST /api/pools, or choose another environment."));
  at("steps").replaceChildren(...(steps.length ? [make("h2", "What to do"), make("ol")] : []));
  if (steps.length) at("steps").lastChild.append(...steps);
  const rows = report.evidence.map(({ signal, value, degraded_at, unhealthy_at }) => {
    const [name, unit = (n) => n.toLocaleString()] = signals[signal] || [signal];
    const judged = value >= unhealthy_at ? "unhealthy" : value >= degraded_at ? "degraded" : "healthy";
    const level = verdict === "unknown" ? "unknown" : judged;
    const row = make("tr");
    row.append(make("td", name), make("td", unit(value), "number"), make("td", level === "unknown" ? "Not judged" : words[level], level),
      make("td", unit(degraded_at), "number"), make("td", unit(unhealthy_at), "number"));
    return row;
  });
  at("rows").replaceChildren(...rows);
  at("evidence").hidden = rows.length === 0;
}
async function look() {
  const mine = ++asked;
  const query = new URLSearchParams({ environment: at("environment").value, period: at("period").value });
  try {
    const report = await get("/api/operational-health/report?" + query);
    if (mine === asked) show(report);
  } catch (error) {
    if (mine !== asked) return;
    showVerdict("unknown", error.status === 401 ? "Give a key to see the report" : "No report", [error.message]);
    at("steps").replaceChildren();
    at("evidence").hidden = true;
  }
}
async function begin() {
  try {
    const scopes = await get("/api/operational-health/scopes");
    const names = scopes.flatMap(({ environments }) => environments);
    const chosen = at("environment").value;
    at("environment").replaceChildren(...names.map((name) => make("option", name)));
    at("environment").value = names.includes(chosen) ? chosen : names.includes("production") ? "production" : names[0];
  } catch {}
  await look();
}
at("tenant").textContent = tenant;
document.title = "Health of " + tenant;
at("form").addEventListener("submit", (event) => { event.preventDefault(); key = at("key").value.trim(); at("key").value = ""; at("key").placeholder = key === "" ? "" : "kept until this page is closed"; begin(); });
for (const id of ["environment", "period"]) at(id).addEventListener("change", look);
setInterval(look, 15000);
begin();
`;

const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Health</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Is workspace <span id="tenant"></span> well?</h1>
<form id="form">
<label>Environment <select id="environment"><option>production</option></select></label>
<label>Period <select id="period"><option>5m</option><option>15m</option><option selected>1h</option><option>6h</option><option>24h</option></select></label>
<label>API key or token <input id="key" type="password" autocomplete="off"></label>
<button>Look</button>
</form>
<section id="verdict" aria-live="polite"><p class="soft">Asking…</p></section>
<section id="steps"></section>
<section id="evidence" hidden><h2>Figures</h2><div class="scroll"><table>
<thead><tr><th>Figure</th><th class="number">Now</th><th>State</th><th class="number">Degraded from</th><th class="number">Unhealthy from</th></tr></thead>
<tbody id="rows"></tbody></table></div></section>
<noscript>This page needs JavaScript. The report is at /api/operational-health/report.</noscript>
</main>
<script>${script}</script>
</body>
</html>
`;

function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Nothing but this script and style runs, and it asks this server only. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    "connect-src 'self'",
    "img-src data:",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
