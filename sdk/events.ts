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
  for await (const line of linesOf(body)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
      event = "";
      data = [];
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
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    // A CR at the end may be the first half of CR LF.
    const whole = rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = lines.pop()! + rest.slice(whole.length);
    yield* lines;
  }
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
