/**
 * Owns the layouts of a tenant, and everything that renders a template: entity (layouts, tenant, ""), and threads that run templates.
 *
 * 1. A layout puts out `{{ content }}`, compiles, and is at most 64 KiB.
 * 2. At most one layout of a channel is its default.
 * 3. A template ends within its time and memory, or fails by name; it reads the data it is given and nothing else.
 *
 * Lost with the process: templates that wait to be rendered; who asked for them asks again.
 */
import { defineActor } from "#runtime";
import type { Module } from "../module.ts";
import { RenderPool } from "../notify/outbound/render/pool.ts";
import { layoutsAddress } from "../notify/outbound/types.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import { internalMethods, templateMethods } from "./handlers/templates.ts";
import { methods } from "./service.ts";
import { apply, empty, resident, restore } from "./state.ts";

export const layoutsActor = defineActor({
  kind: "layouts",
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  methods,
  onMessage: (message: Command) => message,
});

export function layouts({ settings, metrics }: ModuleParts): Module {
  const pool = new RenderPool({
    threads: (settings["notification.render.threads"] as number | undefined) ?? 1,
    timeoutMs: (settings["notification.render.timeout"] as number | undefined) ?? 100,
    onEnd(code, killed) {
      metrics.add("service_notification_renders_total", { outcome: code.toLowerCase() });
      if (killed) metrics.add("service_notification_render_kills_total");
    },
  });
  return {
    name: "layouts",
    actors: [layoutsActor],
    orchestrations: templateMethods(pool),
    internal: internalMethods(pool),
    tenantRoots: (tenant) => [layoutsAddress(tenant)],
  };
}
