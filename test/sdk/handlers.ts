import { PermanentError, type Progress, type QueueItem, Reject, RetryLater } from "#sdk";

interface Case {
  readonly handle: () => unknown;
  readonly state: QueueItem["state"];
  readonly result?: unknown;
  readonly type?: string;
}

function circle(): object {
  const inner: Record<string, unknown> = {};
  inner.self = inner;
  return inner;
}

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}

/** What a handler may do, and what becomes of the item. */
export const items: Readonly<Record<string, Case>> = {
  nothing: { handle: () => undefined, state: "completed" },
  result: {
    handle: () => ({ answer: [42, "ä", null] }),
    state: "completed",
    result: { answer: [42, "ä", null] },
  },
  later: { handle: async () => "done", state: "completed", result: "done" },
  deep: { handle: () => deep(59), state: "completed", result: deep(59) },
  large: { handle: () => "x".repeat(262_000), state: "completed", result: "x".repeat(262_000) },
  error: {
    handle: () => {
      throw new RangeError("no room");
    },
    state: "dead",
    type: "RangeError",
  },
  permanent: {
    handle: () => {
      throw new PermanentError("never");
    },
    state: "dead",
    type: "PermanentError",
  },
  reject: {
    handle: () => {
      throw new Reject("not mine");
    },
    state: "dead",
    type: "Reject",
  },
  long_error: {
    handle: () => {
      throw new Error(`${"x".repeat(4_095)}😀`);
    },
    state: "dead",
    type: "Error",
  },
  error_without_text: {
    handle: () => {
      throw Object.create(null);
    },
    state: "dead",
    type: "Error",
  },
  error_of_odd_parts: {
    handle: () => {
      throw Object.assign(new Error("x"), { message: { a: 1 }, name: 7 });
    },
    state: "dead",
    type: "7",
  },
  no_delay: {
    handle: () => {
      throw new RetryLater(Number.NaN);
    },
    state: "dead",
    type: "RetryLater",
  },
  too_large: { handle: () => "x".repeat(300_000), state: "dead", type: "result_too_large" },
  much_too_large: { handle: () => "ä".repeat(3_000_000), state: "dead", type: "result_too_large" },
  too_deep: { handle: () => deep(60), state: "dead", type: "result_not_json" },
  circular: { handle: circle, state: "dead", type: "result_not_json" },
  bigint: { handle: () => 1n, state: "dead", type: "result_not_json" },
  function: { handle: () => () => 1, state: "dead", type: "result_not_json" },
  half: { handle: () => "\ud83d", state: "dead", type: "result_not_json" },
  proto: { handle: () => JSON.parse('{"__proto__": 1}'), state: "dead", type: "result_not_json" },
};

/** What a handler may say of how far it is, and what is shown of it. */
export const progress: Readonly<Record<string, { readonly said: Progress; readonly shown: Progress }>> = {
  "a note that is too long": { said: { note: "n".repeat(600) }, shown: { note: "n".repeat(512) } },
  "half of a character": { said: { note: "\ud83d" }, shown: { note: "\ufffd" } },
  "more than all": { said: { percent: 150 }, shown: { percent: 100 } },
  "no number": { said: { percent: 0 / 0, note: "b" }, shown: { note: "b" } },
  "a circle": { said: { data: circle(), note: "c" }, shown: { note: "c" } },
  "a function": { said: { data: () => 1, note: "d" }, shown: { note: "d" } },
  "data that are too large": { said: { data: "x".repeat(4_095), note: "e" }, shown: { note: "e" } },
  "data that fit": { said: { data: "x".repeat(4_094) }, shown: { data: "x".repeat(4_094) } },
  "data that are too deep": { said: { data: deep(59), note: "f" }, shown: { note: "f" } },
  "data that are deep": { said: { data: deep(58) }, shown: { data: deep(58) } },
};
