// Written by `npm run contract:build` from the contract.

import type { Bytes } from "./fetch.ts";
import type { List } from "./pages.ts";
import type { CallOptions } from "./transport.ts";

export const contractSha256 = "4a02ed01ec8d38ab753c6169fd033dfb05ad236e551ec93db6f3e022853fa7f0";

export interface AbortObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly object_id: string;
}

export interface AbortRequest {
  readonly candidate_id: string;
  readonly reason?: string;
}

export interface AcknowledgeRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly consumer_id: string;
  /** The last record that was handled; 0: none. */
  readonly sequence?: number;
}

export interface ActivateProviderConfigRequest {
  readonly provider_config_id: string;
}

export interface ActivateVersionRequest {
  readonly id: string;
  readonly version: number;
}

export interface ActivePoolVersion {
  readonly kind: string;
  readonly version: number;
  readonly digest: string;
  readonly candidate_id: string;
  readonly activated_at?: string;
}

export interface AddArtifactRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly name: string;
  /** Empty: application/json. */
  readonly media_type?: string;
  /** JSON of at most 256 KiB; either this, or digest and size. */
  readonly content?: unknown;
  readonly digest?: string;
  readonly size?: number;
  readonly storage_ref?: string;
}

export interface AddMembersRequest {
  readonly key: string;
  readonly subscriber_ids: readonly string[];
  /** Of all of them. */
  readonly context_keys?: readonly string[];
}

export interface AddMembersResponse {
  readonly added: number;
  readonly updated: number;
  readonly not_found: readonly string[];
}

export interface AddReceiptRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly scenario?: ScenarioReceipt;
  readonly connector?: ConnectorReceipt;
  readonly strategy?: StrategyReceipt;
  readonly runtime?: RuntimeReceipt;
  readonly graph?: GraphReceipt;
  readonly canary?: CanaryReceipt;
  /** A DSSE envelope as JSON (payload, payloadType, signatures) with an in-toto Statement of the predicate type `urn:switchyard:receipt:<type>:v1`, in place of all fields below but run_id and lease_token. */
  readonly dsse?: Readonly<Record<string, unknown>>;
  /** What was tested, by digest. Empty: the candidate of the pack. */
  readonly subjects?: readonly EvidenceSubject[];
  /** Unset: the candidate of the pack. */
  readonly candidate_id?: string;
  /** Where it was tested; unset: the environment of the pack. */
  readonly produced_in?: string;
  readonly result?: "" | "passed" | "failed" | "blocked";
  /** Unset: now. */
  readonly produced_at?: string;
  readonly expires_at?: string;
  readonly run_id?: string;
  readonly lease_token?: string;
  /** Free-form; at most 16 KiB as JSON. An export has its digest only. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Admission {
  /** What came of it. */
  readonly outcome: "enqueued" | "duplicate" | "debounced" | "skipped" | "replaced";
  /** The item that was there before. */
  readonly existing_item_id?: string;
  /** Which control decided. */
  readonly constraint_kind?: "singleton" | "debounce";
  readonly group_id?: string;
}

/** What an item must pass to be queued, and to be handed out. */
export interface AdmissionConfig {
  readonly singleton?: SingletonConfig;
  readonly debounce?: DebounceConfig;
  readonly throttle?: ThrottleConfig;
  readonly concurrency?: readonly ConcurrencyConfig[];
}

export interface AdmissionExplanation {
  /** held, waiting or admitted; the state of an item that does not wait; the outcome of a preview that adds none. */
  readonly status: string;
  /** As in QueueItem.wait. */
  readonly reason?: string;
  readonly constraint_kind?: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id?: string;
  readonly retry_after_ms?: number;
  readonly not_before?: string;
  readonly position?: number;
  /** Of a preview: the pool that rules send it to, and that all of this is about. */
  readonly redirect_pool_id?: string;
}

/** The items of one key under one control. The key itself is never shown: group_id is a keyed hash of it. */
export interface AdmissionGroup {
  readonly constraint_kind: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id: string;
  readonly pool_id: string;
  readonly environment: string;
  readonly status: "active" | "expired" | "cleared";
  /** Concurrency: slots of its leases; throttle: tokens taken of the burst; singleton and debounce: 1 while there is an item. */
  readonly in_use: number;
  /** 0 where nothing of the group is left, or the pool has no such control any more. */
  readonly limit: number;
  /** Items it holds back. */
  readonly waiting: number;
  /** When it lets the next one go, where that is known. */
  readonly next_eligible_at?: string;
  readonly cleared_at?: string;
  readonly cleared_by?: string;
  readonly clear_reason?: string;
}

export interface Analysis {
  /** sequential is valid however often it is looked at; fixed is valid once, at the end. Unset: sequential. */
  readonly method?: "sequential" | "fixed";
  /** Divided by the number of treatments. Unset: 0.05. */
  readonly alpha?: number;
  /** Units at which the sequential interval is narrowest. Unset: 5000. */
  readonly tuning?: number;
  /** Of each arm, before anything is concluded. Unset: 100. */
  readonly min_units?: number;
}

export interface Anomaly {
  readonly id: string;
  readonly pool_id: string;
  readonly monitor_id: string;
  /** Of a monitor of recipients. */
  readonly recipient_id?: string;
  readonly metric: string;
  readonly method: string;
  /** The value that opened it, and what was expected in its place. */
  readonly value: number;
  readonly expected: number;
  /** How far it was out, in the units of the method; unset where those are 0, and of patterns. */
  readonly score?: number;
  /** What it was compared with. */
  readonly baseline: "window" | "seasonal" | "peers";
  readonly state: "open" | "closed";
  /** What was done when it opened, and what came of it. */
  readonly actions: readonly AnomalyAction[];
  readonly opened_at?: string;
  readonly closed_at?: string;
  /** values, the subject of the caller, or why there was nothing left to watch. */
  readonly closed_by?: string;
}

export interface AnomalyAction {
  readonly action: string;
  /** done, or why not. */
  readonly result: string;
}

export interface AnomalyMonitor {
  readonly id: string;
  readonly pool_id: string;
  /** The pool, or each of its recipients against the others. */
  readonly scope: string;
  /** What is measured in each interval: counts of it, means, or the depth at its end. Of recipients: completion_rate, failure_ratio or latency_ms. */
  readonly metric: string;
  /** How a value is judged by those before it. */
  readonly method: string;
  readonly interval_seconds: number;
  /** How many values before it one is judged by, at most. */
  readonly window_points: number;
  /** Fewer values say nothing; of recipients: fewer outcomes in an interval. */
  readonly min_points: number;
  readonly direction: string;
  /** Of zscore: standard deviations. */
  readonly threshold: number;
  /** Of iqr: distances between the quartiles, beyond the nearer one. */
  readonly multiplier: number;
  /** Of rate_change: the share of the mean of the last five that is gone. */
  readonly drop: number;
  /** Of rate_change and flatline: a mean below it says nothing. */
  readonly min_base: number;
  /** Of pattern, which needs one or more. */
  readonly patterns: readonly string[];
  /** Values are compared with those of the same hour. */
  readonly seasonality: string;
  /** IANA zone whose clocks say the hour; needed with a seasonality. */
  readonly time_zone: string;
  /** Values in a row that open an anomaly. */
  readonly open_after: number;
  /** Other values in a row that close it. */
  readonly close_after: number;
  /** So long after it none opens. */
  readonly cooldown_seconds: number;
  /** How long auto-pause lasts. */
  readonly pause_seconds: number;
  /** What is done when an anomaly opens. */
  readonly actions: readonly string[];
  /** A notification for each alert. */
  readonly notify?: AnomalyNotify;
  /** Values that the next one is judged by. */
  readonly points: number;
  /** When something was measured last. */
  readonly last_point_at?: string;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

/** Who is notified: one of topic and subscriber. */
export interface AnomalyNotify {
  readonly workflow_key: string;
  readonly topic?: string;
  readonly subscriber_external_id?: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly tenant_id: string;
  readonly roles: readonly string[];
  /** What the roles grant is narrowed to these; empty: it is not narrowed. */
  readonly scopes: readonly string[];
  /** any, production_only or non_production_only. */
  readonly environment_mode: string;
  /** How the key begins, to recognize it by. */
  readonly prefix: string;
  readonly created_at?: string;
  /** Who created it. */
  readonly created_by: string;
  /** To the minute: uses within a minute of another are not written down. */
  readonly last_used_at?: string;
  /** Unset: it does not expire. */
  readonly expires_at?: string;
  readonly revoked_at?: string;
  /** What to send as X-API-Key. Only in the answer that created the key. */
  readonly secret?: string;
}

export interface AppendRecordsRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly records: readonly NewStreamRecord[];
}

export interface AppendRecordsResponse {
  readonly first_sequence: number;
  readonly last_sequence: number;
  /** They were there already: the request repeats what its producer had appended. */
  readonly duplicate: boolean;
}

export interface ApproveRequest {
  readonly candidate_id: string;
  readonly decision: "approve" | "reject";
  readonly reason: string;
  /** Approves although guardrails are inconclusive. */
  readonly accept_inconclusive?: boolean;
}

export interface ArchiveDefinitionRequest {
  readonly id: string;
}

export interface ArchivePackRequest {
  readonly environment_id: string;
  readonly pack_id: string;
}

export interface ArchiveProviderConfigRequest {
  readonly provider_config_id: string;
}

export interface ArmRatio {
  readonly variant: string;
  readonly units: number;
  readonly expected_share: number;
}

export interface ArtifactPreflight {
  readonly kind: string;
  readonly id: string;
  /** Of what was in force: canary, promote and rollback compare with it. */
  readonly base_digest?: string;
  readonly impacts: readonly PromotionImpact[];
  /** Impacts that are not listed. */
  readonly impacts_left_out?: number;
  readonly blocking_reasons: readonly BlockingReason[];
}

export interface AssignManyRequest {
  readonly experiment_ids: readonly string[];
  readonly unit_id: string;
  /** For targeting; at most 16 KiB as JSON. Not stored. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** As in Assign. */
  readonly expose?: boolean;
}

export interface AssignManyResponse {
  readonly results: readonly AssignManyResult[];
}

export interface AssignManyResult {
  readonly index: number;
  readonly experiment_id: string;
  readonly assignment?: Assignment;
  readonly error?: BatchError;
}

export interface AssignRequest {
  readonly experiment_id: string;
  readonly unit_id: string;
  /** For targeting; at most 16 KiB as JSON. Not stored. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Whether the unit sees the variant now. With false nothing is written: redeem the receipt when it does. Unset: true. */
  readonly expose?: boolean;
  /** By metric: values from before the exposure, of metrics with `covariate`. */
  readonly covariates?: Readonly<Record<string, number>>;
}

export interface Assignment {
  /** Its key; the control where the unit does not take part. */
  readonly variant: string;
  readonly payload?: unknown;
  /** Whether the unit counts, once it is exposed. */
  readonly in_experiment: boolean;
  /** completed, stopped, override, previous_phase, sticky, paused, not_targeted, group, not_covered or assigned. */
  readonly reason: string;
  /** Of the assignment; 0 where the unit does not take part. */
  readonly phase: number;
  /** Proves this assignment: for exposures and scores. Only where the unit takes part. */
  readonly receipt?: string;
}

export interface AttachToPromotionRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly candidate_id: string;
}

export interface AwaitItemRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly wait_ms?: number;
  /** finished (the default): completed, dead, cancelled, expired or superseded. started: leased, or finished. */
  readonly until?: "finished" | "started";
}

export interface AwaitItemResponse {
  /** As it is now. */
  readonly item?: QueueItem;
  /** False: the wait is over, and the item is not that far. */
  readonly reached: boolean;
}

/** Exponential with equal jitter, between failures of one item. */
export interface Backoff {
  /** Default 1,000. */
  readonly initial_ms?: number;
  /** Default 600,000. */
  readonly max_ms?: number;
  /** Default 2. */
  readonly multiplier?: number;
}

/** Why one entry of a batch was refused, in the words of a single call's error. */
export interface BatchError {
  readonly error_code: string;
  readonly detail: string;
  readonly reason: string;
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  readonly errors: readonly BatchFieldError[];
  /** Of a route with `explain` that found nobody: all recipients of the pool, in order of id. */
  readonly explanation: readonly CandidateExplanation[];
  /** Recipients that are not in the explanation. */
  readonly explanation_left_out?: number;
}

export interface BatchFieldError {
  /** Proto path inside the entry. */
  readonly field: string;
  readonly reason: string;
}

export interface BatchUpsertSubscribersRequest {
  readonly subscribers: readonly UpsertSubscriberRequest[];
}

export interface BatchUpsertSubscribersResponse {
  /** In the order of the request. */
  readonly results: readonly BatchUpsertSubscribersResponse_Result[];
}

export interface BatchUpsertSubscribersResponse_Result {
  readonly index: number;
  readonly subscriber?: Subscriber;
  readonly error?: BatchError;
}

export interface BlockingReason {
  readonly reason: "ARTIFACT_GONE" | "TARGET_DELETED" | "WRONG_ENVIRONMENT" | "CONFIG_INVALID" | "RULE_INVALID" | "RULE_TARGET_MISSING" | "NO_CHANGE" | "CANARY_ACTIVE" | "DEPENDENCY_INACTIVE";
  readonly detail: string;
}

export interface Broadcast {
  readonly transaction_id: string;
  readonly workflow_key: string;
  readonly topic_key: string;
  /** `waiting` (for other broadcasts of the topic), `expanding`, `delivering`, `completed`, `completed_with_failures`, `cancelled`. */
  readonly state: string;
  /** Members that joined later are not reached; those that leave later are. */
  readonly cutoff_sequence: number;
  readonly member_count: number;
  /** Members whose preferences were resolved. */
  readonly expanded: number;
  readonly deliveries: number;
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
  readonly workflow_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

/** What a canary showed. Only the service itself gives it. */
export interface CanaryReceipt {
  readonly figures?: Readonly<Record<string, unknown>>;
}

export interface CancelAllRequest {
  readonly pool_id: string;
  /** Only items in one of these; all where empty. */
  readonly states?: readonly ("scheduled" | "ready" | "retry_wait")[];
  /** Only items for which this is true, in CEL over item, state, attempts, error_type and created_at. One on which it fails does not match. */
  readonly filter?: string;
}

export interface CancelBroadcastRequest {
  readonly transaction_id: string;
}

export interface CancelExecutionRequest {
  readonly execution_id: string;
}

export interface CancelJobRequest {
  readonly pool_id: string;
  readonly operation_id: string;
}

export interface CancelRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
}

export interface CancelRunRequest {
  readonly run_id: string;
}

export interface CancelWebhookJobRequest {
  readonly webhook_id: string;
  readonly operation_id: string;
}

/** Why one recipient of a pool was in or out. */
export interface CandidateExplanation {
  readonly recipient_id: string;
  readonly eligible: boolean;
  readonly chosen: boolean;
  /** chosen, not_chosen, or why it was out: paused, draining, offline, ejected, weight_zero, no_capacity, labels, skills, not_selected (by a rule), not_preferred (somebody preferred was there). */
  readonly reason: string;
  /** The figures that decided, for people. */
  readonly detail: string;
}

export interface Capability {
  /** `routing`, `dynamic_config`, … */
  readonly id: string;
  readonly name: string;
  /** active; disabled (switched off); unwired (switched on, but something it needs is missing); degraded (runs without a guarantee it should have). */
  readonly mode: string;
  /** Why it is not active; empty when it is. */
  readonly reason: string;
  /** Ids of what it needs. */
  readonly dependencies: readonly string[];
}

export interface ChannelDecision {
  readonly channel: string;
  readonly allowed: boolean;
  /** `default`, `enabled`, `disabled`, `enabled_locked`, `disabled_locked`, `quiet_hours`, `quiet_hours_bypassed`. */
  readonly reason_code: string;
  /** 0: no layer has an opinion. */
  readonly winning_layer: number;
  /** Layers 1 to 5, in order. */
  readonly trace: readonly LayerTrace[];
}

export interface ChannelPreference {
  readonly enabled?: boolean;
  /** Stronger layers cannot change what this one decides, and quiet hours do not hold it back. */
  readonly read_only?: boolean;
  /** CEL. Where it is not true, this entry has no opinion. */
  readonly condition?: string;
}

export interface ClaimRequest {
  readonly pool_id: string;
  readonly recipient_id: string;
  /** Default 1. */
  readonly max_items?: number;
  /** Default: the pool's. */
  readonly lease_seconds?: number;
  /** How long to wait for an item. */
  readonly wait_seconds?: number;
}

export interface ClaimResponse {
  readonly items: readonly LeasedItem[];
}

export interface ClearAdmissionGroupRequest {
  readonly pool_id: string;
  readonly constraint_kind: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id: string;
  /** Why; kept with the group and in the audit log. */
  readonly reason: string;
}

export interface CloseAnomalyRequest {
  readonly anomaly_id: string;
}

export interface CloseStreamRequest {
  readonly run_id: string;
  readonly stream_id: string;
}

export interface CommitObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly object_id: string;
}

export interface CompleteExperimentRequest {
  readonly experiment_id: string;
  /** The variant that every unit gets from now on; unset: the control. */
  readonly winner?: string;
  readonly record_version?: number;
}

export interface CompleteRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  /** At most 256 KiB. */
  readonly result?: unknown;
}

/** At most `limit` leases of one key at a time. */
export interface ConcurrencyConfig {
  /** CEL over `item`. Default: all items share one key. */
  readonly key?: string;
  readonly limit: number;
  /** Slots one lease takes. Default: the item's own cost. */
  readonly cost?: number;
}

export interface ConfigSchema {
  /** False: the values below are the defaults, and nobody can change them here. */
  readonly enabled: boolean;
  readonly settings: readonly Setting[];
  /** The same as a JSON Schema of `tenant.settings`. */
  readonly json_schema?: Readonly<Record<string, unknown>>;
}

export interface ConformanceCase {
  /** Never reused for anything else. */
  readonly id: string;
  readonly title: string;
  /** A suite is conformant only if it passed. */
  readonly required: boolean;
  /** none or sandbox. */
  readonly effect: string;
  /** What it calls. */
  readonly methods: readonly string[];
}

export interface ConformanceCoverage {
  readonly exercised_count: number;
  /** Of the external plane. */
  readonly method_count: number;
  /** Not in lists. */
  readonly exercised_methods: readonly string[];
}

export interface ConformanceExplanation {
  readonly report_id: string;
  readonly verdict: string;
  /** The report before, where there is one. */
  readonly compared_with: string;
  readonly failed: readonly ExplainedResult[];
  readonly not_run: readonly ExplainedResult[];
  /** Another status than in the report before. */
  readonly changed: readonly ExplainedResult[];
  /** Cases that the report before had not, and had in addition. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface ConformanceReport {
  /** `sha256:` and hex, of suite, contract, environment, mode, results and coverage: equal runs have equal ids. */
  readonly report_id: string;
  readonly suite_id: string;
  readonly environment_id: string;
  readonly mode: string;
  /** conformant, partial, non_conformant or not_applicable. */
  readonly verdict: string;
  readonly contract_sha256: string;
  /** Not in lists. */
  readonly results: readonly ConformanceResult[];
  readonly coverage?: ConformanceCoverage;
  readonly created_by: string;
  readonly created_at?: string;
}

export interface ConformanceResult {
  readonly case_id: string;
  /** passed, failed, not_run or not_applicable. */
  readonly status: string;
  /** Why it did not pass. */
  readonly detail: string;
}

export interface ConformanceSuite {
  /** runtime, bridge, worker_protocol, admission, mcp, connector_lifecycle or all. */
  readonly id: string;
  readonly title: string;
  readonly case_count: number;
  /** Of GetSuite. */
  readonly cases: readonly ConformanceCase[];
}

