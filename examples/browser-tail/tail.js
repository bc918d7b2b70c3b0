/** Follows one stream and shows its newest records. It only reads: it registers no consumer and acknowledges nothing. */
import { Switchyard, SwitchyardError } from "@switchyard/client";

/** @typedef {import("@switchyard/client").StreamRecord} StreamRecord */
/** @typedef {"idle" | "connecting" | "following" | "lost" | "ended" | "failed"} State */

/** A tail begins so many records before the end; the page holds so many. */
const beforeEnd = 200;
const shownMax = 500;

const title = find("title", HTMLElement);
const state = find("state", HTMLElement);
const figures = find("figures", HTMLElement);
const why = find("why", HTMLElement);
const where = find("where", HTMLDetailsElement);
const form = find("form", HTMLFormElement);
const stop = find("stop", HTMLButtonElement);
const scroll = find("scroll", HTMLElement);
const empty = find("empty", HTMLElement);
const list = find("records", HTMLElement);
const newer = find("newer", HTMLButtonElement);

let following = new AbortController();
let count = 0;
let unseen = 0;
let isAtEnd = true;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { service, run, stream, key } = values();
  // The key stays out of the address, which is remembered and shared.
  history.replaceState(null, "", `?${new URLSearchParams({ service, run, stream })}`);
  void follow({ service, run, stream, key });
});
stop.addEventListener("click", () => following.abort());
newer.addEventListener("click", toEnd);
scroll.addEventListener("scroll", () => {
  isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
  if (isAtEnd) unseen = 0;
  showNewer();
});

const asked = new URLSearchParams(location.search);
for (const name of ["service", "run", "stream"]) field(name).value = asked.get(name) ?? "";
field("service").value ||= "http://127.0.0.1:8080";
if (asked.get("run") && asked.get("stream")) form.requestSubmit();

/** @param {{ service: string, run: string, stream: string, key: string }} what */
async function follow({ service, run, stream, key }) {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  const address = { run_id: run, stream_id: stream };
  begin();
  try {
    const sy = new Switchyard({ url: service, ...(key && { apiKey: key }), fetch: shownFetch(signal) });
    for (;;) {
      const { name, earliest_sequence, latest_sequence } = await sy.streams.get(address, { signal });
      title.textContent = name;
      document.title = name;
      where.open = false;
      invite(latest_sequence, run, stream);
      const after_sequence = Math.max(earliest_sequence - 1, latest_sequence - beforeEnd);
      const before = after_sequence - earliest_sequence + 1;
      if (before > 0) add(noteOf(`${before} earlier records are not shown`));
      // A lost connection is opened again behind the last record, by the client.
      for await (const { record, gone, end } of sy.streams.subscribe(
        { ...address, after_sequence, gone: "event" },
        { signal },
      )) {
        if (record !== undefined) add(rowOf(record));
        if (gone !== undefined) {
          add(
            noteOf(
              `records ${gone.requested_sequence} to ${gone.earliest_sequence - 1} are not kept any more`,
            ),
          );
          break;
        }
        if (end !== undefined) return show("ended", "the stream is closed");
      }
      if (signal.aborted) return;
    }
  } catch (error) {
    if (signal.aborted) return;
    show("failed", "failed");
    why.hidden = false;
    why.textContent = adviceOf(error);
    where.open = true;
  } finally {
    if (signal === following.signal) {
      stop.hidden = true;
      if (signal.aborted) show("idle", "stopped");
    }
  }
}

/** Requests as the client makes them, and what the page can tell of them. @param {AbortSignal} signal @returns {typeof fetch} */
function shownFetch(signal) {
  return async (input, init) => {
    if (!signal.aborted) show("connecting", "connecting");
    try {
      const response = await fetch(input, init);
      if (!signal.aborted)
        show(response.ok ? "following" : "lost", response.ok ? "following" : "trying again");
      return response;
    } catch (error) {
      if (!signal.aborted) show("lost", "no answer, trying again");
      throw error;
    }
  };
}

