import type { PipelineParts, Stage } from "./stage.ts";

/** Tells callers of a deprecated method, and counts them, so that an operator knows when none is left. */
export function deprecation({ settings, telemetry }: PipelineParts): Stage {
  return {
    name: "deprecation",
    enter(call) {
      const { deprecated, name } = call.method;
      if (deprecated === undefined) return;
      call.responseHeaders.set("deprecation", "true");
      const sunset = settings.sunsets[name];
      if (sunset !== undefined) call.responseHeaders.set("sunset", sunset);
      if (deprecated.successor !== undefined)
        call.responseHeaders.set("link", `<${deprecated.successor}>; rel="successor-version"`);
      telemetry.deprecatedCalled(call);
    },
  };
}