export interface ConnectSession {
  readonly id: string;
  readonly provider_config_id: string;
  /** The connection that it makes, or gives new credentials to. */
  readonly connection_id: string;
  /** The caller's name for what is connected; unique in its provider config. */
  readonly external_id: string;
  readonly scopes: readonly string[];
  readonly return_url: string;
  /** created, authorizing, connected, failed, expired or revoked. */
  readonly status: string;
  /** The credential of the page. Only in the answer that created the session. */
  readonly token?: string;
  /** The page to send a person to. Only in the answer that created the session. */
  readonly connect_url?: string;
  /** Why the last attempt failed; empty: none did. */
  readonly error: string;
  readonly expires_at?: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface Connection {
  readonly id: string;
  readonly provider_config_id: string;
  readonly provider_key: string;
  /** The caller's name for what is connected; unique in its provider config. */
  readonly external_id: string;
  readonly name: string;
  readonly environment: string;
  /** pending, active, needs_reauth, disabled or revoked. */
  readonly status: string;
  /** Why it needs new credentials; empty otherwise. */
  readonly status_reason: string;
  readonly granted_scopes: readonly string[];
  /** Counts the credentials it has had. */
  readonly credential_version: number;
  /** The key that its credentials are sealed under. */
  readonly key_id: string;
  /** Of the access token; unset: it does not say. */
  readonly expires_at?: string;
  /** Since when refreshes have failed; unset: they do not. */
  readonly refresh_failing_since?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface ConnectorAction {
  /** provider.action */
  readonly key: string;
  readonly provider_key: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** none, idempotent or non_idempotent; an expression where it depends on the input. */
  readonly mutation: string;
  /** What is tried again without a person. */
  readonly retried_after: readonly string[];
  /** JSON Schema. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** The properties of the input, flat. */
  readonly input_properties: readonly ConnectorProperty[];
  /** JSON Schema. */
  readonly output_schema?: Readonly<Record<string, unknown>>;
  /** One of these sets of scopes is needed; none: no scopes. */
  readonly scopes: readonly ConnectorScopes[];
  /** As the provider names them. */
  readonly permissions: readonly string[];
  /** Keys of actions that go with it. */
  readonly related: readonly string[];
  /** executable, catalog_only, disabled or blocked. */
  readonly runtime_status: string;
  /** Why it cannot be executed: NO_REQUEST, OPERATOR or EGRESS_DENIED. */
  readonly runtime_reason: string;
}

export interface ConnectorAuth {
  readonly name: string;
  /** oauth2_code, oauth2_client, api_key, basic or none. */
  readonly type: string;
  readonly scopes: readonly string[];
  /** JSON Schema of the fields that a connect session asks for. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface ConnectorCheck {
  readonly name: string;
  readonly passed?: boolean;
}

export interface ConnectorExecution {
  readonly id: string;
  readonly action_key: string;
  /** Of the catalogue file that was used. */
  readonly action_version: string;
  readonly connection_id: string;
  /** queued, running, waiting, succeeded, failed, outcome_unknown or cancelled. */
  readonly status: string;
  readonly attempts: number;
  readonly input?: unknown;
  readonly output?: unknown;
  /** The output does not fit its schema; the action was performed. */
  readonly output_invalid: boolean;
  readonly error?: ConnectorExecutionError;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly ended_at?: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly record_version: number;
}

export interface ConnectorExecutionError {
  readonly code: string;
  readonly provider_status?: number;
  readonly message: string;
  /** Whether another execution may succeed. */
  readonly retryable: boolean;
}

/** Of one connection. */
export interface ConnectorLimits {
  readonly requests_per_second: number;
  readonly burst: number;
  readonly concurrency: number;
}

export interface ConnectorProperty {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
}

export interface ConnectorProvider {
  readonly key: string;
  /** Of the catalogue file. */
  readonly version: string;
  readonly name: string;
  /** JSON Schema of what a provider config sets. */
  readonly config_schema?: Readonly<Record<string, unknown>>;
  /** By name: the ways to authenticate. */
  readonly auth: readonly ConnectorAuth[];
  /** Keys of its actions. */
  readonly actions: readonly string[];
  /** Keys of its triggers. */
  readonly triggers: readonly string[];
  /** The action that shows whether credentials work. */
  readonly verify_action?: string;
  readonly limits?: ConnectorLimits;
}

export interface ConnectorReceipt {
  readonly checks: readonly ConnectorCheck[];
}

export interface ConnectorScopes {
  readonly all_of: readonly string[];
}

export interface ConnectorTrigger {
  readonly key: string;
  readonly provider_key: string;
  readonly version: string;
  readonly title: string;
  /** webhook or polling. */
  readonly kind: string;
  /** JSON Schema. */
  readonly event_schema?: Readonly<Record<string, unknown>>;
  /** JSON Schema of what a subscription sets. */
  readonly config_schema?: Readonly<Record<string, unknown>>;
}

export interface CreateApiKeyRequest {
  readonly name: string;
  /** Of the contract: viewer, operator, admin, service and those of modules. The caller must hold what they grant. */
  readonly roles: readonly string[];
  /** Permissions of the contract, as resource:action. The role service needs at least one. Empty: those of the caller. */
  readonly scopes?: readonly string[];
  /** Unset: that of the caller. A caller that is limited to some environments cannot make a key for others. */
  readonly environment_mode?: "any" | "production_only" | "non_production_only";
  /** In the future, and no later than the end of the API key that makes it; unset: that end, or no expiry. */
  readonly expires_at?: string;
}

export interface CreateCandidateRequest {
  readonly environment_id: string;
  readonly artifacts: readonly PromotionArtifact[];
  readonly name?: string;
  /** Absent: the defaults of docs/promotions.md. */
  readonly guardrails?: readonly PromotionGuardrail[];
}

export interface CreateConnectSessionRequest {
  readonly provider_config_id: string;
  /** New credentials for this connection; unset: a new connection. */
  readonly connection_id?: string;
  readonly external_id?: string;
  /** Unset: those of the provider config. */
  readonly scopes?: readonly string[];
  /** Where the browser goes at the end; its origin must be allowed by the provider config. */
  readonly return_url?: string;
  /** Unset: 1800. */
  readonly ttl_seconds?: number;
  /** Of the new connection. */
  readonly name?: string;
}

export interface CreateDefinitionRequest {
  readonly key: string;
  /** Unset: the key. */
  readonly name?: string;
  /** Unset: an empty one. */
  readonly draft?: Readonly<Record<string, unknown>>;
}

export interface CreateExperimentGroupRequest {
  readonly name: string;
}

export interface CreateExperimentRequest {
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  /** Unset: sha256_v1. */
  readonly hash_version?: "sha256_v1" | "fnv1a_v2";
  /** Unset: the experiment's id. */
  readonly salt?: string;
  /** From 2 to 20. */
  readonly variants?: readonly Variant[];
  /** At most six decimals. Unset: 1. */
  readonly coverage?: number;
  readonly targeting?: string;
  readonly group?: ExperimentGroupShare;
  readonly overrides?: Readonly<Record<string, string>>;
  /** From 1 to 20. */
  readonly metrics?: readonly Metric[];
  readonly analysis?: Analysis;
  readonly scores_close_at?: string;
}

export interface CreateIntegrationRequest {
  readonly channel: "email" | "sms" | "push" | "chat" | "in_app";
  readonly name: string;
  /** smtp, webhook, slack, twilio, fcm, web_push, inbox or sink. */
  readonly provider_key: "smtp" | "webhook" | "slack" | "twilio" | "fcm" | "web_push" | "inbox" | "sink";
  /** Of a connection, or static:<name>. Absent where the provider needs none. */
  readonly connection_id?: string;
  /** Lower wins; ties go to the older one. Absent: 100. */
  readonly priority?: number;
  /** Absent: true. */
  readonly active?: boolean;
  /** CEL over payload, subscriber, workflow_key, topic_key, context_keys, user_id, channel, environment and now. It is chosen where this is exactly true. Absent: always. */
  readonly condition?: string;
  /** How the keys of `overrides.<channel>.provider` are written for the provider. Absent: none, as they are. */
  readonly casing_override?: "snake_case" | "camelCase" | "PascalCase" | "kebab-case" | "CONSTANT_CASE" | "none";
  /** What the provider is told with every message, as `from`: docs/providers.md has them. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** How many messages may leave. Absent: as many as there are. */
  readonly rate?: IntegrationRate;
  /** What happens to a message that may have been sent, where the provider cannot tell a repeat. Absent: hold. */
  readonly on_unknown?: "hold" | "resend";
}

export interface CreateLayoutRequest {
  readonly channel: "email" | "sms" | "push" | "chat" | "inapp" | "in_app";
  readonly name: string;
  readonly engine: "handlebars" | "liquid";
  readonly body: string;
  /** Also makes it the default of its channel. */
  readonly is_default?: boolean;
}

export interface CreateMonitorRequest {
  readonly pool_id: string;
  /** The pool, or each of its recipients against the others. Absent: pool. */
  readonly scope?: "pool" | "recipients";
  /** What is measured in each interval: counts of it, means, or the depth at its end. Of recipients: completion_rate, failure_ratio or latency_ms. */
  readonly metric: "enqueue_rate" | "completion_rate" | "failure_ratio" | "dead_rate" | "wait_seconds" | "latency_ms" | "depth" | "unroutable_rate";
  /** How a value is judged by those before it. */
  readonly method: "zscore" | "iqr" | "rate_change" | "pattern";
  /** Absent: 60. */
  readonly interval_seconds?: number;
  /** How many values before it one is judged by, at most. Absent: 60. */
  readonly window_points?: number;
  /** Fewer values say nothing; of recipients: fewer outcomes in an interval. Absent: 30. */
  readonly min_points?: number;
  /** Absent: both. */
  readonly direction?: "both" | "above" | "below";
  /** Of zscore: standard deviations. Absent: the tenant's anomaly.zscore_threshold. */
  readonly threshold?: number;
  /** Of iqr: distances between the quartiles, beyond the nearer one. Absent: the tenant's anomaly.iqr_multiplier. */
  readonly multiplier?: number;
  /** Of rate_change: the share of the mean of the last five that is gone. Absent: the tenant's anomaly.rate_change_drop. */
  readonly drop?: number;
  /** Of rate_change and flatline: a mean below it says nothing. Absent: 1. */
  readonly min_base?: number;
  /** Of pattern, which needs one or more. */
  readonly patterns?: readonly ("same_side" | "trend" | "alternating" | "two_of_three" | "flatline")[];
  /** Values are compared with those of the same hour. Absent: none. */
  readonly seasonality?: "none" | "hour_of_day" | "hour_of_week";
  /** IANA zone whose clocks say the hour; needed with a seasonality. */
  readonly time_zone?: string;
  /** Values in a row that open an anomaly. Absent: 1. */
  readonly open_after?: number;
  /** Other values in a row that close it. Absent: 3. */
  readonly close_after?: number;
  /** So long after it none opens. Absent: 300. */
  readonly cooldown_seconds?: number;
  /** How long auto-pause lasts. Absent: 900. */
  readonly pause_seconds?: number;
  /** What is done when an anomaly opens. Empty: the tenant's anomaly.actions. */
  readonly actions?: readonly ("log" | "alert" | "auto-pause" | "deprioritize")[];
  /** A notification for each alert. */
  readonly notify?: AnomalyNotify;
}

export interface CreatePackRequest {
  readonly environment_id: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requirements?: readonly EvidenceRequirement[];
}

export interface CreatePoolRequest {
  readonly name: string;
  readonly description?: string;
  /** Default weighted_random. */
  readonly strategy?: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  /** Default STATUS_ACTIVE. */
  readonly status?: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly config?: PoolConfig;
  /** Where the environment has pools of this name, answers with the oldest of them, unchanged, and creates none. */
  readonly if_absent?: boolean;
}

export interface CreatePoolVersionRequest {
  readonly pool_id: string;
  readonly kind: "routing" | "strategy";
  /** A proposal: the part of the kind. Not together with `from`; with neither, the pool is taken as it is. */
  readonly content?: PoolContent;
  /** An import: a version of another pool. */
  readonly from?: PoolVersionSource;
}

export interface CreateProviderConfigRequest {
  readonly name: string;
  readonly provider_key: string;
  /** Unset: the provider's first. */
  readonly auth?: string;
  readonly client_id?: string;
  /** Stored sealed, and never shown. */
  readonly client_secret?: string;
  readonly scopes?: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly allowed_return_origins?: readonly string[];
}

export interface CreateRecipientRequest {
  readonly pool_id: string;
  readonly name: string;
  /** Default STATUS_ACTIVE; STATUS_PAUSED and STATUS_DRAINING can be asked for, the others are found out. */
  readonly status?: "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING";
  /** Default 1. */
  readonly weight?: number;
  /** Default 0: unlimited. */
  readonly capacity?: number;
  readonly tier?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly skills?: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Where the pool has recipients of this name, answers with the oldest of them, unchanged, and creates none. */
  readonly if_absent?: boolean;
}

export interface CreateRuleRequest {
  readonly pool_id: string;
  readonly name: string;
  /** Default: after all others. */
  readonly order?: number;
  /** Default true. */
  readonly enabled?: boolean;
  readonly condition?: string;
  readonly action: RuleAction;
}

export interface CreateStreamRequest {
  /** Any ULID; no run need exist. */
  readonly run_id: string;
  readonly name: string;
  /** What records and objects may hold, by their content type: `json`; `text` (text/*); `binary` (everything else); `tool_io` and `model_output` (JSON and text). Raw hidden model reasoning (`model_reasoning_raw`) is refused. */
  readonly content_classes: readonly ("text" | "json" | "binary" | "tool_io" | "model_output")[];
  readonly metadata_home?: string;
  readonly metadata_replicas?: readonly string[];
  readonly object_regions?: readonly string[];
  readonly client_egress_regions?: readonly string[];
  readonly log_region?: string;
  readonly retention?: StreamRetention;
  readonly redaction?: StreamRedaction;
  readonly authorization?: StreamAuthorization;
  readonly ceilings?: StreamCeilings;
  /** What happens at an unread ceiling. Default reject. */
  readonly overflow?: "reject" | "block";
  /** Default 30,000 where `overflow` is block. */
  readonly block_ms?: number;
}

export interface CreateTenantRequest {
  readonly name: string;
  readonly plan?: string;
  readonly quotas?: Readonly<Record<string, number>>;
  readonly limits?: TenantLimits;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: production, staging, development. */
  readonly environments?: readonly string[];
}

export interface CreateTopicRequest {
  readonly key: string;
  readonly name?: string;
  readonly description?: string;
  /** At most 4 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface CreateTriggerSubscriptionRequest {
  readonly connection_id: string;
  readonly trigger_key: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly filter?: string;
  readonly target?: TriggerTarget;
  /** Of a webhook: the secret that the provider has given out; unset: one is drawn. */
  readonly secret?: string;
  /** Of polling; unset: 300. */
  readonly poll_seconds?: number;
}

export interface CreateWebhookRequest {
  readonly name: string;
  /** https; http only in the dev profile. */
  readonly url: string;
  /** Only these kinds; one without a dot stands for all that begin with it. */
  readonly kinds: readonly ("admission_group" | "admission_group.cleared" | "anomaly" | "anomaly.alert" | "anomaly.closed" | "anomaly.opened" | "broadcast" | "broadcast.cancelled" | "broadcast.completed" | "broadcast.completed_with_failures" | "broadcast.delivering" | "broadcast.expanding" | "conformance" | "conformance.reported" | "connect_session" | "connect_session.authorizing" | "connect_session.connected" | "connect_session.created" | "connect_session.expired" | "connect_session.failed" | "connect_session.revoked" | "connection" | "connection.active" | "connection.deleted" | "connection.disabled" | "connection.needs_reauth" | "connection.refresh_failing" | "connection.refreshed" | "connection.revoked" | "connector_execution" | "connector_execution.cancelled" | "connector_execution.failed" | "connector_execution.outcome_unknown" | "connector_execution.queued" | "connector_execution.running" | "connector_execution.succeeded" | "connector_execution.waiting" | "connector_trigger" | "connector_trigger.dropped" | "connector_trigger.fired" | "console_session" | "console_session.ended" | "console_session.started" | "delivery" | "delivery.failed" | "delivery.observed" | "delivery.sent" | "delivery.skipped" | "endpoint" | "endpoint.removed" | "endpoint.suppressed" | "endpoint.updated" | "evidence_pack" | "evidence_pack.archived" | "evidence_pack.changed" | "evidence_pack.created" | "evidence_run" | "evidence_run.cancelled" | "evidence_run.expired" | "evidence_run.failed" | "evidence_run.pending" | "evidence_run.running" | "evidence_run.succeeded" | "experiment" | "experiment.breached" | "experiment.completed" | "experiment.deleted" | "experiment.draft" | "experiment.paused" | "experiment.phase_opened" | "experiment.running" | "experiment.srm" | "experiment.stopped" | "integration" | "integration.created" | "integration.deleted" | "integration.updated" | "layout" | "layout.created" | "layout.deleted" | "layout.updated" | "notice" | "notice.deleted" | "notice.updated" | "notification_dead_letter" | "notification_dead_letter.opened" | "notification_dead_letter.redriven" | "notification_dead_letter.resolved" | "pool" | "pool.activated" | "pool.canary_changed" | "pool.created" | "pool.deleted" | "pool.updated" | "preference" | "preference.deleted" | "preference.updated" | "promotion" | "promotion.aborted" | "promotion.approved" | "promotion.blocked" | "promotion.canary" | "promotion.canary_stopped" | "promotion.created" | "promotion.failed" | "promotion.guarded" | "promotion.preflighted" | "promotion.promoted" | "promotion.promoting" | "promotion.rejected" | "promotion.rolled_back" | "promotion.rolling_back" | "provider_config" | "provider_config.active" | "provider_config.archived" | "provider_config.disabled" | "provider_config.draft" | "queue" | "queue.paused" | "queue.resumed" | "queue_item" | "queue_item.cancelled" | "queue_item.coalesced" | "queue_item.completed" | "queue_item.dead" | "queue_item.drained" | "queue_item.enqueued" | "queue_item.expired" | "queue_item.extended" | "queue_item.lease_expired" | "queue_item.leased" | "queue_item.purged" | "queue_item.quarantined" | "queue_item.ready" | "queue_item.redirected" | "queue_item.redriven" | "queue_item.released" | "queue_item.retry_scheduled" | "queue_item.superseded" | "queue_item.unquarantined" | "recipient" | "recipient.created" | "recipient.deleted" | "recipient.ejected" | "recipient.half_opened" | "recipient.offline" | "recipient.online" | "recipient.recovered" | "recipient.updated" | "routing" | "routing.redirected" | "rule" | "rule.created" | "rule.deleted" | "rule.updated" | "subscriber" | "subscriber.created" | "subscriber.deleted" | "subscriber.updated" | "tenant" | "tenant.created" | "tenant.deleted" | "tenant.updated" | "topic" | "topic.created" | "topic.deleted" | "topic.updated" | "webhook" | "webhook.created" | "webhook.deleted" | "webhook.disabled" | "webhook.exhausted" | "webhook.gap" | "webhook.updated" | "workflow_definition" | "workflow_definition.archived" | "workflow_definition.draft" | "workflow_definition.published" | "workflow_run" | "workflow_run.cancelled" | "workflow_run.cancelling" | "workflow_run.failed" | "workflow_run.pending" | "workflow_run.running" | "workflow_run.succeeded" | "workflow_step" | "workflow_step.failed")[];
  readonly environment?: string;
  /** Absent: v1. It stays. */
  readonly signing?: "v1" | "v1a";
  /** Absent: none. */
  readonly ordering?: "none" | "subject" | "strict";
  /** How many deliveries are under way at a time, at most. Absent: 16. */
  readonly max_in_flight?: number;
  /** Sent with each delivery, such as authorization; encrypted, and never shown. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DeadLetter {
  readonly id: string;
  readonly delivery_id: string;
  readonly transaction_id: string;
  readonly subscriber_id: string;
  readonly workflow_key: string;
  readonly channel: string;
  /** The code of the failure. */
  readonly reason: string;
  readonly phase: string;
  /** `open`, `redriven`, `resolved`. */
  readonly status: string;
  readonly redrive_count: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface DeadLetterResult {
  readonly index: number;
  readonly queue_item_id: string;
  readonly error?: BatchError;
}

export interface DeadLetterResults {
  /** As many as were named, in their order. */
  readonly results: readonly DeadLetterResult[];
  readonly succeeded: number;
}

export interface DeadLetterServiceReleaseRequest {
  readonly pool_id: string;
  readonly queue_item_ids: readonly string[];
}

export interface DeadLetterStats {
  /** Without the quarantined ones. */
  readonly depth: number;
  readonly oldest_failure_at?: string;
  readonly quarantined: number;
  /** Retries after which a dead letter stays one. */
  readonly max_retries: number;
}

/** Items of one key become one, handed out when no more have come for period_ms. */
export interface DebounceConfig {
  /** CEL over `item`. */
  readonly key: string;
  readonly period_ms: number;
  /** At the latest this long after the first one. Default: no end. */
  readonly max_wait_ms?: number;
  /** Whose payload is kept: last (default) or first. */
  readonly take?: "last" | "first";
}

export interface DeleteConnectionRequest {
  readonly connection_id: string;
  /** Refused where the stored one differs. */
  readonly record_version?: number;
}

export interface DeleteConnectionResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteConsumerRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly consumer_id: string;
}

export interface DeleteConsumerResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteExperimentGroupRequest {
  readonly id: string;
  readonly record_version?: number;
}

export interface DeleteExperimentGroupResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteExperimentRequest {
  readonly experiment_id: string;
  readonly record_version?: number;
}

export interface DeleteExperimentResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteIntegrationRequest {
  readonly integration_id: string;
  /** Must match the stored one where given. */
  readonly record_version?: number;
}

export interface DeleteIntegrationResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteLayoutRequest {
  readonly layout_id: string;
  /** Must match the stored one where given. */
  readonly version?: number;
  /** Also where workflows name it. */
  readonly force?: boolean;
}

export interface DeleteLayoutResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteMonitorRequest {
  readonly monitor_id: string;
  readonly record_version?: number;
}

export interface DeleteMonitorResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteNoticeRequest {
  readonly workflow_key: string;
}

export interface DeleteNoticeResponse {
  readonly workflow_key: string;
  readonly deleted: boolean;
}

export interface DeletePoolRequest {
  readonly pool_id: string;
  /** Also when it holds items. */
  readonly force?: boolean;
  readonly record_version?: number;
}

export interface DeletePoolResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeletePreferenceRequest {
  readonly subscriber_id: string;
  readonly preference_id: string;
}

export interface DeletePreferenceResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteRecipientRequest {
  readonly recipient_id: string;
  readonly record_version?: number;
}

export interface DeleteRecipientResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteRuleRequest {
  readonly rule_id: string;
  readonly record_version?: number;
}

export interface DeleteRuleResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteSubscriberRequest {
  readonly subscriber_id: string;
}

export interface DeleteSubscriberResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteTenantRequest {
  readonly tenant_id: string;
  /** Must be the stored one, where it is given. */
  readonly record_version?: number;
}

export interface DeleteTenantResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteTopicRequest {
  readonly key: string;
  readonly record_version?: number;
}

export interface DeleteTopicResponse {
  readonly key: string;
  readonly deleted: boolean;
}

export interface DeleteTriggerSubscriptionRequest {
  readonly trigger_subscription_id: string;
  /** Refused where the stored one differs. */
  readonly record_version?: number;
}

export interface DeleteTriggerSubscriptionResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteUnitRequest {
  readonly experiment_id: string;
  readonly unit_id: string;
}

export interface DeleteUnitResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteUserPreferenceRequest {
  readonly workflow_key: string;
  readonly user_id: string;
}

export interface DeleteUserPreferenceResponse {
  readonly user_id: string;
  readonly deleted: boolean;
}

export interface DeleteWebhookRequest {
  readonly webhook_id: string;
  readonly record_version?: number;
}

export interface DeleteWebhookResponse {
  readonly id: string;
  readonly deleted: boolean;
}

/** One notification to one address of a subscriber. */
export interface Delivery {
  readonly id: string;
  readonly transaction_id: string;
  readonly subscriber_id: string;
  readonly workflow_key: string;
  readonly topic_key?: string;
  readonly channel: string;
  readonly endpoint_id?: string;
  /** Empty where it was skipped before an address was looked for. */
  readonly identity: string;
  /** `queued`, `running`, `sent`, `failed`, `skipped`. Sent: the provider took it. */
  readonly status: string;
  readonly integration_id?: string;
  readonly provider_key: string;
  readonly provider_message_id: string;
  readonly failure?: Failure;
  /** Of the resolver, or `no_endpoint`, `cancelled`. */
  readonly reason_code: string;
  readonly winning_layer: number;
  readonly resolver_version: string;
  readonly retry_at?: string;
  /** Rises with every redrive. */
  readonly generation: number;
  /** Attempts of this generation. */
  readonly attempt: number;
  /** Attempts in which a provider was called, of all generations. */
  readonly provider_attempts: number;
  /** The last ten. */
  readonly attempts: readonly Delivery_Attempt[];
  /** The highest that was observed: empty, `deferred`, `delivered`, `opened`, `clicked`, `bounced`, `unsubscribed`, `complained`. */
  readonly observation_state: string;
  /** It may have been sent: nobody can tell before an observation, or a redrive with accept_duplicate. */
  readonly reconciliation_required: boolean;
  readonly dead_letter_id?: string;
  readonly expires_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly sent_at?: string;
}

export interface Delivery_Attempt {
  readonly generation: number;
  readonly attempt: number;
  readonly integration_id: string;
  readonly provider_key: string;
  readonly started_at?: string;
  readonly ended_at?: string;
  /** `accepted`, `refused`, `not_sent`, `maybe_sent`; empty while it runs. */
  readonly result: string;
  readonly code: string;
}

export interface DisableConnectionRequest {
  readonly connection_id: string;
}

export interface DisableProviderConfigRequest {
  readonly provider_config_id: string;
}

export interface DismissRunRequest {
  readonly run_id: string;
}

export interface DrainQueueRequest {
  readonly pool_id: string;
  readonly max_items: number;
}

export interface DrainQueueResponse {
  readonly drained: number;
  readonly remaining_depth: number;
}

export interface DuplicateDefinitionRequest {
  readonly id: string;
  /** Unset: the key with `_copy`. */
  readonly key?: string;
}

export interface DuplicateLayoutRequest {
  readonly layout_id: string;
}

export interface Effect {
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
  readonly p_value: number;
}

export interface EnableConnectionRequest {
  readonly connection_id: string;
}

export interface Endpoint {
  readonly id: string;
  readonly subscriber_id: string;
  readonly channel: string;
  /** Only integrations of this provider send to it; empty: any of the channel. */
  readonly provider_key: string;
  /** Address or token. */
  readonly identity: string;
  readonly connection_id?: string;
  readonly verified: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly last_used_at?: string;
  /** False: removed. */
  readonly active: boolean;
  /** Set after a hard bounce, a complaint, an unsubscribe, or when the provider says that the address is gone. */
  readonly suppressed?: Endpoint_Suppressed;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface Endpoint_Suppressed {
  readonly reason: string;
  readonly at?: string;
}

export interface EnqueueBatchRequest {
  readonly pool_id: string;
  readonly items: readonly EnqueueEntry[];
}

export interface EnqueueBatchResponse {
  /** As many as there were entries, in their order. */
  readonly results: readonly EnqueueResult[];
}

/** One entry of a batch: an EnqueueRequest without its pool. */
export interface EnqueueEntry {
  /** For people and filters, and what `item.key` is in expressions. */
  readonly key?: string;
  /** With attributes at most 256 KiB. */
  readonly payload?: unknown;
  /** What rules and key expressions see as `item.attributes`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** 1 goes first. Default: the pool's. */
  readonly priority?: number;
  /** What it takes of a recipient's capacity. Default 1. */
  readonly cost?: number;
  /** A second request with the same one, while the item that answered the first can be read, is a duplicate. */
  readonly dedup_id?: string;
  /** Not handed out before. */
  readonly not_before?: string;
  /** Ended as expired if it still waits then. */
  readonly expires_at?: string;
  /** W3C trace context of the producer; it comes back with claims. */
  readonly traceparent?: string;
}

export interface EnqueueRequest {
  readonly pool_id: string;
  /** For people and filters, and what `item.key` is in expressions. */
  readonly key?: string;
  /** With attributes at most 256 KiB. */
  readonly payload?: unknown;
  /** What rules and key expressions see as `item.attributes`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** 1 goes first. Default: the pool's. */
  readonly priority?: number;
  /** What it takes of a recipient's capacity. Default 1. */
  readonly cost?: number;
  /** A second request with the same one, while the item that answered the first can be read, is a duplicate. */
  readonly dedup_id?: string;
  /** Not handed out before. */
  readonly not_before?: string;
  /** Ended as expired if it still waits then. */
  readonly expires_at?: string;
  /** W3C trace context of the producer; it comes back with claims. */
  readonly traceparent?: string;
}

export interface EnqueueResponse {
  /** The new item, or the one that stands for it. */
  readonly item?: QueueItem;
  readonly admission?: Admission;
}

export interface EnqueueResult {
  readonly index: number;
  /** Without payload and attributes. */
  readonly item?: QueueItem;
  readonly admission?: Admission;
  /** Set instead of the others. */
  readonly error?: BatchError;
}

export interface EvaluateGateRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  /** Unset: the requirements of all phases. */
  readonly phase?: "canary" | "approval";
}

export interface EvaluateGuardrailsRequest {
  readonly candidate_id: string;
}

export interface Event {
  /** Stable and unique: the same event has the same one whenever it comes. */
  readonly id: string;
  /** Such as queue_item.completed; docs/events.md lists them. */
  readonly kind: string;
  readonly tenant_id: string;
  /** What it happened to: the id of an item, recipient, rule or pool. */
  readonly subject: string;
  readonly at?: string;
  /** As the message says that declares the kind (`QueueItemEvent`, …). */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** In which environment; empty: in none. */
  readonly environment: string;
}

export interface EvidenceArtifact {
  readonly id: string;
  readonly pack_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly media_type: string;
  /** `sha256:` and hex; of JSON content over its RFC 8785 bytes. */
  readonly digest: string;
  readonly size: number;
  /** Where the bytes are; kept, never fetched. */
  readonly storage_ref: string;
  /** Of GetArtifact, where it was given. */
  readonly content?: unknown;
  readonly created_at?: string;
}

export interface EvidenceExplanation {
  readonly pack_id: string;
  readonly environment_id: string;
  readonly candidate_id: string;
  readonly digest: string;
  readonly satisfied: boolean;
  readonly requirements: readonly RequirementExplanation[];
}

export interface EvidenceExport {
  /** The in-toto Statement that is signed, for reading; what counts is the payload of the envelope. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** A DSSE envelope as JSON: over the RFC 8785 bytes of the manifest, payload type application/vnd.in-toto+json. */
  readonly envelope?: Readonly<Record<string, unknown>>;
}

export interface EvidenceGate {
  readonly pack_id: string;
  readonly environment_id: string;
  readonly candidate_id: string;
  /** Of the pack as it was looked at. */
  readonly digest: string;
  readonly phase: string;
  readonly satisfied: boolean;
  readonly requirements: readonly RequirementGate[];
  readonly evaluated_at?: string;
}

export interface EvidenceKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly kid: string;
  readonly use: string;
  readonly alg: string;
}

/** RFC 7517. */
export interface EvidenceKeys {
  readonly keys: readonly EvidenceKey[];
}

export interface EvidencePack {
  readonly id: string;
  readonly tenant_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The promotion that the evidence is for; empty until one has taken the pack. */
  readonly candidate_id: string;
  readonly requirements: readonly EvidenceRequirement[];
  /** open or archived. */
  readonly state: string;
  /** Of candidate, requirements, artifacts and receipts, in whatever order they came: what an approval is bound to. */
  readonly digest: string;
  readonly artifact_count: number;
  readonly receipt_count: number;
  readonly open_run_count: number;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface EvidenceReceipt {
  readonly id: string;
  readonly pack_id: string;
  readonly environment_id: string;
  readonly scenario?: ScenarioReceipt;
  readonly connector?: ConnectorReceipt;
  readonly strategy?: StrategyReceipt;
  readonly runtime?: RuntimeReceipt;
  readonly graph?: GraphReceipt;
  readonly canary?: CanaryReceipt;
  readonly subjects: readonly EvidenceSubject[];
  readonly candidate_id: string;
  readonly result: string;
  readonly produced_at?: string;
  readonly expires_at?: string;
  readonly run_id: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Of the in-toto Statement that the receipt is kept as. */
  readonly digest: string;
  /** The trusted key that its producer signed with; empty: none. */
  readonly producer_key_id: string;
  readonly created_by: string;
  readonly created_at?: string;
}

/** What has to be shown before a step of a promotion. */
export interface EvidenceRequirement {
  /** Unique in the pack. */
  readonly id: string;
  readonly receipt_type: "scenario" | "connector" | "strategy" | "runtime" | "graph" | "canary";
  /** The digest that the receipt must have among its subjects; empty: any receipt of the candidate. */
  readonly subject?: string;
  /** Before which step: canary, or approval. Empty: canary. The gate of a phase asks for the earlier ones too. */
  readonly phase?: "" | "canary" | "approval";
  /** An older receipt is stale. 0: it never is. */
  readonly max_age_seconds?: number;
  /** Only a receipt that a trusted producer signed counts. */
  readonly producer_signed?: boolean;
  /** Ids of requirements of this pack that have to be satisfied as well. */
  readonly depends_on?: readonly string[];
}

export interface EvidenceRun {
  readonly id: string;
  readonly pack_id: string;
  readonly environment_id: string;
  /** The type of receipt that it brings. */
  readonly kind: string;
  /** sandbox or dry_run. */
  readonly mode: string;
  /** pending, running, succeeded, failed, cancelled or expired. */
  readonly state: string;
  /** Shown once, by StartRun. */
  readonly lease_token?: string;
  readonly lease_expires_at?: string;
  readonly deadline_at?: string;
  readonly receipt_id: string;
  readonly created_by: string;
  readonly cancel_reason: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface EvidenceServiceCancelRunRequest {
  readonly environment_id: string;
  readonly run_id: string;
  readonly reason?: string;
}

export interface EvidenceServiceGetKeysRequest {
}

export interface EvidenceServiceGetRunRequest {
  readonly environment_id: string;
  readonly run_id: string;
}

export interface EvidenceServiceHeartbeatRunRequest {
  readonly environment_id: string;
  readonly run_id: string;
  readonly lease_token: string;
  /** Unset: as long as the run was started with. */
  readonly lease_seconds?: number;
}

export interface EvidenceServiceListRunsRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly state?: "pending" | "running" | "succeeded" | "failed" | "cancelled" | "expired";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface EvidenceServiceListRunsResponse {
  readonly runs: readonly EvidenceRun[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface EvidenceServiceStartRunRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly kind: "scenario" | "connector" | "strategy" | "runtime" | "graph";
  /** sandbox is refused in a live environment. */
  readonly mode: "sandbox" | "dry_run";
  /** Unset: 60. */
  readonly lease_seconds?: number;
  /** Unset: 3600. */
  readonly deadline_seconds?: number;
}

export interface EvidenceSubject {
  readonly name?: string;
  readonly digest: string;
}

export interface ExecuteActionRequest {
  readonly key: string;
  readonly connection_id: string;
  /** As input_schema of the action says; at most 256 KiB. */
  readonly input?: unknown;
  /** How long the answer waits for the end. */
  readonly wait_seconds?: number;
  /** After this it is not tried again; unset: 300. */
  readonly deadline_seconds?: number;
}

export interface ExpandRequirementsRequest {
  readonly environment_id: string;
  readonly artifacts: readonly PromotionArtifactRef[];
  /** A rule of one of them redirects to another pool. */
  readonly redirects?: boolean;
}

export interface ExpandRequirementsResponse {
  /** Of the rules. */
  readonly version: string;
  readonly requirements: readonly EvidenceRequirement[];
}

export interface Experiment {
  readonly id: string;
  /** Unique in the tenant; fixed. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly tenant_id: string;
  readonly environment: string;
  /** draft, running, paused, completed or stopped. */
  readonly status: string;
  /** sha256_v1, or fnv1a_v2, which decides as GrowthBook's hash version 2. */
  readonly hash_version: string;
  /** What is hashed before the unit's id; the experiment's id where none was given. */
  readonly salt: string;
  readonly variants: readonly Variant[];
  /** The share of the units that takes part. */
  readonly coverage: number;
  /** CEL over `attributes`, `unit_id` and `now`; an empty one takes every unit. */
  readonly targeting: string;
  readonly group?: ExperimentGroupShare;
  /** By unit id: the variant that it gets, outside the experiment. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
  readonly analysis?: Analysis;
  /** Scores are taken until then. Without one that was set: 30 days after the end. */
  readonly scores_close_at?: string;
  /** Of a completed experiment, where one was named. */
  readonly winner?: string;
  /** Of a stopped experiment. */
  readonly stop_reason?: string;
  /** What was in force when; the last one is in force now. None in a draft. */
  readonly phases: readonly Phase[];
  readonly started_at?: string;
  readonly ended_at?: string;
  /** The last time the guardrails were looked at. */
  readonly last_look?: GuardrailLook;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface ExperimentGroup {
  readonly id: string;
  readonly name: string;
  readonly tenant_id: string;
  readonly environment: string;
  /** In the order of their beginnings. */
  readonly ranges: readonly GroupRange[];
  /** What is not given out, in all. */
  readonly free: number;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface ExperimentGroupShare {
  readonly id: string;
  /** Of the group's units; at most six decimals. */
  readonly share?: number;
  /** Where its range begins, once it has one. */
  readonly start?: number;
}

export interface ExperimentResults {
  readonly experiment_id: string;
  /** Of the experiment. */
  readonly status: string;
  readonly computed_at?: string;
  readonly method: string;
  /** For one comparison: that of the analysis divided by the number of treatments. */
  readonly alpha: number;
  /** fixed, and the experiment still runs: its figures are valid only once, at the end. */
  readonly peeked: boolean;
  /** False: the data are broken, and nothing is concluded from them. `problems` says why. */
  readonly trustworthy: boolean;
  readonly problems: readonly string[];
  /** The phases whose units count here. */
  readonly phases: readonly number[];
  readonly variants: readonly VariantUnits[];
  readonly metrics: readonly MetricResults[];
  /** Of every phase. */
  readonly sample_ratios: readonly SampleRatio[];
  readonly multiple_exposures?: MultipleExposures;
  readonly guardrails: readonly GuardrailResult[];
  readonly units_by_day: readonly UnitsOfDay[];
  /** The treatment with the greatest good lift of the primary metric among those that are significant. None where the data are broken, or a guardrail of it is breached. */
  readonly winner?: string;
}

export interface ExperimentUnit {
  readonly variant: string;
  readonly phase: number;
  readonly exposed_at?: string;
  /** It was exposed to another variant as well. */
  readonly multiple: boolean;
  /** Of an earlier phase, and excluded. */
  readonly excluded: boolean;
  readonly metrics: readonly UnitMetric[];
}

export interface ExplainAdmissionRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
}

export interface ExplainPackRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  /** Unset: the requirements of all phases. */
  readonly phase?: "canary" | "approval";
}

export interface ExplainReportRequest {
  readonly environment_id: string;
  /** Unset: the newest. */
  readonly report_id?: string;
}

export interface ExplainedResult {
  readonly case_id: string;
  readonly title: string;
  readonly status: string;
  readonly detail: string;
}

export interface ExportConfigRequest {
}

export interface ExportPackRequest {
  readonly environment_id: string;
  readonly pack_id: string;
}

export interface Exposure {
  readonly receipt: string;
  /** As in Assign. */
  readonly covariates?: Readonly<Record<string, number>>;
}

export interface ExposureResult {
  readonly index: number;
  /** exposed, known (it was exposed before) or multiple (it was exposed to another variant, which it keeps). */
  readonly outcome?: string;
  readonly error?: BatchError;
}

/** Where something is wrong. */
export interface ExpressionProblem {
  /** In the condition, from 1; 0 where it is the action. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** condition, or the path of what the action names: action.restrict.recipient_ids[0]. */
  readonly field: string;
}

export interface ExtendRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  /** Default: the pool's. */
  readonly lease_seconds?: number;
  /** How far the worker is. Absent: as it said last. */
  readonly progress?: ItemProgress;
}

export interface FailRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly error?: string;
  readonly error_type?: string;
  /** False: a dead letter at once. Default true. */
  readonly retryable?: boolean;
  /** Instead of the back-off. */
  readonly delay_ms?: number;
}

export interface Failure {
  /** `resolve`, `select`, `render`, `connect`, `provider`. */
  readonly phase: string;
  readonly code: string;
  readonly detail: string;
}

/** Inside a band, keys share the recipients in proportion to their weights. */
export interface FairnessConfig {
  /** CEL over `item`; its value is the key. */
  readonly key: string;
  /** By key; a key that is not listed weighs 1. */
  readonly weights?: Readonly<Record<string, number>>;
}

export interface GetActionRequest {
  readonly key: string;
}

export interface GetAdmissionGroupRequest {
  readonly pool_id: string;
  readonly constraint_kind: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id: string;
}

export interface GetAnomalyRequest {
  readonly anomaly_id: string;
}

export interface GetApiKeyRequest {
  readonly id: string;
}

export interface GetArtifactRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly artifact_id: string;
}

export interface GetBroadcastRequest {
  readonly transaction_id: string;
}

export interface GetCandidateRequest {
  readonly candidate_id: string;
}

export interface GetCapabilityRequest {
  readonly id: string;
}

export interface GetConfigSchemaRequest {
}

export interface GetConnectSessionRequest {
  readonly connect_session_id: string;
}

export interface GetConnectionRequest {
  readonly connection_id: string;
}

export interface GetDeadLetterRequest {
  readonly dead_letter_id: string;
}

export interface GetDeadLetterStatsRequest {
  readonly pool_id: string;
}

export interface GetDefinitionRequest {
  readonly id: string;
}

export interface GetDeliveryRequest {
  readonly delivery_id: string;
}

export interface GetExecutionRequest {
  readonly execution_id: string;
  /** How long the answer waits for the end. */
  readonly wait_seconds?: number;
}

export interface GetExperimentGroupRequest {
  readonly id: string;
}

export interface GetExperimentRequest {
  readonly experiment_id: string;
}

export interface GetIntegrationRequest {
  readonly integration_id: string;
}

export interface GetItemRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
}

export interface GetJobRequest {
  readonly pool_id: string;
  readonly operation_id: string;
}

export interface GetLayoutRequest {
  readonly layout_id: string;
}

export interface GetLayoutUsageRequest {
  readonly layout_id: string;
}

export interface GetMonitorRequest {
  readonly monitor_id: string;
}

export interface GetNoticeRequest {
  readonly workflow_key: string;
}

export interface GetObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly object_id: string;
  /** The first byte, and the one after the last; default: all. A negative start counts from the end. */
  readonly start?: number;
  readonly end?: number;
  /** `start` and `end` count only where the object has this digest; otherwise the answer is the whole object. */
  readonly if_digest?: string;
}

export interface GetObjectResponse {
  /** At most 64 KiB. */
  readonly data: string;
  /** These in the first message only. */
  readonly content_type?: string;
  /** Of the whole object. */
  readonly size?: number;
  readonly start?: number;
  readonly end?: number;
  readonly digest?: string;
}

export interface GetOperationalHealthReportRequest {
  /** Default: what X-Environment names, else production. */
  readonly environment?: string;
  /** How far back ended runs are counted: 5m to 24h, in steps of five minutes. Default 1h. */
  readonly period?: string;
}

export interface GetPackRequest {
  readonly environment_id: string;
  readonly pack_id: string;
}

export interface GetPoolRequest {
  readonly pool_id: string;
}

export interface GetPoolVersionRequest {
  readonly pool_id: string;
  readonly version: number;
}

export interface GetPostureRequest {
}

export interface GetProviderConfigRequest {
  readonly provider_config_id: string;
}

export interface GetProviderRequest {
  readonly key: string;
}

export interface GetQueueSeriesRequest {
  readonly pool_id: string;
  /** How far back, from 5m to 168h. Default 1h; no further than `queue.series_hours`. */
  readonly window?: string;
  /** Default 1m. */
  readonly step?: "1m" | "5m" | "1h";
}

export interface GetQueueStatusRequest {
  readonly pool_id: string;
}

export interface GetQuotaRequest {
  readonly tenant_id: string;
  /** `enqueue`: as quotas name it. */
  readonly operation: string;
}

export interface GetRecipientRequest {
  readonly recipient_id: string;
}

export interface GetReportRequest {
  readonly environment_id: string;
  readonly report_id: string;
}

export interface GetResultsRequest {
  readonly experiment_id: string;
  /** Of this phase only. Unset: of all since units were last excluded. */
  readonly phase?: number;
}

export interface GetRetryAllRequest {
  readonly pool_id: string;
  readonly operation_id: string;
}

export interface GetRoutingRequest {
  readonly routing_id: string;
  readonly verify?: boolean;
}

export interface GetRuleRequest {
  readonly rule_id: string;
}

export interface GetRunRequest {
  readonly run_id: string;
}

export interface GetServicesRequest {
}

export interface GetStreamRequest {
  readonly run_id: string;
  readonly stream_id: string;
}

export interface GetSubscriberRequest {
  readonly subscriber_id: string;
}

export interface GetSuiteRequest {
  readonly suite_id: string;
}

export interface GetTenantRequest {
  readonly tenant_id: string;
}

export interface GetTopicRequest {
  readonly key: string;
}

export interface GetTriggerRequest {
  readonly key: string;
}

export interface GetTriggerSubscriptionRequest {
  readonly trigger_subscription_id: string;
}

export interface GetUnitRequest {
  readonly experiment_id: string;
  readonly unit_id: string;
}

export interface GetUserPreferenceRequest {
  readonly workflow_key: string;
  readonly user_id: string;
}

export interface GetVersionRequest {
  readonly id: string;
  readonly version: number;
}

export interface GetWebhookJobRequest {
  readonly webhook_id: string;
  readonly operation_id: string;
}

export interface GetWebhookRequest {
  readonly webhook_id: string;
}

export interface GraphReceipt {
  readonly cycles?: number;
  readonly unresolved?: readonly string[];
}

export interface GroupRange {
  readonly experiment_id: string;
  readonly start: number;
  readonly share: number;
}

export interface GuardrailFinding {
  readonly scope: string;
  readonly metric: string;
  readonly verdict: "pass" | "fail" | "inconclusive";
  readonly report_only: boolean;
  /** Of the target that decided. */
  readonly target_id?: string;
  /** target: the figure. canary: the rate of the canary less that of the rest. */
  readonly value?: number;
  /** canary: the interval of `value`, or of the rate where only `max` is set. */
  readonly low?: number;
  readonly high?: number;
  readonly canary?: SideSamples;
  readonly stable?: SideSamples;
  readonly detail: string;
}

export interface GuardrailLook {
  readonly looked_at?: string;
  /** Metrics that are breached. */
  readonly breached: readonly string[];
  /** Whether the sample ratio was off. */
  readonly sample_ratio_mismatch: boolean;
}

export interface GuardrailResult {
  readonly metric: string;
  readonly variant: string;
  /** breached, safe or inconclusive. */
  readonly verdict: string;
  readonly margin: number;
  /** Of the lift; sequential, whatever the method of the analysis. */
  readonly lower?: number;
  readonly upper?: number;
  readonly reason: string;
}

export interface HealthEvidence {
  readonly signal: string;
  readonly value: number;
  /** From this value on. */
  readonly degraded_at: number;
  readonly unhealthy_at: number;
}

/** How old the sources are; what has not answered has no age. */
export interface HealthFreshness {
  /** The longest silence of a queue with items. */
  readonly telemetry_age_ms?: number;
  /** How far the clock of a queue's node is ahead. */
  readonly clock_skew_ms?: number;
  /** Of the last look at storage, cache, threads and shards. */
  readonly dependency_age_ms?: number;
}