/** @param {unknown} error */
function adviceOf(error) {
  if (!(error instanceof SwitchyardError)) return String(error);
  if (error.code === "NOT_FOUND")
    return `${error.detail}. Are the run, the stream and the environment right?`;
  if (error.reason === "CONNECTION_LOST")
    return `No answer from the service. Is it there, and does its cors.allowed_origins name ${location.origin}?`;
  if (error.status === 401 || error.status === 403)
    return `${error.detail}. An API key of a viewer is enough.`;
  return error.message;
}

function begin() {
  list.replaceChildren();
  [count, unseen, isAtEnd] = [0, 0, true];
  figures.textContent = "";
  why.hidden = true;
  stop.hidden = false;
  empty.hidden = true;
  showNewer();
}

/** What an empty page says. @param {number} latest @param {string} run @param {string} stream */
function invite(latest, run, stream) {
  empty.hidden = latest > 0;
  find("hint", HTMLElement).textContent = "There is no record yet. This appends one:";
  find("command", HTMLElement).textContent =
    `service streams append ${run} ${stream} '{"payload": {"hello": "world"}}'`;
}

/** @param {State} is @param {string} text */
function show(is, text) {
  state.dataset.is = is;
  state.textContent = text;
}

/** @param {HTMLElement} row */
function add(row) {
  empty.hidden = true;
  list.append(row);
  if (list.childElementCount > shownMax) list.firstElementChild?.remove();
  if (isAtEnd) toEnd();
  else unseen++;
  showNewer();
}

function toEnd() {
  scroll.scrollTop = scroll.scrollHeight;
}

function showNewer() {
  newer.hidden = isAtEnd || unseen === 0;
  newer.textContent = `${unseen} newer ↓`;
}

/** @param {StreamRecord} record */
function rowOf(record) {
  count++;
  figures.textContent = `${count} ${count === 1 ? "record" : "records"}, the last at ${timeOf(record)}`;
  const { short, long } = contentOf(record);
  const time = make("time", "", [timeOf(record)]);
  time.title = record.appended_at ?? "";
  const summary = make("summary", "", [
    make("span", "sequence", [String(record.sequence)]),
    time,
    make("span", "content", [short]),
  ]);
  const details = make("details", "", [summary, make("pre", "", [long])]);
  return make("li", "", [details]);
}

/** @param {string} text */
function noteOf(text) {
  const cells = [make("span", "sequence", ["…"]), make("span", "", []), make("span", "content", [text])];
  return make("li", "", [make("div", "note", cells)]);
}

/** @param {StreamRecord} record @returns {{ short: string, long: string }} */
function contentOf({ payload, bytes, object, content_type }) {
  if (object !== undefined) {
    const text = `object ${object.object_id}, ${object.size} bytes of ${content_type}`;
    return { short: text, long: text };
  }
  if (bytes !== undefined) {
    const data = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
    const text = /^text\/|json$/.test(content_type)
      ? new TextDecoder().decode(data)
      : `${data.length} bytes of ${content_type}`;
    return { short: text, long: text };
  }
  return { short: JSON.stringify(payload) ?? "", long: JSON.stringify(payload, undefined, 2) ?? "" };
}

/** Local time of day. @param {StreamRecord} record */
function timeOf({ appended_at }) {
  const at = new Date(appended_at ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return "";
  return `${at.toLocaleTimeString("en-GB")}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** @param {string} tag @param {string} name @param {readonly (Node | string)[]} children */
function make(tag, name, children) {
  const element = document.createElement(tag);
  if (name !== "") element.className = name;
  // Text stays text: nothing of a record becomes part of the page.
  element.append(...children);
  return element;
}

function values() {
  const data = new FormData(form);
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  return { service: text("service"), run: text("run"), stream: text("stream"), key: text("key") };
}

/** @param {string} name */
function field(name) {
  const input = form.elements.namedItem(name);
  if (!(input instanceof HTMLInputElement)) throw new Error(`the page has no field ${name}`);
  return input;
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {{ new (): Kind }} kind
 */
function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}
