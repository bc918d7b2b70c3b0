import { anomaliesLimits } from "./anomalies.ts";
import { auditLimits } from "./audit.ts";
import { celLimits } from "./cel.ts";
import { clusterLimits } from "./cluster.ts";
import { connectorsLimits } from "./connectors.ts";
import { experimentsLimits } from "./experiments.ts";
import { gatewayLimits } from "./gateway.ts";
import { healthLimits } from "./health.ts";
import { identityLimits } from "./identity.ts";
import { notificationsLimits } from "./notifications.ts";
import { outboundLimits } from "./outbound.ts";
import { poolsLimits } from "./pools.ts";
import { promotionsLimits } from "./promotions.ts";
import { queuesLimits } from "./queues.ts";
import { runtimeLimits } from "./runtime.ts";
import { storageLimits } from "./storage.ts";
import { streamsLimits } from "./streams.ts";
import { tenantsLimits } from "./tenants.ts";
import { webhooksLimits } from "./webhooks.ts";
import { workflowsLimits } from "./workflows.ts";

/** Every bound of the system, with its reason, by area. Settings may lower or raise some; these are the defaults. */
export const limits = {
  ...storageLimits,
  ...runtimeLimits,
  ...clusterLimits,
  ...gatewayLimits,
  ...identityLimits,
  ...auditLimits,
  ...outboundLimits,
  ...tenantsLimits,
  ...poolsLimits,
  ...celLimits,
  ...queuesLimits,
  ...streamsLimits,
  ...webhooksLimits,
  ...workflowsLimits,
  ...connectorsLimits,
  ...experimentsLimits,
  ...promotionsLimits,
  ...notificationsLimits,
  ...healthLimits,
  ...anomaliesLimits,
} as const;
