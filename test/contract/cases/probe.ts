import { type ErrorCode, errorCodes } from "#base";
import { type Case, nobody } from "./case.ts";

const everything = {
  name: "ada",
  text: "ä€😀\n\u0000",
  count: 7,
  large: 9_007_199_254_740_991,
  tags: ["a", "b"],
  labels: { constructor: "x", é: "y" },
  colour: "COLOUR_BLUE",
  at: "2024-02-29T12:34:56.789Z",
  attributes: { deep: { list: [1, "two", null, true, { n: -0.5 }] } },
  payload: null,
  flag: false,
  ratio: 0.1,
  blob: "AAECAw==",
  inner: { depth: 3 },
};

export const cases: readonly Case[] = [
  {
    method: "ProbeService.Echo",
    claim: "every kind of field is returned as it was sent",
    request: () => everything,
  },
  {
    method: "ProbeService.Echo",
    claim: "absent fields are absent on every door",
    request: () => ({ name: "ada" }),
  },
  {
    method: "ProbeService.Echo",
    claim: "every wrong field is named by its path",
    request: () => ({ name: "", count: 1_001, inner: { depth: 0 }, tags: ["x", ""] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.Echo",
    claim: "a payload may be any JSON",
    request: () => ({ name: "ada", payload: [1, { a: "b" }] }),
  },
  {
    method: "ProbeService.Look",
    claim: "path and query are fields too",
    request: () => ({ name: "a b:ü", tags: ["x", "y&z"], large: -5 }),
  },
  {
    method: "ProbeService.Look",
    claim: "a name that is too long is refused",
    request: () => ({ name: "x".repeat(101) }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.OldEcho",
    claim: "a deprecated method still answers",
    request: () => ({ name: "ada" }),
  },
  {
    method: "ProbeService.OldEcho",
    claim: "a deprecated method still refuses bad input",
    request: () => ({ name: "" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.InternalEcho",
    claim: "it answers on the internal plane",
    request: () => ({ name: "ada" }),
  },
  {
    method: "ProbeService.InternalEcho",
    claim: "it refuses bad input on the internal plane",
    request: () => ({ name: "" }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "ProbeService.Guarded", claim: "an administrator may", request: () => ({ name: "ada" }) },
  {
    method: "ProbeService.Guarded",
    claim: "the API version is checked first",
    request: () => ({ name: "ada" }),
    headers: { "api-version": "tomorrow" },
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.ListGoods",
    claim: "a page by its number",
    request: () => ({ page: 2, per_page: 3 }),
  },
  {
    method: "ProbeService.ListGoods",
    claim: "an old version is refused",
    request: () => ({ page: 1 }),
    headers: { "api-version": "2001-01-01" },
    refused: "INVALID_ARGUMENT",
  },
  ...["Unwrap", "UnwrapBare"].flatMap((name): Case[] => [
    {
      method: `ProbeService.${name}`,
      claim: "one field stands for the answer in REST",
      request: () => ({ name: "ada", tags: ["x"], large: 7 }),
    },
    {
      method: `ProbeService.${name}`,
      claim: "a name that is too long is refused",
      request: () => ({ name: "x".repeat(101) }),
      refused: "INVALID_ARGUMENT",
    },
  ]),
  {
    method: "ProbeService.Download",
    claim: "bytes and their type are returned unchanged",
    request: () => ({
      name: "a",
      content_type: "image/png",
      content: Buffer.from("hello").toString("base64"),
    }),
  },
  {
    method: "ProbeService.Download",
    claim: "a name that is too long is refused",
    request: () => ({ name: "x".repeat(101) }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "ProbeService.Fail", claim: "it succeeds if no error is asked for", request: () => ({}) },
  ...Object.keys(errorCodes)
    .filter((code) => code !== "INTERNAL")
    .map((code) => failing(code as ErrorCode)),
  {
    method: "ProbeService.Fail",
    claim: "a refusal carries its reason, delay and fields",
    request: () => ({
      error_code: "RATE_LIMITED",
      detail: "slower, please: 50 % é",
      reason: "RATE",
      retry_after_ms: 1_500,
      fields: ["a.b", "c"],
    }),
    refused: "RATE_LIMITED",
  },
  {
    method: "ProbeService.Fail",
    claim: "our own bug is shown as a reference only",
    request: () => ({ crash: true, detail: "secret" }),
    refused: "INTERNAL",
  },
  { method: "ProbeService.Wait", claim: "an answer that takes a moment", request: () => ({ sleep_ms: 5 }) },
  {
    method: "ProbeService.Wait",
    claim: "a wait below zero is refused",
    request: () => ({ sleep_ms: -1 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.Poll",
    claim: "a long poll has its wait and five seconds more",
    request: () => ({}),
  },
  {
    method: "ProbeService.Poll",
    claim: "a wait that is too long is refused",
    request: () => ({ wait_seconds: 31 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.Keep",
    claim: "an entity answers",
    request: () => ({ parent_id: nobody, name: "ada" }),
  },
  {
    method: "ProbeService.Keep",
    claim: "a malformed id is refused",
    request: () => ({ parent_id: "x", name: "ada" }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "ProbeService.Count", claim: "every number arrives", request: () => [{ up_to: 5 }] },
  {
    method: "ProbeService.Count",
    claim: "a failure in the middle ends the stream with its error",
    request: () => [{ up_to: 5, fail_after: 2 }],
    refused: "STATE_CONFLICT",
  },
  {
    method: "ProbeService.Count",
    claim: "a wrong request is refused before the first answer",
    request: () => [{ up_to: -1 }],
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.Sum",
    claim: "everything sent is added",
    request: () => [{ number: 1 }, { number: 2 }],
  },
  {
    method: "ProbeService.Sum",
    claim: "a wrong message in the middle is refused",
    request: () => [{ number: 1 }, { number: -2 }],
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "ProbeService.Chat",
    claim: "each message has its answer",
    request: () => [{ text: "a" }, { text: "b" }],
  },
  {
    method: "ProbeService.Chat",
    claim: "an empty message is refused",
    request: () => [{ text: "" }],
    refused: "INVALID_ARGUMENT",
  },
];

function failing(code: ErrorCode): Case {
  return {
    method: "ProbeService.Fail",
    claim: `${code} is the same everywhere`,
    request: () => ({ error_code: code, detail: `because of ${code}` }),
    refused: code,
  };
}