export interface HealthReason {
  /** TELEMETRY_STALE, READY_DEPTH_DEGRADED, …: /docs/runbooks/{code} says what to do. */
  readonly code: string;
  readonly signal: string;
  /** degraded, unhealthy or unknown. */
  readonly level: string;
}

export interface HealthScope {
  readonly tenant_id: string;
  readonly environment: string;
}

export interface HealthScopes {
  readonly tenant_id: string;
  readonly environments: readonly string[];
}

export interface HealthStep {
  readonly code: string;
  readonly title: string;
  /** Path of the page that has the steps. */
  readonly runbook: string;
}

export interface HealthWindow {
  /** A whole five minutes of UTC. */
  readonly from?: string;
  readonly to?: string;
}

export interface HeartbeatRequest {
  readonly recipient_id: string;
  /** The next heartbeat is due within this time. Default 30. */
  readonly ttl_seconds?: number;
}

export interface Identity {
  /** user, api_key, service or anonymous. */
  readonly kind: string;
  readonly subject: string;
  /** Who answers for the subject: who created an API key, else the subject. */
  readonly owner: string;
  /** Unset: a platform principal, which selects a tenant by X-Tenant-ID. */
  readonly tenant_id?: string;
  readonly roles: readonly string[];
  /** What the roles are narrowed to; empty: they are not. */
  readonly scopes: readonly string[];
  /** What the caller may do: what the roles grant, narrowed by the scopes. */
  readonly permissions: readonly string[];
  /** any, production_only or non_production_only. */
  readonly environment_mode: string;
  /** Of the tenant that the call is for; unset where a platform principal names none. */
  readonly tenant_name?: string;
  /** Of that tenant, those in which the caller may act. */
  readonly environments: readonly string[];
}

export interface InboxCount {
  readonly unread_count: number;
}

export interface InboxMessage {
  readonly id: string;
  readonly delivery_id: string;
  readonly workflow_key: string;
  readonly subject: string;
  readonly body: string;
  /** `overrides.in_app.provider` of the trigger. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly read: boolean;
  readonly archived: boolean;
  /** Counts the messages of this inbox from 1. */
  readonly sequence: number;
  readonly created_at?: string;
  readonly read_at?: string;
}

export interface Integration {
  readonly id: string;
  readonly channel: string;
  /** Unique in its channel. */
  readonly name: string;
  readonly provider_key: string;
  readonly connection_id: string;
  readonly priority: number;
  readonly active: boolean;
  readonly condition: string;
  readonly casing_override: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly rate?: IntegrationRate;
  /** hold: the delivery fails with OUTCOME_UNKNOWN. resend: it is sent again, perhaps twice. */
  readonly on_unknown: string;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  /** Grows with every change. */
  readonly record_version: number;
  /** Present: it is deleted, is not listed, and is kept for readers of old deliveries. */
  readonly deleted_at?: string;
}

export interface IntegrationRate {
  readonly per_second: number;
  /** How many more than that may leave at once; in any time t at most burst + per_second * t do. Absent: the messages of one second, at least 2. */
  readonly burst?: number;
}

/** How far a worker is with an item, in its own words. */
export interface ItemProgress {
  readonly percent?: number;
  readonly note?: string;
  /** At most 4 KiB as JSON. */
  readonly data?: unknown;
}

/** Work on everything that matches a filter: it goes on by itself, also over restarts, and takes each thing once. */
export interface Job {
  readonly operation_id: string;
  readonly kind: "retry_all" | "cancel_all" | "redeliver";
  readonly state: "running" | "completed" | "cancelled";
  /** As it was given. */
  readonly filter: string;
  /** Candidates when it was started, before the filter; exact. */
  readonly total: number;
  /** Candidates it has looked at. */
  readonly looked_at: number;
  readonly changed: number;
  /** Those that match and could not be changed. */
  readonly skipped: number;
  readonly started_by: string;
  readonly started_at?: string;
  readonly finished_at?: string;
}

export interface LayerTrace {
  readonly layer: number;
  readonly name: string;
  /** `not_applicable`, `absent`, `condition_false`, `condition_error`, `no_opinion`, `locked_out`, `applied`. */
  readonly state: string;
  readonly enabled?: boolean;
  /** Where the opinion comes from: `channel` or `all`. */
  readonly source?: string;
  readonly read_only: boolean;
  /** `none`, `open`, `silent`. */
  readonly schedule: string;
}

