/** The probe's echo behind the whole pipeline, and the message of about 1 KiB that is sent through it. */
import { readFileSync } from "node:fs";
import { refuse } from "#base";
import { createInvoke } from "../../gateway/calls/invoke.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { createCallTelemetry, createLog, Metrics } from "../../gateway/telemetry/index.ts";
import { testSettings } from "../../test/contract/support/parts.ts";
import { askerOf } from "../../test/support/asker.ts";

export const echoMessage = {
  name: "echo",
  text: "t".repeat(800),
  count: 7,
  large: 123_456_789,
  tags: ["one", "two", "three"],
  labels: { region: "north", tier: "gold" },
  colour: "COLOUR_RED",
  flag: true,
  ratio: 0.5,
  inner: { depth: 3 },
};

export function probeContract() {
  return loadContract({
    extra: readFileSync(new URL("../../test/contract/probe/probe.binpb", import.meta.url)),
    extraPackages: ["service.probe"],
  });
}

export function echoInvoker(contract: ReturnType<typeof probeContract>) {
  return createInvoke({
    contract,
    plane: "external",
    asker: askerOf(() => refuse("UNAVAILABLE", "no entities here")),
    modules: [],
    handlers: {
      "ProbeService.Echo": (request, call) => ({ echo: request, tenant_id: call.tenant, subject: "bench" }),
    },
    providers: {},
    settings: { ...testSettings, slowRequestMs: 1_000 },
    telemetry: createCallTelemetry(new Metrics(), createLog("silent")),
  });
}
