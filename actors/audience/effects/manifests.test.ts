import test from "ava";
import { limits } from "#base";
import type { Manifest } from "../../notify/manifest.ts";
import type { Event, State } from "../state.ts";
import { Manifests } from "./manifests.ts";

const state = { tenant: "t" } as State;

function manifest(transactionId: string, payload: object = {}): Manifest {
  return { transactionId, content: {}, overrides: {}, payload } as unknown as Manifest;
}

function put(given: Manifest, drawn: boolean): Event {
  return { type: "manifest_put", manifest: given, retentionDays: 30, deliveries: 1, ...(drawn && { drawn }) };
}

test("given a direct trigger, when its id was drawn by the audience, then its manifest is known; of a caller's id it is asked for", (t) => {
  const manifests = new Manifests();
  manifests.seen(state, put(manifest("drawn"), true));
  manifests.seen(state, put(manifest("caller's"), false));
  t.is(manifests.get("t", "drawn")?.transactionId, "drawn");
  t.is(manifests.get("t", "caller's"), undefined);
  t.is(manifests.get("other", "drawn"), undefined, "of another tenant");
  manifests.asked("t", manifest("caller's"));
  t.is(manifests.get("t", "caller's")?.transactionId, "caller's");
});

test("given many manifests, when there are more than are kept, then the oldest are asked for again; large ones are not kept", (t) => {
  const manifests = new Manifests();
  for (let n = 0; n <= limits.manifestsSeenMax; n++) manifests.seen(state, put(manifest(`drawn-${n}`), true));
  t.is(manifests.get("t", "drawn-0"), undefined);
  t.truthy(manifests.get("t", "drawn-1"));
  for (let n = 0; n <= limits.manifestsCachedMax; n++) manifests.asked("t", manifest(`asked-${n}`));
  t.is(manifests.get("t", "asked-0"), undefined);
  t.truthy(manifests.get("t", "asked-1"));
  const text = "x".repeat(limits.manifestSeenLengthMax);
  manifests.seen(state, put(manifest("large", { text }), true));
  t.is(manifests.get("t", "large"), undefined);
});