export interface Layout {
  readonly id: string;
  /** email, sms, push, chat or inapp. */
  readonly channel: string;
  readonly name: string;
  /** handlebars or liquid. */
  readonly engine: string;
  readonly body: string;
  /** At most one of a channel is. */
  readonly is_default: boolean;
  /** Grows with every change; an update names the one it was made from. */
  readonly version: number;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface LayoutPreview {
  readonly output: string;
  /** Paths that have a value here, sorted. */
  readonly resolved: readonly string[];
  /** Paths that have none. */
  readonly unresolved: readonly string[];
}

export interface LayoutUsage {
  readonly layout_id: string;
  /** The first 1,000, by key. */
  readonly workflow_keys: readonly string[];
  /** There are more than these. */
  readonly more: boolean;
}

export interface LeaseRef {
  readonly queue_item_id: string;
  readonly lease_token: string;
  /** How far the worker is. Absent: as it said last. */
  readonly progress?: ItemProgress;
}

export interface LeasedItem {
  readonly item?: QueueItem;
  /** The fence: only this settles the lease. */
  readonly lease_token: string;
  readonly lease_expires_at?: string;
}

export interface ListActionsRequest {
  readonly provider_key?: string;
  readonly runtime_status?: "executable" | "catalog_only" | "disabled" | "blocked";
  readonly mutation?: "none" | "idempotent" | "non_idempotent";
  /** Part of the key, the title or the description. */
  readonly text?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListActionsResponse {
  readonly actions: readonly ConnectorAction[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListAdmissionGroupsRequest {
  readonly environment?: string;
  readonly pool_id?: string;
  readonly constraint_kind?: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly status?: "active" | "expired" | "cleared";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListAdmissionGroupsResponse {
  readonly admission_groups: readonly AdmissionGroup[];
  /** Empty at the end. A page over all pools may be short and still have a next one. */
  readonly next_page_token: string;
  /** Never set: no counter knows. */
  readonly total?: number;
  /** Pools that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailablePool[];
}

export interface ListAnomaliesRequest {
  readonly pool_id?: string;
  readonly monitor_id?: string;
  readonly state?: "open" | "closed";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListAnomaliesResponse {
  readonly anomalies: readonly Anomaly[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
  /** Anomalies whose pool could not answer now. */
  readonly unavailable: readonly UnavailableAnomaly[];
}

export interface ListApiKeysRequest {
  /** active (expired keys among them) or revoked; unset: all. */
  readonly status?: "active" | "revoked";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListApiKeysResponse {
  readonly api_keys: readonly ApiKey[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListArtifactsRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListArtifactsResponse {
  readonly artifacts: readonly EvidenceArtifact[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListCandidatesRequest {
  readonly state?: string;
  readonly environment_id?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListCandidatesResponse {
  readonly candidates: readonly PromotionCandidate[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
  /** Candidates that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailableCandidate[];
}

export interface ListCapabilitiesRequest {
  readonly include_disabled?: boolean;
  readonly include_degraded?: boolean;
  /** Those with mode unwired. */
  readonly include_missing_dependency?: boolean;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListCapabilitiesResponse {
  readonly capabilities: readonly Capability[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListConnectionsRequest {
  readonly provider_key?: string;
  readonly status?: "active" | "needs_reauth" | "disabled" | "revoked";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListConnectionsResponse {
  readonly connections: readonly Connection[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListConsumersRequest {
  readonly run_id: string;
  readonly stream_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListConsumersResponse {
  readonly consumers: readonly StreamConsumer[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListDeadLettersRequest {
  readonly pool_id: string;
  /** The quarantined ones instead of the others. */
  readonly quarantined?: boolean;
  /** Only those for which this is true, in CEL over item, state, attempts, error_type and created_at. One on which it fails does not match. */
  readonly filter?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListDeadLettersResponse {
  readonly dead_letters: readonly QueueItem[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListDefinitionsRequest {
  /** Unset: all. */
  readonly status?: "draft" | "published" | "archived";
  /** Only the definition with this key; not together with other fields. */
  readonly key?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListDefinitionsResponse {
  readonly definitions: readonly WorkflowDefinition[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListDeliveriesRequest {
  readonly transaction_id?: string;
  readonly subscriber_id?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListDeliveriesResponse {
  readonly deliveries: readonly Delivery[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListEndpointsRequest {
  readonly subscriber_id: string;
  readonly channel?: "email" | "sms" | "push" | "chat" | "in_app";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListEndpointsResponse {
  readonly endpoints: readonly Endpoint[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListEventsRequest {
  /** Only these kinds; one without a dot stands for all that begin with it; all where empty. */
  readonly kinds?: readonly ("admission_group" | "admission_group.cleared" | "anomaly" | "anomaly.alert" | "anomaly.closed" | "anomaly.opened" | "broadcast" | "broadcast.cancelled" | "broadcast.completed" | "broadcast.completed_with_failures" | "broadcast.delivering" | "broadcast.expanding" | "conformance" | "conformance.reported" | "connect_session" | "connect_session.authorizing" | "connect_session.connected" | "connect_session.created" | "connect_session.expired" | "connect_session.failed" | "connect_session.revoked" | "connection" | "connection.active" | "connection.deleted" | "connection.disabled" | "connection.needs_reauth" | "connection.refresh_failing" | "connection.refreshed" | "connection.revoked" | "connector_execution" | "connector_execution.cancelled" | "connector_execution.failed" | "connector_execution.outcome_unknown" | "connector_execution.queued" | "connector_execution.running" | "connector_execution.succeeded" | "connector_execution.waiting" | "connector_trigger" | "connector_trigger.dropped" | "connector_trigger.fired" | "console_session" | "console_session.ended" | "console_session.started" | "delivery" | "delivery.failed" | "delivery.observed" | "delivery.sent" | "delivery.skipped" | "endpoint" | "endpoint.removed" | "endpoint.suppressed" | "endpoint.updated" | "evidence_pack" | "evidence_pack.archived" | "evidence_pack.changed" | "evidence_pack.created" | "evidence_run" | "evidence_run.cancelled" | "evidence_run.expired" | "evidence_run.failed" | "evidence_run.pending" | "evidence_run.running" | "evidence_run.succeeded" | "experiment" | "experiment.breached" | "experiment.completed" | "experiment.deleted" | "experiment.draft" | "experiment.paused" | "experiment.phase_opened" | "experiment.running" | "experiment.srm" | "experiment.stopped" | "integration" | "integration.created" | "integration.deleted" | "integration.updated" | "layout" | "layout.created" | "layout.deleted" | "layout.updated" | "notice" | "notice.deleted" | "notice.updated" | "notification_dead_letter" | "notification_dead_letter.opened" | "notification_dead_letter.redriven" | "notification_dead_letter.resolved" | "pool" | "pool.activated" | "pool.canary_changed" | "pool.created" | "pool.deleted" | "pool.updated" | "preference" | "preference.deleted" | "preference.updated" | "promotion" | "promotion.aborted" | "promotion.approved" | "promotion.blocked" | "promotion.canary" | "promotion.canary_stopped" | "promotion.created" | "promotion.failed" | "promotion.guarded" | "promotion.preflighted" | "promotion.promoted" | "promotion.promoting" | "promotion.rejected" | "promotion.rolled_back" | "promotion.rolling_back" | "provider_config" | "provider_config.active" | "provider_config.archived" | "provider_config.disabled" | "provider_config.draft" | "queue" | "queue.paused" | "queue.resumed" | "queue_item" | "queue_item.cancelled" | "queue_item.coalesced" | "queue_item.completed" | "queue_item.dead" | "queue_item.drained" | "queue_item.enqueued" | "queue_item.expired" | "queue_item.extended" | "queue_item.lease_expired" | "queue_item.leased" | "queue_item.purged" | "queue_item.quarantined" | "queue_item.ready" | "queue_item.redirected" | "queue_item.redriven" | "queue_item.released" | "queue_item.retry_scheduled" | "queue_item.superseded" | "queue_item.unquarantined" | "recipient" | "recipient.created" | "recipient.deleted" | "recipient.ejected" | "recipient.half_opened" | "recipient.offline" | "recipient.online" | "recipient.recovered" | "recipient.updated" | "routing" | "routing.redirected" | "rule" | "rule.created" | "rule.deleted" | "rule.updated" | "subscriber" | "subscriber.created" | "subscriber.deleted" | "subscriber.updated" | "tenant" | "tenant.created" | "tenant.deleted" | "tenant.updated" | "topic" | "topic.created" | "topic.deleted" | "topic.updated" | "webhook" | "webhook.created" | "webhook.deleted" | "webhook.disabled" | "webhook.exhausted" | "webhook.gap" | "webhook.updated" | "workflow_definition" | "workflow_definition.archived" | "workflow_definition.draft" | "workflow_definition.published" | "workflow_run" | "workflow_run.cancelled" | "workflow_run.cancelling" | "workflow_run.failed" | "workflow_run.pending" | "workflow_run.running" | "workflow_run.succeeded" | "workflow_step" | "workflow_step.failed")[];
  /** What it happened to: an id. */
  readonly subject?: string;
  /** Not before this time. */
  readonly since?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListEventsResponse {
  readonly events: readonly Event[];
  /** Empty at the end. A page looks at 2,048 events: with a filter it may have few of them, or none, and go on. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListExecutionsRequest {
  readonly connection_id: string;
  readonly status?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "outcome_unknown" | "cancelled";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListExecutionsResponse {
  readonly executions: readonly ConnectorExecution[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListExperimentGroupsRequest {
  readonly environment?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListExperimentGroupsResponse {
  readonly experiment_groups: readonly ExperimentGroup[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
  /** Groups that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailableExperiment[];
}

export interface ListExperimentsRequest {
  readonly status?: "draft" | "running" | "paused" | "completed" | "stopped";
  readonly environment?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListExperimentsResponse {
  readonly experiments: readonly Experiment[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
  /** Experiments that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailableExperiment[];
}

export interface ListInboxRequest {
  readonly subscriber_id: string;
  /** Unset: read and unread ones. */
  readonly unread?: boolean;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListInboxResponse {
  readonly messages: readonly InboxMessage[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
  readonly unread_count: number;
}

export interface ListIntegrationsRequest {
  readonly channel?: "email" | "sms" | "push" | "chat" | "in_app";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListIntegrationsResponse {
  readonly integrations: readonly Integration[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListItemsRequest {
  readonly pool_id: string;
  /** Only items in one of these; all where empty. */
  readonly states?: readonly ("scheduled" | "ready" | "leased" | "retry_wait" | "completed" | "dead" | "cancelled" | "expired" | "superseded")[];
  readonly key?: string;
  /** Only items for which this is true, in CEL over item, state, attempts, error_type and created_at. One on which it fails does not match. */
  readonly filter?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListItemsResponse {
  readonly items: readonly QueueItem[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter; unset where no counter knows. */
  readonly total?: number;
}

export interface ListJobsRequest {
  readonly pool_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListJobsResponse {
  readonly jobs: readonly Job[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListLayoutsRequest {
  readonly channel?: "email" | "sms" | "push" | "chat" | "inapp" | "in_app";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListLayoutsResponse {
  readonly layouts: readonly Layout[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListMembersRequest {
  readonly key: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListMembersResponse {
  readonly members: readonly TopicMember[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListMonitorsRequest {
  readonly pool_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListMonitorsResponse {
  readonly monitors: readonly AnomalyMonitor[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListNoticesRequest {
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListNoticesResponse {
  readonly workflows: readonly Notice[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
  /** Workflows that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailableNotice[];
}

export interface ListObservationsRequest {
  readonly delivery_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListObservationsResponse {
  readonly observations: readonly Observation[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListPacksRequest {
  readonly state?: "open" | "archived";
  readonly environment_id?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListPacksResponse {
  readonly packs: readonly EvidencePack[];
  readonly next_page_token: string;
  readonly total: number;
  /** Packs that could not be asked just now. The list is complete without them. */
  readonly unavailable: readonly UnavailablePack[];
}

export interface ListPoolVersionsRequest {
  readonly pool_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListPoolVersionsResponse {
  readonly pool_versions: readonly PoolVersion[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListPoolsRequest {
  readonly status?: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly environment?: string;
  /** Of the pool. With it or with name_prefix, by name and then by id. */
  readonly name?: string;
  /** What the name of the pool begins with; not together with name. */
  readonly name_prefix?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListPoolsResponse {
  readonly pools: readonly Pool[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter; unset where no counter knows. */
  readonly total?: number;
  /** Pools that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailablePool[];
}

export interface ListPreferencesRequest {
  readonly subscriber_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListPreferencesResponse {
  readonly preferences: readonly Preference[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListProviderConfigsRequest {
  readonly provider_key?: string;
  readonly status?: "draft" | "active" | "disabled" | "archived";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListProviderConfigsResponse {
  readonly provider_configs: readonly ProviderConfig[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListProvidersRequest {
  /** Part of the key or the name. */
  readonly text?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListProvidersResponse {
  readonly providers: readonly ConnectorProvider[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListQueuesRequest {
  /** The caller's own, or any for a platform principal. */
  readonly tenant_id?: string;
  readonly paused_only?: boolean;
  readonly environment?: string;
  /** Of the pool. With it or with name_prefix, by name and then by id. */
  readonly name?: string;
  /** What the name of the pool begins with; not together with name. */
  readonly name_prefix?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListQueuesResponse {
  readonly queues: readonly QueueStatus[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter; unset where no counter knows. */
  readonly total?: number;
  /** Pools that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailablePool[];
}

export interface ListReceiptsRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly receipt_type?: "scenario" | "connector" | "strategy" | "runtime" | "graph" | "canary";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListReceiptsResponse {
  readonly receipts: readonly EvidenceReceipt[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListRecipientsRequest {
  readonly pool_id: string;
  readonly status?: "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  /** The whole name. */
  readonly name?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListRecipientsResponse {
  readonly recipients: readonly Recipient[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter; unset where it has a name. */
  readonly total?: number;
}

export interface ListReportsRequest {
  readonly environment_id?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListReportsResponse {
  readonly reports: readonly ConformanceReport[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListRulesRequest {
  readonly pool_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListRulesResponse {
  readonly rules: readonly Rule[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListRunsRequest {
  readonly status?: "pending" | "running" | "succeeded" | "failed" | "cancelling" | "cancelled";
  readonly definition_id?: string;
  /** idle, incompatible or dead (failed, and neither retried nor dismissed). */
  readonly mark?: "idle" | "incompatible" | "dead";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListRunsResponse {
  readonly runs: readonly WorkflowRun[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListScopesRequest {
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListScopesResponse {
  readonly scopes: readonly HealthScopes[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListStepsRequest {
  readonly run_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListStepsResponse {
  readonly steps: readonly WorkflowStep[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListStreamsRequest {
  readonly run_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListStreamsResponse {
  readonly streams: readonly StreamEntry[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListSubscribersRequest {
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListSubscribersResponse {
  readonly subscribers: readonly Subscriber[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListSubscriptionsRequest {
  readonly subscriber_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListSubscriptionsResponse {
  readonly subscriptions: readonly Subscription[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface ListSuitesRequest {
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListSuitesResponse {
  readonly suites: readonly ConformanceSuite[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListTenantsRequest {
  readonly status?: "active" | "suspended" | "deleted";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListTenantsResponse {
  readonly tenants: readonly Tenant[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListTopicsRequest {
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListTopicsResponse {
  readonly topics: readonly Topic[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
  /** Topics that could not be asked just now and are missing from this page. */
  readonly unavailable: readonly UnavailableTopic[];
}

export interface ListTriggerSubscriptionsRequest {
  readonly connection_id?: string;
  readonly status?: "active" | "disabled" | "failing";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListTriggerSubscriptionsResponse {
  readonly trigger_subscriptions: readonly TriggerSubscription[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListTriggersRequest {
  readonly provider_key?: string;
  /** Part of the key or the title. */
  readonly text?: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListTriggersResponse {
  readonly triggers: readonly ConnectorTrigger[];
  /** Empty at the end. */
  readonly next_page_token: string;
  /** Exact for the filter. */
  readonly total?: number;
}

export interface ListVersionsRequest {
  readonly id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListVersionsResponse {
  readonly versions: readonly WorkflowVersion[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListWebhookJobsRequest {
  readonly webhook_id: string;
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListWebhookJobsResponse {
  readonly jobs: readonly Job[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListWebhooksRequest {
  /** Only these. */
  readonly status?: "active" | "disabled";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface ListWebhooksResponse {
  readonly webhooks: readonly Webhook[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
  /** Endpoints that could not answer now. */
  readonly unavailable: readonly UnavailableWebhook[];
}

export interface LivePool {
  readonly pool_id: string;
  readonly queue?: QueueStatus;
  readonly rates?: LiveRates;
  /** At most 100, those that hold most first. */
  readonly recipients: readonly LiveRecipient[];
  /** Why there are no figures of this pool now. */
  readonly error?: BatchError;
}

export interface LivePools {
  readonly at?: string;
  readonly pools: readonly LivePool[];
}

/** A second, over the last ten. */
export interface LiveRates {
  readonly enqueued: number;
  readonly claimed: number;
  readonly completed: number;
  readonly failed: number;
  readonly dead: number;
}

export interface LiveRecipient {
  readonly recipient_id: string;
  readonly name: string;
  readonly status: "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  /** Cost of its leases and reservations. */
  readonly in_flight: number;
  /** 0: unlimited. */
  readonly capacity: number;
}

export interface MarkInboxRequest {
  readonly subscriber_id: string;
  /** Exactly one of this and `all`. */
  readonly message_ids?: readonly string[];
  /** The newest 1,000 that are not marked so yet. */
  readonly all?: boolean;
  readonly as: "read" | "unread" | "archived";
}

export interface MarkInboxResponse {
  readonly changed: number;
  readonly unread_count: number;
}

export interface MethodReport {
  readonly name: string;
  /** Unset where the method has no REST address. */
  readonly http_method?: string;
  readonly path?: string;
  /** Every permission asked for, resource:action first. */
  readonly scopes: readonly string[];
  /** At least one of them is asked for, where there is any. */
  readonly roles: readonly string[];
  /** supported, experimental, internal, operational or disabled. */
  readonly lifecycle: string;
  /** public, tenant, operator or internal. */
  readonly audience: string;
  readonly authentication_required: boolean;
  readonly authorization_required: boolean;
  readonly resource: string;
  readonly action: string;
  readonly internal_only: boolean;
}

export interface Metric {
  readonly key: string;
  /** Of a unit: binary (any score that is not 0), sum (of its scores), count (of its scores), mean (of all scores of all units). */
  readonly kind: "binary" | "sum" | "count" | "mean";
  /** Exactly one metric is primary. Unset: secondary. */
  readonly role?: "primary" | "secondary" | "guardrail";
  /** What is good. Unset: increase. */
  readonly direction?: "increase" | "decrease";
  /** Decimals of a score that count, 0 to 9; the rest is rounded half to even. Unset: 6. */
  readonly scale?: number;
  /** Of a sum: what one unit counts at most. */
  readonly cap?: number;
  /** Scores count that occurred so long after the exposure; unset: all. */
  readonly window_seconds?: number;
  /** Assignments bring a value from before the exposure, which takes its share of the variance out. Not of a mean. */
  readonly covariate?: boolean;
  /** Of a guardrail: the lift on the bad side that is still accepted, 0.02 for two per cent. Unset: 0. */
  readonly margin?: number;
  /** Of a guardrail. Unset: flag. */
  readonly on_breach?: "flag" | "pause";
}

export interface MetricResults {
  readonly metric: string;
  readonly kind: string;
  readonly role: string;
  readonly direction: string;
  readonly variants: readonly VariantResult[];
}

export interface MultipleExposures {
  /** That were exposed to more than one variant. */
  readonly units: number;
  readonly share: number;
  readonly too_many: boolean;
}

/** What is to be appended. */
export interface NewStreamRecord {
  /** data, input (told to the run's wait service too) or control. Default data. */
  readonly kind?: "data" | "input" | "control";
  /** Default application/octet-stream for `bytes`, application/json for a payload. Must be in a content class of the stream. */
  readonly content_type?: string;
  readonly payload?: unknown;
  readonly bytes?: string;
  /** Makes a repeat harmless: the records of a request have the same id and epoch, and sequences that follow one another. */
  readonly producer?: StreamProducer;
  /** The sequence that the record must get. */
  readonly expected_sequence?: number;
}

export interface Notice {
  readonly workflow_key: string;
  /** By channel. */
  readonly channels: Readonly<Record<string, NoticeContent>>;
  /** Layer 1. */
  readonly preference?: PreferenceSettings;
  /** How long a delivery may wait for a provider. Unset: a day. */
  readonly ttl_seconds?: number;
  readonly version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface NoticeContent {
  readonly engine: "handlebars" | "liquid";
  /** At most 4 KiB; a template too. */
  readonly subject?: string;
  /** At most 64 KiB. */
  readonly body?: string;
  /** Unset: the default layout of the channel. */
  readonly layout_id?: string;
}

export interface NotificationServiceListDeadLettersRequest {
  readonly status?: "open" | "redriven" | "resolved";
  readonly channel?: "email" | "sms" | "push" | "chat" | "in_app";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface NotificationServiceListDeadLettersResponse {
  readonly dead_letters: readonly DeadLetter[];
  readonly next_page_token: string;
  /** Exact. */
  readonly total?: number;
}

export interface Observation {
  readonly seq: number;
  readonly kind: string;
  readonly occurred_at?: string;
  readonly provider_event_id: string;
  readonly adapter: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly recorded_at?: string;
}

export interface OperationalHealthReport {
  /** `ohr_` and the SHA-256 of the ruleset, the scope, the window and the figures: the same report has the same id. */
  readonly report_id: string;
  /** healthy, degraded, unhealthy, or unknown: something is missing, old or contradictory, so that none of the others is certain. */
  readonly verdict: string;
  /** none where the verdict is unknown, medium where fewer than five runs ended in the window, else high. */
  readonly confidence: string;
  /** Why it is not healthy. */
  readonly reasons: readonly HealthReason[];
  /** What to do, for each reason. */
  readonly next_steps: readonly HealthStep[];
  readonly evidence: readonly HealthEvidence[];
  readonly scope?: HealthScope;
  readonly window?: HealthWindow;
  readonly freshness?: HealthFreshness;
  /** v1 */
  readonly ruleset: string;
  /** Of the ruleset as RFC 8785 JSON, in hex. */
  readonly ruleset_sha256: string;
}

export interface Outcome {
  readonly id: string;
  readonly pool_id: string;
  readonly routing_id?: string;
  readonly queue_item_id?: string;
  /** Whose health it counts for; unset where the item was with nobody. */
  readonly recipient_id?: string;
  readonly result: "success" | "failure" | "timeout" | "cancelled";
  readonly latency_ms?: number;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly created_at?: string;
}

export interface OutcomeResult {
  readonly index: number;
  readonly outcome?: Outcome;
  readonly error?: BatchError;
}

/** A recipient that keeps failing is set aside for a while. */
export interface OutlierConfig {
  /** Default 5; 0 turns ejection off. */
  readonly consecutive_failures?: number;
  /** Default 30. */
  readonly ejection_seconds?: number;
  /** Never more than this share of the pool. Default 50. */
  readonly max_ejected_percent?: number;
}

export interface PatchDraftRequest {
  readonly id: string;
  readonly name?: string | null;
  readonly draft?: Readonly<Record<string, unknown>> | null;
  /** The version of the definition that was edited; another one is refused. */
  readonly record_version?: number;
}

export interface PauseExperimentRequest {
  readonly experiment_id: string;
  readonly record_version?: number;
}

export interface PauseQueueRequest {
  readonly pool_id: string;
  /** Resumes by itself then. Default: only when it is resumed. */
  readonly until?: string;
  readonly reason?: string;
}

export interface PauseRecipientRequest {
  readonly recipient_id: string;
}

export interface Phase {
  /** From 1. */
  readonly number: number;
  readonly opened_at?: string;
  readonly coverage: number;
  /** By variant. */
  readonly weights: Readonly<Record<string, number>>;
  readonly targeting: string;
  /** What became of the units of earlier phases: keep, or exclude. Empty in the first. */
  readonly carry: string;
}

export interface Pool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** How a recipient is chosen. */
  readonly strategy: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly status: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly config?: PoolConfig;
  readonly recipient_ids: readonly string[];
  readonly rule_ids: readonly string[];
  readonly tenant_id: string;
  /** Set at creation, never changed. */
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  /** Grows with every change. */
  readonly record_version: number;
  readonly governance?: PoolGovernance;
  /** Of a create with if_absent: whether this call made it. */
  readonly created?: boolean;
}

export interface PoolCanary {
  readonly candidate_id: string;
  /** Of 10,000 keys; 0: it has stopped and is still counted. */
  readonly share_bps: number;
  readonly kinds: readonly string[];
  readonly started_at?: string;
}

/** Unset members have the default given here; an answer shows every one of them in force. A part that is changed by an update needs only the members to change: what is required must be there afterwards. */
export interface PoolConfig {
  /** How long a claim holds an item. Default 30. */
  readonly lease_seconds?: number;
  /** Failures and expiries before an item is a dead letter. Default 5. */
  readonly max_attempts?: number;
  /** Claims before an item is a dead letter, whatever came of them. Default 20. */
  readonly max_deliveries?: number;
  readonly backoff?: Backoff;
  /** Items that wait. Default 10 million. */
  readonly max_depth?: number;
  /** Payload bytes that wait. Default 16 GiB. */
  readonly max_bytes?: number;
  /** How long a finished item can still be read. Default 86,400. */
  readonly retention_seconds?: number;
  readonly priority?: PriorityConfig;
  readonly fairness?: FairnessConfig;
  readonly sticky?: StickyConfig;
  readonly admission?: AdmissionConfig;
  readonly outlier?: OutlierConfig;
}

/** The part that fits the kind. */
export interface PoolContent {
  readonly routing?: RoutingContent;
  readonly strategy?: StrategyContent;
}

/** How the pool's routing and strategy are changed, and by which promotion they were last. */
export interface PoolGovernance {
  /** open: directly and by promotions. governed: by promotions only. */
  readonly change_control: "open" | "governed";
  /** The versions that promotions activated last, one of a kind. Direct changes since then are not in them. */
  readonly active: readonly ActivePoolVersion[];
  /** The promotion that decides a part of the traffic. */
  readonly canary?: PoolCanary;
}

/** A version never changes. */
export interface PoolVersion {
  readonly pool_id: string;
  /** Counted by pool. */
  readonly version: number;
  /** routing: rules, and the configuration without sticky and outlier. strategy: strategy, sticky and outlier. */
  readonly kind: "routing" | "strategy";
  /** `sha256:` and hex over the RFC 8785 bytes of the content. */
  readonly digest: string;
  /** Not in lists. Every default is filled in. */
  readonly content?: PoolContent;
  /** snapshot: of the pool as it was. proposal: as given. import: of another pool. replaced: kept when another one was activated. */
  readonly source: "snapshot" | "proposal" | "import" | "replaced";
  /** Who made it: the subject of the caller, or the candidate that replaced it. */
  readonly created_by: string;
  readonly created_at?: string;
}

export interface PoolVersionSource {
  readonly pool_id: string;
  readonly version: number;
  /** By id of a recipient or pool that its rules name: the one that takes its place. Every one that is named needs one. */
  readonly ids?: Readonly<Record<string, string>>;
}

export interface Posture {
  readonly capabilities: readonly Capability[];
}

export interface Preference {
  readonly id: string;
  /** 3, 4 or 5. */
  readonly layer: number;
  readonly workflow_key?: string;
  readonly topic_key?: string;
  readonly context_keys: readonly string[];
  readonly all?: ChannelPreference;
  readonly channels: Readonly<Record<string, ChannelPreference>>;
  readonly schedule?: PreferenceSchedule;
  readonly read_only?: boolean;
  readonly condition?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface PreferenceSchedule {
  /** IANA. Unset: that of the subscriber, then the tenant setting `timezone`, then UTC. */
  readonly timezone?: string;
  /** When nothing is to be sent. */
  readonly ranges: readonly ScheduleRange[];
}

/** What one layer says about the channels. An absent flag is unset: it is not the same as true. */
export interface PreferenceSettings {
  /** For every channel without an opinion of its own. */
  readonly all?: ChannelPreference;
  /** By channel: `email`, `sms`, `push`, `chat`, `in_app`. */
  readonly channels?: Readonly<Record<string, ChannelPreference>>;
  /** Quiet hours. The strongest layer that has a schedule decides. */
  readonly schedule?: PreferenceSchedule;
  /** Locks every decision of this layer against stronger ones. */
  readonly read_only?: boolean;
  /** CEL over payload, subscriber, workflow_key, topic_key, context_keys, user_id, channel, environment and now. Where it is not true, the whole row is left out. */
  readonly condition?: string;
}

export interface PreflightRequest {
  readonly candidate_id: string;
}

export interface PrepareObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly idempotency_key: string;
  /** SHA-256, in hex. */
  readonly digest: string;
  readonly size: number;
  /** Default application/octet-stream. Must be in a content class of the stream. */
  readonly content_type?: string;
  readonly schema?: string;
  /** Default 3,600. */
  readonly expires_in_seconds?: number;
}

export interface PreviewActionRequest {
  readonly key: string;
  readonly connection_id: string;
  readonly input?: unknown;
}

export interface PreviewActionResponse {
  readonly transport: string;
  readonly method: string;
  readonly url: string;
  /** Without those that carry credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly mutation: string;
  readonly missing_scopes: readonly string[];
  /** Whether ExecuteAction would take it, and why not. */
  readonly executable: boolean;
  readonly reason: string;
}

export interface PreviewAdmissionRequest {
  readonly pool_id: string;
  /** For people and filters, and what `item.key` is in expressions. */
  readonly key?: string;
  /** With attributes at most 256 KiB. */
  readonly payload?: unknown;
  /** What rules and key expressions see as `item.attributes`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** 1 goes first. Default: the pool's. */
  readonly priority?: number;
  /** What it takes of a recipient's capacity. Default 1. */
  readonly cost?: number;
  /** A second request with the same one, while the item that answered the first can be read, is a duplicate. */
  readonly dedup_id?: string;
  /** Not handed out before. */
  readonly not_before?: string;
  /** Ended as expired if it still waits then. */
  readonly expires_at?: string;
  /** W3C trace context of the producer; it comes back with claims. */
  readonly traceparent?: string;
}

export interface PreviewAdmissionResponse {
  /** As it would be. */
  readonly item?: QueueItem;
  readonly admission?: Admission;
  readonly explanation?: AdmissionExplanation;
}

export interface PreviewLayoutRequest {
  readonly layout_id: string;
  /** Templates read it as `payload`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Templates read it as `subscriber`. */
  readonly subscriber?: Readonly<Record<string, unknown>>;
}

export interface PreviewMonitorRequest {
  readonly pool_id: string;
  /** The pool, or each of its recipients against the others. Absent: pool. */
  readonly scope?: "pool" | "recipients";
  /** What is measured in each interval: counts of it, means, or the depth at its end. Of recipients: completion_rate, failure_ratio or latency_ms. */
  readonly metric: "enqueue_rate" | "completion_rate" | "failure_ratio" | "dead_rate" | "wait_seconds" | "latency_ms" | "depth" | "unroutable_rate";
  /** How a value is judged by those before it. */
  readonly method: "zscore" | "iqr" | "rate_change" | "pattern";
  /** Absent: 60. */
  readonly interval_seconds?: number;
  /** How many values before it one is judged by, at most. Absent: 60. */
  readonly window_points?: number;
  /** Fewer values say nothing; of recipients: fewer outcomes in an interval. Absent: 30. */
  readonly min_points?: number;
  /** Absent: both. */
  readonly direction?: "both" | "above" | "below";
  /** Of zscore: standard deviations. Absent: the tenant's anomaly.zscore_threshold. */
  readonly threshold?: number;
  /** Of iqr: distances between the quartiles, beyond the nearer one. Absent: the tenant's anomaly.iqr_multiplier. */
  readonly multiplier?: number;
  /** Of rate_change: the share of the mean of the last five that is gone. Absent: the tenant's anomaly.rate_change_drop. */
  readonly drop?: number;
  /** Of rate_change and flatline: a mean below it says nothing. Absent: 1. */
  readonly min_base?: number;
  /** Of pattern, which needs one or more. */
  readonly patterns?: readonly ("same_side" | "trend" | "alternating" | "two_of_three" | "flatline")[];
  /** Values are compared with those of the same hour. Absent: none. */
  readonly seasonality?: "none" | "hour_of_day" | "hour_of_week";
  /** IANA zone whose clocks say the hour; needed with a seasonality. */
  readonly time_zone?: string;
  /** Values in a row that open an anomaly. Absent: 1. */
  readonly open_after?: number;
  /** Other values in a row that close it. Absent: 3. */
  readonly close_after?: number;
  /** So long after it none opens. Absent: 300. */
  readonly cooldown_seconds?: number;
  /** How long auto-pause lasts. Absent: 900. */
  readonly pause_seconds?: number;
  /** What is done when an anomaly opens. Empty: the tenant's anomaly.actions. */
  readonly actions?: readonly ("log" | "alert" | "auto-pause" | "deprioritize")[];
  /** A notification for each alert. */
  readonly notify?: AnomalyNotify;
  /** One for each interval, the oldest first. */
  readonly values: readonly number[];
  /** When the first was measured. Absent: so that the last one is measured now. */
  readonly start_at?: string;
}

export interface PreviewMonitorResponse {
  readonly points: readonly PreviewedPoint[];
}

export interface PreviewPreferencesRequest {
  readonly subscriber_id: string;
  readonly workflow_key: string;
  readonly user_id?: string;
  readonly topic_key?: string;
  readonly context_keys?: readonly string[];
  /** Unset: all. */
  readonly channels?: readonly ("email" | "sms" | "push" | "chat" | "in_app")[];
  /** What conditions see as `payload`: at most 64 KiB as JSON, never stored. */
  readonly payload_context?: Readonly<Record<string, unknown>>;
}

export interface PreviewPreferencesResponse {
  readonly resolver_version: string;
  readonly channels: readonly ChannelDecision[];
}

export interface PreviewRouteRequest {
  readonly pool_id: string;
  /** Sticky strategies send one key to one recipient. */
  readonly key?: string;
  /** What rules see as `item.attributes`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels?: Readonly<Record<string, string>>;
  /** Least level by name. */
  readonly skills?: Readonly<Record<string, number>>;
  readonly priority?: number;
  /** Default 1. */
  readonly cost?: number;
  /** Nothing is held: a route that reserves is refused where the pool has too many reservations. */
  readonly reserve?: boolean;
  readonly reserve_seconds?: number;
  /** Every preview explains. */
  readonly explain?: boolean;
  /** What rules see as `item.payload`, as they do of items in the queue; a route has none. */
  readonly payload?: unknown;
  /** Instead of the rules of the pool; none: those. */
  readonly draft_rules?: readonly RuleContent[];
  /** The same seed draws the same recipient among the same candidates. The id of a routing is the seed it was drawn with. */
  readonly seed?: string;
}

export interface PreviewedPoint {
  readonly value: number;
  /** Unset: there were too few values before it. */
  readonly expected?: number;
  readonly score?: number;
  readonly anomaly: boolean;
  /** An anomaly would have been open after it. */
  readonly open: boolean;
}

export interface PreviewedRule {
  /** Unset: a draft. */
  readonly rule_id?: string;
  readonly name: string;
  readonly matched: boolean;
  /** Why the condition cannot be evaluated: such a rule does not match. */
  readonly error?: string;
}

/** Band 1 goes first. An item rises one band for every aging_seconds it has waited. */
export interface PriorityConfig {
  /** How many bands there are. Default 5. */
  readonly bands?: number;
  /** The band of an item that names none. Default 3, or the middle one where there are fewer bands than that. */
  readonly default?: number;
  /** Default 60; 0 turns aging off. */
  readonly aging_seconds?: number;
}

export interface PromoteRequest {
  readonly candidate_id: string;
}

export interface PromotionApproval {
  readonly subject: string;
  /** Who answers for the subject: two approvals are of two owners. */
  readonly owner: string;
  readonly decision: "approve" | "reject";
  readonly reason: string;
  readonly at?: string;
  /** What was approved: void where it is another at promote. */
  readonly candidate_digest: string;
  readonly pack_digest: string;
  readonly check_digest: string;
}

export interface PromotionArtifact {
  /** routing and strategy: a version of a pool. workflow: a version of a definition. connector: a version of a provider config. */
  readonly kind: "routing" | "strategy" | "workflow" | "connector";
  /** Of the pool, definition or provider config. */
  readonly id: string;
  readonly version: number;
  /** Must be that of the version where given. */
  readonly digest?: string;
}

export interface PromotionArtifactRef {
  readonly kind: "routing" | "strategy" | "workflow" | "connector";
  readonly id: string;
  readonly version: number;
  readonly digest: string;
}

export interface PromotionCanary {
  /** Of 10,000 keys. */
  readonly share_bps: number;
  readonly started_at?: string;
  /** When it stops by itself. */
  readonly ends_at?: string;
  readonly stopped_at?: string;
}

export interface PromotionCandidate {
  readonly id: string;
  readonly tenant_id: string;
  /** Name of the environment that all artifacts belong to. */
  readonly environment_id: string;
  readonly name: string;
  readonly artifacts: readonly PromotionArtifact[];
  /** Over the environment and the sorted artifacts. */
  readonly digest: string;
  readonly guardrails: readonly PromotionGuardrail[];
  /** The evidence pack that is attached. */
  readonly pack_id?: string;
  readonly state: "created" | "preflighted" | "blocked" | "guarded" | "canary" | "canary_stopped" | "approved" | "rejected" | "promoting" | "promoted" | "failed" | "rolling_back" | "rolled_back" | "aborted";
  /** Why it is in this state, where more is known than the state says. */
  readonly reason?: string;
  readonly preflight?: PromotionPreflight;
  readonly canary?: PromotionCanary;
  /** The newest 50, oldest first. */
  readonly checks: readonly PromotionCheck[];
  readonly approvals: readonly PromotionApproval[];
  /** What a rollback restores. */
  readonly rollback_handles: readonly RollbackHandle[];
  /** What is under way. */
  readonly operation?: PromotionOperation;
  /** Who made it. */
  readonly created_by: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface PromotionCheck {
  /** Counted by candidate. */
  readonly number: number;
  readonly at?: string;
  /** evaluate: asked for. look: by timer, while the canary runs. stop: when it stopped. */
  readonly trigger: "evaluate" | "look" | "stop";
  readonly verdict: "pass" | "fail" | "inconclusive";
  /** One of a guardrail, of the target where it is worst. */
  readonly results: readonly GuardrailFinding[];
  readonly digest: string;
}

export interface PromotionGuardrail {
  /** target: figures of the pool. canary: the canary against the rest. evidence: the gate of the evidence pack. */
  readonly scope: "target" | "canary" | "evidence";
  /** target: queue_depth, oldest_item_age_seconds, dlq_depth, ejected_percent. canary: unroutable, rejected, redirected, condition_error, fault, attempt_failure, dead, outcome_failure, slow. evidence: none. */
  readonly metric?: string;
  /** target: the figure. canary: the rate of the canary. */
  readonly max?: number;
  /** canary: how much higher than the rest its rate may be. */
  readonly max_increase?: number;
  /** canary: below it the verdict is inconclusive. Default 100. */
  readonly min_samples?: number;
  /** Shown, and never counted. */
  readonly report_only?: boolean;
  /** Of `slow`: an outcome above it is slow. One value for the candidate. */
  readonly slow_ms?: number;
}

export interface PromotionImpact {
  /** config.max_depth, rules[name], strategy. */
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** What first shows it. */
  readonly exercised_by: "canary" | "promote";
}

export interface PromotionOperation {
  readonly name: string;
  /** Targets that have not answered yet. */
  readonly waiting_for: readonly string[];
  readonly since?: string;
}

export interface PromotionPreflight {
  readonly at?: string;
  readonly artifacts: readonly ArtifactPreflight[];
}

export interface ProviderConfig {
  readonly id: string;
  readonly name: string;
  readonly provider_key: string;
  /** Which of the provider's ways to authenticate. */
  readonly auth: string;
  readonly environment: string;
  /** draft, active, disabled or archived. */
  readonly status: string;
  readonly client_id: string;
  /** Asked for when a connect session names none. */
  readonly scopes: readonly string[];
  /** As config_schema of the provider says. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Origins that connect sessions may return to. */
  readonly allowed_return_origins: readonly string[];
  /** Counts the changes of its content. */
  readonly version: number;
  /** The version that executions use. */
  readonly active_version: number;
  /** Counts the client secrets; 0: none. */
  readonly credential_version: number;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface PublishDefinitionRequest {
  readonly id: string;
  /** Whether runs begin with it from now on; unset: they do. */
  readonly activate?: boolean;
  /** The version of the definition whose draft is meant; another one is refused. */
  readonly record_version?: number;
}

export interface PurgeRequest {
  readonly pool_id: string;
  /** Only what failed before: a time (RFC 3339), or an age in d, h, m and s, such as 72h or 2h30m. Default: everything. */
  readonly older_than?: string;
  readonly include_quarantined?: boolean;
}

export interface PurgeResponse {
  readonly purged: number;
}

export interface PutConsumerRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly consumer_id: string;
}

export interface PutNoticeRequest {
  readonly workflow_key: string;
  /** By channel. */
  readonly channels?: Readonly<Record<string, NoticeContent>>;
  /** Layer 1. */
  readonly preference?: PreferenceSettings;
  /** How long a delivery may wait for a provider. Unset: a day. */
  readonly ttl_seconds?: number;
  /** What the caller saw; another one is VERSION_CONFLICT. */
  readonly version?: number;
}

export interface PutPreferenceRequest {
  readonly subscriber_id: string;
  readonly workflow_key?: string;
  /** Together with workflow_key. */
  readonly topic_key?: string;
  readonly context_keys?: readonly string[];
  readonly all?: ChannelPreference;
  readonly channels?: Readonly<Record<string, ChannelPreference>>;
  readonly schedule?: PreferenceSchedule;
  readonly read_only?: boolean;
  readonly condition?: string;
}

export interface PutUserPreferenceRequest {
  readonly workflow_key: string;
  readonly user_id: string;
  readonly preference?: PreferenceSettings;
}

export interface QuarantineRequest {
  readonly pool_id: string;
  readonly queue_item_ids: readonly string[];
}

export interface QueueItem {
  readonly id: string;
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly key: string;
  readonly payload?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly cost: number;
  readonly dedup_id: string;
  readonly state: "scheduled" | "ready" | "leased" | "retry_wait" | "completed" | "dead" | "cancelled" | "expired" | "superseded";
  /** Failures and expired leases. */
  readonly attempts: number;
  /** Claims. */
  readonly deliveries: number;
  /** Retries out of the dead letters. */
  readonly retry_count: number;
  readonly not_before?: string;
  readonly expires_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  /** Set while it is leased. The token is told to the claimer only. */
  readonly lease?: QueueItemLease;
  readonly last_error?: QueueItemError;
  /** What the completion gave. */
  readonly result?: unknown;
  /** Set while it waits, where an item is read, listed or previewed; an enqueue does not look for it. */
  readonly wait?: QueueItemWait;
  /** Grows with every change. */
  readonly record_version: number;
  /** Enqueues that a debounce folded into this one. */
  readonly coalesced: number;
  /** A dead letter that is set aside. */
  readonly quarantined: boolean;
  readonly finished_at?: string;
  /** How its leases ended that were not completed, and its retries out of the dead letters: the newest first, at most 20. Only where the item itself is read. */
  readonly history: readonly QueueItemHistory[];
  /** The recipient that completed it. */
  readonly completed_by: string;
  /** As the producer gave it. */
  readonly traceparent: string;
}

export interface QueueItemError {
  readonly message: string;
  /** As the worker named it; lease_expired for an expired lease, max_deliveries for one handed out too often. */
  readonly type: string;
  readonly at?: string;
}

export interface QueueItemHistory {
  /** The claim that it was, counted as in `deliveries`; 0 of a retry out of the dead letters. */
  readonly delivery: number;
  readonly recipient_id: string;
  readonly leased_at?: string;
  readonly ended_at?: string;
  readonly outcome: "failed" | "expired" | "released" | "rejected" | "cancelled" | "redriven";
  /** Its first 512 characters. */
  readonly error: string;
  readonly error_type: string;
  /** What the worker had said last. */
  readonly progress?: ItemProgress;
}

export interface QueueItemLease {
  readonly recipient_id: string;
  readonly expires_at?: string;
  /** What its worker said last. */
  readonly progress?: ItemProgress;
}

/** Why an item has not been handed out. */
export interface QueueItemWait {
  /** scheduled, debounce, retry, pool_disabled, paused, throttle, concurrency, singleton, sticky (kept for its recipient), no_match (no recipient fits), exceeds_capacity (its cost is more than any of them could ever take), no_capacity (all of them are busy or away), or queued. */
  readonly reason: string;
  /** Until when at the earliest, where that is known. Of a throttled item: when those before it have gone; where its position is told, exactly then. */
  readonly until?: string;
  /** Place in its own line, or in that of the group that holds it back, from 1, where it is near the head. */
  readonly position?: number;
}

/** One step. The numbers say what happened in it, all but the depth. */
export interface QueuePoint {
  /** When it ended: a whole minute, five minutes or hour of UTC. */
  readonly at?: string;
  readonly enqueued: number;
  readonly claimed: number;
  readonly completed: number;
  /** Leases that ended in a failure, a rejection or by their time. */
  readonly failed: number;
  readonly dead: number;
  readonly expired: number;
  readonly cancelled: number;
  /** Of all claims, from ready to leased. */
  readonly wait_ms_sum: number;
  /** Of all leases that ended. */
  readonly lease_ms_sum: number;
  /** Items that waited when it ended. */
  readonly depth: number;
}

export interface QueueSeries {
  readonly pool_id: string;
  /** Oldest first. */
  readonly points: readonly QueuePoint[];
}

export interface QueueStatus {
  readonly pool_id: string;
  /** Of the pool. */
  readonly name: string;
  readonly environment: string;
  /** Items that wait: scheduled, ready and retry_wait. */
  readonly depth: number;
  /** Every state with its number of items; finished ones as long as they are kept. */
  readonly by_state: Readonly<Record<string, number>>;
  readonly paused: boolean;
  readonly paused_until?: string;
  readonly pause_reason?: string;
  /** Of the oldest item that waits; 0 where none does. */
  readonly oldest_item_age_seconds: number;
  /** From ready to leased, over the last five minutes. */
  readonly average_wait_seconds: number;
  /** Completed since midnight UTC. */
  readonly throughput_today: number;
  readonly leased: number;
  /** Dead letters that are not quarantined. */
  readonly dlq_depth: number;
  /** Ready items that an admission control holds back. */
  readonly held: number;
  /** Payload bytes of items that are not over. */
  readonly bytes: number;
  /** Of the item that has been ready longest, held ones too: to the minute, wider with age; 0 where none is ready. */
  readonly oldest_ready_age_seconds: number;
}

export interface Quota {
  readonly operation: string;
  /** Unset: there is none. */
  readonly limit?: number;
  /** Where there is no limit, this may lag by a second or two. */
  readonly used: number;
  readonly remaining?: number;
  readonly window: "day";
  readonly resets_at?: string;
}

export interface ReadRecordsRequest {
  readonly run_id: string;
  readonly stream_id: string;
  /** Exclusive: the sequence of the last record that was handled; 0: from the first. */
  readonly after_sequence?: number;
  /** Non-positive: 50; more than 1,000: 1,000. */
  readonly limit?: number;
  /** Of the records, at least one of which is returned; default and maximum 1 MiB. */
  readonly max_bytes?: number;
  /** How long to wait for a record where there is none. */
  readonly wait_ms?: number;
}

export interface ReadRecordsResponse {
  readonly records: readonly StreamRecord[];
  /** Where to go on. */
  readonly next_after_sequence: number;
  readonly latest_sequence: number;
  readonly earliest_sequence: number;
  /** No record will follow the latest one. */
  readonly closed: boolean;
}

export interface ReceiptExplanation {
  readonly receipt_id: string;
  /** Why it did not decide: older, or reasons of the gate. */
  readonly reasons: readonly string[];
}

export interface Recipient {
  readonly id: string;
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly status: "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  /** Its share where the strategy goes by weight; 0: never chosen. */
  readonly weight: number;
  /** Cost it can hold at once; 0: unlimited. */
  readonly capacity: number;
  /** The priority strategy takes the lowest tier that has somebody eligible. */
  readonly tier: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Level by name. */
  readonly skills: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Cost of its leases and reservations. */
  readonly in_flight: number;
  /** Unset until something was assigned to it. */
  readonly last_assigned_at?: string;
  readonly health?: RecipientHealth;
  /** Grows with every change of its settings. */
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
  /** Of a create with if_absent: whether this call made it. */
  readonly created?: boolean;
}

/** What outcomes and heartbeats have shown. */
export interface RecipientHealth {
  /** While half_open one probe at a time decides. */
  readonly state: "healthy" | "ejected" | "half_open";
  /** In a row. */
  readonly consecutive_failures: number;
  /** In a row; each lasts longer than the one before. */
  readonly ejections: number;
  readonly ejected_until?: string;
  readonly last_heartbeat_at?: string;
}

/** Everything given must hold. */
export interface RecipientSelector {
  /** Of this pool; must be there when the rule is stored. */
  readonly recipient_ids?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Least level by name. */
  readonly skills?: Readonly<Record<string, number>>;
}

export interface RecordExposuresRequest {
  readonly experiment_id: string;
  readonly exposures: readonly Exposure[];
}

export interface RecordExposuresResponse {
  readonly results: readonly ExposureResult[];
}

export interface RecordOutcomeRequest {
  /** Makes a repeat harmless: within a day the same id is the same outcome. Default: a new one. */
  readonly id?: string;
  readonly routing_id?: string;
  readonly queue_item_id?: string;
  /** success, failure, timeout or cancelled; failure and timeout count against the recipient's health. */
  readonly result: "success" | "failure" | "timeout" | "cancelled";
  readonly latency_ms?: number;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface RecordOutcomesRequest {
  readonly outcomes: readonly RecordOutcomeRequest[];
}

export interface RecordOutcomesResponse {
  /** As many as there were entries, in their order. */
  readonly results: readonly OutcomeResult[];
}

export interface RecordScoreRequest {
  readonly experiment_id: string;
  /** Unique for its unit. */
  readonly score_id: string;
  /** Either this or unit_id. A receipt also exposes its unit. */
  readonly receipt?: string;
  readonly unit_id?: string;
  readonly metric: string;
  /** Unset: 1, of metrics that are binary or count; required of the others. */
  readonly value?: number;
  /** Unset: now. */
  readonly occurred_at?: string;
}

export interface RecordScoresRequest {
  readonly experiment_id: string;
  readonly scores: readonly ScoreEntry[];
}

export interface RecordScoresResponse {
  readonly results: readonly ScoreResult[];
}

export interface RedeliverAllRequest {
  readonly webhook_id: string;
  /** Deliveries that were taken from this time on. */
  readonly since: string;
  /** And before this one. Absent: now. */
  readonly until?: string;
  /** Only these kinds; all where empty. */
  readonly kinds?: readonly ("admission_group" | "admission_group.cleared" | "anomaly" | "anomaly.alert" | "anomaly.closed" | "anomaly.opened" | "broadcast" | "broadcast.cancelled" | "broadcast.completed" | "broadcast.completed_with_failures" | "broadcast.delivering" | "broadcast.expanding" | "conformance" | "conformance.reported" | "connect_session" | "connect_session.authorizing" | "connect_session.connected" | "connect_session.created" | "connect_session.expired" | "connect_session.failed" | "connect_session.revoked" | "connection" | "connection.active" | "connection.deleted" | "connection.disabled" | "connection.needs_reauth" | "connection.refresh_failing" | "connection.refreshed" | "connection.revoked" | "connector_execution" | "connector_execution.cancelled" | "connector_execution.failed" | "connector_execution.outcome_unknown" | "connector_execution.queued" | "connector_execution.running" | "connector_execution.succeeded" | "connector_execution.waiting" | "connector_trigger" | "connector_trigger.dropped" | "connector_trigger.fired" | "console_session" | "console_session.ended" | "console_session.started" | "delivery" | "delivery.failed" | "delivery.observed" | "delivery.sent" | "delivery.skipped" | "endpoint" | "endpoint.removed" | "endpoint.suppressed" | "endpoint.updated" | "evidence_pack" | "evidence_pack.archived" | "evidence_pack.changed" | "evidence_pack.created" | "evidence_run" | "evidence_run.cancelled" | "evidence_run.expired" | "evidence_run.failed" | "evidence_run.pending" | "evidence_run.running" | "evidence_run.succeeded" | "experiment" | "experiment.breached" | "experiment.completed" | "experiment.deleted" | "experiment.draft" | "experiment.paused" | "experiment.phase_opened" | "experiment.running" | "experiment.srm" | "experiment.stopped" | "integration" | "integration.created" | "integration.deleted" | "integration.updated" | "layout" | "layout.created" | "layout.deleted" | "layout.updated" | "notice" | "notice.deleted" | "notice.updated" | "notification_dead_letter" | "notification_dead_letter.opened" | "notification_dead_letter.redriven" | "notification_dead_letter.resolved" | "pool" | "pool.activated" | "pool.canary_changed" | "pool.created" | "pool.deleted" | "pool.updated" | "preference" | "preference.deleted" | "preference.updated" | "promotion" | "promotion.aborted" | "promotion.approved" | "promotion.blocked" | "promotion.canary" | "promotion.canary_stopped" | "promotion.created" | "promotion.failed" | "promotion.guarded" | "promotion.preflighted" | "promotion.promoted" | "promotion.promoting" | "promotion.rejected" | "promotion.rolled_back" | "promotion.rolling_back" | "provider_config" | "provider_config.active" | "provider_config.archived" | "provider_config.disabled" | "provider_config.draft" | "queue" | "queue.paused" | "queue.resumed" | "queue_item" | "queue_item.cancelled" | "queue_item.coalesced" | "queue_item.completed" | "queue_item.dead" | "queue_item.drained" | "queue_item.enqueued" | "queue_item.expired" | "queue_item.extended" | "queue_item.lease_expired" | "queue_item.leased" | "queue_item.purged" | "queue_item.quarantined" | "queue_item.ready" | "queue_item.redirected" | "queue_item.redriven" | "queue_item.released" | "queue_item.retry_scheduled" | "queue_item.superseded" | "queue_item.unquarantined" | "recipient" | "recipient.created" | "recipient.deleted" | "recipient.ejected" | "recipient.half_opened" | "recipient.offline" | "recipient.online" | "recipient.recovered" | "recipient.updated" | "routing" | "routing.redirected" | "rule" | "rule.created" | "rule.deleted" | "rule.updated" | "subscriber" | "subscriber.created" | "subscriber.deleted" | "subscriber.updated" | "tenant" | "tenant.created" | "tenant.deleted" | "tenant.updated" | "topic" | "topic.created" | "topic.deleted" | "topic.updated" | "webhook" | "webhook.created" | "webhook.deleted" | "webhook.disabled" | "webhook.exhausted" | "webhook.gap" | "webhook.updated" | "workflow_definition" | "workflow_definition.archived" | "workflow_definition.draft" | "workflow_definition.published" | "workflow_run" | "workflow_run.cancelled" | "workflow_run.cancelling" | "workflow_run.failed" | "workflow_run.pending" | "workflow_run.running" | "workflow_run.succeeded" | "workflow_step" | "workflow_step.failed")[];
  /** Only these: delivered or exhausted; both where empty. */
  readonly states?: readonly ("delivered" | "exhausted")[];
}

export interface RedeliverRequest {
  readonly webhook_id: string;
  readonly delivery_id: string;
}

export interface RedirectAction {
  /** Must be there when the rule is stored. */
  readonly pool_id: string;
}

export interface RedriveDeadLetterRequest {
  readonly dead_letter_id: string;
  /** Needed where the outcome is unknown: the subscriber may get it twice. */
  readonly accept_duplicate?: boolean;
}

export interface RedriveDeadLettersRequest {
  readonly dead_letter_ids: readonly string[];
  readonly accept_duplicate?: boolean;
}

export interface RedriveDeadLettersResponse {
  /** In the order of the request. */
  readonly results: readonly RedriveDeadLettersResponse_Result[];
}

export interface RedriveDeadLettersResponse_Result {
  readonly index: number;
  readonly dead_letter?: DeadLetter;
  readonly error?: BatchError;
}

export interface RejectAction {
  /** Told to the caller. */
  readonly reason: string;
}

export interface RejectRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly error?: string;
  readonly error_type?: string;
}

export interface ReleaseRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  /** Default none. */
  readonly delay_ms?: number;
}

export interface RemoveEndpointRequest {
  readonly subscriber_id: string;
  readonly endpoint_id: string;
}

export interface RemoveEndpointResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface RemoveMembersRequest {
  readonly key: string;
  readonly subscriber_ids: readonly string[];
}

export interface RemoveMembersResponse {
  readonly removed: number;
}

export interface ReplaceSubscriberRequest {
  readonly subscriber_id: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  /** E.164: `+4915112345678`. */
  readonly phone?: string;
  readonly avatar?: string;
  /** BCP 47. */
  readonly locale?: string;
  /** IANA. */
  readonly timezone?: string;
  /** At most 16 KiB as JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** What the caller saw; another one is VERSION_CONFLICT. */
  readonly record_version?: number;
}

export interface RequirementExplanation {
  readonly gate?: RequirementGate;
  /** Other receipts of the type, newest first, at most 20. */
  readonly others: readonly ReceiptExplanation[];
  /** How many more there are. */
  readonly others_left_out: number;
  /** What to do, one sentence a reason. */
  readonly next_steps: readonly string[];
}

export interface RequirementGate {
  readonly id: string;
  readonly receipt_type: string;
  /** missing, wrong_candidate, wrong_environment, expired, stale, failed, blocked or satisfied: the first that holds. */
  readonly status: string;
  /** All that hold, in that order. */
  readonly reasons: readonly string[];
  /** The receipt that decided. */
  readonly receipt_id: string;
}

export interface RestoreDefinitionRequest {
  readonly id: string;
}

export interface ResumeQueueRequest {
  readonly pool_id: string;
}

export interface ResumeRecipientRequest {
  readonly recipient_id: string;
}

export interface RetryAllOperation {
  readonly operation_id: string;
  readonly state: "running" | "completed" | "cancelled";
  readonly retried: number;
  /** Past their last retry, or held by a singleton key. */
  readonly skipped: number;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly kind: string;
  /** As it was given. */
  readonly filter: string;
  /** Dead letters that were not quarantined when it was started; exact. */
  readonly total: number;
  /** Of those, how many it has looked at. */
  readonly looked_at: number;
  /** The same as `retried`. */
  readonly changed: number;
  readonly started_by: string;
}

export interface RetryAllRequest {
  readonly pool_id: string;
  /** Only items with this key. */
  readonly key?: string;
  /** Only items whose last error has this type. */
  readonly error_type?: string;
  /** Only items that failed before. */
  readonly failed_before?: string;
  /** Items per second. Default: as fast as they can be committed. */
  readonly rate?: number;
  /** Only items for which this is true, in CEL over item, state, attempts, error_type and created_at. One on which it fails does not match. */
  readonly filter?: string;
}

export interface RetryRequest {
  readonly pool_id: string;
  readonly queue_item_ids: readonly string[];
}

export interface RetryRunRequest {
  readonly run_id: string;
}

export interface RevokeApiKeyRequest {
  readonly id: string;
}

export interface RevokeConnectSessionRequest {
  readonly connect_session_id: string;
}

export interface RevokeConnectionRequest {
  readonly connection_id: string;
}

export interface RollbackHandle {
  readonly kind: string;
  readonly id: string;
  /** The version that keeps what was replaced. */
  readonly version: number;
  readonly digest: string;
}

export interface RollbackRequest {
  readonly candidate_id: string;
  readonly reason?: string;
}

export interface RotateSecretRequest {
  readonly webhook_id: string;
  /** How long both secrets sign. Absent: 86,400. */
  readonly overlap_seconds?: number;
}

export interface RouteBatchRequest {
  readonly pool_id: string;
  readonly routes: readonly RouteEntry[];
}

export interface RouteBatchResponse {
  /** As many as there were entries, in their order. */
  readonly results: readonly RouteResult[];
}

/** One entry of a batch: a RouteRequest without its pool. */
export interface RouteEntry {
  /** Sticky strategies send one key to one recipient. */
  readonly key?: string;
  /** What rules see as `item.attributes`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels?: Readonly<Record<string, string>>;
  /** Least level by name. */
  readonly skills?: Readonly<Record<string, number>>;
  readonly priority?: number;
  /** Default 1. */
  readonly cost?: number;
  /** Hold the cost until an outcome or reserve_seconds. */
  readonly reserve?: boolean;
  /** Default 30. */
  readonly reserve_seconds?: number;
  /** Say for every candidate why it was in or out. */
  readonly explain?: boolean;
}

export interface RoutePreview {
  readonly outcome: "routed" | "rejected" | "redirected" | "no_recipient";
  readonly recipient_id?: string;
  /** Of redirected. */
  readonly redirect_pool_id?: string;
  /** Of rejected and no_recipient. */
  readonly reason?: string;
  /** In order, up to the one that rejects or redirects. */
  readonly rules: readonly PreviewedRule[];
  /** All recipients of the pool, in order of id; none where a rule rejects or redirects. */
  readonly explanation: readonly CandidateExplanation[];
  /** Recipients that are not in the explanation. */
  readonly explanation_left_out?: number;
}

export interface RouteRequest {
  readonly pool_id: string;
  /** Sticky strategies send one key to one recipient. */
  readonly key?: string;
  /** What rules see as `item.attributes`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels?: Readonly<Record<string, string>>;
  /** Least level by name. */
  readonly skills?: Readonly<Record<string, number>>;
  readonly priority?: number;
  /** Default 1. */
  readonly cost?: number;
  /** Hold the cost until an outcome or reserve_seconds. */
  readonly reserve?: boolean;
  /** Default 30. */
  readonly reserve_seconds?: number;
  /** Say for every candidate why it was in or out. */
  readonly explain?: boolean;
}

export interface RouteResult {
  readonly index: number;
  readonly routing?: Routing;
  readonly error?: BatchError;
}

export interface RouteStreamRequest {
  /** Comes back with the answer. */
  readonly ref?: string;
  readonly route: RouteRequest;
}

export interface RouteStreamResponse {
  readonly ref: string;
  readonly routing?: Routing;
  readonly error?: BatchError;
}

export interface Routing {
  readonly id: string;
  /** The pool that decided: another one than asked where a rule redirected. */
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly recipient_id: string;
  readonly strategy: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly key: string;
  readonly priority: number;
  readonly cost: number;
  /** Of the routing table that was in force. */
  readonly pool_version: number;
  /** In order. */
  readonly matched_rule_ids: readonly string[];
  /** Pools that redirected, first to last. */
  readonly redirected_from: readonly string[];
  /** Set where the cost is or was held: when it is given back at the latest. */
  readonly reserved_until?: string;
  /** How many recipients could have been chosen. */
  readonly candidate_count: number;
  /** Asked for with `explain`: all recipients of the pool, in order of id. The entries of a batch share 10,000 of them. */
  readonly explanation: readonly CandidateExplanation[];
  /** Asked for with `verify`. */
  readonly verification?: RoutingVerification;
  readonly created_at?: string;
  /** Recipients that are not in the explanation. */
  readonly explanation_left_out?: number;
  /** The promotion whose canary decided it; unset: the pool as it is. */
  readonly candidate_id?: string;
}

export interface RoutingContent {
  /** Without `sticky` and `outlier`: these are of the kind strategy. */
  readonly config?: PoolConfig;
  readonly rules?: readonly RuleContent[];
}

export interface RoutingVerification {
  /** The recorded inputs give the recorded recipient. */
  readonly matches: boolean;
  /** All inputs were recorded; otherwise (more than 256 candidates) only a sample and a digest were. */
  readonly complete: boolean;
  /** What the second run chose. */
  readonly recipient_id: string;
}

export interface Rule {
  readonly id: string;
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly name: string;
  /** Lowest first; equals by id. */
  readonly order: number;
  readonly enabled: boolean;
  /** CEL over `item`, `tenant` and `now`; an empty one always matches. */
  readonly condition: string;
  readonly action?: RuleAction;
  /** How often the condition failed to evaluate; then the rule does not match. */
  readonly evaluation_errors: number;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

/** Exactly one of them. */
export interface RuleAction {
  /** Only these recipients; all matching restrictions hold together. */
  readonly restrict?: RecipientSelector;
  /** These recipients as long as one of them is eligible. */
  readonly prefer?: RecipientSelector;
  /** Overrides the item's priority; the last match wins. */
  readonly set_priority?: SetPriorityAction;
  /** Goes to another pool of the same environment, at most 3 times; ends the rules. */
  readonly redirect?: RedirectAction;
  /** Refuses the item; ends the rules. */
  readonly reject?: RejectAction;
}

/** A rule without its id: an activated one has the id of the rule that had its name before. */
export interface RuleContent {
  readonly name: string;
  readonly order?: number;
  /** Default true. */
  readonly enabled?: boolean;
  readonly condition?: string;
  readonly action: RuleAction;
}

export interface RunEvent {
  /** The same event has the same one whenever it is told. */
  readonly event_id: string;
  readonly event_key: string;
  readonly payload?: unknown;
  readonly published_at?: string;
}

export interface RunSuiteRequest {
  readonly suite_id: string;
  readonly environment_id: string;
  readonly mode: "sandbox" | "dry_run";
  /** A pack of this environment that gets a runtime receipt. */
  readonly pack_id?: string;
}

export interface RuntimeReceipt {
  /** Of the conformance report. */
  readonly report_id: string;
  readonly contract_sha256: string;
}

export interface SampleRatio {
  readonly phase: number;
  /** Valid at every look. */
  readonly p_value: number;
  /** Of a test that is valid once. */
  readonly chi_square: number;
  readonly chi_square_p_value: number;
  readonly mismatch: boolean;
  readonly arms: readonly ArmRatio[];
}

export interface ScenarioReceipt {
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
}

export interface ScheduleRange {
  readonly days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  /** `22:00`, on the clock of the zone. */
  readonly start: string;
  /** Not part of the range; at most `24:00`. An end before the start is on the next day. */
  readonly end: string;
}

export interface Score {
  readonly score_id: string;
  readonly metric: string;
  /** As it counts: rounded to the decimals of its metric. */
  readonly value: number;
  readonly occurred_at?: string;
  /** Whether it counts. It does not where it occurred before the exposure or outside the window. */
  readonly eligible: boolean;
  readonly variant: string;
  readonly phase: number;
}

/** As RecordScoreRequest. */
export interface ScoreEntry {
  readonly score_id: string;
  readonly receipt?: string;
  readonly unit_id?: string;
  readonly metric: string;
  readonly value?: number;
  readonly occurred_at?: string;
}

export interface ScoreResult {
  readonly index: number;
  readonly score?: Score;
  readonly error?: BatchError;
}

export interface SendEndpointConfirmationRequest {
  readonly subscriber_id: string;
  readonly endpoint_id: string;
  /** A page of yours that the link leads to, with the token as its parameter `token`; it posts to /notifications/confirm/{token}. Unset: the link is that address itself. */
  readonly page_url?: string;
}

export interface SendEndpointConfirmationResponse {
  readonly transaction_id: string;
  /** Unset: the subscriber's preferences or the address leave nothing to send to; see `reason_code`. */
  readonly delivery_id: string;
  /** Of the delivery: `queued`, `running`, `skipped` or `failed`. */
  readonly status: string;
  readonly reason_code: string;
  readonly expires_at?: string;
}

export interface ServiceReport {
  /** `service.api.PoolService` */
  readonly name: string;
  readonly methods: readonly MethodReport[];
}

export interface ServicesReport {
  /** Of the contract this server runs; the same in openapi.yaml. */
  readonly contract_sha256: string;
  readonly services: readonly ServiceReport[];
}

export interface SetChangeControlRequest {
  readonly pool_id: string;
  readonly change_control: "open" | "governed";
  readonly record_version?: number;
}

export interface SetDefaultLayoutRequest {
  readonly layout_id: string;
}

export interface SetLegalHoldRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly held?: boolean;
  /** Asked for where `held` is true. */
  readonly reason?: string;
  readonly reference?: string;
}

export interface SetPoolEnabledRequest {
  readonly pool_id: string;
  readonly enabled: boolean;
  readonly record_version?: number;
}

export interface SetPriorityAction {
  readonly priority: number;
}

export interface Setting {
  readonly key: string;
  /** string, integer, number, boolean, duration or list. */
  readonly type: string;
  /** `ms`, `bytes`, `rps`, …; empty where there is none. */
  readonly unit: string;
  readonly default?: unknown;
  /** What it does, and why the default is what it is. */
  readonly description: string;
  /** Who writes it: `tenant`. */
  readonly scope: string;
}

export interface SettleBatchRequest {
  readonly pool_id: string;
  readonly settlements: readonly SettleEntry[];
}

export interface SettleBatchResponse {
  /** As many as there were entries, in their order. */
  readonly results: readonly SettleResult[];
}

export interface SettleEntry {
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly outcome: "complete" | "fail" | "release" | "reject" | "extend";
  /** Of a completion; at most 256 KiB. */
  readonly result?: unknown;
  /** Of a failure or a rejection. */
  readonly error?: string;
  readonly error_type?: string;
  /** Of a failure. Default true. */
  readonly retryable?: boolean;
  /** Of a failure: instead of the back-off; of a release: default none. */
  readonly delay_ms?: number;
  /** Of an extension. Default: the pool's. */
  readonly lease_seconds?: number;
  /** Of an extension: how far the worker is. Absent: as it said last. */
  readonly progress?: ItemProgress;
}

export interface SettleResult {
  readonly index: number;
  readonly queue_item_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly deliveries: number;
  readonly not_before?: string;
  readonly settled_at?: string;
  readonly lease_expires_at?: string;
  /** Set instead of the others. */
  readonly error?: BatchError;
}

/** What a settlement came to. The same token and outcome again gets the same answer. */
export interface Settlement {
  readonly queue_item_id: string;
  readonly state: "scheduled" | "ready" | "leased" | "retry_wait" | "completed" | "dead" | "cancelled" | "expired" | "superseded";
  readonly attempts: number;
  readonly deliveries: number;
  /** When it is tried again. */
  readonly not_before?: string;
  readonly settled_at?: string;
  /** Of an extension. */
  readonly lease_expires_at?: string;
}

export interface SideSamples {
  readonly count: number;
  readonly samples: number;
}

export interface SignalRunRequest {
  readonly run_id: string;
  readonly event_key: string;
  /** Makes a repeat harmless. Default: a new one. */
  readonly event_id?: string;
  /** At most 64 KiB. */
  readonly payload?: unknown;
}

export interface SignalRunResponse {
  readonly event_id: string;
  /** It was known already. */
  readonly duplicate: boolean;
}

/** At most one live item per key. */
export interface SingletonConfig {
  /** CEL over `item`. */
  readonly key: string;
  /** What the second one does: skip, cancel (the first) or keep_latest. */
  readonly mode: "skip" | "cancel" | "keep_latest";
  /** The group lets go after this time even if its item lives on. Default: never. */
  readonly ttl_seconds?: number;
}

export interface StartCanaryRequest {
  readonly candidate_id: string;
  /** Of 10,000 keys. Default 500. It only rises. */
  readonly share_bps?: number;
  /** After it the canary stops by itself. Default 3,600. Counted from the first start. */
  readonly max_seconds?: number;
}

export interface StartExperimentRequest {
  readonly experiment_id: string;
  readonly record_version?: number;
}

export interface StartRunRequest {
  /** One of the two. */
  readonly definition_id?: string;
  readonly definition_key?: string;
  /** Unset: the active one. */
  readonly version?: number;
  /** As the definition's schema says; at most 256 KiB. */
  readonly input?: unknown;
  /** At most one open run of a definition has a key. */
  readonly run_key?: string;
}

export interface StartRunResponse {
  readonly run?: WorkflowRun;
  /** False: a run with this key was open already, and this is it. */
  readonly started: boolean;
}

/** Items of one key go to one recipient while it is there. */
export interface StickyConfig {
  /** CEL over `item`; its value is the key. */
  readonly key: string;
}

export interface StopCanaryRequest {
  readonly candidate_id: string;
}

export interface StopExperimentRequest {
  readonly experiment_id: string;
  readonly reason: string;
  readonly record_version?: number;
}

export interface StrategyContent {
  readonly strategy: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly sticky?: StickyConfig;
  readonly outlier?: OutlierConfig;
}

export interface StrategyReceipt {
  readonly trials?: number;
  /** Scores of the two sides; their meaning is the producer's. */
  readonly baseline?: number;
  readonly candidate?: number;
}

/** The caller must hold one of the roles, beside the permission; an empty list asks for none. */
export interface StreamAuthorization {
  readonly read_roles?: readonly string[];
  readonly append_roles?: readonly string[];
  readonly ack_roles?: readonly string[];
}

export interface StreamCeilings {
  /** Default 10,000. */
  readonly unread_items?: number;
  /** Default 64 MiB. */
  readonly unread_bytes?: number;
  /** Of all that is ever appended; unset: no ceiling. */
  readonly total_items?: number;
  readonly total_bytes?: number;
}

export interface StreamConsumer {
  readonly consumer_id: string;
  readonly acknowledged_sequence: number;
  /** Records and bytes after its acknowledgement. */
  readonly unread_items: number;
  readonly unread_bytes: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

/** The stream is closed and everything was sent. */
export interface StreamEnd {
  readonly latest_sequence: number;
}

/** A stream as its run lists it. */
export interface StreamEntry {
  readonly id: string;
  readonly run_id: string;
  readonly name: string;
  readonly environment: string;
  readonly created_at?: string;
}

/** The record that was to come next is no longer kept. */
export interface StreamGone {
  readonly requested_sequence: number;
  readonly earliest_sequence: number;
  readonly latest_sequence: number;
  /** retention or purged. */
  readonly resync_reason: string;
}

export interface StreamLegalHold {
  readonly reason: string;
  readonly reference: string;
  /** Who set it. */
  readonly set_by: string;
  readonly set_at?: string;
}

export interface StreamObject {
  readonly object_id: string;
  /** prepared, uploaded, committed, aborted or expired. */
  readonly state: string;
  readonly digest: string;
  readonly size: number;
  readonly content_type: string;
  readonly schema: string;
  /** Until when it must be committed. */
  readonly expires_at?: string;
  /** Where to PUT the bytes. */
  readonly upload_path: string;
  /** To be sent as X-Object-Receipt with the upload and the commit. Only in the answer of the prepare. */
  readonly authorization_receipt?: string;
  /** Of the record that refers to it; set when it is committed. */
  readonly sequence?: number;
}

/** What a record says of its object. */
export interface StreamObjectRef {
  readonly object_id: string;
  readonly size: number;
  /** SHA-256, in hex. */
  readonly digest: string;
  readonly schema: string;
}

export interface StreamProducer {
  readonly id: string;
  /** A producer that takes over from another of the same id has a higher one: what the other still sends is refused. */
  readonly epoch?: number;
  readonly sequence?: number;
}

export interface StreamRecord {
  readonly sequence: number;
  readonly kind: string;
  readonly content_type: string;
  readonly payload?: unknown;
  readonly bytes?: string;
  readonly object?: StreamObjectRef;
  readonly appended_at?: string;
  readonly producer?: StreamProducer;
}

export interface StreamRedaction {
  /** RFC 6901. What they point at in a payload, and in bytes whose content type is JSON, is replaced by "[redacted]" before anything is stored; `*` stands for every element of a list and every member of an object. Objects whose content type is JSON are refused. */
  readonly json_pointers?: readonly string[];
}

/** What is over one of these is pruned, oldest first; 0: no bound. */
export interface StreamRetention {
  readonly max_age_seconds?: number;
  readonly max_records?: number;
  readonly max_bytes?: number;
}

export interface SubmitConnectSessionRequest {
  readonly connect_session_id: string;
  /** As `fields` of the auth says. Stored sealed, and never shown. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface SubscribeRequest {
  /** Where to go on: the cursor of the last event that was handled. Empty: from now on. */
  readonly cursor?: string;
  /** Only these kinds; one without a dot stands for all that begin with it; all where empty. */
  readonly kinds?: readonly ("admission_group" | "admission_group.cleared" | "anomaly" | "anomaly.alert" | "anomaly.closed" | "anomaly.opened" | "broadcast" | "broadcast.cancelled" | "broadcast.completed" | "broadcast.completed_with_failures" | "broadcast.delivering" | "broadcast.expanding" | "conformance" | "conformance.reported" | "connect_session" | "connect_session.authorizing" | "connect_session.connected" | "connect_session.created" | "connect_session.expired" | "connect_session.failed" | "connect_session.revoked" | "connection" | "connection.active" | "connection.deleted" | "connection.disabled" | "connection.needs_reauth" | "connection.refresh_failing" | "connection.refreshed" | "connection.revoked" | "connector_execution" | "connector_execution.cancelled" | "connector_execution.failed" | "connector_execution.outcome_unknown" | "connector_execution.queued" | "connector_execution.running" | "connector_execution.succeeded" | "connector_execution.waiting" | "connector_trigger" | "connector_trigger.dropped" | "connector_trigger.fired" | "console_session" | "console_session.ended" | "console_session.started" | "delivery" | "delivery.failed" | "delivery.observed" | "delivery.sent" | "delivery.skipped" | "endpoint" | "endpoint.removed" | "endpoint.suppressed" | "endpoint.updated" | "evidence_pack" | "evidence_pack.archived" | "evidence_pack.changed" | "evidence_pack.created" | "evidence_run" | "evidence_run.cancelled" | "evidence_run.expired" | "evidence_run.failed" | "evidence_run.pending" | "evidence_run.running" | "evidence_run.succeeded" | "experiment" | "experiment.breached" | "experiment.completed" | "experiment.deleted" | "experiment.draft" | "experiment.paused" | "experiment.phase_opened" | "experiment.running" | "experiment.srm" | "experiment.stopped" | "integration" | "integration.created" | "integration.deleted" | "integration.updated" | "layout" | "layout.created" | "layout.deleted" | "layout.updated" | "notice" | "notice.deleted" | "notice.updated" | "notification_dead_letter" | "notification_dead_letter.opened" | "notification_dead_letter.redriven" | "notification_dead_letter.resolved" | "pool" | "pool.activated" | "pool.canary_changed" | "pool.created" | "pool.deleted" | "pool.updated" | "preference" | "preference.deleted" | "preference.updated" | "promotion" | "promotion.aborted" | "promotion.approved" | "promotion.blocked" | "promotion.canary" | "promotion.canary_stopped" | "promotion.created" | "promotion.failed" | "promotion.guarded" | "promotion.preflighted" | "promotion.promoted" | "promotion.promoting" | "promotion.rejected" | "promotion.rolled_back" | "promotion.rolling_back" | "provider_config" | "provider_config.active" | "provider_config.archived" | "provider_config.disabled" | "provider_config.draft" | "queue" | "queue.paused" | "queue.resumed" | "queue_item" | "queue_item.cancelled" | "queue_item.coalesced" | "queue_item.completed" | "queue_item.dead" | "queue_item.drained" | "queue_item.enqueued" | "queue_item.expired" | "queue_item.extended" | "queue_item.lease_expired" | "queue_item.leased" | "queue_item.purged" | "queue_item.quarantined" | "queue_item.ready" | "queue_item.redirected" | "queue_item.redriven" | "queue_item.released" | "queue_item.retry_scheduled" | "queue_item.superseded" | "queue_item.unquarantined" | "recipient" | "recipient.created" | "recipient.deleted" | "recipient.ejected" | "recipient.half_opened" | "recipient.offline" | "recipient.online" | "recipient.recovered" | "recipient.updated" | "routing" | "routing.redirected" | "rule" | "rule.created" | "rule.deleted" | "rule.updated" | "subscriber" | "subscriber.created" | "subscriber.deleted" | "subscriber.updated" | "tenant" | "tenant.created" | "tenant.deleted" | "tenant.updated" | "topic" | "topic.created" | "topic.deleted" | "topic.updated" | "webhook" | "webhook.created" | "webhook.deleted" | "webhook.disabled" | "webhook.exhausted" | "webhook.gap" | "webhook.updated" | "workflow_definition" | "workflow_definition.archived" | "workflow_definition.draft" | "workflow_definition.published" | "workflow_run" | "workflow_run.cancelled" | "workflow_run.cancelling" | "workflow_run.failed" | "workflow_run.pending" | "workflow_run.running" | "workflow_run.succeeded" | "workflow_step" | "workflow_step.failed")[];
}

export interface SubscribeResponse {
  /** Set every 100 events or second: what comes after it comes again. A message without an event only moves the cursor on. */
  readonly cursor: string;
  readonly event?: Event;
}

export interface Subscriber {
  readonly id: string;
  /** Chosen by the caller; unique in the tenant. */
  readonly external_id: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  /** E.164: `+4915112345678`. */
  readonly phone?: string;
  readonly avatar?: string;
  /** BCP 47. */
  readonly locale?: string;
  /** IANA. */
  readonly timezone?: string;
  /** At most 16 KiB as JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** False after a delete: nothing is sent. */
  readonly active: boolean;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
  /** Whether this call made it. */
  readonly created?: boolean;
}

export interface SubscriberServiceSubscribeRequest {
  readonly subscriber_id: string;
  readonly topic_key: string;
  /** A set; stored in order. */
  readonly context_keys?: readonly string[];
}

export interface Subscription {
  readonly subscriber_id: string;
  readonly topic_key: string;
  readonly context_keys: readonly string[];
  readonly created_at?: string;
}

export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** Callers of a tenant that is suspended or deleted are refused. */
  readonly status: "active" | "suspended" | "deleted";
  /** A name that means something to the operator only. */
  readonly plan: string;
  /** How often a day (UTC) each operation may happen; an operation that is not named has no limit. */
  readonly quotas: Readonly<Record<string, number>>;
  readonly limits?: TenantLimits;
  /** What the tenant has set for itself. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The names that X-Environment may have. */
  readonly environments: readonly string[];
  readonly created_at?: string;
  readonly updated_at?: string;
  /** Grows with every change. */
  readonly record_version: number;
}

/** An unset member: what the installation's settings say. */
export interface TenantLimits {
  /** Tokens a second for one method, where the installation has a rate limiter. */
  readonly rps?: number;
  /** Requests under way at once. */
  readonly concurrency?: number;
  /** Items that wait in one pool, beside the pool's own max_depth. */
  readonly queue_depth?: number;
  /** Bytes that the tenant's rows may take. */
  readonly storage_bytes?: number;
}

export interface TestWebhookRequest {
  readonly webhook_id: string;
}

/** In any window of `period_ms`, at most `limit` items of one key are handed out; the rest wait. */
export interface ThrottleConfig {
  /** CEL over `item`. Default: all items share one key. */
  readonly key?: string;
  readonly limit: number;
  readonly period_ms: number;
  /** How many may go at once, after a pause; half of `limit` at most, a larger number counts as that. They are part of `limit`: while items wait all the time, one goes every `period_ms` / (`limit` − `burst` + 1). Default 1: one goes every `period_ms` / `limit`. */
  readonly burst?: number;
}

export interface Topic {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** At most 4 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly member_count: number;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface TopicMember {
  readonly subscriber_id: string;
  readonly context_keys: readonly string[];
  readonly joined_at?: string;
}

export interface TriggerRequest {
  readonly workflow_key: string;
  /** Exactly one of this, subscriber_id and topic. */
  readonly subscriber_external_id?: string;
  /** Merged into the subscriber before it is sent to; makes one that is not there yet. Only with subscriber_external_id. */
  readonly subscriber?: TriggerRequest_InlineSubscriber;
  readonly subscriber_id?: string;
  /** The key of a topic: sent to all who are members now. */
  readonly topic?: string;
  /** Unset: those of the workflow, else all. */
  readonly channels?: readonly ("email" | "sms" | "push" | "chat" | "in_app")[];
  /** By channel: `subject`, `body`, and `provider` with what only the provider knows. */
  readonly overrides?: Readonly<Record<string, TriggerRequest_ChannelOverride>>;
  /** Names the row of layer 2. */
  readonly user_id?: string;
  /** At most 256 KiB as JSON. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Chosen by the caller: a repeat within 7 days with the same body gets the same deliveries. Unset: made. */
  readonly transaction_id?: string;
  /** How long to wait for the first outcomes, in milliseconds. */
  readonly wait_ms?: number;
}

export interface TriggerRequest_ChannelOverride {
  readonly subject?: string;
  readonly body?: string;
  readonly provider?: Readonly<Record<string, unknown>>;
}

export interface TriggerRequest_InlineSubscriber {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  /** E.164: `+4915112345678`. */
  readonly phone?: string;
  readonly avatar?: string;
  /** BCP 47. */
  readonly locale?: string;
  /** IANA. */
  readonly timezone?: string;
  /** At most 16 KiB as JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface TriggerResponse {
  readonly transaction_id: string;
  readonly outcomes: readonly TriggerResponse_Outcome[];
  /** Of a trigger to a topic. */
  readonly broadcast?: Broadcast;
}

export interface TriggerResponse_Outcome {
  readonly channel: string;
  readonly endpoint_id?: string;
  readonly delivery_id: string;
  /** `sent`, `failed`, `skipped`; unset while there is none. */
  readonly outcome?: string;
  readonly status: string;
  readonly reason_code: string;
  readonly failure?: Failure;
  readonly retry_at?: string;
}

export interface TriggerSubscription {
  readonly id: string;
  readonly connection_id: string;
  readonly trigger_key: string;
  /** As config_schema of the trigger says. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** CEL over event and type; empty: every event. */
  readonly filter: string;
  readonly target?: TriggerTarget;
  /** active, disabled or failing: the last event or poll did not come through, and is tried again. */
  readonly status: string;
  readonly status_reason: string;
  /** Of a webhook: where the provider posts to. A path where server.public_url is not set. */
  readonly hook_url?: string;
  /** Of a webhook: what the provider signs with. Only in the answer of the create that drew it. */
  readonly secret?: string;
  /** Counts the secrets; 0: none. */
  readonly secret_version: number;
  /** Of polling. */
  readonly poll_seconds?: number;
  /** Events that wait for their target. */
  readonly waiting: number;
  readonly last_event_at?: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

/** Where events go; neither: they are only published. */
export interface TriggerTarget {
  /** An item per event. */
  readonly pool_id?: string;
  /** A run per event. */
  readonly workflow_key?: string;
}

export interface UnavailableAnomaly {
  readonly id: string;
  readonly pool_id: string;
  readonly error?: BatchError;
}

export interface UnavailableCandidate {
  readonly id: string;
  readonly name: string;
  readonly error?: BatchError;
}

/** An experiment or a group that a list could not ask just now. The list is complete without it. */
export interface UnavailableExperiment {
  readonly id: string;
  /** The key of an experiment, the name of a group. */
  readonly name: string;
  readonly error?: BatchError;
}

/** A notification workflow that a list could not ask just now. The list is complete without it. */
export interface UnavailableNotice {
  readonly id: string;
  readonly name: string;
  readonly error?: BatchError;
}

export interface UnavailablePack {
  readonly id: string;
  readonly name: string;
  readonly error?: BatchError;
}

/** A pool that a list over many could not ask just now. The list is complete without it. */
export interface UnavailablePool {
  readonly pool_id: string;
  readonly name: string;
  readonly error?: BatchError;
}

/** A topic that a list could not ask just now. The list is complete without it. */
export interface UnavailableTopic {
  readonly id: string;
  /** The key. */
  readonly name: string;
  readonly error?: BatchError;
}

export interface UnavailableWebhook {
  readonly id: string;
  readonly name: string;
  readonly error?: BatchError;
}

export interface UnitMetric {
  readonly metric: string;
  /** Scores that count. */
  readonly scores: number;
  /** Their sum. */
  readonly sum: number;
  readonly covariate?: number;
}

export interface UnitsOfDay {
  /** UTC, as 2026-01-31. */
  readonly day: string;
  readonly variant: string;
  readonly units: number;
}

export interface UnsubscribeRequest {
  readonly subscriber_id: string;
  readonly topic_key: string;
}

export interface UnsubscribeResponse {
  readonly topic_key: string;
  readonly deleted: boolean;
}

export interface UpdateConnectionRequest {
  readonly connection_id: string;
  readonly name?: string | null;
  /** At most 16 KiB. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** Refused where the stored one differs. */
  readonly record_version?: number;
}

export interface UpdateExperimentRequest {
  readonly experiment_id: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly hash_version?: "sha256_v1" | "fnv1a_v2" | null;
  readonly salt?: string | null;
  /** All of them: the list is replaced. After the start only weights may differ. */
  readonly variants?: readonly Variant[] | null;
  readonly coverage?: number | null;
  readonly targeting?: string | null;
  readonly group?: ExperimentGroupShare | null;
  readonly overrides?: Readonly<Record<string, string>> | null;
  /** All of them: the list is replaced. */
  readonly metrics?: readonly Metric[] | null;
  readonly analysis?: Analysis | null;
  readonly scores_close_at?: string | null;
  /** What becomes of the units of earlier phases where the change opens a phase: keep (they stay, with their variant, and count) or exclude (they get the control and do not count any more). */
  readonly carry?: "keep" | "exclude" | null;
  /** Must match the stored one where given. */
  readonly record_version?: number;
}

export interface UpdateIntegrationRequest {
  readonly integration_id: string;
  readonly name: string;
  /** smtp, webhook, slack, twilio, fcm, web_push, inbox or sink. */
  readonly provider_key: "smtp" | "webhook" | "slack" | "twilio" | "fcm" | "web_push" | "inbox" | "sink";
  /** Of a connection, or static:<name>. Absent where the provider needs none. */
  readonly connection_id?: string;
  /** Lower wins; ties go to the older one. Absent: 100. */
  readonly priority?: number;
  /** Absent: true. */
  readonly active?: boolean;
  /** CEL over payload, subscriber, workflow_key, topic_key, context_keys, user_id, channel, environment and now. It is chosen where this is exactly true. Absent: always. */
  readonly condition?: string;
  /** How the keys of `overrides.<channel>.provider` are written for the provider. Absent: none, as they are. */
  readonly casing_override?: "snake_case" | "camelCase" | "PascalCase" | "kebab-case" | "CONSTANT_CASE" | "none";
  /** What the provider is told with every message, as `from`: docs/providers.md has them. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** How many messages may leave. Absent: as many as there are. */
  readonly rate?: IntegrationRate;
  /** What happens to a message that may have been sent, where the provider cannot tell a repeat. Absent: hold. */
  readonly on_unknown?: "hold" | "resend";
  /** Must match the stored one where given. */
  readonly record_version?: number;
}

export interface UpdateLayoutRequest {
  readonly layout_id: string;
  readonly name: string;
  readonly engine: "handlebars" | "liquid";
  readonly body: string;
  /** Must match the stored one. */
  readonly version: number;
}

export interface UpdateMonitorRequest {
  readonly monitor_id: string;
  readonly record_version?: number;
  /** The pool, or each of its recipients against the others. Absent: pool. */
  readonly scope?: "pool" | "recipients" | null;
  /** What is measured in each interval: counts of it, means, or the depth at its end. Of recipients: completion_rate, failure_ratio or latency_ms. */
  readonly metric?: "enqueue_rate" | "completion_rate" | "failure_ratio" | "dead_rate" | "wait_seconds" | "latency_ms" | "depth" | "unroutable_rate" | null;
  /** How a value is judged by those before it. */
  readonly method?: "zscore" | "iqr" | "rate_change" | "pattern" | null;
  /** Absent: 60. */
  readonly interval_seconds?: number | null;
  /** How many values before it one is judged by, at most. Absent: 60. */
  readonly window_points?: number | null;
  /** Fewer values say nothing; of recipients: fewer outcomes in an interval. Absent: 30. */
  readonly min_points?: number | null;
  /** Absent: both. */
  readonly direction?: "both" | "above" | "below" | null;
  /** Of zscore: standard deviations. Absent: the tenant's anomaly.zscore_threshold. */
  readonly threshold?: number | null;
  /** Of iqr: distances between the quartiles, beyond the nearer one. Absent: the tenant's anomaly.iqr_multiplier. */
  readonly multiplier?: number | null;
  /** Of rate_change: the share of the mean of the last five that is gone. Absent: the tenant's anomaly.rate_change_drop. */
  readonly drop?: number | null;
  /** Of rate_change and flatline: a mean below it says nothing. Absent: 1. */
  readonly min_base?: number | null;
  /** Of pattern, which needs one or more. */
  readonly patterns?: readonly ("same_side" | "trend" | "alternating" | "two_of_three" | "flatline")[] | null;
  /** Values are compared with those of the same hour. Absent: none. */
  readonly seasonality?: "none" | "hour_of_day" | "hour_of_week" | null;
  /** IANA zone whose clocks say the hour; needed with a seasonality. */
  readonly time_zone?: string | null;
  /** Values in a row that open an anomaly. Absent: 1. */
  readonly open_after?: number | null;
  /** Other values in a row that close it. Absent: 3. */
  readonly close_after?: number | null;
  /** So long after it none opens. Absent: 300. */
  readonly cooldown_seconds?: number | null;
  /** How long auto-pause lasts. Absent: 900. */
  readonly pause_seconds?: number | null;
  /** What is done when an anomaly opens. Empty: the tenant's anomaly.actions. */
  readonly actions?: readonly ("log" | "alert" | "auto-pause" | "deprioritize")[] | null;
  /** A notification for each alert. */
  readonly notify?: AnomalyNotify | null;
}

export interface UpdatePackRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requirements?: readonly EvidenceRequirement[];
  /** The version that the caller has seen; another one is VERSION_CONFLICT. */
  readonly record_version?: number;
}

export interface UpdatePoolRequest {
  readonly pool_id: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly strategy?: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills" | null;
  readonly config?: PoolConfig | null;
  /** Must match the stored one where given. */
  readonly record_version?: number;
}

export interface UpdateProviderConfigRequest {
  readonly provider_config_id: string;
  readonly name?: string | null;
  readonly client_id?: string | null;
  /** A new one; it cannot be taken back. Never shown. */
  readonly client_secret?: string | null;
  readonly scopes?: readonly string[] | null;
  readonly config?: Readonly<Record<string, unknown>> | null;
  readonly allowed_return_origins?: readonly string[] | null;
  /** Refused where the stored one differs. */
  readonly record_version?: number;
}

export interface UpdateRecipientRequest {
  readonly recipient_id: string;
  readonly name?: string | null;
  readonly status?: "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | null;
  readonly weight?: number | null;
  readonly capacity?: number | null;
  readonly tier?: number | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly skills?: Readonly<Record<string, number>> | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** Must match the stored one where given. */
  readonly record_version?: number;
}

export interface UpdateRuleRequest {
  readonly rule_id: string;
  readonly name?: string | null;
  readonly order?: number | null;
  readonly enabled?: boolean | null;
  readonly condition?: string | null;
  /** Members merge within the same kind; another kind replaces the stored one. The mask `action` replaces it as a whole. */
  readonly action?: RuleAction | null;
  /** Must match the stored one where given. */
  readonly record_version?: number;
}

export interface UpdateTenantRequest {
  readonly tenant_id: string;
  readonly name?: string | null;
  readonly status?: "active" | "suspended" | null;
  readonly plan?: string | null;
  readonly quotas?: Readonly<Record<string, number>> | null;
  readonly limits?: TenantLimits | null;
  readonly settings?: Readonly<Record<string, unknown>> | null;
  readonly environments?: readonly string[] | null;
  /** Must be the stored one, where it is given. */
  readonly record_version?: number;
}

export interface UpdateTopicRequest {
  readonly key: string;
  readonly name?: string;
  readonly description?: string;
  /** At most 4 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly record_version?: number;
}

export interface UpdateTriggerSubscriptionRequest {
  readonly trigger_subscription_id: string;
  /** Of polling, a change begins anew: what is there then is not told. */
  readonly config?: Readonly<Record<string, unknown>> | null;
  readonly filter?: string | null;
  readonly target?: TriggerTarget | null;
  readonly status?: "active" | "disabled" | null;
  /** A new one; the old one is not taken any longer. Never shown. */
  readonly secret?: string | null;
  readonly poll_seconds?: number | null;
  /** Refused where the stored one differs. */
  readonly record_version?: number;
}

export interface UpdateWebhookRequest {
  readonly webhook_id: string;
  readonly record_version?: number;
  readonly name?: string | null;
  readonly url?: string | null;
  /** Only these kinds; one without a dot stands for all that begin with it. */
  readonly kinds?: readonly ("admission_group" | "admission_group.cleared" | "anomaly" | "anomaly.alert" | "anomaly.closed" | "anomaly.opened" | "broadcast" | "broadcast.cancelled" | "broadcast.completed" | "broadcast.completed_with_failures" | "broadcast.delivering" | "broadcast.expanding" | "conformance" | "conformance.reported" | "connect_session" | "connect_session.authorizing" | "connect_session.connected" | "connect_session.created" | "connect_session.expired" | "connect_session.failed" | "connect_session.revoked" | "connection" | "connection.active" | "connection.deleted" | "connection.disabled" | "connection.needs_reauth" | "connection.refresh_failing" | "connection.refreshed" | "connection.revoked" | "connector_execution" | "connector_execution.cancelled" | "connector_execution.failed" | "connector_execution.outcome_unknown" | "connector_execution.queued" | "connector_execution.running" | "connector_execution.succeeded" | "connector_execution.waiting" | "connector_trigger" | "connector_trigger.dropped" | "connector_trigger.fired" | "console_session" | "console_session.ended" | "console_session.started" | "delivery" | "delivery.failed" | "delivery.observed" | "delivery.sent" | "delivery.skipped" | "endpoint" | "endpoint.removed" | "endpoint.suppressed" | "endpoint.updated" | "evidence_pack" | "evidence_pack.archived" | "evidence_pack.changed" | "evidence_pack.created" | "evidence_run" | "evidence_run.cancelled" | "evidence_run.expired" | "evidence_run.failed" | "evidence_run.pending" | "evidence_run.running" | "evidence_run.succeeded" | "experiment" | "experiment.breached" | "experiment.completed" | "experiment.deleted" | "experiment.draft" | "experiment.paused" | "experiment.phase_opened" | "experiment.running" | "experiment.srm" | "experiment.stopped" | "integration" | "integration.created" | "integration.deleted" | "integration.updated" | "layout" | "layout.created" | "layout.deleted" | "layout.updated" | "notice" | "notice.deleted" | "notice.updated" | "notification_dead_letter" | "notification_dead_letter.opened" | "notification_dead_letter.redriven" | "notification_dead_letter.resolved" | "pool" | "pool.activated" | "pool.canary_changed" | "pool.created" | "pool.deleted" | "pool.updated" | "preference" | "preference.deleted" | "preference.updated" | "promotion" | "promotion.aborted" | "promotion.approved" | "promotion.blocked" | "promotion.canary" | "promotion.canary_stopped" | "promotion.created" | "promotion.failed" | "promotion.guarded" | "promotion.preflighted" | "promotion.promoted" | "promotion.promoting" | "promotion.rejected" | "promotion.rolled_back" | "promotion.rolling_back" | "provider_config" | "provider_config.active" | "provider_config.archived" | "provider_config.disabled" | "provider_config.draft" | "queue" | "queue.paused" | "queue.resumed" | "queue_item" | "queue_item.cancelled" | "queue_item.coalesced" | "queue_item.completed" | "queue_item.dead" | "queue_item.drained" | "queue_item.enqueued" | "queue_item.expired" | "queue_item.extended" | "queue_item.lease_expired" | "queue_item.leased" | "queue_item.purged" | "queue_item.quarantined" | "queue_item.ready" | "queue_item.redirected" | "queue_item.redriven" | "queue_item.released" | "queue_item.retry_scheduled" | "queue_item.superseded" | "queue_item.unquarantined" | "recipient" | "recipient.created" | "recipient.deleted" | "recipient.ejected" | "recipient.half_opened" | "recipient.offline" | "recipient.online" | "recipient.recovered" | "recipient.updated" | "routing" | "routing.redirected" | "rule" | "rule.created" | "rule.deleted" | "rule.updated" | "subscriber" | "subscriber.created" | "subscriber.deleted" | "subscriber.updated" | "tenant" | "tenant.created" | "tenant.deleted" | "tenant.updated" | "topic" | "topic.created" | "topic.deleted" | "topic.updated" | "webhook" | "webhook.created" | "webhook.deleted" | "webhook.disabled" | "webhook.exhausted" | "webhook.gap" | "webhook.updated" | "workflow_definition" | "workflow_definition.archived" | "workflow_definition.draft" | "workflow_definition.published" | "workflow_run" | "workflow_run.cancelled" | "workflow_run.cancelling" | "workflow_run.failed" | "workflow_run.pending" | "workflow_run.running" | "workflow_run.succeeded" | "workflow_step" | "workflow_step.failed")[] | null;
  /** Enables or disables it. */
  readonly status?: "active" | "disabled" | null;
  /** How deliveries follow each other. */
  readonly ordering?: "none" | "subject" | "strict" | null;
  readonly max_in_flight?: number | null;
  /** Sent with each delivery, such as authorization; encrypted, and never shown. */
  readonly headers?: Readonly<Record<string, string>> | null;
}

export interface UploadObjectRequest {
  /** In the first message, without `data`. */
  readonly run_id?: string;
  readonly stream_id?: string;
  readonly object_id?: string;
  /** At most 64 KiB. */
  readonly data?: string;
}

export interface UpsertEndpointRequest {
  readonly subscriber_id: string;
  readonly channel: "email" | "sms" | "push" | "chat" | "in_app";
  readonly provider_key?: string;
  readonly identity: string;
  readonly connection_id?: string;
  /** `true` is the caller's word that the address belongs to the subscriber: it needs the permission `notification_verification:admin`. Unset: as it was. */
  readonly verified?: boolean;
  /** At most 4 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface UpsertSubscriberRequest {
  readonly external_id: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  /** E.164: `+4915112345678`. */
  readonly phone?: string;
  readonly avatar?: string;
  /** BCP 47. */
  readonly locale?: string;
  /** IANA. */
  readonly timezone?: string;
  /** At most 16 KiB as JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface UserPreference {
  readonly workflow_key: string;
  readonly user_id: string;
  readonly preference?: PreferenceSettings;
  readonly updated_at?: string;
}

export interface ValidateRuleRequest {
  readonly condition?: string;
  /** The pool of the rule; what its action names is looked for there. */
  readonly pool_id?: string;
  readonly action?: RuleAction;
}

export interface ValidateRuleResponse {
  readonly valid: boolean;
  readonly errors: readonly ExpressionProblem[];
}

export interface Variant {
  readonly key: string;
  /** Of the units that take part; at most six decimals. All weights together are 1. */
  readonly weight?: number;
  /** What the others are compared with; unset in all: the first. */
  readonly control?: boolean;
  /** Told with an assignment; at most 16 KiB as JSON, and 128 KiB in all variants. */
  readonly payload?: unknown;
}

export interface VariantResult {
  readonly variant: string;
  /** Units. */
  readonly n: number;
  /** Absent where there is nothing to divide by. */
  readonly mean?: number;
  readonly variance?: number;
  /** Both against the control, of treatments; absent where there is no figure to believe. */
  readonly difference?: Effect;
  readonly lift?: Effect;
  /** control, insufficient_data, untrustworthy, breached, significant or not_significant. */
  readonly status: string;
  /** Why, in words. */
  readonly reason: string;
}

export interface VariantUnits {
  readonly variant: string;
  readonly control: boolean;
  readonly units: number;
}

export interface VerifyConnectionRequest {
  readonly connection_id: string;
}

export interface VerifyEndpointRequest {
  readonly subscriber_id: string;
  readonly endpoint_id: string;
}

export interface WaitForEventRequest {
  readonly run_id: string;
  /** Input records of a stream have the key `stream.<name of the stream>`. */
  readonly event_key: string;
  /** The event that was handled last; empty: from the first that is kept. */
  readonly after_event_id?: string;
  readonly wait_ms?: number;
}

export interface WaitForEventResponse {
  /** Unset: none came. */
  readonly event?: RunEvent;
}

export interface WatchInboxRequest {
  readonly subscriber_id: string;
  /** Unset: from now on. */
  readonly after_sequence?: number;
}

export interface WatchInboxResponse {
  readonly message?: InboxMessage;
  readonly count?: InboxCount;
}

export interface WatchPoolsRequest {
  readonly pool_ids: readonly string[];
  /** With the recipients that hold most. */
  readonly include_recipients?: boolean;
  /** How often to send what has changed. Default 1,000. */
  readonly interval_ms?: number;
}

export interface WatchPoolsResponse {
  readonly pools?: LivePools;
}

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly string[];
  /** Only events of this environment, and of none; unset: of all. */
  readonly environment?: string;
  /** active or disabled. */
  readonly status: string;
  /** by_caller, gone (it answered 410) or failing (five days without a success). */
  readonly disabled_reason?: string;
  /** v1: HMAC-SHA256 by a shared secret. v1a: Ed25519, which receivers check by `public_key`. */
  readonly signing: string;
  /** none: deliveries overtake each other. subject: those of one subject do not. strict: none does. */
  readonly ordering: string;
  readonly max_in_flight: number;
  /** Names of the headers that are sent with each delivery; `headers` sets them. */
  readonly header_names: readonly string[];
  /** Since when no delivery has succeeded. */
  readonly failing_since?: string;
  /** When events were left out last: they were no longer kept, or the endpoint was disabled. */
  readonly last_gap?: string;
  /** Of v1a: whpk_ and the key. */
  readonly public_key?: string;
  /** Of v1: what signs. Only in the answer that drew it. */
  readonly secret?: string;
  /** Until then the secret before the last rotation signs, too. */
  readonly previous_secret_until?: string;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface WebhookDelivery {
  readonly id: string;
  readonly webhook_id: string;
  /** Of the event; `webhook-id` is msg_ and this, in every attempt. */
  readonly event_id: string;
  readonly kind: string;
  readonly subject: string;
  /** held: the endpoint is disabled. */
  readonly state: "pending" | "sending" | "retry_wait" | "delivered" | "exhausted" | "held";
  /** Since it was taken, or redelivered last. */
  readonly attempts: number;
  /** Of the last attempt: the status of its answer; 0: there was none. */
  readonly last_status: number;
  readonly last_error: string;
  readonly next_attempt_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  /** As it is sent. Of one delivery only. */
  readonly body?: string;
}

export interface WebhookServiceGetDeliveryRequest {
  readonly webhook_id: string;
  readonly delivery_id: string;
}

export interface WebhookServiceListDeliveriesRequest {
  readonly webhook_id: string;
  /** Only these; those that are being sent are pending. */
  readonly state?: "pending" | "retry_wait" | "delivered" | "exhausted" | "held";
  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with `cursor`. */
  readonly offset?: number;
}

export interface WebhookServiceListDeliveriesResponse {
  readonly deliveries: readonly WebhookDelivery[];
  /** Empty at the end. */
  readonly next_page_token: string;
  readonly total?: number;
}

export interface WhoAmIRequest {
}

export interface WorkAssigned {
  readonly items: readonly LeasedItem[];
}

/** So many more items may be assigned. */
export interface WorkCredit {
  readonly items: number;
}

export interface WorkExtend {
  readonly leases: readonly LeaseRef[];
  /** Default: the pool's. */
  readonly lease_seconds?: number;
}

/** The service will not go on here: connect again, maybe elsewhere. */
export interface WorkGoAway {
  readonly reason: string;
  readonly retry_after_ms: number;
}

export interface WorkHello {
  readonly pool_id: string;
  readonly recipient_id: string;
  /** Default: the pool's. */
  readonly lease_seconds?: number;
  /** Items that may be assigned from the start. */
  readonly credit?: number;
}

export interface WorkLeaseLost {
  readonly queue_item_id: string;
  /** expired, reassigned or cancelled. */
  readonly reason: string;
  /** Of the lease that is lost: the same stream may have been given the item anew. */
  readonly lease_token: string;
}

/** A frame of the worker broke the contract: nothing of it was done, and the session goes on. */
export interface WorkRefused {
  readonly error?: BatchError;
  /** What it was to settle or extend. */
  readonly queue_item_ids: readonly string[];
}

/** One frame of a worker; the first is hello. */
export interface WorkRequest {
  readonly hello?: WorkHello;
  readonly credit?: WorkCredit;
  readonly settle?: WorkSettle;
  readonly extend?: WorkExtend;
}

/** One frame of the service. */
export interface WorkResponse {
  readonly assigned?: WorkAssigned;
  readonly settled?: WorkSettled;
  readonly lease_lost?: WorkLeaseLost;
  readonly go_away?: WorkGoAway;
  readonly refused?: WorkRefused;
}

export interface WorkSettle {
  readonly settlements: readonly SettleEntry[];
}

export interface WorkSettled {
  /** In the order in which they were sent, several frames together or one in parts: known by the item, without an index. */
  readonly results: readonly SettleResult[];
}

export interface WorkflowDefinition {
  readonly id: string;
  /** Unique in the tenant, and fixed. */
  readonly key: string;
  readonly name: string;
  /** draft (never published), published or archived. */
  readonly status: string;
  /** What is edited; docs/workflows.md says what is in it. Lists leave it out. */
  readonly draft?: Readonly<Record<string, unknown>>;
  /** What keeps the draft from being published. Lists leave them out. */
  readonly problems: readonly WorkflowProblem[];
  /** The version that runs begin with; unset: there is none. */
  readonly active_version?: number;
  /** The newest version; unset: there is none. */
  readonly latest_version?: number;
  readonly tenant_id: string;
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface WorkflowError {
  /** Of the catalogue of errors, or EXPRESSION_FAILED, OUTPUT_TOO_LARGE, ENDED, ITEM_DEAD, ITEM_CANCELLED, ITEM_EXPIRED or ITEM_SUPERSEDED. */
  readonly code: string;
  readonly detail: string;
  readonly reason: string;
  /** The step that failed; empty: the run as a whole. */
  readonly step_id: string;
  /** What the step asked for may have happened: it is not retried by itself. */
  readonly outcome_unknown: boolean;
}

export interface WorkflowProblem {
  /** Where it is in the draft: `steps[2].input.to`. */
  readonly path: string;
  /** INVALID, EXPRESSION, REFERENCE or MODULE_ABSENT. */
  readonly code: string;
  readonly reason: string;
  /** Of an expression: where in its text, from 1. */
  readonly line?: number;
  readonly column?: number;
}

export interface WorkflowRun {
  readonly id: string;
  readonly definition_id: string;
  readonly definition_key: string;
  readonly version: number;
  readonly run_key: string;
  readonly environment: string;
  readonly tenant_id: string;
  /** pending, running, succeeded, failed, cancelling or cancelled. */
  readonly status: string;
  readonly input?: unknown;
  readonly output?: unknown;
  /** Why it failed. */
  readonly error?: WorkflowError;
  /** What its steps wait for. */
  readonly waiting_for: readonly WorkflowWait[];
  /** Its calls have had no answer since; they are asked for again. */
  readonly idle_since?: string;
  /** A later version of the service began it: it goes on after an upgrade. */
  readonly incompatible: boolean;
  readonly dismissed_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly ended_at?: string;
  readonly record_version: number;
}

export interface WorkflowStep {
  readonly id: string;
  readonly type: string;
  /** pending, running, succeeded, failed, skipped, cancelling or cancelled. */
  readonly status: string;
  readonly attempt: number;
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly output?: unknown;
  readonly error?: WorkflowError;
  readonly waiting_for: readonly WorkflowWait[];
}

export interface WorkflowStream {
  readonly id: string;
  readonly run_id: string;
  readonly tenant_id: string;
  readonly environment: string;
  /** Unique in its run. */
  readonly name: string;
  /** text, json, binary, tool_io or model_output. */
  readonly content_classes: readonly string[];
  /** Regions are recorded facts: where a node runs does not change them. */
  readonly metadata_home: string;
  readonly metadata_replicas: readonly string[];
  readonly object_regions: readonly string[];
  readonly client_egress_regions: readonly string[];
  readonly log_region: string;
  readonly retention?: StreamRetention;
  readonly redaction?: StreamRedaction;
  readonly authorization?: StreamAuthorization;
  readonly ceilings?: StreamCeilings;
  /** reject or block. */
  readonly overflow: string;
  /** How long an append may wait for acknowledgements where `overflow` is block. */
  readonly block_ms: number;
  readonly created_at?: string;
  /** open or closed. */
  readonly state: string;
  /** Of the last record; 0 where there was none. */
  readonly latest_sequence: number;
  /** Of the first record that can be read; one more than the latest where there is none. */
  readonly earliest_sequence: number;
  /** After the lowest acknowledgement of its consumers, or of all that is kept where it has none. */
  readonly unread_items: number;
  readonly unread_bytes: number;
  /** Of all that was ever appended. */
  readonly total_bytes: number;
  /** Set while the stream is held. */
  readonly legal_hold?: StreamLegalHold;
  readonly closed_at?: string;
}

export interface WorkflowStreamServiceSubscribeRequest {
  readonly run_id: string;
  readonly stream_id: string;
  /** Exclusive: the sequence of the last record that was handled; 0: from the first. Over REST `Last-Event-ID` wins over it. */
  readonly after_sequence?: number;
  /** event: a reader whose next record is gone is sent `gone` as its first event. Default: it is refused, which an EventSource cannot read. */
  readonly gone?: "event";
}

export interface WorkflowStreamServiceSubscribeResponse {
  readonly record?: StreamRecord;
  readonly gone?: StreamGone;
  readonly end?: StreamEnd;
}

export interface WorkflowVersion {
  readonly definition_id: string;
  readonly version: number;
  /** SHA-256 of the body in canonical form (RFC 8785), in hex. */
  readonly digest: string;
  /** Lists leave it out. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Who published it. */
  readonly published_by: string;
  readonly published_at?: string;
}

export interface WorkflowWait {
  readonly step_id: string;
  /** call, item, execution, timer, event or retry. */
  readonly kind: string;
  readonly event_key?: string;
  readonly queue_item_id?: string;
  /** When it ends at the latest. */
  readonly until?: string;
  readonly execution_id?: string;
}

export interface AdmissionModule {
  /** Says what would become of an item, in the pool that rules send it to. Nothing is enqueued, no token is taken. Needs `queue:preview`. */
  preview(request: PreviewAdmissionRequest, options?: CallOptions): Promise<PreviewAdmissionResponse>;
  /** Says what holds an item back. Needs `queue:read`. */
  explain(request: ExplainAdmissionRequest, options?: CallOptions): Promise<AdmissionExplanation>;
}

export interface AdmissionGroupsModule {
  /** Lists groups of one pool, or of all pools, pool by pool. Needs `queue:read`. */
  list(request?: ListAdmissionGroupsRequest, options?: CallOptions): List<AdmissionGroup>;
  /** Returns one group. Needs `queue:read`. */
  get(request: GetAdmissionGroupRequest, options?: CallOptions): Promise<AdmissionGroup>;
  /** Ends a singleton, debounce or throttle group: its key is free, its item fires, its tokens are back. Needs `queue:write`. */
  clear(request: ClearAdmissionGroupRequest, options?: CallOptions): Promise<AdmissionGroup>;
}

export interface AnomalyMonitorsModule {
  /** Creates a monitor, which measures from now on. Its actions need what they do: auto-pause queue:admin, or of recipients recipient:write, as deprioritize; notify notification:write. Needs `anomaly:write`. */
  create(request: CreateMonitorRequest, options?: CallOptions): Promise<AnomalyMonitor>;
  /** Lists the monitors of a pool by id, oldest first. Needs `anomaly:read`. */
  list(request: ListMonitorsRequest, options?: CallOptions): List<AnomalyMonitor>;
  /** Says what a monitor with these settings would make of given values. Nothing is stored. Needs `anomaly:preview`. */
  preview(request: PreviewMonitorRequest, options?: CallOptions): Promise<PreviewMonitorResponse>;
  /** Returns one monitor. Needs `anomaly:read`. */
  get(request: GetMonitorRequest, options?: CallOptions): Promise<AnomalyMonitor>;
  /** Changes the named fields of a monitor. REST takes a merge patch instead of update_mask. A monitor that measures something else begins anew. Needs `anomaly:write`. */
  update(request: UpdateMonitorRequest, options?: CallOptions): Promise<AnomalyMonitor>;
  /** Deletes a monitor, and closes its anomalies. Needs `anomaly:delete`. */
  delete(request: DeleteMonitorRequest, options?: CallOptions): Promise<DeleteMonitorResponse>;
}

export interface AnomaliesModule {
  /** Lists anomalies, the newest first. Without a pool or a monitor the list may lag behind a change by a moment. Needs `anomaly:read`. */
  list(request?: ListAnomaliesRequest, options?: CallOptions): List<Anomaly>;
  /** Returns one anomaly. Needs `anomaly:read`. */
  get(request: GetAnomalyRequest, options?: CallOptions): Promise<Anomaly>;
  /** Closes an anomaly by hand. What it paused stays paused for its time. Needs `anomaly:write`. */
  close(request: CloseAnomalyRequest, options?: CallOptions): Promise<Anomaly>;
}

export interface ApiKeysModule {
  /** Lists the tenant's keys, revoked ones among them. Needs `api_key:read`, `tenant:read`. */
  list(request?: ListApiKeysRequest, options?: CallOptions): List<ApiKey>;
  /** Creates a key. The answer has its secret, this once: it is stored nowhere, and a repeat with the same Idempotency-Key returns the key without it. Needs `api_key:write`, `tenant:write`. */
  create(request: CreateApiKeyRequest, options?: CallOptions): Promise<ApiKey>;
  /** Returns one key, without its secret. Needs `api_key:read`. */
  get(request: GetApiKeyRequest, options?: CallOptions): Promise<ApiKey>;
  /** Revokes a key for good: within a second no request with it is taken. Revoking it again changes nothing. Needs `api_key:write`, `tenant:write`. */
  revoke(request: RevokeApiKeyRequest, options?: CallOptions): Promise<ApiKey>;
}

export interface CapabilitiesModule {
  /** Returns the condition of every feature. Needs `capability:read`. */
  posture(request?: GetPostureRequest, options?: CallOptions): Promise<Posture>;
  /** Lists capabilities: the active ones, and others when asked for. Needs `capability:read`. */
  list(request?: ListCapabilitiesRequest, options?: CallOptions): List<Capability>;
  /** Returns one capability. Needs `capability:read`. */
  get(request: GetCapabilityRequest, options?: CallOptions): Promise<Capability>;
}

export interface ConfigModule {
  /** Describes every dynamic setting: type, unit, default and reason. Needs `config:read`. */
  schema(request?: GetConfigSchemaRequest, options?: CallOptions): Promise<ConfigSchema>;
  /** Returns the values of the caller's tenant as YAML. UNAVAILABLE unless dynamic_config.enabled. Needs `config:read`. */
  export(request?: ExportConfigRequest, options?: CallOptions): Promise<string>;
}

export interface ConformanceModule {
  /** Lists the suites, and `all` at the end. Needs `conformance:read`. */
  listSuites(request?: ListSuitesRequest, options?: CallOptions): List<ConformanceSuite>;
  /** Returns one suite with its cases. Needs `conformance:read`. */
  getSuite(request: GetSuiteRequest, options?: CallOptions): Promise<ConformanceSuite>;
  /** Runs a suite against this node: `sandbox` in a tenant that is made for the run and purged after it, `dry_run` only what changes nothing, in the caller's tenant. A live environment takes dry runs only. Needs `conformance:write`. */
  runSuite(request: RunSuiteRequest, options?: CallOptions): Promise<ConformanceReport>;
  /** Lists the tenant's reports, newest first, without their results. Needs `conformance:read`. */
  listReports(request?: ListReportsRequest, options?: CallOptions): List<ConformanceReport>;
  /** Returns one report. Needs `conformance:read`. */
  getReport(request: GetReportRequest, options?: CallOptions): Promise<ConformanceReport>;
  /** Says what fails in a report, and what has changed since the one before of the same suite and mode. Needs `conformance:preview`. */
  explainReport(request: ExplainReportRequest, options?: CallOptions): Promise<ConformanceExplanation>;
}

export interface ConnectSessionsModule {
  /** Opens a session for a new connection, or for the credentials of one that is there. The answer has the token, this once. Needs `connect_session:write`. */
  create(request: CreateConnectSessionRequest, options?: CallOptions): Promise<ConnectSession>;
  /** Returns one session, without its token. Needs `connect_session:read`. */
  get(request: GetConnectSessionRequest, options?: CallOptions): Promise<ConnectSession>;
  /** Gives the fields that the provider config's auth asks for (an API key, user and password, or none). The answer comes when the provider has taken or refused them, or after 20 seconds. Needs `connect_session:write`. */
  submit(request: SubmitConnectSessionRequest, options?: CallOptions): Promise<ConnectSession>;
  /** Ends an open session: its token and page are of no use any more. A session that has connected is refused. Needs `connect_session:write`. */
  revoke(request: RevokeConnectSessionRequest, options?: CallOptions): Promise<ConnectSession>;
}

export interface ConnectionsModule {
  /** Returns one connection, without its credentials. Needs `connection:read`. */
  get(request: GetConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Lists connections by id, oldest first. The list may lag behind a change by a moment; GetConnection does not. Needs `connection:read`. */
  list(request?: ListConnectionsRequest, options?: CallOptions): List<Connection>;
  /** Changes name or metadata. REST takes a merge patch instead of update_mask. Needs `connection:write`. */
  update(request: UpdateConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Deletes a revoked connection with its sessions, executions and subscriptions. Needs `connection:delete`. */
  delete(request: DeleteConnectionRequest, options?: CallOptions): Promise<DeleteConnectionResponse>;
  /** Asks the provider whether the credentials work. Where it says no, the connection needs new ones. Needs `connection:write`. */
  verify(request: VerifyConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Lets nothing be executed over an active connection until it is enabled. Needs `connection:write`. */
  disable(request: DisableConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Makes a disabled connection active again. Needs `connection:write`. */
  enable(request: EnableConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Tells the provider, where it takes that, and erases the credentials. For good. Needs `connection:delete`. */
  revoke(request: RevokeConnectionRequest, options?: CallOptions): Promise<Connection>;
}

export interface ProvidersModule {
  /** Lists the providers of the catalogue by key. Needs `connector:read`. */
  list(request?: ListProvidersRequest, options?: CallOptions): List<ConnectorProvider>;
  /** Returns one provider: how to authenticate, which settings it takes. Needs `connector:read`. */
  get(request: GetProviderRequest, options?: CallOptions): Promise<ConnectorProvider>;
}

export interface ActionsModule {
  /** Lists the actions of all providers by key. Needs `connector:read`. */
  list(request?: ListActionsRequest, options?: CallOptions): List<ConnectorAction>;
  /** Returns one action: what it takes and answers, which scopes it needs, whether a repeat is safe. Needs `connector:read`. */
  get(request: GetActionRequest, options?: CallOptions): Promise<ConnectorAction>;
  /** Performs an action over a connection. The answer comes when the execution has ended or wait_seconds are over; an action that failed is an answer with that status. One that is not safe to repeat is never sent twice: where its outcome cannot be known it ends as outcome_unknown. Needs `connector_execution:write`. */
  execute(request: ExecuteActionRequest, options?: CallOptions): Promise<ConnectorExecution>;
  /** Says what an execution would send, without sending it and without credentials. Needs `connector_execution:preview`. */
  preview(request: PreviewActionRequest, options?: CallOptions): Promise<PreviewActionResponse>;
}

export interface TriggersModule {
  /** Lists the triggers of all providers by key. Needs `connector:read`. */
  list(request?: ListTriggersRequest, options?: CallOptions): List<ConnectorTrigger>;
  /** Returns one trigger. Needs `connector:read`. */
  get(request: GetTriggerRequest, options?: CallOptions): Promise<ConnectorTrigger>;
}

export interface ExecutionsModule {
  /** Returns one execution with input and output. With wait_seconds the answer waits for its end. Needs `connector_execution:read`. */
  get(request: GetExecutionRequest, options?: CallOptions): Promise<ConnectorExecution>;
  /** Lists the executions of a connection, the newest first, without input and output. Needs `connector_execution:read`. */
  list(request: ListExecutionsRequest, options?: CallOptions): List<ConnectorExecution>;
  /** Ends an execution that has not ended. One whose request may have left already, and may have changed something, ends as outcome_unknown. Cancelling one that has ended changes nothing. Needs `connector_execution:write`. */
  cancel(request: CancelExecutionRequest, options?: CallOptions): Promise<ConnectorExecution>;
}

export interface DeadLettersModule {
  /** Lists dead letters by id; quarantined ones only where asked for. Needs `dlq:read`. */
  list(request: ListDeadLettersRequest, options?: CallOptions): List<QueueItem>;
  /** Returns how many dead letters there are, and since when. Needs `dlq:read`. */
  stats(request: GetDeadLetterStatsRequest, options?: CallOptions): Promise<DeadLetterStats>;
  /** Enqueues the named dead letters again, each with all of its settings and a new budget of attempts. Needs `dlq:write`. */
  retry(request: RetryRequest, options?: CallOptions): Promise<DeadLetterResults>;
  /** Starts to enqueue every dead letter that matches, each once; goes on by itself, also over restarts. Needs `dlq:write`. */
  retryAll(request: RetryAllRequest, options?: CallOptions): Promise<RetryAllOperation>;
  /** Says how far a retry of all is. Needs `dlq:read`. */
  getRetryAll(request: GetRetryAllRequest, options?: CallOptions): Promise<RetryAllOperation>;
  /** Sets the named dead letters aside: out of list, retry, retry-all and purge. Needs `dlq:write`. */
  quarantine(request: QuarantineRequest, options?: CallOptions): Promise<DeadLetterResults>;
  /** Brings quarantined dead letters back among the others. Needs `dlq:write`. */
  release(request: DeadLetterServiceReleaseRequest, options?: CallOptions): Promise<DeadLetterResults>;
  /** Removes dead letters for good. Needs `dlq:delete`. */
  purge(request: PurgeRequest, options?: CallOptions): Promise<PurgeResponse>;
}

export interface EventsModule {
  /** Events from a cursor on, then new ones as they happen: at least once, ordered per entity. Needs `event:read`. */
  subscribe(request?: SubscribeRequest, options?: CallOptions): AsyncIterable<SubscribeResponse>;
  /** Lists the events that are kept, the newest first. Needs `event:read`. */
  list(request?: ListEventsRequest, options?: CallOptions): List<Event>;
}

export interface EvidencePacksModule {
  /** Creates a pack for one environment of the tenant. Needs `rollout_evidence:write`. */
  create(request: CreatePackRequest, options?: CallOptions): Promise<EvidencePack>;
  /** Returns one pack. Needs `rollout_evidence:read`. */
  get(request: GetPackRequest, options?: CallOptions): Promise<EvidencePack>;
  /** Lists the tenant's packs by id, oldest first. The list may lag behind a change by a moment; GetPack does not. Needs `rollout_evidence:read`. */
  list(request?: ListPacksRequest, options?: CallOptions): List<EvidencePack>;
  /** Replaces name, labels and requirements: what the request leaves out is empty afterwards. Needs `rollout_evidence:write`. */
  update(request: UpdatePackRequest, options?: CallOptions): Promise<EvidencePack>;
  /** Says whether the receipts are what the requirements ask for, and per requirement everything that is wrong. Needs `rollout_evidence:write`. */
  evaluateGate(request: EvaluateGateRequest, options?: CallOptions): Promise<EvidenceGate>;
  /** Says per requirement which receipt decided, why others did not, and what to do. Needs `rollout_evidence:preview`. */
  explain(request: ExplainPackRequest, options?: CallOptions): Promise<EvidenceExplanation>;
  /** Returns a signed manifest of the pack: digests in place of free-form values, no contents, no places of storage, principals as pseudonyms. Needs `rollout_evidence:read`. */
  export(request: ExportPackRequest, options?: CallOptions): Promise<EvidenceExport>;
  /** Archives a pack: it can be read and exported, and takes nothing more. Refused while its candidate is open. Needs `rollout_evidence:write`. */
  archive(request: ArchivePackRequest, options?: CallOptions): Promise<EvidencePack>;
  /** Gives the pack to an open promotion of its environment: its gates ask this pack from then on, and an approval is bound to it. Needs `rollout_evidence:write`. */
  attach(request: AttachToPromotionRequest, options?: CallOptions): Promise<EvidencePack>;
}

export interface EvidenceArtifactsModule {
  /** Adds an artifact that receipts are about: its content, or only its digest and where it is. The same digest again is the artifact that is there already. Needs `rollout_evidence:write`. */
  add(request: AddArtifactRequest, options?: CallOptions): Promise<EvidenceArtifact>;
  /** Lists the artifacts of a pack by id, oldest first, without their content. Needs `rollout_evidence:read`. */
  list(request: ListArtifactsRequest, options?: CallOptions): List<EvidenceArtifact>;
  /** Returns one artifact with its content. Needs `rollout_evidence:read`. */
  get(request: GetArtifactRequest, options?: CallOptions): Promise<EvidenceArtifact>;
}

export interface EvidenceReceiptsModule {
  /** Adds a receipt of exactly one type, as fields or as a DSSE envelope that a trusted producer signed. With a run it ends the run. Needs `rollout_evidence:write`. */
  add(request: AddReceiptRequest, options?: CallOptions): Promise<EvidenceReceipt>;
  /** Lists the receipts of a pack by id, newest first. Needs `rollout_evidence:read`. */
  list(request: ListReceiptsRequest, options?: CallOptions): List<EvidenceReceipt>;
}

export interface EvidenceRunsModule {
  /** Starts a run that is going to bring a receipt. Its producer holds it with lease_token and heartbeats; without one in time it expires. Needs `rollout_evidence:write`. */
  start(request: EvidenceServiceStartRunRequest, options?: CallOptions): Promise<EvidenceRun>;
  /** Lists the runs of a pack by id, newest first. Needs `rollout_evidence:read`. */
  list(request: EvidenceServiceListRunsRequest, options?: CallOptions): List<EvidenceRun>;
  /** Returns one run. Needs `rollout_evidence:read`. */
  get(request: EvidenceServiceGetRunRequest, options?: CallOptions): Promise<EvidenceRun>;
  /** Renews the lease of a run, never beyond its deadline. The first heartbeat makes a pending run running. Needs `rollout_evidence:write`. */
  heartbeat(request: EvidenceServiceHeartbeatRunRequest, options?: CallOptions): Promise<EvidenceRun>;
  /** Cancels a pending or running run: its lease token is worth nothing from then on. Needs `rollout_evidence:write`. */
  cancel(request: EvidenceServiceCancelRunRequest, options?: CallOptions): Promise<EvidenceRun>;
}

export interface EvidenceModule {
  /** Says which requirements the artifacts of a candidate call for, by the rules of version `v1`. Needs `rollout_evidence:preview`. */
  expandRequirements(request: ExpandRequirementsRequest, options?: CallOptions): Promise<ExpandRequirementsResponse>;
  /** Returns the public keys that exports are signed with, as a JSON Web Key Set. Needs `rollout_evidence:read`. */
  keys(request?: EvidenceServiceGetKeysRequest, options?: CallOptions): Promise<EvidenceKeys>;
}

export interface ExperimentGroupsModule {
  /** Creates a group in the environment that X-Environment names. Needs `experiment:write`. */
  create(request: CreateExperimentGroupRequest, options?: CallOptions): Promise<ExperimentGroup>;
  /** Returns one group with the ranges that it has given out. Needs `experiment:read`. */
  get(request: GetExperimentGroupRequest, options?: CallOptions): Promise<ExperimentGroup>;
  /** Lists the tenant's groups by id, oldest first. Needs `experiment:read`. */
  list(request?: ListExperimentGroupsRequest, options?: CallOptions): List<ExperimentGroup>;
  /** Deletes a group that has given out no range. Needs `experiment:delete`. */
  delete(request: DeleteExperimentGroupRequest, options?: CallOptions): Promise<DeleteExperimentGroupResponse>;
}

export interface ExperimentsModule {
  /** Creates an experiment as a draft, in the environment that X-Environment names. Needs `experiment:write`. */
  create(request: CreateExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Returns one experiment. Needs `experiment:read`. */
  get(request: GetExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Lists the tenant's experiments by id, oldest first. The list may lag behind a change by a moment; GetExperiment does not. Needs `experiment:read`. */
  list(request?: ListExperimentsRequest, options?: CallOptions): List<Experiment>;
  /** Changes the named fields of an experiment. REST takes a merge patch instead of update_mask. A draft takes all of them. After the start: name, description, scores_close_at and a higher coverage; new weights, targeting or a lower coverage open a phase and need `carry`. Needs `experiment:write`. */
  update(request: UpdateExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Deletes an experiment that is not running or paused, with its units, scores and figures. Needs `experiment:delete`. */
  delete(request: DeleteExperimentRequest, options?: CallOptions): Promise<DeleteExperimentResponse>;
  /** Starts a draft, or a paused experiment again. In a group it first takes a free range there. Needs `experiment:write`. */
  start(request: StartExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Enrols no new units from the answer on. Units that are enrolled keep their variant. Needs `experiment:write`. */
  pause(request: PauseExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Ends an experiment: from now on every unit gets the winner, or the control where none is named. Needs `experiment:write`. */
  complete(request: CompleteExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Breaks an experiment off: from now on every unit gets the control. Needs `experiment:write`. */
  stop(request: StopExperimentRequest, options?: CallOptions): Promise<Experiment>;
  /** Says which variant a unit gets. A unit that was exposed keeps its variant. Needs `experiment_assignment:write`. */
  assign(request: AssignRequest, options?: CallOptions): Promise<Assignment>;
  /** Says which variants a unit gets in several experiments, each answered by itself. Needs `experiment_assignment:write`. */
  assignMany(request: AssignManyRequest, options?: CallOptions): Promise<AssignManyResponse>;
  /** Redeems receipts of assignments that were made with `expose: false`: their units were exposed. The first receipt of a unit wins. Needs `experiment_assignment:write`. */
  recordExposures(request: RecordExposuresRequest, options?: CallOptions): Promise<RecordExposuresResponse>;
  /** Records what came of a unit, now or later. A repeat of the same score_id with the same body changes nothing. Needs `experiment_score:write`. */
  score(request: RecordScoreRequest, options?: CallOptions): Promise<Score>;
  /** Records many scores, each answered by itself. Needs `experiment_score:write`. */
  scoreBatch(request: RecordScoresRequest, options?: CallOptions): Promise<RecordScoresResponse>;
  /** Returns the figures as they are now, from exact sums. Needs `experiment:read`. */
  results(request: GetResultsRequest, options?: CallOptions): Promise<ExperimentResults>;
  /** Returns what is stored of one unit. Needs `experiment:read`. */
  getUnit(request: GetUnitRequest, options?: CallOptions): Promise<ExperimentUnit>;
  /** Deletes a unit with its scores, and takes it out of the figures. Needs `experiment:delete`. */
  deleteUnit(request: DeleteUnitRequest, options?: CallOptions): Promise<DeleteUnitResponse>;
}

export interface InboxModule {
  /** Lists the messages of an inbox, newest first, with the number of unread ones. Needs `notification:read`. */
  list(request: ListInboxRequest, options?: CallOptions): List<InboxMessage>;
  /** Marks messages read, unread or archived: those that are named, or all. Needs `notification:write`. */
  mark(request: MarkInboxRequest, options?: CallOptions): Promise<MarkInboxResponse>;
  /** Sends the messages that arrive after a position, each once, and the number of unread ones whenever it changes. Needs `notification:read`. */
  watch(request: WatchInboxRequest, options?: CallOptions): AsyncIterable<WatchInboxResponse>;
}

export interface IntegrationsModule {
  /** Creates an integration. Every trigger that is accepted after the answer may choose it. Needs `notification:write`. */
  create(request: CreateIntegrationRequest, options?: CallOptions): Promise<Integration>;
  /** Returns one integration. Needs `notification:read`. */
  get(request: GetIntegrationRequest, options?: CallOptions): Promise<Integration>;
  /** Lists the tenant's integrations by id, oldest first. Needs `notification:read`. */
  list(request?: ListIntegrationsRequest, options?: CallOptions): List<Integration>;
  /** Replaces an integration; what is not given has its default. The channel stays. Needs `notification:write`. */
  update(request: UpdateIntegrationRequest, options?: CallOptions): Promise<Integration>;
  /** Deletes an integration. After the answer no delivery chooses it. Needs `notification:write`. */
  delete(request: DeleteIntegrationRequest, options?: CallOptions): Promise<DeleteIntegrationResponse>;
}

export interface LayoutsModule {
  /** Creates a layout. Its body must put out `{{ content }}`. Needs `layout:write`. */
  create(request: CreateLayoutRequest, options?: CallOptions): Promise<Layout>;
  /** Returns one layout. Needs `layout:read`. */
  get(request: GetLayoutRequest, options?: CallOptions): Promise<Layout>;
  /** Lists the tenant's layouts by id, oldest first. Needs `layout:read`. */
  list(request?: ListLayoutsRequest, options?: CallOptions): List<Layout>;
  /** Replaces name, engine and body. `version` is the one that was read. Needs `layout:write`. */
  update(request: UpdateLayoutRequest, options?: CallOptions): Promise<Layout>;
  /** Deletes a layout. One that workflows name is deleted with `force` only; they use the channel's default then. Needs `layout:write`. */
  delete(request: DeleteLayoutRequest, options?: CallOptions): Promise<DeleteLayoutResponse>;
  /** Returns which workflows name a layout. Needs `layout:read`. */
  usage(request: GetLayoutUsageRequest, options?: CallOptions): Promise<LayoutUsage>;
  /** Makes a layout the default of its channel, in the place of the one that is. Needs `layout:write`. */
  setDefault(request: SetDefaultLayoutRequest, options?: CallOptions): Promise<Layout>;
  /** Copies a layout: a new id, ` (copy)` after its name, never the default. Needs `layout:write`. */
  duplicate(request: DuplicateLayoutRequest, options?: CallOptions): Promise<Layout>;
  /** Renders a layout with `[content]` in the place of a message, and says which of its variables have a value. Needs `layout:read`. */
  preview(request: PreviewLayoutRequest, options?: CallOptions): Promise<LayoutPreview>;
}

export interface PoolsModule {
  /** Sends the figures of pools: all of them at first, then those that have changed. A pool is looked at once a second however many watch it. Needs `queue:read`. */
  watch(request: WatchPoolsRequest, options?: CallOptions): AsyncIterable<WatchPoolsResponse>;
  /** Creates a pool in the environment that X-Environment names. Needs `pool:write`. */
  create(request: CreatePoolRequest, options?: CallOptions): Promise<Pool>;
  /** Returns one pool. Needs `pool:read`. */
  get(request: GetPoolRequest, options?: CallOptions): Promise<Pool>;
  /** Lists the tenant's pools by id, oldest first. The list may lag behind a change by a moment; GetPool does not. Needs `pool:read`. */
  list(request?: ListPoolsRequest, options?: CallOptions): List<Pool>;
  /** Changes the named fields of a pool. REST takes a merge patch instead of update_mask. Needs `pool:write`. */
  update(request: UpdatePoolRequest, options?: CallOptions): Promise<Pool>;
  /** Enables or disables a pool. A disabled pool refuses routing and claims and keeps its items. Needs `pool:write`. */
  setEnabled(request: SetPoolEnabledRequest, options?: CallOptions): Promise<Pool>;
  /** Deletes a pool with its recipients and rules. Refused while it holds items, unless forced. Needs `pool:delete`. */
  delete(request: DeletePoolRequest, options?: CallOptions): Promise<DeletePoolResponse>;
  /** Keeps a version of the pool's routing or strategy: as it is now, as given, or as it is in a version of another pool. Nothing of it is in force before a promotion activates it. Needs `pool_version:write`. */
  createVersion(request: CreatePoolVersionRequest, options?: CallOptions): Promise<PoolVersion>;
  /** Lists the versions of a pool by number, oldest first, without their content. Needs `pool_version:read`. */
  listVersions(request: ListPoolVersionsRequest, options?: CallOptions): List<PoolVersion>;
  /** Returns one version with its content. Needs `pool_version:read`. */
  getVersion(request: GetPoolVersionRequest, options?: CallOptions): Promise<PoolVersion>;
  /** Says how the routing and the strategy of a pool may be changed: directly, or by promotions only. Needs `pool:admin`. */
  setChangeControl(request: SetChangeControlRequest, options?: CallOptions): Promise<Pool>;
  /** Chooses a recipient. The decision is durable before it is answered and kept for a day. Needs `routing:write`. */
  route(request: RouteRequest, options?: CallOptions): Promise<Routing>;
  /** Chooses a recipient for each entry, in order, in one commit per pool. Needs `routing:write`. */
  routeBatch(request: RouteBatchRequest, options?: CallOptions): Promise<RouteBatchResponse>;
  /** Says what Route would answer now, and why: what each rule does and who could take it. Nothing is recorded or held, and a redirect is not followed. Needs `routing:preview`. */
  previewRoute(request: PreviewRouteRequest, options?: CallOptions): Promise<RoutePreview>;
}

export interface ServicesModule {
  /** Lists every service and method of this plane with its REST address and what it asks of the caller. Needs `meta:read`. */
  list(request?: GetServicesRequest, options?: CallOptions): Promise<ServicesReport>;
}

export interface NoticesModule {
  /** Lists the tenant's notification workflows. The list may lag behind a change by a moment. Needs `notification:read`. */
  list(request?: ListNoticesRequest, options?: CallOptions): List<Notice>;
  /** Writes a notification workflow as a new version. Triggers that were accepted before keep theirs. Needs `notification:write`. */
  put(request: PutNoticeRequest, options?: CallOptions): Promise<Notice>;
  /** Returns one notification workflow. Needs `notification:read`. */
  get(request: GetNoticeRequest, options?: CallOptions): Promise<Notice>;
  /** Deletes a notification workflow. Triggers with its key then take content from the request. Needs `notification:write`. */
  delete(request: DeleteNoticeRequest, options?: CallOptions): Promise<DeleteNoticeResponse>;
}

export interface UserPreferencesModule {
  /** Writes what the author decided for one user_id of a trigger (layer 2). Needs `notification:write`. */
  put(request: PutUserPreferenceRequest, options?: CallOptions): Promise<UserPreference>;
  /** Returns the row of one user_id (layer 2). Needs `notification:read`. */
  get(request: GetUserPreferenceRequest, options?: CallOptions): Promise<UserPreference>;
  /** Deletes the row of one user_id (layer 2). Needs `notification:write`. */
  delete(request: DeleteUserPreferenceRequest, options?: CallOptions): Promise<DeleteUserPreferenceResponse>;
}

export interface NotifyModule {
  /** Sends a notification to one subscriber, and waits for the first outcomes; or to all members of a topic, and answers once the broadcast is stored. Needs `notification:write`. */
  trigger(request: TriggerRequest, options?: CallOptions): Promise<TriggerResponse>;
  /** Returns how far a broadcast to a topic is. Needs `notification:read`. */
  broadcast(request: GetBroadcastRequest, options?: CallOptions): Promise<Broadcast>;
  /** Stops a broadcast: members that were not reached yet are not, and deliveries that wait are skipped. One that is over stays as it is. Needs `notification:write`. */
  cancelBroadcast(request: CancelBroadcastRequest, options?: CallOptions): Promise<Broadcast>;
  /** Lists deliveries of one transaction or of one subscriber, newest first: exactly one of them is named. Needs `notification:read`. */
  deliveries(request?: ListDeliveriesRequest, options?: CallOptions): List<Delivery>;
  /** Returns one delivery. Needs `notification:read`. */
  delivery(request: GetDeliveryRequest, options?: CallOptions): Promise<Delivery>;
  /** Lists what adapters have observed of a delivery, in order. Needs `notification:read`. */
  observations(request: ListObservationsRequest, options?: CallOptions): List<Observation>;
  /** Lists failed deliveries, newest first. Needs `notification:read`. */
  deadLetters(request?: NotificationServiceListDeadLettersRequest, options?: CallOptions): List<DeadLetter>;
  /** Returns one dead letter. Needs `notification:read`. */
  deadLetter(request: GetDeadLetterRequest, options?: CallOptions): Promise<DeadLetter>;
  /** Sends a failed delivery again, by the preferences and integrations of now. Needs `notification:admin`. */
  redriveOne(request: RedriveDeadLetterRequest, options?: CallOptions): Promise<DeadLetter>;
  /** Sends up to 1,000 failed deliveries again; each is answered by itself. Needs `notification:admin`. */
  redrive(request: RedriveDeadLettersRequest, options?: CallOptions): Promise<RedriveDeadLettersResponse>;
}

export interface ReportModule {
  /** Returns the verdict on an environment by a fixed ruleset: one report for all callers within 15 seconds. Needs `operational_health:read`. */
  health(request?: GetOperationalHealthReportRequest, options?: CallOptions): Promise<OperationalHealthReport>;
  /** Lists the tenants and environments that the caller may ask about. Needs `operational_health:read`. */
  scopes(request?: ListScopesRequest, options?: CallOptions): List<HealthScopes>;
}

export interface OutcomesModule {
  /** Records how a routing or an item ended. Needs `outcome:write`. */
  record(request: RecordOutcomeRequest, options?: CallOptions): Promise<Outcome>;
  /** Records many outcomes, one commit per pool. Needs `outcome:write`. */
  recordBatch(request: RecordOutcomesRequest, options?: CallOptions): Promise<RecordOutcomesResponse>;
}

export interface PromotionsModule {
  /** Creates a candidate of exact versions. Another version needs another candidate. Needs `promotion:write`. */
  create(request: CreateCandidateRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Returns one candidate. Needs `promotion:read`. */
  get(request: GetCandidateRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Lists the tenant's candidates by id, newest first, each with its last check only. The list may lag behind a change by a moment. Needs `promotion:read`. */
  list(request?: ListCandidatesRequest, options?: CallOptions): List<PromotionCandidate>;
  /** Compares every artifact with what is in force and says what would change and what stands against it. Changes nothing else. Needs `promotion:write`. */
  preflight(request: PreflightRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Evaluates the guardrails over what is known now, and keeps the result as a check. Needs `promotion:write`. */
  evaluateGuardrails(request: EvaluateGuardrailsRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Lets the candidate decide a share of the keys, or a larger share. A key stays on its side. Needs `promotion:write`. */
  startCanary(request: StartCanaryRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Stops the canary and evaluates the guardrails. What it has counted stays. Needs `promotion:write`. */
  stopCanary(request: StopCanaryRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Records the caller's decision. Whoever made the candidate or a version in it cannot approve it. Needs `promotion_approval:write`. */
  approve(request: ApproveRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Puts all artifacts into force, or none of them. Needs `promotion:admin`. */
  promote(request: PromoteRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Puts back what was in force before the promotion, with the same rule ids: all of it or nothing. Needs `promotion:admin`. */
  rollback(request: RollbackRequest, options?: CallOptions): Promise<PromotionCandidate>;
  /** Ends a candidate that is not promoted, and its canary. Needs `promotion:write`. */
  abort(request: AbortRequest, options?: CallOptions): Promise<PromotionCandidate>;
}

export interface ProviderConfigsModule {
  /** Creates a provider config as a draft, in the environment that X-Environment names. Needs `provider_config:write`. */
  create(request: CreateProviderConfigRequest, options?: CallOptions): Promise<ProviderConfig>;
  /** Returns one provider config, without its client secret. Needs `provider_config:read`. */
  get(request: GetProviderConfigRequest, options?: CallOptions): Promise<ProviderConfig>;
  /** Lists provider configs by id, oldest first. The list may lag behind a change by a moment. Needs `provider_config:read`. */
  list(request?: ListProviderConfigsRequest, options?: CallOptions): List<ProviderConfig>;
  /** Changes the named fields; each change makes a new version. REST takes a merge patch instead of update_mask. Needs `provider_config:write`. */
  update(request: UpdateProviderConfigRequest, options?: CallOptions): Promise<ProviderConfig>;
  /** Lets connections be made and actions be executed with it: from draft or disabled. Needs `provider_config:write`. */
  activate(request: ActivateProviderConfigRequest, options?: CallOptions): Promise<ProviderConfig>;
  /** Stops its executions, those that wait among them: from active. Needs `provider_config:write`. */
  disable(request: DisableProviderConfigRequest, options?: CallOptions): Promise<ProviderConfig>;
  /** Puts it away for good: from draft or disabled. Needs `provider_config:write`. */
  archive(request: ArchiveProviderConfigRequest, options?: CallOptions): Promise<ProviderConfig>;
}

export interface QueuesModule {
  /** Lists the tenant's queues with their figures, by pool id. Needs `queue:read`. */
  list(request?: ListQueuesRequest, options?: CallOptions): List<QueueStatus>;
  /** Returns a queue's figures. Needs `queue:read`. */
  status(request: GetQueueStatusRequest, options?: CallOptions): Promise<QueueStatus>;
  /** Returns what has happened in a queue, by minutes, five minutes or hours: whole steps, up to the last one that is over. Needs `queue:read`. */
  series(request: GetQueueSeriesRequest, options?: CallOptions): Promise<QueueSeries>;
  /** Stops handing items out; they can still be enqueued, and leases go on. Needs `queue:admin`. */
  pause(request: PauseQueueRequest, options?: CallOptions): Promise<QueueStatus>;
  /** Hands items out again, at once. Needs `queue:admin`. */
  resume(request: ResumeQueueRequest, options?: CallOptions): Promise<QueueStatus>;
  /** Cancels the oldest waiting items, never a leased one. Needs `queue:admin`. */
  drain(request: DrainQueueRequest, options?: CallOptions): Promise<DrainQueueResponse>;
}

export interface JobsModule {
  /** Lists the jobs of a queue, the newest first: those that run, and the last 20 that have ended, for 7 days. Needs `queue:read`. */
  list(request: ListJobsRequest, options?: CallOptions): List<Job>;
  /** Says how far a job is. Needs `queue:read`. */
  get(request: GetJobRequest, options?: CallOptions): Promise<Job>;
  /** Ends a job where it is; what it has changed stays so. Needs `queue_item:write`. */
  cancel(request: CancelJobRequest, options?: CallOptions): Promise<Job>;
}

export interface ItemsModule {
  /** Enqueues an item. The answer says what admission made of it; 201 where a new item was made. Needs `queue_item:write`. */
  enqueue(request: EnqueueRequest, options?: CallOptions): Promise<EnqueueResponse>;
  /** Enqueues up to 1,000 items in one commit; each entry sees the ones before it. Needs `queue_item:write`. */
  enqueueBatch(request: EnqueueBatchRequest, options?: CallOptions): Promise<EnqueueBatchResponse>;
  /** Lists items by id, oldest first. Needs `queue_item:read`. */
  list(request: ListItemsRequest, options?: CallOptions): List<QueueItem>;
  /** Returns one item, and why it waits. Needs `queue_item:read`. */
  get(request: GetItemRequest, options?: CallOptions): Promise<QueueItem>;
  /** Waits until an item is finished, or started; answers at once where it is, and otherwise when the wait is over. Needs `queue_item:read`. */
  await(request: AwaitItemRequest, options?: CallOptions): Promise<AwaitItemResponse>;
  /** Leases the next items in line to a recipient; waits for some if there are none. Needs `queue_item:write`. */
  claim(request: ClaimRequest, options?: CallOptions): Promise<ClaimResponse>;
  /** Settles or extends many leases in one commit. Needs `queue_item:write`. */
  settle(request: SettleBatchRequest, options?: CallOptions): Promise<SettleBatchResponse>;
  /** Ends an item as done. Needs `queue_item:write`. */
  complete(request: CompleteRequest, options?: CallOptions): Promise<Settlement>;
  /** Ends an attempt: the item is tried again after a back-off, or is a dead letter. Needs `queue_item:write`. */
  fail(request: FailRequest, options?: CallOptions): Promise<Settlement>;
  /** Gives an item back untouched; costs a delivery, not an attempt. Needs `queue_item:write`. */
  release(request: ReleaseRequest, options?: CallOptions): Promise<Settlement>;
  /** Makes an item a dead letter at once. Needs `queue_item:write`. */
  reject(request: RejectRequest, options?: CallOptions): Promise<Settlement>;
  /** Makes a lease last longer, counted from now. Needs `queue_item:write`. */
  extend(request: ExtendRequest, options?: CallOptions): Promise<Settlement>;
  /** Ends an item whatever it is doing; a lease on it is void at once. Needs `queue_item:write`. */
  cancel(request: CancelRequest, options?: CallOptions): Promise<QueueItem>;
  /** Starts to cancel every item that waits and matches, each once; goes on by itself, also over restarts. Items that are enqueued later, and leased ones, are not touched. Needs `queue_item:write`. */
  cancelAll(request: CancelAllRequest, options?: CallOptions): Promise<Job>;
}

export interface RecipientsModule {
  /** Adds a recipient to a pool. Needs `recipient:write`. */
  create(request: CreateRecipientRequest, options?: CallOptions): Promise<Recipient>;
  /** Lists a pool's recipients by id, oldest first. Needs `recipient:read`. */
  list(request: ListRecipientsRequest, options?: CallOptions): List<Recipient>;
  /** Returns one recipient with its live figures. Needs `recipient:read`. */
  get(request: GetRecipientRequest, options?: CallOptions): Promise<Recipient>;
  /** Changes the named fields of a recipient. REST takes a merge patch instead of update_mask. Needs `recipient:write`. */
  update(request: UpdateRecipientRequest, options?: CallOptions): Promise<Recipient>;
  /** Removes a recipient. What it holds can still be settled. Needs `recipient:delete`. */
  delete(request: DeleteRecipientRequest, options?: CallOptions): Promise<DeleteRecipientResponse>;
  /** Gives a recipient nothing new until it is resumed. Needs `recipient:write`. */
  pause(request: PauseRecipientRequest, options?: CallOptions): Promise<Recipient>;
  /** Makes a paused, draining or ejected recipient active again. Needs `recipient:write`. */
  resume(request: ResumeRecipientRequest, options?: CallOptions): Promise<Recipient>;
  /** Says that a recipient is there. Once it has, it is offline when its next heartbeat is overdue. Needs `recipient:write`. */
  heartbeat(request: HeartbeatRequest, options?: CallOptions): Promise<Recipient>;
}

export interface RoutingsModule {
  /** Returns a decision of the last day; `verify` decides again from what was recorded. Needs `routing:read`. */
  get(request: GetRoutingRequest, options?: CallOptions): Promise<Routing>;
}

export interface RulesModule {
  /** Adds a rule to a pool. Needs `rule:write`. */
  create(request: CreateRuleRequest, options?: CallOptions): Promise<Rule>;
  /** Lists a pool's rules by id, oldest first. Needs `rule:read`. */
  list(request: ListRulesRequest, options?: CallOptions): List<Rule>;
  /** Returns one rule. Needs `rule:read`. */
  get(request: GetRuleRequest, options?: CallOptions): Promise<Rule>;
  /** Changes the named fields of a rule. REST takes a merge patch instead of update_mask. Needs `rule:write`. */
  update(request: UpdateRuleRequest, options?: CallOptions): Promise<Rule>;
  /** Removes a rule. Needs `rule:delete`. */
  delete(request: DeleteRuleRequest, options?: CallOptions): Promise<DeleteRuleResponse>;
  /** Checks a condition, and with pool_id what an action names, without storing it. Needs `rule:preview`. */
  validate(request?: ValidateRuleRequest, options?: CallOptions): Promise<ValidateRuleResponse>;
}

export interface SubscribersModule {
  /** Creates a subscriber, or merges what is given into the one with this external_id and makes it active again. Needs `notification:write`. */
  upsert(request: UpsertSubscriberRequest, options?: CallOptions): Promise<Subscriber>;
  /** Lists the tenant's subscribers, newest first. Needs `notification:read`. */
  list(request?: ListSubscribersRequest, options?: CallOptions): List<Subscriber>;
  /** Returns one subscriber. Needs `notification:read`. */
  get(request: GetSubscriberRequest, options?: CallOptions): Promise<Subscriber>;
  /** Replaces the profile of a subscriber: fields that are not given become empty. Needs `notification:write`. */
  replace(request: ReplaceSubscriberRequest, options?: CallOptions): Promise<Subscriber>;
  /** Makes a subscriber inactive. Its endpoints, subscriptions and deliveries stay readable; nothing is sent to it. Needs `notification:write`. */
  delete(request: DeleteSubscriberRequest, options?: CallOptions): Promise<DeleteSubscriberResponse>;
  /** Creates or merges up to 1,000 subscribers; each is answered by itself. Needs `notification:write`. */
  batchUpsert(request: BatchUpsertSubscribersRequest, options?: CallOptions): Promise<BatchUpsertSubscribersResponse>;
}

export interface EndpointsModule {
  /** Adds an address, or refreshes the one that is there: it becomes active, unsuppressed and last used now. Needs `notification:write`. */
  upsert(request: UpsertEndpointRequest, options?: CallOptions): Promise<Endpoint>;
  /** Sends a link to an address, with which its owner confirms it within 7 days, once. A new link replaces the one before. Needs `notification:write`. */
  sendConfirmation(request: SendEndpointConfirmationRequest, options?: CallOptions): Promise<SendEndpointConfirmationResponse>;
  /** Makes an address verified by the caller's word, without a confirmation of its owner. Needs `notification_verification:admin`. */
  verify(request: VerifyEndpointRequest, options?: CallOptions): Promise<Endpoint>;
  /** Lists the addresses of a subscriber, also those that were removed. Needs `notification:read`. */
  list(request: ListEndpointsRequest, options?: CallOptions): List<Endpoint>;
  /** Removes an address: it stays in the list with active false, and another subscriber may take it. Needs `notification:write`. */
  remove(request: RemoveEndpointRequest, options?: CallOptions): Promise<RemoveEndpointResponse>;
}

export interface SubscriptionsModule {
  /** Makes a subscriber a member of a topic, or changes its context keys. Needs `notification:write`. */
  create(request: SubscriberServiceSubscribeRequest, options?: CallOptions): Promise<Subscription>;
  /** Lists the topics of a subscriber by key. Needs `notification:read`. */
  list(request: ListSubscriptionsRequest, options?: CallOptions): List<Subscription>;
  /** Takes a subscriber out of a topic. Needs `notification:write`. */
  delete(request: UnsubscribeRequest, options?: CallOptions): Promise<UnsubscribeResponse>;
}

export interface PreferencesModule {
  /** Writes one preference row. Without keys it is layer 3 (all of the subscriber), with workflow_key layer 4, with topic_key too layer 5. It replaces the row with the same keys. Needs `notification:write`. */
  put(request: PutPreferenceRequest, options?: CallOptions): Promise<Preference>;
  /** Lists the preference rows of a subscriber, layers 3 to 5. Needs `notification:read`. */
  list(request: ListPreferencesRequest, options?: CallOptions): List<Preference>;
  /** Deletes one preference row. Needs `notification:write`. */
  delete(request: DeletePreferenceRequest, options?: CallOptions): Promise<DeletePreferenceResponse>;
  /** Says what a trigger would decide for each channel, and why. It is the resolver of the trigger; nothing is sent or stored. Needs `notification:read`. */
  preview(request: PreviewPreferencesRequest, options?: CallOptions): Promise<PreviewPreferencesResponse>;
}

export interface TenantsModule {
  /** Creates a tenant. Needs `tenant:admin`. */
  create(request: CreateTenantRequest, options?: CallOptions): Promise<Tenant>;
  /** Returns one tenant. Needs `tenant:read`. */
  get(request: GetTenantRequest, options?: CallOptions): Promise<Tenant>;
  /** Lists tenants by id, oldest first. Deleted ones are listed only where `status` asks for them. Needs `tenant:read`. */
  list(request?: ListTenantsRequest, options?: CallOptions): List<Tenant>;
  /** Changes the named fields of a tenant. REST takes a merge patch instead of update_mask. A tenant's own administrator may change `name` and `settings`; the other fields are for the operator of the installation. Needs `tenant:write`. */
  update(request: UpdateTenantRequest, options?: CallOptions): Promise<Tenant>;
  /** Deletes a tenant: its callers are refused from then on, and its data is purged. The record stays, marked as deleted. Needs `tenant:admin`. */
  delete(request: DeleteTenantRequest, options?: CallOptions): Promise<DeleteTenantResponse>;
  /** Returns what a tenant has used of one operation today (UTC), and what it may use. Needs `tenant:read`. */
  quota(request: GetQuotaRequest, options?: CallOptions): Promise<Quota>;
}

export interface TopicsModule {
  /** Creates a topic. Its key never changes. Needs `notification:write`. */
  create(request: CreateTopicRequest, options?: CallOptions): Promise<Topic>;
  /** Lists the tenant's topics by id, oldest first. The list may lag behind a change by a moment. Needs `notification:read`. */
  list(request?: ListTopicsRequest, options?: CallOptions): List<Topic>;
  /** Returns one topic. Needs `notification:read`. */
  get(request: GetTopicRequest, options?: CallOptions): Promise<Topic>;
  /** Replaces name, description and metadata. Needs `notification:write`. */
  update(request: UpdateTopicRequest, options?: CallOptions): Promise<Topic>;
  /** Deletes a topic with its subscriptions. A broadcast that was accepted before goes on. Needs `notification:write`. */
  delete(request: DeleteTopicRequest, options?: CallOptions): Promise<DeleteTopicResponse>;
  /** Makes up to 1,000 subscribers members; of members it changes the context keys. Needs `notification:write`. */
  addMembers(request: AddMembersRequest, options?: CallOptions): Promise<AddMembersResponse>;
  /** Lists the members of a topic by the id of the subscriber. Needs `notification:read`. */
  listMembers(request: ListMembersRequest, options?: CallOptions): List<TopicMember>;
  /** Takes up to 1,000 subscribers out of a topic; those that are no members are ignored. Needs `notification:write`. */
  removeMembers(request: RemoveMembersRequest, options?: CallOptions): Promise<RemoveMembersResponse>;
}

export interface TriggerSubscriptionsModule {
  /** Subscribes to a trigger over a connection. Of a webhook, the answer holds the secret, this once. Needs `connector_trigger:write`. */
  create(request: CreateTriggerSubscriptionRequest, options?: CallOptions): Promise<TriggerSubscription>;
  /** Returns one subscription, without its secret. Needs `connector_trigger:read`. */
  get(request: GetTriggerSubscriptionRequest, options?: CallOptions): Promise<TriggerSubscription>;
  /** Lists subscriptions by id, oldest first. The list may lag behind a change by a moment. Needs `connector_trigger:read`. */
  list(request?: ListTriggerSubscriptionsRequest, options?: CallOptions): List<TriggerSubscription>;
  /** Changes the named fields. REST takes a merge patch instead of update_mask. Needs `connector_trigger:write`. */
  update(request: UpdateTriggerSubscriptionRequest, options?: CallOptions): Promise<TriggerSubscription>;
  /** Deletes a subscription. Its address is gone, and events that wait are dropped. Needs `connector_trigger:delete`. */
  delete(request: DeleteTriggerSubscriptionRequest, options?: CallOptions): Promise<DeleteTriggerSubscriptionResponse>;
}

export interface WebhooksModule {
  /** Creates an endpoint: it gets the events from now on. The answer holds the secret, this once. Needs `webhook:write`. */
  create(request: CreateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Returns one endpoint, without its secret. Needs `webhook:read`. */
  get(request: GetWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Lists the tenant's endpoints by id, oldest first. The list may lag behind a change by a moment. Needs `webhook:read`. */
  list(request?: ListWebhooksRequest, options?: CallOptions): List<Webhook>;
  /** Changes the named fields of an endpoint. REST takes a merge patch instead of update_mask. `status` disables and enables it: events that happen while it is disabled are not sent later. Needs `webhook:write`. */
  update(request: UpdateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Deletes an endpoint with its deliveries. Needs `webhook:delete`. */
  delete(request: DeleteWebhookRequest, options?: CallOptions): Promise<DeleteWebhookResponse>;
  /** Draws a new secret, which the answer holds, this once. Until the overlap is over both secrets sign. Needs `webhook:write`. */
  rotateSecret(request: RotateSecretRequest, options?: CallOptions): Promise<Webhook>;
  /** Sends a delivery of kind webhook.test, and answers with it before it is sent. Needs `webhook:write`. */
  test(request: TestWebhookRequest, options?: CallOptions): Promise<WebhookDelivery>;
}

export interface WebhookDeliveriesModule {
  /** Lists the deliveries that are kept, the newest first. Needs `webhook:read`. */
  list(request: WebhookServiceListDeliveriesRequest, options?: CallOptions): List<WebhookDelivery>;
  /** Returns one delivery with its body. Needs `webhook:read`. */
  get(request: WebhookServiceGetDeliveryRequest, options?: CallOptions): Promise<WebhookDelivery>;
  /** Sends a delivery once more, whatever came of it, under the same webhook-id. Needs `webhook:write`. */
  redeliver(request: RedeliverRequest, options?: CallOptions): Promise<WebhookDelivery>;
  /** Starts a job that sends the deliveries of a time once more, the oldest first. Needs `webhook:write`. */
  redeliverAll(request: RedeliverAllRequest, options?: CallOptions): Promise<Job>;
}

export interface WebhookJobsModule {
  /** Lists the jobs of an endpoint, the newest first: those that run, and the last 20 that have ended, for 7 days. Needs `webhook:read`. */
  list(request: ListWebhookJobsRequest, options?: CallOptions): List<Job>;
  /** Says how far a job is. Needs `webhook:read`. */
  get(request: GetWebhookJobRequest, options?: CallOptions): Promise<Job>;
  /** Ends a job where it is; what it has changed stays so. Needs `webhook:write`. */
  cancel(request: CancelWebhookJobRequest, options?: CallOptions): Promise<Job>;
}

export interface WorkflowsModule {
  /** Creates a definition in the environment that X-Environment names. A draft with problems is stored, and told with them. Needs `workflow_definition:write`. */
  create(request: CreateDefinitionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Returns one definition with its draft and the problems of that draft. Needs `workflow_definition:read`. */
  get(request: GetDefinitionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Lists the tenant's definitions by id, oldest first, without their drafts and problems. Needs `workflow_definition:read`. */
  list(request?: ListDefinitionsRequest, options?: CallOptions): List<WorkflowDefinition>;
  /** Changes the draft, which is stored whether or not it has problems; the answer tells all of them. REST takes a merge patch instead of update_mask; `steps` is replaced as a whole. Needs `workflow_definition:write`. */
  patchDraft(request: PatchDraftRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Makes the draft a version that never changes. An unchanged draft is the version that it was. Refused while the draft has problems, all of which are named, or where the caller lacks a permission that its steps need. Needs `workflow_definition:write`. */
  publishDraft(request: PublishDefinitionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Makes a new definition of the draft, with `_copy` after its key and ` (copy)` after its name. It has no versions. Needs `workflow_definition:write`. */
  duplicate(request: DuplicateDefinitionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Archives a definition: no run begins, and those that are open go on. Needs `workflow_definition:write`. */
  archive(request: ArchiveDefinitionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Takes a definition out of the archive. Needs `workflow_definition:write`. */
  restore(request: RestoreDefinitionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Makes runs begin with another version. Needs `workflow_definition:write`. */
  activate(request: ActivateVersionRequest, options?: CallOptions): Promise<WorkflowDefinition>;
  /** Lists the versions of a definition, oldest first, without their bodies. Needs `workflow_definition:read`. */
  listVersions(request: ListVersionsRequest, options?: CallOptions): List<WorkflowVersion>;
  /** Returns one version with its body. Needs `workflow_definition:read`. */
  getVersion(request: GetVersionRequest, options?: CallOptions): Promise<WorkflowVersion>;
}

export interface RunsModule {
  /** Starts a run of a definition's active version, or of the one that is named. Where an open run of the definition has the same run_key, it is that one: `started` is false and REST says 200. Needs `workflow_run:write`. */
  start(request?: StartRunRequest, options?: CallOptions): Promise<StartRunResponse>;
  /** Returns one run. Needs `workflow_run:read`. */
  get(request: GetRunRequest, options?: CallOptions): Promise<WorkflowRun>;
  /** Lists the tenant's runs, newest first, without input, output and what they wait for. The list may lag behind a change by a moment; GetRun does not. Needs `workflow_run:read`. */
  list(request?: ListRunsRequest, options?: CallOptions): List<WorkflowRun>;
  /** Lists the steps of a run that have begun, in the order in which they began. Needs `workflow_run:read`. */
  steps(request: ListStepsRequest, options?: CallOptions): List<WorkflowStep>;
  /** Cancels a run: waits end, items that its steps wait for are cancelled, and calls under way come to their answer first. Needs `workflow_run:write`. */
  cancel(request: CancelRunRequest, options?: CallOptions): Promise<WorkflowRun>;
  /** Runs the failed steps of a failed run again; what succeeded stays. Needs `workflow_run:write`. */
  retry(request: RetryRunRequest, options?: CallOptions): Promise<WorkflowRun>;
  /** Says that a failed run needs no more attention: it is no dead letter any longer. Needs `workflow_run:write`. */
  dismiss(request: DismissRunRequest, options?: CallOptions): Promise<WorkflowRun>;
  /** Returns the next event of a key, or none when the wait is over. Needs `workflow_run:read`. */
  wait(request: WaitForEventRequest, options?: CallOptions): Promise<WaitForEventResponse>;
  /** Sends an event to a run: to its steps that wait for it, or will, and to who waits for it outside. An event with an id that is known already is the same event. A run of the workflow engine that has ended takes none. Needs `workflow_run:write`. */
  signal(request: SignalRunRequest, options?: CallOptions): Promise<SignalRunResponse>;
}

export interface StreamsModule {
  /** Creates a stream of a run. Its definition never changes: creating it again with the same body returns it, with another one is ALREADY_EXISTS. Needs `workflow_stream:write`. */
  create(request: CreateStreamRequest, options?: CallOptions): Promise<WorkflowStream>;
  /** Returns the definition of a stream and where it stands. Needs `workflow_stream:read`. */
  get(request: GetStreamRequest, options?: CallOptions): Promise<WorkflowStream>;
  /** Lists the streams of a run by id, oldest first. Positions are those of `GetStream`, and not told here. Needs `workflow_stream:read`. */
  list(request: ListStreamsRequest, options?: CallOptions): List<StreamEntry>;
  /** Appends 1 to 1,000 records in one commit, all or none. The answer comes when they are durable. Needs `workflow_stream:write`. */
  append(request: AppendRecordsRequest, options?: CallOptions): Promise<AppendRecordsResponse>;
  /** Returns the records after a sequence, in order; waits for the next one where there is none. Needs `workflow_stream:read`. */
  read(request: ReadRecordsRequest, options?: CallOptions): Promise<ReadRecordsResponse>;
  /** Sends the records after a sequence, then new ones as they become durable, each once and in order. Ends after `end`, when the stream is closed and all was sent, and after `gone`, when retention has passed the reader. Needs `workflow_stream:read`. */
  subscribe(request: WorkflowStreamServiceSubscribeRequest, options?: CallOptions): AsyncIterable<WorkflowStreamServiceSubscribeResponse>;
  /** Registers a consumer: what it has not acknowledged counts against the stream's unread ceilings. Again: changes nothing. Needs `workflow_stream:write`. */
  putConsumer(request: PutConsumerRequest, options?: CallOptions): Promise<StreamConsumer>;
  /** Takes a consumer away; what only it had not acknowledged is unread no more. Needs `workflow_stream:write`. */
  deleteConsumer(request: DeleteConsumerRequest, options?: CallOptions): Promise<DeleteConsumerResponse>;
  /** Lists the consumers of a stream by id. Needs `workflow_stream:read`. */
  listConsumers(request: ListConsumersRequest, options?: CallOptions): List<StreamConsumer>;
  /** Moves a consumer's acknowledgement forward; the first one registers it. The same sequence again changes nothing, a lower one is STATE_CONFLICT. Needs `workflow_stream:write`. */
  ack(request: AcknowledgeRequest, options?: CallOptions): Promise<StreamConsumer>;
  /** Closes a stream for good: it takes no more records and can still be read. Again: changes nothing. Needs `workflow_stream:write`. */
  close(request: CloseStreamRequest, options?: CallOptions): Promise<WorkflowStream>;
  /** Announces an object of up to 32 MiB. The same key with the same digest and size returns the same object. Needs `workflow_stream:write`. */
  prepareObject(request: PrepareObjectRequest, options?: CallOptions): Promise<StreamObject>;
  /** Stores the bytes of an object. Over REST they are the body; else messages with `data` follow one that names the object. Needs the receipt of the prepare in `X-Object-Receipt`. Bytes that differ from what was announced are refused and not kept. Needs `workflow_stream:write`. */
  uploadObject(request?: UploadObjectRequest & { readonly data: Bytes }, options?: CallOptions): Promise<StreamObject>;
  /** Appends the record that refers to an uploaded object, which can be read from then on. Again: the same sequence. Needs `workflow_stream:write`. */
  commitObject(request: CommitObjectRequest, options?: CallOptions): Promise<StreamObject>;
  /** Gives an object up that is not committed; its bytes are deleted. Again: changes nothing. Needs `workflow_stream:write`. */
  abortObject(request: AbortObjectRequest, options?: CallOptions): Promise<StreamObject>;
  /** Returns the bytes of a committed object. Over REST they are the body, and one `Range` of bytes is taken. Needs `workflow_stream:read`. */
  getObject(request: GetObjectRequest, options?: CallOptions): Promise<Uint8Array>;
  /** Sets or lifts the legal hold. While it is held nothing is pruned and no object is deleted; append, read and acknowledge go on. Needs `workflow_stream:admin`. */
  setLegalHold(request: SetLegalHoldRequest, options?: CallOptions): Promise<WorkflowStream>;
}

/** All methods: those of one group are a module of the client. */
export class Modules {
  declare readonly admission: AdmissionModule;
  declare readonly admissionGroups: AdmissionGroupsModule;
  declare readonly anomalyMonitors: AnomalyMonitorsModule;
  declare readonly anomalies: AnomaliesModule;
  declare readonly apiKeys: ApiKeysModule;
  declare readonly capabilities: CapabilitiesModule;
  declare readonly config: ConfigModule;
  declare readonly conformance: ConformanceModule;
  declare readonly connectSessions: ConnectSessionsModule;
  declare readonly connections: ConnectionsModule;
  declare readonly providers: ProvidersModule;
  declare readonly actions: ActionsModule;
  declare readonly triggers: TriggersModule;
  declare readonly executions: ExecutionsModule;
  declare readonly deadLetters: DeadLettersModule;
  declare readonly events: EventsModule;
  declare readonly evidencePacks: EvidencePacksModule;
  declare readonly evidenceArtifacts: EvidenceArtifactsModule;
  declare readonly evidenceReceipts: EvidenceReceiptsModule;
  declare readonly evidenceRuns: EvidenceRunsModule;
  declare readonly evidence: EvidenceModule;
  declare readonly experimentGroups: ExperimentGroupsModule;
  declare readonly experiments: ExperimentsModule;
  declare readonly inbox: InboxModule;
  declare readonly integrations: IntegrationsModule;
  declare readonly layouts: LayoutsModule;
  declare readonly pools: PoolsModule;
  declare readonly services: ServicesModule;
  declare readonly notices: NoticesModule;
  declare readonly userPreferences: UserPreferencesModule;
  declare readonly notify: NotifyModule;
  declare readonly report: ReportModule;
  declare readonly outcomes: OutcomesModule;
  declare readonly promotions: PromotionsModule;
  declare readonly providerConfigs: ProviderConfigsModule;
  declare readonly queues: QueuesModule;
  declare readonly jobs: JobsModule;
  declare readonly items: ItemsModule;
  declare readonly recipients: RecipientsModule;
  declare readonly routings: RoutingsModule;
  declare readonly rules: RulesModule;
  declare readonly subscribers: SubscribersModule;
  declare readonly endpoints: EndpointsModule;
  declare readonly subscriptions: SubscriptionsModule;
  declare readonly preferences: PreferencesModule;
  declare readonly tenants: TenantsModule;
  declare readonly topics: TopicsModule;
  declare readonly triggerSubscriptions: TriggerSubscriptionsModule;
  declare readonly webhooks: WebhooksModule;
  declare readonly webhookDeliveries: WebhookDeliveriesModule;
  declare readonly webhookJobs: WebhookJobsModule;
  declare readonly workflows: WorkflowsModule;
  declare readonly runs: RunsModule;
  declare readonly streams: StreamsModule;
  /** Tells callers how this server knows them. Needs credentials and no permission. */
  declare readonly whoami: (request?: WhoAmIRequest, options?: CallOptions) => Promise<Identity>;
}

export interface Streams {
  "QueueService/Work": { request: WorkRequest; response: WorkResponse };
  "RoutingService/RouteStream": { request: RouteStreamRequest; response: RouteStreamResponse };
}

export const table = `
admission.preview POST /api/queues/{pool_id}:preview-admission read
admission.explain GET /api/queues/{pool_id}/items/{queue_item_id}/admission-explanation read
admissionGroups.list GET /api/queues/admission-groups read list
admissionGroups.get GET /api/queues/{pool_id}/admission-groups/{constraint_kind}/{group_id} read
admissionGroups.clear POST /api/queues/{pool_id}/admission-groups/{constraint_kind}/{group_id}:clear key
anomalyMonitors.create POST /api/pools/{pool_id}/anomaly-monitors key
anomalyMonitors.list GET /api/pools/{pool_id}/anomaly-monitors read list
anomalyMonitors.preview POST /api/pools/{pool_id}/anomaly-monitors:preview read
anomalyMonitors.get GET /api/anomaly-monitors/{monitor_id} read
anomalyMonitors.update PATCH /api/anomaly-monitors/{monitor_id} key
anomalyMonitors.delete DELETE /api/anomaly-monitors/{monitor_id} key
anomalies.list GET /api/anomalies read list
anomalies.get GET /api/anomalies/{anomaly_id} read
anomalies.close POST /api/anomalies/{anomaly_id}:close key
apiKeys.list GET /api/v2/api-keys read list
apiKeys.create POST /api/v2/api-keys key
apiKeys.get GET /api/v2/api-keys/{id} read
apiKeys.revoke POST /api/v2/api-keys/{id}/revoke key
capabilities.posture GET /api/capabilities read
capabilities.list GET /api/v2/capabilities read list
capabilities.get GET /api/v2/capabilities/{id} read
config.schema GET /api/config/schema read
config.export GET /api/config/export read text
conformance.listSuites GET /api/runtime-conformance/suites read list
conformance.getSuite GET /api/runtime-conformance/suites/{suite_id} read
conformance.runSuite POST /api/runtime-conformance/suites/{suite_id}:run key
conformance.listReports GET /api/runtime-conformance/reports read list
conformance.getReport GET /api/runtime-conformance/reports/{environment_id}/{report_id} read
conformance.explainReport POST /api/runtime-conformance/reports/{environment_id}:explain read
connectSessions.create POST /api/v2/connector/connect-sessions key
connectSessions.get GET /api/v2/connector/connect-sessions/{connect_session_id} read
connectSessions.submit POST /api/v2/connector/connect-sessions/{connect_session_id}/submit key wait=*20000
connectSessions.revoke POST /api/v2/connector/connect-sessions/{connect_session_id}/revoke key
connections.get GET /api/v2/connector/connections/{connection_id} read
connections.list GET /api/v2/connector/connections read list
connections.update PATCH /api/v2/connector/connections/{connection_id} key
connections.delete DELETE /api/v2/connector/connections/{connection_id} key
connections.verify POST /api/v2/connector/connections/{connection_id}:verify key wait=*20000
connections.disable POST /api/v2/connector/connections/{connection_id}:disable key
connections.enable POST /api/v2/connector/connections/{connection_id}:enable key
connections.revoke POST /api/v2/connector/connections/{connection_id}:revoke key
providers.list GET /api/v2/connector/providers read list
providers.get GET /api/v2/connector/providers/{key} read
actions.list GET /api/v2/connector/actions read list
actions.get GET /api/v2/connector/actions/{key} read
triggers.list GET /api/v2/connector/triggers read list
triggers.get GET /api/v2/connector/triggers/{key} read
actions.execute POST /api/v2/connector/actions/{key}:execute key wait=wait_seconds*1000
actions.preview POST /api/v2/connector/actions/{key}:preview read
executions.get GET /api/v2/connector/executions/{execution_id} read wait=wait_seconds*1000
executions.list GET /api/v2/connector/connections/{connection_id}/executions read list
executions.cancel POST /api/v2/connector/executions/{execution_id}/cancel key
deadLetters.list GET /api/dlq/{pool_id} read list
deadLetters.stats GET /api/dlq/{pool_id}/stats read
deadLetters.retry POST /api/dlq/{pool_id}/retry key
deadLetters.retryAll POST /api/dlq/{pool_id}/retry-all key
deadLetters.getRetryAll GET /api/dlq/{pool_id}/retry-all/{operation_id} read
deadLetters.quarantine POST /api/dlq/{pool_id}/quarantine key
deadLetters.release POST /api/dlq/{pool_id}/release key
deadLetters.purge POST /api/dlq/{pool_id}/purge key
events.subscribe GET /api/events/subscribe none events data=event id=cursor
events.list GET /api/events read list
evidencePacks.create POST /api/rollout-evidence/packs key
evidencePacks.get GET /api/rollout-evidence/packs/{environment_id}/{pack_id} read
evidencePacks.list GET /api/rollout-evidence/packs read list
evidencePacks.update PUT /api/rollout-evidence/packs/{environment_id}/{pack_id} key
evidenceArtifacts.add POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts key
evidenceArtifacts.list GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts read list
evidenceArtifacts.get GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts/{artifact_id} read
evidenceReceipts.add POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/receipts key
evidenceReceipts.list GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/receipts read list
evidenceRuns.start POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/runs key
evidenceRuns.list GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/runs read list
evidenceRuns.get GET /api/rollout-evidence/runs/{environment_id}/{run_id} read
evidenceRuns.heartbeat POST /api/rollout-evidence/runs/{environment_id}/{run_id}:heartbeat token
evidenceRuns.cancel POST /api/rollout-evidence/runs/{environment_id}/{run_id}:cancel key
evidencePacks.evaluateGate POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/gate:evaluate key
evidencePacks.explain POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:explain read
evidencePacks.export POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:export read
evidencePacks.archive POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:archive key
evidencePacks.attach POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:attach-to-promotion key
evidence.expandRequirements POST /api/rollout-evidence/requirements:expand read
evidence.keys GET /api/rollout-evidence/keys read bare
experimentGroups.create POST /api/experiment-groups key
experimentGroups.get GET /api/experiment-groups/{id} read
experimentGroups.list GET /api/experiment-groups read list
experimentGroups.delete DELETE /api/experiment-groups/{id} key
experiments.create POST /api/experiments key
experiments.get GET /api/experiments/{experiment_id} read
experiments.list GET /api/experiments read list
experiments.update PATCH /api/experiments/{experiment_id} key
experiments.delete DELETE /api/experiments/{experiment_id} key
experiments.start POST /api/experiments/{experiment_id}/start key
experiments.pause POST /api/experiments/{experiment_id}/pause key
experiments.complete POST /api/experiments/{experiment_id}/complete key
experiments.stop POST /api/experiments/{experiment_id}/stop key
experiments.assign POST /api/experiments/{experiment_id}/assign key
experiments.assignMany POST /api/experiments:assign key
experiments.recordExposures POST /api/experiments/{experiment_id}/exposures key
experiments.score POST /api/experiments/{experiment_id}/scores key
experiments.scoreBatch POST /api/experiments/{experiment_id}/scores:batch key
experiments.results GET /api/experiments/{experiment_id}/results read
experiments.getUnit GET /api/experiments/{experiment_id}/units/{unit_id} read
experiments.deleteUnit DELETE /api/experiments/{experiment_id}/units/{unit_id} key
inbox.list GET /api/v2/notification/subscribers/{subscriber_id}/inbox read list
inbox.mark POST /api/v2/notification/subscribers/{subscriber_id}/inbox:mark key
inbox.watch GET /api/v2/notification/subscribers/{subscriber_id}/inbox/subscribe none events
integrations.create POST /api/v2/notification/integrations key
integrations.get GET /api/v2/notification/integrations/{integration_id} read
integrations.list GET /api/v2/notification/integrations read list
integrations.update PUT /api/v2/notification/integrations/{integration_id} key
integrations.delete DELETE /api/v2/notification/integrations/{integration_id} key
layouts.create POST /api/v2/layouts key
layouts.get GET /api/v2/layouts/{layout_id} read
layouts.list GET /api/v2/layouts read list
layouts.update PUT /api/v2/layouts/{layout_id} key
layouts.delete DELETE /api/v2/layouts/{layout_id} key
layouts.usage GET /api/v2/layouts/{layout_id}/usage read
layouts.setDefault POST /api/v2/layouts/{layout_id}:setDefault key
layouts.duplicate POST /api/v2/layouts/{layout_id}:duplicate key
layouts.preview POST /api/v2/layouts/{layout_id}:preview read
pools.watch GET /api/live/pools read events
services.list GET /api/_meta/services read
whoami GET /api/_meta/whoami read
notices.list GET /api/v2/notification/workflows read list
notices.put PUT /api/v2/notification/workflows/{workflow_key} key
notices.get GET /api/v2/notification/workflows/{workflow_key} read
notices.delete DELETE /api/v2/notification/workflows/{workflow_key} key
userPreferences.put PUT /api/v2/notification/workflows/{workflow_key}/users/{user_id} key
userPreferences.get GET /api/v2/notification/workflows/{workflow_key}/users/{user_id} read
userPreferences.delete DELETE /api/v2/notification/workflows/{workflow_key}/users/{user_id} key
notify.trigger POST /api/v2/notifications/trigger key wait=wait_ms*1
notify.broadcast GET /api/v2/notifications/broadcasts/{transaction_id} read
notify.cancelBroadcast POST /api/v2/notifications/broadcasts/{transaction_id}:cancel key
notify.deliveries GET /api/v2/notifications/deliveries read list
notify.delivery GET /api/v2/notifications/deliveries/{delivery_id} read
notify.observations GET /api/v2/notifications/deliveries/{delivery_id}/observations read list
notify.deadLetters GET /api/v2/notifications/dead-letters read list
notify.deadLetter GET /api/v2/notifications/dead-letters/{dead_letter_id} read
notify.redriveOne POST /api/v2/notifications/dead-letters/{dead_letter_id}:redrive key
notify.redrive POST /api/v2/notifications/dead-letters:redrive key
report.health GET /api/operational-health/report read
report.scopes GET /api/operational-health/scopes read list
outcomes.record POST /api/outcomes key
outcomes.recordBatch POST /api/outcomes:batch key
pools.create POST /api/pools key
pools.get GET /api/pools/{pool_id} read
pools.list GET /api/pools read list
pools.update PATCH /api/pools/{pool_id} key
pools.setEnabled POST /api/pools/{pool_id}:set_enabled key
pools.delete DELETE /api/pools/{pool_id} key
pools.createVersion POST /api/pools/{pool_id}/versions key
pools.listVersions GET /api/pools/{pool_id}/versions read list
pools.getVersion GET /api/pools/{pool_id}/versions/{version} read
pools.setChangeControl POST /api/pools/{pool_id}:set_change_control key
promotions.create POST /api/promotions/candidates key
promotions.get GET /api/promotions/candidates/{candidate_id} read
promotions.list GET /api/promotions/candidates read list
promotions.preflight POST /api/promotions/candidates/{candidate_id}/preflight key
promotions.evaluateGuardrails POST /api/promotions/candidates/{candidate_id}/guardrails/evaluate key
promotions.startCanary POST /api/promotions/candidates/{candidate_id}/canary/start key
promotions.stopCanary POST /api/promotions/candidates/{candidate_id}/canary/stop key
promotions.approve POST /api/promotions/candidates/{candidate_id}/approve key
promotions.promote POST /api/promotions/candidates/{candidate_id}/promote key
promotions.rollback POST /api/promotions/candidates/{candidate_id}/rollback key
promotions.abort POST /api/promotions/candidates/{candidate_id}/abort key
providerConfigs.create POST /api/v2/connector/provider-configs key
providerConfigs.get GET /api/v2/connector/provider-configs/{provider_config_id} read
providerConfigs.list GET /api/v2/connector/provider-configs read list
providerConfigs.update PATCH /api/v2/connector/provider-configs/{provider_config_id} key
providerConfigs.activate POST /api/v2/connector/provider-configs/{provider_config_id}:activate key
providerConfigs.disable POST /api/v2/connector/provider-configs/{provider_config_id}:disable key
providerConfigs.archive POST /api/v2/connector/provider-configs/{provider_config_id}:archive key
queues.list GET /api/queues read list
queues.status GET /api/queues/{pool_id}/status read
queues.series GET /api/queues/{pool_id}/series read
queues.pause POST /api/queues/{pool_id}/pause key
queues.resume POST /api/queues/{pool_id}/resume key
queues.drain POST /api/queues/{pool_id}/drain key
jobs.list GET /api/queues/{pool_id}/jobs read list
jobs.get GET /api/queues/{pool_id}/jobs/{operation_id} read
jobs.cancel POST /api/queues/{pool_id}/jobs/{operation_id}:cancel key
items.enqueue POST /api/queues/{pool_id}/items key
items.enqueueBatch POST /api/queues/{pool_id}/items:batch key
items.list GET /api/queues/{pool_id}/items read list
items.get GET /api/queues/{pool_id}/items/{queue_item_id} read
items.await GET /api/queues/{pool_id}/items/{queue_item_id}/await read wait=wait_ms*1
items.claim POST /api/queues/{pool_id}/items:claim key wait=wait_seconds*1000
items.settle POST /api/queues/{pool_id}/items:settle key
items.complete POST /api/queues/{pool_id}/items/{queue_item_id}/complete token
items.fail POST /api/queues/{pool_id}/items/{queue_item_id}/fail token
items.release POST /api/queues/{pool_id}/items/{queue_item_id}/release token
items.reject POST /api/queues/{pool_id}/items/{queue_item_id}/reject token
items.extend POST /api/queues/{pool_id}/items/{queue_item_id}/extend token
items.cancel POST /api/queues/{pool_id}/items/{queue_item_id}/cancel key
items.cancelAll POST /api/queues/{pool_id}/items:cancel-all key
recipients.create POST /api/pools/{pool_id}/recipients key
recipients.list GET /api/pools/{pool_id}/recipients read list
recipients.get GET /api/recipients/{recipient_id} read
recipients.update PATCH /api/recipients/{recipient_id} key
recipients.delete DELETE /api/recipients/{recipient_id} key
recipients.pause POST /api/recipients/{recipient_id}/pause key
recipients.resume POST /api/recipients/{recipient_id}/resume key
recipients.heartbeat POST /api/recipients/{recipient_id}/heartbeat key
pools.route POST /api/pools/{pool_id}:route key
pools.routeBatch POST /api/pools/{pool_id}:route-batch key
pools.previewRoute POST /api/pools/{pool_id}:preview-route read
routings.get GET /api/routings/{routing_id} read
rules.create POST /api/pools/{pool_id}/rules key
rules.list GET /api/pools/{pool_id}/rules read list
rules.get GET /api/rules/{rule_id} read
rules.update PATCH /api/rules/{rule_id} key
rules.delete DELETE /api/rules/{rule_id} key
rules.validate POST /api/rules/validate read
subscribers.upsert POST /api/v2/notification/subscribers key
subscribers.list GET /api/v2/notification/subscribers read list
subscribers.get GET /api/v2/notification/subscribers/{subscriber_id} read
subscribers.replace PUT /api/v2/notification/subscribers/{subscriber_id} key
subscribers.delete DELETE /api/v2/notification/subscribers/{subscriber_id} key
subscribers.batchUpsert POST /api/v2/notification/subscribers:batch key
endpoints.upsert POST /api/v2/notification/subscribers/{subscriber_id}/endpoints key
endpoints.sendConfirmation POST /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id}:sendConfirmation key
endpoints.verify POST /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id}:verify key
endpoints.list GET /api/v2/notification/subscribers/{subscriber_id}/endpoints read list
endpoints.remove DELETE /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id} key
subscriptions.create POST /api/v2/notification/subscribers/{subscriber_id}/subscriptions key
subscriptions.list GET /api/v2/notification/subscribers/{subscriber_id}/subscriptions read list
subscriptions.delete DELETE /api/v2/notification/subscribers/{subscriber_id}/subscriptions/{topic_key} key
preferences.put POST /api/v2/notification/subscribers/{subscriber_id}/preferences key
preferences.list GET /api/v2/notification/subscribers/{subscriber_id}/preferences read list
preferences.delete DELETE /api/v2/notification/subscribers/{subscriber_id}/preferences/{preference_id} key
preferences.preview POST /api/v2/notification/subscribers/{subscriber_id}/preferences:preview read
tenants.create POST /api/tenants key
tenants.get GET /api/tenants/{tenant_id} read
tenants.list GET /api/tenants read list
tenants.update PATCH /api/tenants/{tenant_id} key
tenants.delete DELETE /api/tenants/{tenant_id} key
tenants.quota GET /api/tenants/{tenant_id}/quota/{operation} read
topics.create POST /api/v2/notification/topics key
topics.list GET /api/v2/notification/topics read list
topics.get GET /api/v2/notification/topics/{key} read
topics.update PUT /api/v2/notification/topics/{key} key
topics.delete DELETE /api/v2/notification/topics/{key} key
topics.addMembers POST /api/v2/notification/topics/{key}/subscribers key
topics.listMembers GET /api/v2/notification/topics/{key}/subscribers read list
topics.removeMembers POST /api/v2/notification/topics/{key}/subscribers:remove key
triggerSubscriptions.create POST /api/v2/connector/trigger-subscriptions key
triggerSubscriptions.get GET /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} read
triggerSubscriptions.list GET /api/v2/connector/trigger-subscriptions read list
triggerSubscriptions.update PATCH /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} key
triggerSubscriptions.delete DELETE /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} key
webhooks.create POST /api/v2/webhooks key
webhooks.get GET /api/v2/webhooks/{webhook_id} read
webhooks.list GET /api/v2/webhooks read list
webhooks.update PATCH /api/v2/webhooks/{webhook_id} key
webhooks.delete DELETE /api/v2/webhooks/{webhook_id} key
webhooks.rotateSecret POST /api/v2/webhooks/{webhook_id}:rotate-secret key
webhooks.test POST /api/v2/webhooks/{webhook_id}:test key
webhookDeliveries.list GET /api/v2/webhooks/{webhook_id}/deliveries read list
webhookDeliveries.get GET /api/v2/webhooks/{webhook_id}/deliveries/{delivery_id} read
webhookDeliveries.redeliver POST /api/v2/webhooks/{webhook_id}/deliveries/{delivery_id}:redeliver key
webhookDeliveries.redeliverAll POST /api/v2/webhooks/{webhook_id}/deliveries:redeliver key
webhookJobs.list GET /api/v2/webhooks/{webhook_id}/jobs read list
webhookJobs.get GET /api/v2/webhooks/{webhook_id}/jobs/{operation_id} read
webhookJobs.cancel POST /api/v2/webhooks/{webhook_id}/jobs/{operation_id}:cancel key
workflows.create POST /api/workflow-definitions key
workflows.get GET /api/workflow-definitions/{id} read
workflows.list GET /api/workflow-definitions read list
workflows.patchDraft PATCH /api/workflow-definitions/{id}/draft key
workflows.publishDraft POST /api/workflow-definitions/{id}/publish key
workflows.duplicate POST /api/workflow-definitions/{id}/duplicate key
workflows.archive POST /api/workflow-definitions/{id}/archive key
workflows.restore POST /api/workflow-definitions/{id}/restore key
workflows.activate POST /api/workflow-definitions/{id}/activate key
workflows.listVersions GET /api/workflow-definitions/{id}/versions read list
workflows.getVersion GET /api/workflow-definitions/{id}/versions/{version} read
runs.start POST /api/workflow-runs key
runs.get GET /api/workflow-runs/{run_id} read
runs.list GET /api/workflow-runs read list
runs.steps GET /api/workflow-runs/{run_id}/steps read list
runs.cancel POST /api/workflow-runs/{run_id}/cancel key
runs.retry POST /api/workflow-runs/{run_id}/retry key
runs.dismiss POST /api/workflow-runs/{run_id}/dismiss key
streams.create POST /api/workflow-streams/runs/{run_id}/streams key
streams.get GET /api/workflow-streams/runs/{run_id}/streams/{stream_id} read
streams.list GET /api/workflow-streams/runs/{run_id}/streams read list
streams.append POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/records key
streams.read GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/records read wait=wait_ms*1
streams.subscribe GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/subscribe none events last=end
streams.putConsumer PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id} key
streams.deleteConsumer DELETE /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id} key
streams.listConsumers GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers read list
streams.ack POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id}/ack key
streams.close POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/close key
streams.prepareObject POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects key
streams.uploadObject PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id} none raw
streams.commitObject POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}/commit key
streams.abortObject POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}/abort key
streams.getObject GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id} none raw
streams.setLegalHold PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/legal-hold key
runs.wait GET /api/workflow-runs/{run_id}/waits/{event_key} read wait=wait_ms*1
runs.signal POST /api/workflow-runs/{run_id}/signals key`;
