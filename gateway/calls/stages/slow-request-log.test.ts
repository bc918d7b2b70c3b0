import test from "ava";
import { limits } from "#base";
import { quietTelemetry, testSettings } from "../../../test/contract/support/parts.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { rolesOf } from "../../contract/roles.ts";
import type { Call } from "../call.ts";
import { slowRequestLog } from "./slow-request-log.ts";

interface Line {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The stage with a log that is kept; calls take as long as they say. */
function start() {
  const lines: Line[] = [];
  const warn = (fields: object, text: string) => {
    lines.push({ text, fields: fields as Line["fields"] });
  };
  const stage = slowRequestLog({
    plane: "external",
    methods: [],
    roles: rolesOf([]),
    settings: { ...testSettings, slowRequestMs: 1_000 },
    providers: {},
    telemetry: { ...quietTelemetry, log: { warn, error: () => {} } },
  });
  const end = (durationMs: number, method: object = { name: "Some.Method", kind: "unary" }) =>
    stage.leave!(
      { method, startedAtMs: 5_000, requestId: "r" } as Call,
      { atMs: 5_000 + durationMs } as never,
    );
  return { lines, end };
}

test("a call that takes as long as the setting says is logged; a shorter one and a long poll are not", (t) => {
  const { lines, end } = start();
  end(999);
  end(5_000, { name: "Some.Poll", kind: "unary", wait: { ms: 5_000 } });
  end(1_000);
  t.like(lines, [{ text: "slow request", fields: { method: "Some.Method", duration_ms: 1_000 } }]);
  t.is(lines.length, 1);
});

test("under overload so many lines a second are written, and one that says how many were left out", async (t) => {
  const { lines, end } = start();
  for (let call = 0; call < 500; call++) end(2_000 + call);
  t.is(lines.length, limits.slowRequestLinesMax);
  await eventually("the line that counts", () => lines[limits.slowRequestLinesMax]);
  t.like(lines.at(-1), {
    text: "more slow requests, left out",
    fields: { left_out: 500 - limits.slowRequestLinesMax, slowest_ms: 2_499 },
  });
  end(3_000);
  t.like(lines.at(-1), { text: "slow request", fields: { duration_ms: 3_000 } });
});
