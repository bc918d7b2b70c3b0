import { admission } from "./admission.ts";
import { bridge } from "./bridge.ts";
import type { Suite } from "./case.ts";
import { connectorLifecycle } from "./connector-lifecycle.ts";
import { mcp } from "./mcp.ts";
import { runtime } from "./runtime.ts";
import { workerProtocol } from "./worker-protocol.ts";

/** In the order in which `all` runs them. */
export const suites: readonly Suite[] = [runtime, bridge, workerProtocol, admission, mcp, connectorLifecycle];
