import { SwitchyardError } from "./errors.ts";
import type { Answer } from "./fetch.ts";

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that was sent so far. */
  readonly id: string;
}

/** Reads `text/event-stream` as the HTML standard has it. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let event = "";
  let data: string[] = [];
  let id = "";
  let length = 0;
  for await (const line of linesOf(body)) {
    length += line.length;
    if (length > eventLengthMax) throw tooLong();
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
      event = "";
      data = [];
      length = 0;
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
  }
}

/** A line ends at CR LF, LF or CR; what comes after the last end is no line. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  // A CR at the end may be the first half of CR LF.
  let isHalf = false;
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    rest += text;
    if (rest.length > eventLengthMax + text.length) throw tooLong();
    if (!isHalf && !/[\r\n]/.test(text)) continue;
    isHalf = rest.endsWith("\r");
    const lines = (isHalf ? rest.slice(0, -1) : rest).split(/\r\n|\n|\r/);
    rest = lines.pop()! + (isHalf ? "\r" : "");
    yield* lines;
  }
}

/** Fifty pools with a hundred recipients each are a quarter of it. What is longer does not come from our server. */
export const eventLengthMax = 4 * 1_024 * 1_024;

/** The next connection would bring the same event. */
function tooLong(): SwitchyardError {
  const detail = `an event has more than ${eventLengthMax} characters`;
  return new SwitchyardError({ code: "PAYLOAD_TOO_LARGE", detail });
}

/** A body as chunks; browsers have no iterator on their streams. It ends where nothing has come for `silenceMs`. */
export async function* chunksOf(
  { body }: Pick<Answer, "body">,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const timer = setTimeout(() => void reader.cancel().catch(() => {}), silenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done || value === undefined) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
