import test from "ava";
import { loadContract } from "../contract/index.ts";
import { binaryFrames, jsonFrames } from "./socket-frames.ts";

const { byName } = loadContract();
const subscribe = byName.get("WorkflowStreamService.Subscribe")!;
const route = byName.get("RoutingService.RouteStream")!;

test("an answer of a fan-out is written once for all its WebSockets; one of a call of its own is not kept", (t) => {
  const told = { record: { sequence: 1, kind: "data", content_type: "application/json", payload: { n: 1 } } };
  for (const frames of [jsonFrames(subscribe, ""), binaryFrames(subscribe)]) {
    const first = frames.message(told);
    told.record.payload = { n: 2 };
    t.deepEqual(frames.message(told), first);
    t.notDeepEqual(frames.message({ ...told }), first);
    told.record.payload = { n: 1 };
  }
  const answer = { ref: "a" };
  for (const frames of [jsonFrames(route, ""), binaryFrames(route)]) {
    const first = frames.message(answer);
    answer.ref = "b";
    t.notDeepEqual(frames.message(answer), first);
    answer.ref = "a";
  }
});
