/** The domain, one folder per module, all of the same shape; this is the list. */
import { apiKeys } from "./api-keys/index.ts";
import { audience } from "./audience/index.ts";
import { conformance } from "./conformance/index.ts";
import { connectors } from "./connectors/index.ts";
import { makeDirectory } from "./directory/index.ts";
import { events } from "./events/index.ts";
import { evidence } from "./evidence/index.ts";
import { experiments } from "./experiments/index.ts";
import { health } from "./health/index.ts";
import { integrations } from "./integrations/index.ts";
import { layouts } from "./layouts/index.ts";
import type { Module } from "./module.ts";
import { notices } from "./notices/index.ts";
import { makeProviders } from "./notify/outbound/providers.ts";
import type { ModuleParts } from "./parts.ts";
import { configuredPools } from "./pools/index.ts";
import { promotions } from "./promotions/index.ts";
import { quotas } from "./quotas/index.ts";
import { sessions } from "./sessions/index.ts";
import { tenants } from "./tenants/index.ts";
import { topics } from "./topics/index.ts";
import { webhooks } from "./webhooks/index.ts";
import { workflowStreams } from "./workflow-streams/index.ts";
import { workflows } from "./workflows/index.ts";

export type { CaseResult, ConformanceRunner, SuiteResult } from "./conformance/runner.ts";
export { checkProviderFile } from "./connectors/catalogue/check.ts";
export { type ExportReport, verifyExport } from "./evidence/verify.ts";
export { runbooks } from "./health/index.ts";
export {
  type ApiKeyRecord,
  apiKeyAddress,
  apiKeyPrefix,
  apiKeyRevokedTopic,
  lookAtApiKey,
  useApiKey,
} from "./kit/api-key-record.ts";
export { isInMode } from "./kit/environment.ts";
export { after, type PageRequest, pageOf } from "./kit/list.ts";
export {
  type AnyHandler,
  type CallContext,
  type Identified,
  type Module,
  type ModuleRoute,
  type OidcAttempt,
  type OidcSignIn,
  type OidcTokens,
  type Orchestration,
  opened,
  type Question,
  RefusedMessage,
  type RouteAnswer,
  type RouteContext,
  type RouteEntry,
  type RouteMethod,
  type RouteRequest,
  type RouteResponse,
  type RouteVerb,
  type SignIn,
  type SignInWay,
  type StreamHandler,
} from "./module.ts";
export {
  type Outgoing,
  type OutgoingConnection,
  OutgoingError,
  type OutgoingRequest,
  type OutgoingResponse,
} from "./outgoing.ts";
export type {
  Access,
  CalledAs,
  Holder,
  KeyHasher,
  KeyRing,
  ModuleCall,
  ModuleParts,
  ObjectStore,
  Signer,
} from "./parts.ts";

import { directoryOf } from "./kit/directory.ts";

export { ask, type Method, type Question as AskedQuestion, tryAsk } from "./kit/ask.ts";
export {
  noteQuota,
  type QuotaReservation,
  quotaOf,
  quotaWindow,
  releaseQuota,
  reserveQuota,
} from "./kit/quota.ts";
export {
  type TenantChange,
  type TenantFacts,
  tenantChangedTopic,
} from "./kit/tenant.ts";
export { tenantSetting } from "./kit/tenant-setting.ts";
export { changedTenants, findTenant, tenantSecretOf, tenantsAddress } from "./kit/tenants.ts";
export {
  asAuthentication,
  askSession,
  awaitRefresh,
  type ConsoleSession,
  encryptCredential,
  endSession,
  isOwnPage,
  leaseRefresh,
  openByCookie,
  refreshed,
  refreshFailed,
  type SessionCookie,
  type SessionCredential,
  sessionCookieIn,
  sessionEndedTopic,
  type Visit,
} from "./sessions/index.ts";
export { type Problem, problemsOf } from "./workflows/index.ts";

/** The list; a module that needs parts is made of them here. */
export function makeModules(parts: ModuleParts): readonly Module[] {
  const providers = makeProviders(parts);
  const connecting = connectors(parts);
  const modules: readonly Module[] = [
    configuredPools(parts),
    events,
    apiKeys(parts),
    quotas,
    workflowStreams(parts),
    experiments(parts),
    connecting,
    workflows(parts, {
      hasModule: (name) => modules.some((module) => module.name === name),
      actionProblem: (key) => connecting.actionProblem(key),
    }),
    evidence(parts),
    layouts(parts),
    promotions(parts),
    audience(parts, providers),
    integrations(parts, providers),
    topics,
    notices(parts),
    conformance(parts),
    webhooks(parts),
    health(parts),
    sessions(parts),
  ];
  const directories = modules.flatMap((module) => module.directories ?? []);
  const rootsOf = (tenant: string) => [
    ...directories.map(({ kind }) => directoryOf(tenant, kind)),
    ...modules.flatMap(({ tenantRoots }) => tenantRoots?.(tenant) ?? []),
  ];
  return [makeDirectory(directories), ...modules, tenants(parts, rootsOf)];
}
