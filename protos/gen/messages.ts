// Written by `npm run contract:build` from the .proto files.

export interface HttpBody {
  readonly content_type: string;
  readonly data: string;
  readonly extensions: readonly Any[];
}

export interface Any {
  readonly type_url: string;
  readonly value: string;
}

export interface AbortObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly object_id: string;
}

export interface AbortRequest {
  readonly candidate_id: string;
  readonly reason: string;
}

export interface AcknowledgeRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly consumer_id: string;
  readonly sequence: number;
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

export interface ActorReport {
  readonly kind: string;
  readonly tenant_id: string;
  readonly key: string;
  readonly shard: number;
  readonly status: string;
  readonly mailbox_depth: number;
  readonly parked: number;
  readonly failures: number;
  readonly last_failure: string;
  readonly isolated_until?: string;
}

export interface AddArtifactRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly name: string;
  readonly media_type: string;
  readonly content?: unknown;
  readonly digest: string;
  readonly size?: number;
  readonly storage_ref: string;
}

export interface AddMembersRequest {
  readonly key: string;
  readonly subscriber_ids: readonly string[];
  readonly context_keys: readonly string[];
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
  readonly dsse?: Readonly<Record<string, unknown>>;
  readonly subjects: readonly EvidenceSubject[];
  readonly candidate_id?: string;
  readonly produced_in?: string;
  readonly result: "" | "passed" | "failed" | "blocked";
  readonly produced_at?: string;
  readonly expires_at?: string;
  readonly run_id?: string;
  readonly lease_token?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Admission {
  readonly outcome: "enqueued" | "duplicate" | "debounced" | "skipped" | "replaced";
  readonly existing_item_id?: string;
  readonly constraint_kind?: "singleton" | "debounce";
  readonly group_id?: string;
}

export interface AdmissionConfig {
  readonly singleton?: SingletonConfig;
  readonly debounce?: DebounceConfig;
  readonly throttle?: ThrottleConfig;
  readonly concurrency: readonly ConcurrencyConfig[];
}

export interface AdmissionExplanation {
  readonly status: string;
  readonly reason?: string;
  readonly constraint_kind?: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id?: string;
  readonly retry_after_ms?: number;
  readonly not_before?: string;
  readonly position?: number;
  readonly redirect_pool_id?: string;
}

export interface AdmissionGroup {
  readonly constraint_kind: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id: string;
  readonly pool_id: string;
  readonly environment: string;
  readonly status: "active" | "expired" | "cleared";
  readonly in_use: number;
  readonly limit: number;
  readonly waiting: number;
  readonly next_eligible_at?: string;
  readonly cleared_at?: string;
  readonly cleared_by?: string;
  readonly clear_reason?: string;
}

export interface Analysis {
  readonly method?: "sequential" | "fixed";
  readonly alpha?: number;
  readonly tuning?: number;
  readonly min_units?: number;
}

export interface Anomaly {
  readonly id: string;
  readonly pool_id: string;
  readonly monitor_id: string;
  readonly recipient_id?: string;
  readonly metric: string;
  readonly method: string;
  readonly value: number;
  readonly expected: number;
  readonly score?: number;
  readonly baseline: "window" | "seasonal" | "peers";
  readonly state: "open" | "closed";
  readonly actions: readonly AnomalyAction[];
  readonly opened_at?: string;
  readonly closed_at?: string;
  readonly closed_by?: string;
}

export interface AnomalyAction {
  readonly action: string;
  readonly result: string;
}

export interface AnomalyMonitor {
  readonly id: string;
  readonly pool_id: string;
  readonly scope: string;
  readonly metric: string;
  readonly method: string;
  readonly interval_seconds: number;
  readonly window_points: number;
  readonly min_points: number;
  readonly direction: string;
  readonly threshold: number;
  readonly multiplier: number;
  readonly drop: number;
  readonly min_base: number;
  readonly patterns: readonly string[];
  readonly seasonality: string;
  readonly time_zone: string;
  readonly open_after: number;
  readonly close_after: number;
  readonly cooldown_seconds: number;
  readonly pause_seconds: number;
  readonly actions: readonly string[];
  readonly notify?: AnomalyNotify;
  readonly points: number;
  readonly last_point_at?: string;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

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
  readonly scopes: readonly string[];
  readonly environment_mode: string;
  readonly prefix: string;
  readonly created_at?: string;
  readonly created_by: string;
  readonly last_used_at?: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
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
  readonly duplicate: boolean;
}

export interface ApproveRequest {
  readonly candidate_id: string;
  readonly decision: "approve" | "reject";
  readonly reason: string;
  readonly accept_inconclusive: boolean;
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
  readonly base_digest?: string;
  readonly impacts: readonly PromotionImpact[];
  readonly impacts_left_out?: number;
  readonly blocking_reasons: readonly BlockingReason[];
}

export interface AssignManyRequest {
  readonly experiment_ids: readonly string[];
  readonly unit_id: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
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
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly expose?: boolean;
  readonly covariates: Readonly<Record<string, number>>;
}

export interface Assignment {
  readonly variant: string;
  readonly payload?: unknown;
  readonly in_experiment: boolean;
  readonly reason: string;
  readonly phase: number;
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
  readonly until?: "finished" | "started";
}

export interface AwaitItemResponse {
  readonly item?: QueueItem;
  readonly reached: boolean;
}

export interface AwaitRequest {
  readonly run_id: string;
  readonly event_key: string;
  readonly after_event_id: string;
  readonly wait_ms?: number;
}

export interface AwaitResponse {
  readonly event?: RunEvent;
}

export interface Backoff {
  readonly initial_ms?: number;
  readonly max_ms?: number;
  readonly multiplier?: number;
}

export interface BatchError {
  readonly error_code: string;
  readonly detail: string;
  readonly reason: string;
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  readonly errors: readonly BatchFieldError[];
  readonly explanation: readonly CandidateExplanation[];
  readonly explanation_left_out?: number;
}

export interface BatchFieldError {
  readonly field: string;
  readonly reason: string;
}

export interface BatchUpsertSubscribersRequest {
  readonly subscribers: readonly UpsertSubscriberRequest[];
}

export interface BatchUpsertSubscribersResponse {
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
  readonly state: string;
  readonly cutoff_sequence: number;
  readonly member_count: number;
  readonly expanded: number;
  readonly deliveries: number;
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
  readonly workflow_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface CanaryReceipt {
  readonly figures?: Readonly<Record<string, unknown>>;
}

export interface CancelAllRequest {
  readonly pool_id: string;
  readonly states: readonly ("scheduled" | "ready" | "retry_wait")[];
  readonly filter: string;
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

export interface CandidateExplanation {
  readonly recipient_id: string;
  readonly eligible: boolean;
  readonly chosen: boolean;
  readonly reason: string;
  readonly detail: string;
}

export interface Capability {
  readonly id: string;
  readonly name: string;
  readonly mode: string;
  readonly reason: string;
  readonly dependencies: readonly string[];
}

export interface ChannelDecision {
  readonly channel: string;
  readonly allowed: boolean;
  readonly reason_code: string;
  readonly winning_layer: number;
  readonly trace: readonly LayerTrace[];
}

export interface ChannelPreference {
  readonly enabled?: boolean;
  readonly read_only?: boolean;
  readonly condition?: string;
}

export interface ClaimRequest {
  readonly pool_id: string;
  readonly recipient_id: string;
  readonly max_items?: number;
  readonly lease_seconds?: number;
  readonly wait_seconds?: number;
}

export interface ClaimResponse {
  readonly items: readonly LeasedItem[];
}

export interface ClearAdmissionGroupRequest {
  readonly pool_id: string;
  readonly constraint_kind: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly group_id: string;
  readonly reason: string;
}

export interface CloseAnomalyRequest {
  readonly anomaly_id: string;
}

export interface CloseStreamRequest {
  readonly run_id: string;
  readonly stream_id: string;
}

export interface ClusterNode {
  readonly node_id: string;
  readonly address: string;
  readonly zone: string;
  readonly workers: number;
  readonly state: string;
  readonly shards_held: number;
  readonly shards_share: number;
  readonly silent_ms?: number;
  readonly shards_moving: readonly number[];
  readonly link_unread_bytes?: number;
}

export interface ClusterReport {
  readonly enabled: boolean;
  readonly node_id: string;
  readonly version: number;
  readonly nodes: readonly ClusterNode[];
  readonly shards_unheld: number;
  readonly shards_moving: readonly number[];
}

export interface CommitObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly object_id: string;
}

export interface CompleteExperimentRequest {
  readonly experiment_id: string;
  readonly winner?: string;
  readonly record_version?: number;
}

export interface CompleteRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly result?: unknown;
}

export interface ConcurrencyConfig {
  readonly key?: string;
  readonly limit: number;
  readonly cost?: number;
}

export interface ConfigSchema {
  readonly enabled: boolean;
  readonly settings: readonly Setting[];
  readonly json_schema?: Readonly<Record<string, unknown>>;
}

export interface ConformanceCase {
  readonly id: string;
  readonly title: string;
  readonly required: boolean;
  readonly effect: string;
  readonly methods: readonly string[];
}

export interface ConformanceCoverage {
  readonly exercised_count: number;
  readonly method_count: number;
  readonly exercised_methods: readonly string[];
}

export interface ConformanceExplanation {
  readonly report_id: string;
  readonly verdict: string;
  readonly compared_with: string;
  readonly failed: readonly ExplainedResult[];
  readonly not_run: readonly ExplainedResult[];
  readonly changed: readonly ExplainedResult[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface ConformanceReport {
  readonly report_id: string;
  readonly suite_id: string;
  readonly environment_id: string;
  readonly mode: string;
  readonly verdict: string;
  readonly contract_sha256: string;
  readonly results: readonly ConformanceResult[];
  readonly coverage?: ConformanceCoverage;
  readonly created_by: string;
  readonly created_at?: string;
}

export interface ConformanceResult {
  readonly case_id: string;
  readonly status: string;
  readonly detail: string;
}

export interface ConformanceSuite {
  readonly id: string;
  readonly title: string;
  readonly case_count: number;
  readonly cases: readonly ConformanceCase[];
}

export interface ConnectSession {
  readonly id: string;
  readonly provider_config_id: string;
  readonly connection_id: string;
  readonly external_id: string;
  readonly scopes: readonly string[];
  readonly return_url: string;
  readonly status: string;
  readonly token?: string;
  readonly connect_url?: string;
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
  readonly external_id: string;
  readonly name: string;
  readonly environment: string;
  readonly status: string;
  readonly status_reason: string;
  readonly granted_scopes: readonly string[];
  readonly credential_version: number;
  readonly key_id: string;
  readonly expires_at?: string;
  readonly refresh_failing_since?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface ConnectorAction {
  readonly key: string;
  readonly provider_key: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly mutation: string;
  readonly retried_after: readonly string[];
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly input_properties: readonly ConnectorProperty[];
  readonly output_schema?: Readonly<Record<string, unknown>>;
  readonly scopes: readonly ConnectorScopes[];
  readonly permissions: readonly string[];
  readonly related: readonly string[];
  readonly runtime_status: string;
  readonly runtime_reason: string;
}

export interface ConnectorAuth {
  readonly name: string;
  readonly type: string;
  readonly scopes: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface ConnectorCheck {
  readonly name: string;
  readonly passed: boolean;
}

export interface ConnectorExecution {
  readonly id: string;
  readonly action_key: string;
  readonly action_version: string;
  readonly connection_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly input?: unknown;
  readonly output?: unknown;
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
  readonly retryable: boolean;
}

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
  readonly version: string;
  readonly name: string;
  readonly config_schema?: Readonly<Record<string, unknown>>;
  readonly auth: readonly ConnectorAuth[];
  readonly actions: readonly string[];
  readonly triggers: readonly string[];
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
  readonly kind: string;
  readonly event_schema?: Readonly<Record<string, unknown>>;
  readonly config_schema?: Readonly<Record<string, unknown>>;
}

export interface CreateApiKeyRequest {
  readonly name: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly environment_mode?: "any" | "production_only" | "non_production_only";
  readonly expires_at?: string;
}

export interface CreateCandidateRequest {
  readonly environment_id: string;
  readonly artifacts: readonly PromotionArtifact[];
  readonly name: string;
  readonly guardrails: readonly PromotionGuardrail[];
}

export interface CreateConnectSessionRequest {
  readonly provider_config_id: string;
  readonly connection_id?: string;
  readonly external_id?: string;
  readonly scopes: readonly string[];
  readonly return_url?: string;
  readonly ttl_seconds?: number;
  readonly name?: string;
}

export interface CreateDefinitionRequest {
  readonly key: string;
  readonly name?: string;
  readonly draft?: Readonly<Record<string, unknown>>;
}

export interface CreateExperimentGroupRequest {
  readonly name: string;
}

export interface CreateExperimentRequest {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly hash_version?: "sha256_v1" | "fnv1a_v2";
  readonly salt?: string;
  readonly variants: readonly Variant[];
  readonly coverage?: number;
  readonly targeting: string;
  readonly group?: ExperimentGroupShare;
  readonly overrides: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
  readonly analysis?: Analysis;
  readonly scores_close_at?: string;
}

export interface CreateIntegrationRequest {
  readonly channel: "email" | "sms" | "push" | "chat" | "in_app";
  readonly name: string;
  readonly provider_key: "smtp" | "webhook" | "slack" | "twilio" | "fcm" | "web_push" | "inbox" | "sink";
  readonly connection_id?: string;
  readonly priority?: number;
  readonly active?: boolean;
  readonly condition?: string;
  readonly casing_override?: "snake_case" | "camelCase" | "PascalCase" | "kebab-case" | "CONSTANT_CASE" | "none";
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly rate?: IntegrationRate;
  readonly on_unknown?: "hold" | "resend";
}

export interface CreateLayoutRequest {
  readonly channel: "email" | "sms" | "push" | "chat" | "inapp" | "in_app";
  readonly name: string;
  readonly engine: "handlebars" | "liquid";
  readonly body: string;
  readonly is_default?: boolean;
}

export interface CreateMonitorRequest {
  readonly pool_id: string;
  readonly scope?: "pool" | "recipients";
  readonly metric: "enqueue_rate" | "completion_rate" | "failure_ratio" | "dead_rate" | "wait_seconds" | "latency_ms" | "depth" | "unroutable_rate";
  readonly method: "zscore" | "iqr" | "rate_change" | "pattern";
  readonly interval_seconds?: number;
  readonly window_points?: number;
  readonly min_points?: number;
  readonly direction?: "both" | "above" | "below";
  readonly threshold?: number;
  readonly multiplier?: number;
  readonly drop?: number;
  readonly min_base?: number;
  readonly patterns: readonly ("same_side" | "trend" | "alternating" | "two_of_three" | "flatline")[];
  readonly seasonality?: "none" | "hour_of_day" | "hour_of_week";
  readonly time_zone?: string;
  readonly open_after?: number;
  readonly close_after?: number;
  readonly cooldown_seconds?: number;
  readonly pause_seconds?: number;
  readonly actions: readonly ("log" | "alert" | "auto-pause" | "deprioritize")[];
  readonly notify?: AnomalyNotify;
}

export interface CreatePackRequest {
  readonly environment_id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: readonly EvidenceRequirement[];
}

export interface CreatePoolRequest {
  readonly name: string;
  readonly description: string;
  readonly strategy?: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly status?: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly config?: PoolConfig;
  readonly if_absent: boolean;
}

export interface CreatePoolVersionRequest {
  readonly pool_id: string;
  readonly kind: "routing" | "strategy";
  readonly content?: PoolContent;
  readonly from?: PoolVersionSource;
}

export interface CreateProviderConfigRequest {
  readonly name: string;
  readonly provider_key: string;
  readonly auth?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scopes: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly allowed_return_origins: readonly string[];
}

export interface CreateRecipientRequest {
  readonly pool_id: string;
  readonly name: string;
  readonly status?: "STATUS_UNSPECIFIED" | "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  readonly weight?: number;
  readonly capacity?: number;
  readonly tier?: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly if_absent: boolean;
}

export interface CreateRuleRequest {
  readonly pool_id: string;
  readonly name: string;
  readonly order?: number;
  readonly enabled?: boolean;
  readonly condition: string;
  readonly action: RuleAction;
}

export interface CreateStreamRequest {
  readonly run_id: string;
  readonly name: string;
  readonly content_classes: readonly ("text" | "json" | "binary" | "tool_io" | "model_output")[];
  readonly metadata_home: string;
  readonly metadata_replicas: readonly string[];
  readonly object_regions: readonly string[];
  readonly client_egress_regions: readonly string[];
  readonly log_region: string;
  readonly retention?: StreamRetention;
  readonly redaction?: StreamRedaction;
  readonly authorization?: StreamAuthorization;
  readonly ceilings?: StreamCeilings;
  readonly overflow?: "reject" | "block";
  readonly block_ms?: number;
}

export interface CreateTenantRequest {
  readonly name: string;
  readonly plan?: string;
  readonly quotas: Readonly<Record<string, number>>;
  readonly limits?: TenantLimits;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environments: readonly string[];
}

export interface CreateTopicRequest {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface CreateTriggerSubscriptionRequest {
  readonly connection_id: string;
  readonly trigger_key: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly filter?: string;
  readonly target?: TriggerTarget;
  readonly secret?: string;
  readonly poll_seconds?: number;
}

export interface CreateWebhookRequest {
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly environment?: string;
  readonly signing?: "v1" | "v1a";
  readonly ordering?: "none" | "subject" | "strict";
  readonly max_in_flight?: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DeadLetter {
  readonly id: string;
  readonly delivery_id: string;
  readonly transaction_id: string;
  readonly subscriber_id: string;
  readonly workflow_key: string;
  readonly channel: string;
  readonly reason: string;
  readonly phase: string;
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
  readonly results: readonly DeadLetterResult[];
  readonly succeeded: number;
}

export interface DeadLetterServiceReleaseRequest {
  readonly pool_id: string;
  readonly queue_item_ids: readonly string[];
}

export interface DeadLetterStats {
  readonly depth: number;
  readonly oldest_failure_at?: string;
  readonly quarantined: number;
  readonly max_retries: number;
}

export interface DebounceConfig {
  readonly key?: string;
  readonly period_ms?: number;
  readonly max_wait_ms?: number;
  readonly take?: "last" | "first";
}

export interface DeleteConnectionRequest {
  readonly connection_id: string;
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
  readonly record_version?: number;
}

export interface DeleteIntegrationResponse {
  readonly id: string;
  readonly deleted: boolean;
}

export interface DeleteLayoutRequest {
  readonly layout_id: string;
  readonly version?: number;
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
  readonly force: boolean;
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

export interface Delivery {
  readonly id: string;
  readonly transaction_id: string;
  readonly subscriber_id: string;
  readonly workflow_key: string;
  readonly topic_key?: string;
  readonly channel: string;
  readonly endpoint_id?: string;
  readonly identity: string;
  readonly status: string;
  readonly integration_id?: string;
  readonly provider_key: string;
  readonly provider_message_id: string;
  readonly failure?: Failure;
  readonly reason_code: string;
  readonly winning_layer: number;
  readonly resolver_version: string;
  readonly retry_at?: string;
  readonly generation: number;
  readonly attempt: number;
  readonly provider_attempts: number;
  readonly attempts: readonly Delivery_Attempt[];
  readonly observation_state: string;
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

export interface DrainNodeRequest {
  readonly node_id: string;
}

export interface DrainNodeResponse {
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

export interface EncryptionKeyCount {
  readonly key_id: string;
  readonly connections: number;
  readonly provider_configs: number;
  readonly trigger_subscriptions: number;
  readonly webhooks: number;
}

export interface EncryptionStatus {
  readonly active_key_id: string;
  readonly keys: readonly EncryptionKeyCount[];
}

export interface Endpoint {
  readonly id: string;
  readonly subscriber_id: string;
  readonly channel: string;
  readonly provider_key: string;
  readonly identity: string;
  readonly connection_id?: string;
  readonly verified: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly last_used_at?: string;
  readonly active: boolean;
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
  readonly results: readonly EnqueueResult[];
}

export interface EnqueueEntry {
  readonly key: string;
  readonly payload?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly dedup_id: string;
  readonly not_before?: string;
  readonly expires_at?: string;
  readonly traceparent: string;
}

export interface EnqueueRequest {
  readonly pool_id: string;
  readonly key: string;
  readonly payload?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly dedup_id: string;
  readonly not_before?: string;
  readonly expires_at?: string;
  readonly traceparent: string;
}

export interface EnqueueResponse {
  readonly item?: QueueItem;
  readonly admission?: Admission;
}

export interface EnqueueResult {
  readonly index: number;
  readonly item?: QueueItem;
  readonly admission?: Admission;
  readonly error?: BatchError;
}

export interface EntitlementItem {
  readonly item: string;
  readonly effect: "allow" | "deny";
}

export interface Entitlements {
  readonly tenant_id: string;
  readonly version: number;
  readonly issued_at?: string;
  readonly fresh_until?: string;
  readonly items: readonly EntitlementItem[];
}

export interface EvaluateGateRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly phase?: "canary" | "approval";
}

export interface EvaluateGuardrailsRequest {
  readonly candidate_id: string;
}

export interface Event {
  readonly id: string;
  readonly kind: string;
  readonly tenant_id: string;
  readonly subject: string;
  readonly at?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly environment: string;
}

export interface EvidenceArtifact {
  readonly id: string;
  readonly pack_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly media_type: string;
  readonly digest: string;
  readonly size: number;
  readonly storage_ref: string;
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
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly envelope?: Readonly<Record<string, unknown>>;
}

export interface EvidenceGate {
  readonly pack_id: string;
  readonly environment_id: string;
  readonly candidate_id: string;
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

export interface EvidenceKeys {
  readonly keys: readonly EvidenceKey[];
}

export interface EvidencePack {
  readonly id: string;
  readonly tenant_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly candidate_id: string;
  readonly requirements: readonly EvidenceRequirement[];
  readonly state: string;
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
  readonly digest: string;
  readonly producer_key_id: string;
  readonly created_by: string;
  readonly created_at?: string;
}

export interface EvidenceRequirement {
  readonly id: string;
  readonly receipt_type: "scenario" | "connector" | "strategy" | "runtime" | "graph" | "canary";
  readonly subject: string;
  readonly phase: "" | "canary" | "approval";
  readonly max_age_seconds: number;
  readonly producer_signed: boolean;
  readonly depends_on: readonly string[];
}

export interface EvidenceRun {
  readonly id: string;
  readonly pack_id: string;
  readonly environment_id: string;
  readonly kind: string;
  readonly mode: string;
  readonly state: string;
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
  readonly reason: string;
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
  readonly lease_seconds?: number;
}

export interface EvidenceServiceListRunsRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly state?: "pending" | "running" | "succeeded" | "failed" | "cancelled" | "expired";
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
  readonly mode: "sandbox" | "dry_run";
  readonly lease_seconds?: number;
  readonly deadline_seconds?: number;
}

export interface EvidenceSubject {
  readonly name: string;
  readonly digest: string;
}

export interface ExecuteActionRequest {
  readonly key: string;
  readonly connection_id: string;
  readonly input?: unknown;
  readonly wait_seconds?: number;
  readonly deadline_seconds?: number;
}

export interface ExpandRequirementsRequest {
  readonly environment_id: string;
  readonly artifacts: readonly PromotionArtifactRef[];
  readonly redirects: boolean;
}

export interface ExpandRequirementsResponse {
  readonly version: string;
  readonly requirements: readonly EvidenceRequirement[];
}

export interface Experiment {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly status: string;
  readonly hash_version: string;
  readonly salt: string;
  readonly variants: readonly Variant[];
  readonly coverage: number;
  readonly targeting: string;
  readonly group?: ExperimentGroupShare;
  readonly overrides: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
  readonly analysis?: Analysis;
  readonly scores_close_at?: string;
  readonly winner?: string;
  readonly stop_reason?: string;
  readonly phases: readonly Phase[];
  readonly started_at?: string;
  readonly ended_at?: string;
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
  readonly ranges: readonly GroupRange[];
  readonly free: number;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface ExperimentGroupShare {
  readonly id: string;
  readonly share: number;
  readonly start?: number;
}

export interface ExperimentResults {
  readonly experiment_id: string;
  readonly status: string;
  readonly computed_at?: string;
  readonly method: string;
  readonly alpha: number;
  readonly peeked: boolean;
  readonly trustworthy: boolean;
  readonly problems: readonly string[];
  readonly phases: readonly number[];
  readonly variants: readonly VariantUnits[];
  readonly metrics: readonly MetricResults[];
  readonly sample_ratios: readonly SampleRatio[];
  readonly multiple_exposures?: MultipleExposures;
  readonly guardrails: readonly GuardrailResult[];
  readonly units_by_day: readonly UnitsOfDay[];
  readonly winner?: string;
}

export interface ExperimentUnit {
  readonly variant: string;
  readonly phase: number;
  readonly exposed_at?: string;
  readonly multiple: boolean;
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
  readonly phase?: "canary" | "approval";
}

export interface ExplainReportRequest {
  readonly environment_id: string;
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
  readonly covariates: Readonly<Record<string, number>>;
}

export interface ExposureResult {
  readonly index: number;
  readonly outcome?: string;
  readonly error?: BatchError;
}

export interface ExpressionProblem {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  readonly field: string;
}

export interface ExtendRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly lease_seconds?: number;
  readonly progress?: ItemProgress;
}

export interface FailRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly error: string;
  readonly error_type: string;
  readonly retryable?: boolean;
  readonly delay_ms?: number;
}

export interface Failure {
  readonly phase: string;
  readonly code: string;
  readonly detail: string;
}

export interface FairnessConfig {
  readonly key?: string;
  readonly weights: Readonly<Record<string, number>>;
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

export interface GetClusterRequest {
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

export interface GetEncryptionStatusRequest {
}

export interface GetEntitlementsRequest {
  readonly tenant_id: string;
}

export interface GetExecutionRequest {
  readonly execution_id: string;
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
  readonly start: number;
  readonly end?: number;
  readonly if_digest?: string;
}

export interface GetObjectResponse {
  readonly data: string;
  readonly content_type?: string;
  readonly size?: number;
  readonly start?: number;
  readonly end?: number;
  readonly digest?: string;
}

export interface GetOperationalHealthReportRequest {
  readonly environment?: string;
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
  readonly window?: string;
  readonly step?: "1m" | "5m" | "1h";
}

export interface GetQueueStatusRequest {
  readonly pool_id: string;
}

export interface GetQuotaRequest {
  readonly tenant_id: string;
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
  readonly phase?: number;
}

export interface GetRetryAllRequest {
  readonly pool_id: string;
  readonly operation_id: string;
}

export interface GetRoutingRequest {
  readonly routing_id: string;
  readonly verify: boolean;
}

export interface GetRuleRequest {
  readonly rule_id: string;
}

export interface GetRunFiguresRequest {
  readonly window_seconds?: number;
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
  readonly cycles: number;
  readonly unresolved: readonly string[];
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
  readonly target_id?: string;
  readonly value?: number;
  readonly low?: number;
  readonly high?: number;
  readonly canary?: SideSamples;
  readonly stable?: SideSamples;
  readonly detail: string;
}

export interface GuardrailLook {
  readonly looked_at?: string;
  readonly breached: readonly string[];
  readonly sample_ratio_mismatch: boolean;
}

export interface GuardrailResult {
  readonly metric: string;
  readonly variant: string;
  readonly verdict: string;
  readonly margin: number;
  readonly lower?: number;
  readonly upper?: number;
  readonly reason: string;
}

export interface HealthEvidence {
  readonly signal: string;
  readonly value: number;
  readonly degraded_at: number;
  readonly unhealthy_at: number;
}

export interface HealthFreshness {
  readonly telemetry_age_ms?: number;
  readonly clock_skew_ms?: number;
  readonly dependency_age_ms?: number;
}

export interface HealthReason {
  readonly code: string;
  readonly signal: string;
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
  readonly runbook: string;
}

export interface HealthWindow {
  readonly from?: string;
  readonly to?: string;
}

export interface HeartbeatRequest {
  readonly recipient_id: string;
  readonly ttl_seconds?: number;
}

export interface Identity {
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  readonly tenant_id?: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly permissions: readonly string[];
  readonly environment_mode: string;
  readonly tenant_name?: string;
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
  readonly data?: Readonly<Record<string, unknown>>;
  readonly read: boolean;
  readonly archived: boolean;
  readonly sequence: number;
  readonly created_at?: string;
  readonly read_at?: string;
}

export interface Integration {
  readonly id: string;
  readonly channel: string;
  readonly name: string;
  readonly provider_key: string;
  readonly connection_id: string;
  readonly priority: number;
  readonly active: boolean;
  readonly condition: string;
  readonly casing_override: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly rate?: IntegrationRate;
  readonly on_unknown: string;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
  readonly deleted_at?: string;
}

export interface IntegrationRate {
  readonly per_second: number;
  readonly burst?: number;
}

export interface ItemProgress {
  readonly percent?: number;
  readonly note: string;
  readonly data?: unknown;
}

export interface Job {
  readonly operation_id: string;
  readonly kind: "retry_all" | "cancel_all" | "redeliver";
  readonly state: "running" | "completed" | "cancelled";
  readonly filter: string;
  readonly total: number;
  readonly looked_at: number;
  readonly changed: number;
  readonly skipped: number;
  readonly started_by: string;
  readonly started_at?: string;
  readonly finished_at?: string;
}

export interface LayerTrace {
  readonly layer: number;
  readonly name: string;
  readonly state: string;
  readonly enabled?: boolean;
  readonly source?: string;
  readonly read_only: boolean;
  readonly schedule: string;
}

export interface Layout {
  readonly id: string;
  readonly channel: string;
  readonly name: string;
  readonly engine: string;
  readonly body: string;
  readonly is_default: boolean;
  readonly version: number;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface LayoutPreview {
  readonly output: string;
  readonly resolved: readonly string[];
  readonly unresolved: readonly string[];
}

export interface LayoutUsage {
  readonly layout_id: string;
  readonly workflow_keys: readonly string[];
  readonly more: boolean;
}

export interface LeaseRef {
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly progress?: ItemProgress;
}

export interface LeasedItem {
  readonly item?: QueueItem;
  readonly lease_token: string;
  readonly lease_expires_at?: string;
}

export interface ListActionsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly provider_key?: string;
  readonly runtime_status?: "executable" | "catalog_only" | "disabled" | "blocked";
  readonly mutation?: "none" | "idempotent" | "non_idempotent";
  readonly text?: string;
}

export interface ListActionsResponse {
  readonly actions: readonly ConnectorAction[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListActorsRequest {
  readonly failing: boolean;
  readonly kind?: string;
  readonly tenant_id?: string;
  readonly limit: number;
}

export interface ListActorsResponse {
  readonly actors: readonly ActorReport[];
  readonly truncated: boolean;
}

export interface ListAdmissionGroupsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly environment?: string;
  readonly pool_id?: string;
  readonly constraint_kind?: "singleton" | "debounce" | "throttle" | "concurrency";
  readonly status?: "active" | "expired" | "cleared";
}

export interface ListAdmissionGroupsResponse {
  readonly admission_groups: readonly AdmissionGroup[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailablePool[];
}

export interface ListAnomaliesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly pool_id?: string;
  readonly monitor_id?: string;
  readonly state?: "open" | "closed";
}

export interface ListAnomaliesResponse {
  readonly anomalies: readonly Anomaly[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableAnomaly[];
}

export interface ListApiKeysRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "active" | "revoked";
}

export interface ListApiKeysResponse {
  readonly api_keys: readonly ApiKey[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListArtifactsRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListArtifactsResponse {
  readonly artifacts: readonly EvidenceArtifact[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListCandidatesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly state?: string;
  readonly environment_id?: string;
}

export interface ListCandidatesResponse {
  readonly candidates: readonly PromotionCandidate[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableCandidate[];
}

export interface ListCapabilitiesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly include_disabled: boolean;
  readonly include_degraded: boolean;
  readonly include_missing_dependency: boolean;
}

export interface ListCapabilitiesResponse {
  readonly capabilities: readonly Capability[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListConnectionsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly provider_key?: string;
  readonly status?: "active" | "needs_reauth" | "disabled" | "revoked";
}

export interface ListConnectionsResponse {
  readonly connections: readonly Connection[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListConsumersRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListConsumersResponse {
  readonly consumers: readonly StreamConsumer[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListDeadLettersRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly quarantined: boolean;
  readonly filter: string;
}

export interface ListDeadLettersResponse {
  readonly dead_letters: readonly QueueItem[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListDefinitionsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "draft" | "published" | "archived";
  readonly key?: string;
}

export interface ListDefinitionsResponse {
  readonly definitions: readonly WorkflowDefinition[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListDeliveriesRequest {
  readonly transaction_id?: string;
  readonly subscriber_id?: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListDeliveriesResponse {
  readonly deliveries: readonly Delivery[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListEndpointsRequest {
  readonly subscriber_id: string;
  readonly channel?: "email" | "sms" | "push" | "chat" | "in_app";
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListEndpointsResponse {
  readonly endpoints: readonly Endpoint[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListEventsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly kinds: readonly string[];
  readonly subject?: string;
  readonly since?: string;
}

export interface ListEventsResponse {
  readonly events: readonly Event[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListExecutionsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly connection_id: string;
  readonly status?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "outcome_unknown" | "cancelled";
}

export interface ListExecutionsResponse {
  readonly executions: readonly ConnectorExecution[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListExperimentGroupsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly environment?: string;
}

export interface ListExperimentGroupsResponse {
  readonly experiment_groups: readonly ExperimentGroup[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableExperiment[];
}

export interface ListExperimentsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "draft" | "running" | "paused" | "completed" | "stopped";
  readonly environment?: string;
}

export interface ListExperimentsResponse {
  readonly experiments: readonly Experiment[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableExperiment[];
}

export interface ListInboxRequest {
  readonly subscriber_id: string;
  readonly unread?: boolean;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListInboxResponse {
  readonly messages: readonly InboxMessage[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unread_count: number;
}

export interface ListIntegrationsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly channel?: "email" | "sms" | "push" | "chat" | "in_app";
}

export interface ListIntegrationsResponse {
  readonly integrations: readonly Integration[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListItemsRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly states: readonly ("scheduled" | "ready" | "leased" | "retry_wait" | "completed" | "dead" | "cancelled" | "expired" | "superseded")[];
  readonly key?: string;
  readonly filter: string;
}

export interface ListItemsResponse {
  readonly items: readonly QueueItem[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListJobsRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListJobsResponse {
  readonly jobs: readonly Job[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListLayoutsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly channel?: "email" | "sms" | "push" | "chat" | "inapp" | "in_app";
}

export interface ListLayoutsResponse {
  readonly layouts: readonly Layout[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListMembersRequest {
  readonly key: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListMembersResponse {
  readonly members: readonly TopicMember[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListMonitorsRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListMonitorsResponse {
  readonly monitors: readonly AnomalyMonitor[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListNoticesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListNoticesResponse {
  readonly workflows: readonly Notice[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableNotice[];
}

export interface ListObservationsRequest {
  readonly delivery_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListObservationsResponse {
  readonly observations: readonly Observation[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListPacksRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly state?: "open" | "archived";
  readonly environment_id?: string;
}

export interface ListPacksResponse {
  readonly packs: readonly EvidencePack[];
  readonly next_page_token: string;
  readonly total: number;
  readonly unavailable: readonly UnavailablePack[];
}

export interface ListPoolVersionsRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListPoolVersionsResponse {
  readonly pool_versions: readonly PoolVersion[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListPoolsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly environment?: string;
  readonly name?: string;
  readonly name_prefix?: string;
}

export interface ListPoolsResponse {
  readonly pools: readonly Pool[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailablePool[];
}

export interface ListPreferencesRequest {
  readonly subscriber_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListPreferencesResponse {
  readonly preferences: readonly Preference[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListProviderConfigsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly provider_key?: string;
  readonly status?: "draft" | "active" | "disabled" | "archived";
}

export interface ListProviderConfigsResponse {
  readonly provider_configs: readonly ProviderConfig[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListProvidersRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly text?: string;
}

export interface ListProvidersResponse {
  readonly providers: readonly ConnectorProvider[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListQueuesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly tenant_id?: string;
  readonly paused_only: boolean;
  readonly environment?: string;
  readonly name?: string;
  readonly name_prefix?: string;
}

export interface ListQueuesResponse {
  readonly queues: readonly QueueStatus[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailablePool[];
}

export interface ListReceiptsRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly receipt_type?: "scenario" | "connector" | "strategy" | "runtime" | "graph" | "canary";
}

export interface ListReceiptsResponse {
  readonly receipts: readonly EvidenceReceipt[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListRecipientsRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  readonly name?: string;
}

export interface ListRecipientsResponse {
  readonly recipients: readonly Recipient[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListReportsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly environment_id?: string;
}

export interface ListReportsResponse {
  readonly reports: readonly ConformanceReport[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListRulesRequest {
  readonly pool_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListRulesResponse {
  readonly rules: readonly Rule[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListRunsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "pending" | "running" | "succeeded" | "failed" | "cancelling" | "cancelled";
  readonly definition_id?: string;
  readonly mark?: "idle" | "incompatible" | "dead";
}

export interface ListRunsResponse {
  readonly runs: readonly WorkflowRun[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListScopesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListScopesResponse {
  readonly scopes: readonly HealthScopes[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListShardsRequest {
}

export interface ListShardsResponse {
  readonly shards: readonly ShardReport[];
}

export interface ListStepsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly run_id: string;
}

export interface ListStepsResponse {
  readonly steps: readonly WorkflowStep[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListStreamsRequest {
  readonly run_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListStreamsResponse {
  readonly streams: readonly StreamEntry[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListSubscribersRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListSubscribersResponse {
  readonly subscribers: readonly Subscriber[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListSubscriptionsRequest {
  readonly subscriber_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListSubscriptionsResponse {
  readonly subscriptions: readonly Subscription[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListSuitesRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListSuitesResponse {
  readonly suites: readonly ConformanceSuite[];
  readonly next_page_token: string;
  readonly total: number;
}

export interface ListTenantsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "active" | "suspended" | "deleted";
}

export interface ListTenantsResponse {
  readonly tenants: readonly Tenant[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListTopicsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListTopicsResponse {
  readonly topics: readonly Topic[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableTopic[];
}

export interface ListTriggerSubscriptionsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly connection_id?: string;
  readonly status?: "active" | "disabled" | "failing";
}

export interface ListTriggerSubscriptionsResponse {
  readonly trigger_subscriptions: readonly TriggerSubscription[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListTriggersRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly provider_key?: string;
  readonly text?: string;
}

export interface ListTriggersResponse {
  readonly triggers: readonly ConnectorTrigger[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListVersionsRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly id: string;
}

export interface ListVersionsResponse {
  readonly versions: readonly WorkflowVersion[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListWebhookJobsRequest {
  readonly webhook_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface ListWebhookJobsResponse {
  readonly jobs: readonly Job[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface ListWebhooksRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly status?: "active" | "disabled";
}

export interface ListWebhooksResponse {
  readonly webhooks: readonly Webhook[];
  readonly next_page_token: string;
  readonly total?: number;
  readonly unavailable: readonly UnavailableWebhook[];
}

export interface LivePool {
  readonly pool_id: string;
  readonly queue?: QueueStatus;
  readonly rates?: LiveRates;
  readonly recipients: readonly LiveRecipient[];
  readonly error?: BatchError;
}

export interface LivePools {
  readonly at?: string;
  readonly pools: readonly LivePool[];
}

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
  readonly status: "STATUS_UNSPECIFIED" | "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  readonly in_flight: number;
  readonly capacity: number;
}

export interface MarkInboxRequest {
  readonly subscriber_id: string;
  readonly message_ids: readonly string[];
  readonly all: boolean;
  readonly as: "read" | "unread" | "archived";
}

export interface MarkInboxResponse {
  readonly changed: number;
  readonly unread_count: number;
}

export interface MethodReport {
  readonly name: string;
  readonly http_method?: string;
  readonly path?: string;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly lifecycle: string;
  readonly audience: string;
  readonly authentication_required: boolean;
  readonly authorization_required: boolean;
  readonly resource: string;
  readonly action: string;
  readonly internal_only: boolean;
}

export interface Metric {
  readonly key: string;
  readonly kind: "binary" | "sum" | "count" | "mean";
  readonly role?: "primary" | "secondary" | "guardrail";
  readonly direction?: "increase" | "decrease";
  readonly scale?: number;
  readonly cap?: number;
  readonly window_seconds?: number;
  readonly covariate: boolean;
  readonly margin?: number;
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
  readonly units: number;
  readonly share: number;
  readonly too_many: boolean;
}

export interface NewStreamRecord {
  readonly kind?: "data" | "input" | "control";
  readonly content_type: string;
  readonly payload?: unknown;
  readonly bytes?: string;
  readonly producer?: StreamProducer;
  readonly expected_sequence?: number;
}

export interface Notice {
  readonly workflow_key: string;
  readonly channels: Readonly<Record<string, NoticeContent>>;
  readonly preference?: PreferenceSettings;
  readonly ttl_seconds?: number;
  readonly version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface NoticeContent {
  readonly engine: "handlebars" | "liquid";
  readonly subject: string;
  readonly body: string;
  readonly layout_id?: string;
}

export interface NotificationServiceListDeadLettersRequest {
  readonly status?: "open" | "redriven" | "resolved";
  readonly channel?: "email" | "sms" | "push" | "chat" | "in_app";
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
}

export interface NotificationServiceListDeadLettersResponse {
  readonly dead_letters: readonly DeadLetter[];
  readonly next_page_token: string;
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
  readonly report_id: string;
  readonly verdict: string;
  readonly confidence: string;
  readonly reasons: readonly HealthReason[];
  readonly next_steps: readonly HealthStep[];
  readonly evidence: readonly HealthEvidence[];
  readonly scope?: HealthScope;
  readonly window?: HealthWindow;
  readonly freshness?: HealthFreshness;
  readonly ruleset: string;
  readonly ruleset_sha256: string;
}

export interface Outcome {
  readonly id: string;
  readonly pool_id: string;
  readonly routing_id?: string;
  readonly queue_item_id?: string;
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

export interface OutlierConfig {
  readonly consecutive_failures?: number;
  readonly ejection_seconds?: number;
  readonly max_ejected_percent?: number;
}

export interface PatchDraftRequest {
  readonly id: string;
  readonly name?: string;
  readonly draft?: Readonly<Record<string, unknown>>;
  readonly update_mask?: readonly string[];
  readonly record_version?: number;
}

export interface PauseExperimentRequest {
  readonly experiment_id: string;
  readonly record_version?: number;
}

export interface PauseQueueRequest {
  readonly pool_id: string;
  readonly until?: string;
  readonly reason: string;
}

export interface PauseRecipientRequest {
  readonly recipient_id: string;
}

export interface Phase {
  readonly number: number;
  readonly opened_at?: string;
  readonly coverage: number;
  readonly weights: Readonly<Record<string, number>>;
  readonly targeting: string;
  readonly carry: string;
}

export interface Pool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly strategy: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly status: "STATUS_UNSPECIFIED" | "STATUS_ACTIVE" | "STATUS_DISABLED";
  readonly config?: PoolConfig;
  readonly recipient_ids: readonly string[];
  readonly rule_ids: readonly string[];
  readonly tenant_id: string;
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
  readonly governance?: PoolGovernance;
  readonly created?: boolean;
}

export interface PoolCanary {
  readonly candidate_id: string;
  readonly share_bps: number;
  readonly kinds: readonly string[];
  readonly started_at?: string;
}

export interface PoolConfig {
  readonly lease_seconds?: number;
  readonly max_attempts?: number;
  readonly max_deliveries?: number;
  readonly backoff?: Backoff;
  readonly max_depth?: number;
  readonly max_bytes?: number;
  readonly retention_seconds?: number;
  readonly priority?: PriorityConfig;
  readonly fairness?: FairnessConfig;
  readonly sticky?: StickyConfig;
  readonly admission?: AdmissionConfig;
  readonly outlier?: OutlierConfig;
}

export interface PoolContent {
  readonly routing?: RoutingContent;
  readonly strategy?: StrategyContent;
}

export interface PoolGovernance {
  readonly change_control: "open" | "governed";
  readonly active: readonly ActivePoolVersion[];
  readonly canary?: PoolCanary;
}

export interface PoolVersion {
  readonly pool_id: string;
  readonly version: number;
  readonly kind: "routing" | "strategy";
  readonly digest: string;
  readonly content?: PoolContent;
  readonly source: "snapshot" | "proposal" | "import" | "replaced";
  readonly created_by: string;
  readonly created_at?: string;
}

export interface PoolVersionSource {
  readonly pool_id: string;
  readonly version: number;
  readonly ids: Readonly<Record<string, string>>;
}

export interface Posture {
  readonly capabilities: readonly Capability[];
}

export interface Preference {
  readonly id: string;
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
  readonly timezone?: string;
  readonly ranges: readonly ScheduleRange[];
}

export interface PreferenceSettings {
  readonly all?: ChannelPreference;
  readonly channels: Readonly<Record<string, ChannelPreference>>;
  readonly schedule?: PreferenceSchedule;
  readonly read_only?: boolean;
  readonly condition?: string;
}

export interface PreflightRequest {
  readonly candidate_id: string;
}

export interface PrepareObjectRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly idempotency_key: string;
  readonly digest: string;
  readonly size: number;
  readonly content_type: string;
  readonly schema: string;
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
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly mutation: string;
  readonly missing_scopes: readonly string[];
  readonly executable: boolean;
  readonly reason: string;
}

export interface PreviewAdmissionRequest {
  readonly pool_id: string;
  readonly key: string;
  readonly payload?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly dedup_id: string;
  readonly not_before?: string;
  readonly expires_at?: string;
  readonly traceparent: string;
}

export interface PreviewAdmissionResponse {
  readonly item?: QueueItem;
  readonly admission?: Admission;
  readonly explanation?: AdmissionExplanation;
}

export interface PreviewLayoutRequest {
  readonly layout_id: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly subscriber?: Readonly<Record<string, unknown>>;
}

export interface PreviewMonitorRequest {
  readonly pool_id: string;
  readonly scope?: "pool" | "recipients";
  readonly metric: "enqueue_rate" | "completion_rate" | "failure_ratio" | "dead_rate" | "wait_seconds" | "latency_ms" | "depth" | "unroutable_rate";
  readonly method: "zscore" | "iqr" | "rate_change" | "pattern";
  readonly interval_seconds?: number;
  readonly window_points?: number;
  readonly min_points?: number;
  readonly direction?: "both" | "above" | "below";
  readonly threshold?: number;
  readonly multiplier?: number;
  readonly drop?: number;
  readonly min_base?: number;
  readonly patterns: readonly ("same_side" | "trend" | "alternating" | "two_of_three" | "flatline")[];
  readonly seasonality?: "none" | "hour_of_day" | "hour_of_week";
  readonly time_zone?: string;
  readonly open_after?: number;
  readonly close_after?: number;
  readonly cooldown_seconds?: number;
  readonly pause_seconds?: number;
  readonly actions: readonly ("log" | "alert" | "auto-pause" | "deprioritize")[];
  readonly notify?: AnomalyNotify;
  readonly values: readonly number[];
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
  readonly context_keys: readonly string[];
  readonly channels: readonly ("email" | "sms" | "push" | "chat" | "in_app")[];
  readonly payload_context?: Readonly<Record<string, unknown>>;
}

export interface PreviewPreferencesResponse {
  readonly resolver_version: string;
  readonly channels: readonly ChannelDecision[];
}

export interface PreviewRouteRequest {
  readonly pool_id: string;
  readonly key: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly reserve: boolean;
  readonly reserve_seconds?: number;
  readonly explain: boolean;
  readonly payload?: unknown;
  readonly draft_rules: readonly RuleContent[];
  readonly seed?: string;
}

export interface PreviewedPoint {
  readonly value: number;
  readonly expected?: number;
  readonly score?: number;
  readonly anomaly: boolean;
  readonly open: boolean;
}

export interface PreviewedRule {
  readonly rule_id?: string;
  readonly name: string;
  readonly matched: boolean;
  readonly error?: string;
}

export interface PriorityConfig {
  readonly bands?: number;
  readonly default?: number;
  readonly aging_seconds?: number;
}

export interface PromoteRequest {
  readonly candidate_id: string;
}

export interface PromotionApproval {
  readonly subject: string;
  readonly owner: string;
  readonly decision: "approve" | "reject";
  readonly reason: string;
  readonly at?: string;
  readonly candidate_digest: string;
  readonly pack_digest: string;
  readonly check_digest: string;
}

export interface PromotionArtifact {
  readonly kind: "routing" | "strategy" | "workflow" | "connector";
  readonly id: string;
  readonly version: number;
  readonly digest?: string;
}

export interface PromotionArtifactRef {
  readonly kind: "routing" | "strategy" | "workflow" | "connector";
  readonly id: string;
  readonly version: number;
  readonly digest: string;
}

export interface PromotionCanary {
  readonly share_bps: number;
  readonly started_at?: string;
  readonly ends_at?: string;
  readonly stopped_at?: string;
}

export interface PromotionCandidate {
  readonly id: string;
  readonly tenant_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly artifacts: readonly PromotionArtifact[];
  readonly digest: string;
  readonly guardrails: readonly PromotionGuardrail[];
  readonly pack_id?: string;
  readonly state: "created" | "preflighted" | "blocked" | "guarded" | "canary" | "canary_stopped" | "approved" | "rejected" | "promoting" | "promoted" | "failed" | "rolling_back" | "rolled_back" | "aborted";
  readonly reason?: string;
  readonly preflight?: PromotionPreflight;
  readonly canary?: PromotionCanary;
  readonly checks: readonly PromotionCheck[];
  readonly approvals: readonly PromotionApproval[];
  readonly rollback_handles: readonly RollbackHandle[];
  readonly operation?: PromotionOperation;
  readonly created_by: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface PromotionCheck {
  readonly number: number;
  readonly at?: string;
  readonly trigger: "evaluate" | "look" | "stop";
  readonly verdict: "pass" | "fail" | "inconclusive";
  readonly results: readonly GuardrailFinding[];
  readonly digest: string;
}

export interface PromotionGuardrail {
  readonly scope: "target" | "canary" | "evidence";
  readonly metric: string;
  readonly max?: number;
  readonly max_increase?: number;
  readonly min_samples?: number;
  readonly report_only: boolean;
  readonly slow_ms?: number;
}

export interface PromotionImpact {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  readonly exercised_by: "canary" | "promote";
}

export interface PromotionOperation {
  readonly name: string;
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
  readonly auth: string;
  readonly environment: string;
  readonly status: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly allowed_return_origins: readonly string[];
  readonly version: number;
  readonly active_version: number;
  readonly credential_version: number;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface PublishDefinitionRequest {
  readonly id: string;
  readonly activate?: boolean;
  readonly record_version?: number;
}

export interface PublishRequest {
  readonly run_id: string;
  readonly event_key: string;
  readonly event_id: string;
  readonly payload?: unknown;
}

export interface PublishResponse {
  readonly event_id: string;
  readonly duplicate: boolean;
}

export interface PurgeRequest {
  readonly pool_id: string;
  readonly older_than?: string;
  readonly include_quarantined: boolean;
}

export interface PurgeResponse {
  readonly purged: number;
}

export interface PutConsumerRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly consumer_id: string;
}

export interface PutEntitlementsRequest {
  readonly tenant_id: string;
  readonly version: number;
  readonly issued_at?: string;
  readonly fresh_until: string;
  readonly items: readonly EntitlementItem[];
}

export interface PutNoticeRequest {
  readonly workflow_key: string;
  readonly channels: Readonly<Record<string, NoticeContent>>;
  readonly preference?: PreferenceSettings;
  readonly ttl_seconds?: number;
  readonly version?: number;
}

export interface PutPreferenceRequest {
  readonly subscriber_id: string;
  readonly workflow_key?: string;
  readonly topic_key?: string;
  readonly context_keys: readonly string[];
  readonly all?: ChannelPreference;
  readonly channels: Readonly<Record<string, ChannelPreference>>;
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
  readonly attempts: number;
  readonly deliveries: number;
  readonly retry_count: number;
  readonly not_before?: string;
  readonly expires_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly lease?: QueueItemLease;
  readonly last_error?: QueueItemError;
  readonly result?: unknown;
  readonly wait?: QueueItemWait;
  readonly record_version: number;
  readonly coalesced: number;
  readonly quarantined: boolean;
  readonly finished_at?: string;
  readonly history: readonly QueueItemHistory[];
  readonly completed_by: string;
  readonly traceparent: string;
}

export interface QueueItemError {
  readonly message: string;
  readonly type: string;
  readonly at?: string;
}

export interface QueueItemHistory {
  readonly delivery: number;
  readonly recipient_id: string;
  readonly leased_at?: string;
  readonly ended_at?: string;
  readonly outcome: "failed" | "expired" | "released" | "rejected" | "cancelled" | "redriven";
  readonly error: string;
  readonly error_type: string;
  readonly progress?: ItemProgress;
}

export interface QueueItemLease {
  readonly recipient_id: string;
  readonly expires_at?: string;
  readonly progress?: ItemProgress;
}

export interface QueueItemWait {
  readonly reason: string;
  readonly until?: string;
  readonly position?: number;
}

export interface QueuePoint {
  readonly at?: string;
  readonly enqueued: number;
  readonly claimed: number;
  readonly completed: number;
  readonly failed: number;
  readonly dead: number;
  readonly expired: number;
  readonly cancelled: number;
  readonly wait_ms_sum: number;
  readonly lease_ms_sum: number;
  readonly depth: number;
}

export interface QueueSeries {
  readonly pool_id: string;
  readonly points: readonly QueuePoint[];
}

export interface QueueStatus {
  readonly pool_id: string;
  readonly name: string;
  readonly environment: string;
  readonly depth: number;
  readonly by_state: Readonly<Record<string, number>>;
  readonly paused: boolean;
  readonly paused_until?: string;
  readonly pause_reason?: string;
  readonly oldest_item_age_seconds: number;
  readonly average_wait_seconds: number;
  readonly throughput_today: number;
  readonly leased: number;
  readonly dlq_depth: number;
  readonly held: number;
  readonly bytes: number;
  readonly oldest_ready_age_seconds: number;
}

export interface Quota {
  readonly operation: string;
  readonly limit?: number;
  readonly used: number;
  readonly remaining?: number;
  readonly window: "day";
  readonly resets_at?: string;
}

export interface ReadRecordsRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly after_sequence: number;
  readonly limit: number;
  readonly max_bytes: number;
  readonly wait_ms?: number;
}

export interface ReadRecordsResponse {
  readonly records: readonly StreamRecord[];
  readonly next_after_sequence: number;
  readonly latest_sequence: number;
  readonly earliest_sequence: number;
  readonly closed: boolean;
}

export interface ReceiptExplanation {
  readonly receipt_id: string;
  readonly reasons: readonly string[];
}

export interface Recipient {
  readonly id: string;
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly status: "STATUS_UNSPECIFIED" | "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  readonly weight: number;
  readonly capacity: number;
  readonly tier: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly in_flight: number;
  readonly last_assigned_at?: string;
  readonly health?: RecipientHealth;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly created?: boolean;
}

export interface RecipientHealth {
  readonly state: "healthy" | "ejected" | "half_open";
  readonly consecutive_failures: number;
  readonly ejections: number;
  readonly ejected_until?: string;
  readonly last_heartbeat_at?: string;
}

export interface RecipientSelector {
  readonly recipient_ids: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
}

export interface RecordExposuresRequest {
  readonly experiment_id: string;
  readonly exposures: readonly Exposure[];
}

export interface RecordExposuresResponse {
  readonly results: readonly ExposureResult[];
}

export interface RecordObservationsRequest {
  readonly observations: readonly RecordObservationsRequest_NewObservation[];
}

export interface RecordObservationsRequest_NewObservation {
  readonly delivery_id: string;
  readonly kind: "deferred" | "delivered" | "bounced" | "complained" | "unsubscribed" | "opened" | "clicked";
  readonly occurred_at?: string;
  readonly provider_event_id: string;
  readonly adapter: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface RecordObservationsResponse {
  readonly results: readonly RecordObservationsResponse_Result[];
}

export interface RecordObservationsResponse_Result {
  readonly index: number;
  readonly outcome: string;
  readonly error?: BatchError;
}

export interface RecordOutcomeRequest {
  readonly id?: string;
  readonly routing_id?: string;
  readonly queue_item_id?: string;
  readonly result: "success" | "failure" | "timeout" | "cancelled";
  readonly latency_ms?: number;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface RecordOutcomesRequest {
  readonly outcomes: readonly RecordOutcomeRequest[];
}

export interface RecordOutcomesResponse {
  readonly results: readonly OutcomeResult[];
}

export interface RecordScoreRequest {
  readonly experiment_id: string;
  readonly score_id: string;
  readonly receipt?: string;
  readonly unit_id?: string;
  readonly metric: string;
  readonly value?: number;
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
  readonly since: string;
  readonly until?: string;
  readonly kinds: readonly string[];
  readonly states: readonly ("delivered" | "exhausted")[];
}

export interface RedeliverRequest {
  readonly webhook_id: string;
  readonly delivery_id: string;
}

export interface RedirectAction {
  readonly pool_id: string;
}

export interface RedriveDeadLetterRequest {
  readonly dead_letter_id: string;
  readonly accept_duplicate: boolean;
}

export interface RedriveDeadLettersRequest {
  readonly dead_letter_ids: readonly string[];
  readonly accept_duplicate: boolean;
}

export interface RedriveDeadLettersResponse {
  readonly results: readonly RedriveDeadLettersResponse_Result[];
}

export interface RedriveDeadLettersResponse_Result {
  readonly index: number;
  readonly dead_letter?: DeadLetter;
  readonly error?: BatchError;
}

export interface RejectAction {
  readonly reason: string;
}

export interface RejectRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly error: string;
  readonly error_type: string;
}

export interface ReleaseRequest {
  readonly pool_id: string;
  readonly queue_item_id: string;
  readonly lease_token: string;
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
  readonly phone?: string;
  readonly avatar?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly record_version?: number;
}

export interface RequirementExplanation {
  readonly gate?: RequirementGate;
  readonly others: readonly ReceiptExplanation[];
  readonly others_left_out: number;
  readonly next_steps: readonly string[];
}

export interface RequirementGate {
  readonly id: string;
  readonly receipt_type: string;
  readonly status: string;
  readonly reasons: readonly string[];
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
  readonly skipped: number;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly kind: string;
  readonly filter: string;
  readonly total: number;
  readonly looked_at: number;
  readonly changed: number;
  readonly started_by: string;
}

export interface RetryAllRequest {
  readonly pool_id: string;
  readonly key: string;
  readonly error_type: string;
  readonly failed_before?: string;
  readonly rate?: number;
  readonly filter: string;
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
  readonly version: number;
  readonly digest: string;
}

export interface RollbackRequest {
  readonly candidate_id: string;
  readonly reason: string;
}

export interface RotateCredentialsRequest {
  readonly page_size?: number;
  readonly page_token: string;
}

export interface RotateCredentialsResponse {
  readonly rotated: number;
  readonly unchanged: number;
  readonly unreadable: number;
  readonly next_page_token: string;
}

export interface RotateSecretRequest {
  readonly webhook_id: string;
  readonly overlap_seconds?: number;
}

export interface RouteBatchRequest {
  readonly pool_id: string;
  readonly routes: readonly RouteEntry[];
}

export interface RouteBatchResponse {
  readonly results: readonly RouteResult[];
}

export interface RouteEntry {
  readonly key: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly reserve: boolean;
  readonly reserve_seconds?: number;
  readonly explain: boolean;
}

export interface RoutePreview {
  readonly outcome: "routed" | "rejected" | "redirected" | "no_recipient";
  readonly recipient_id?: string;
  readonly redirect_pool_id?: string;
  readonly reason?: string;
  readonly rules: readonly PreviewedRule[];
  readonly explanation: readonly CandidateExplanation[];
  readonly explanation_left_out?: number;
}

export interface RouteRequest {
  readonly pool_id: string;
  readonly key: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly required_labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly priority?: number;
  readonly cost?: number;
  readonly reserve: boolean;
  readonly reserve_seconds?: number;
  readonly explain: boolean;
}

export interface RouteResult {
  readonly index: number;
  readonly routing?: Routing;
  readonly error?: BatchError;
}

export interface RouteStreamRequest {
  readonly ref: string;
  readonly route: RouteRequest;
}

export interface RouteStreamResponse {
  readonly ref: string;
  readonly routing?: Routing;
  readonly error?: BatchError;
}

export interface Routing {
  readonly id: string;
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly recipient_id: string;
  readonly strategy: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly key: string;
  readonly priority: number;
  readonly cost: number;
  readonly pool_version: number;
  readonly matched_rule_ids: readonly string[];
  readonly redirected_from: readonly string[];
  readonly reserved_until?: string;
  readonly candidate_count: number;
  readonly explanation: readonly CandidateExplanation[];
  readonly verification?: RoutingVerification;
  readonly created_at?: string;
  readonly explanation_left_out?: number;
  readonly candidate_id?: string;
}

export interface RoutingContent {
  readonly config?: PoolConfig;
  readonly rules: readonly RuleContent[];
}

export interface RoutingVerification {
  readonly matches: boolean;
  readonly complete: boolean;
  readonly recipient_id: string;
}

export interface Rule {
  readonly id: string;
  readonly pool_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly order: number;
  readonly enabled: boolean;
  readonly condition: string;
  readonly action?: RuleAction;
  readonly evaluation_errors: number;
  readonly record_version: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface RuleAction {
  readonly restrict?: RecipientSelector;
  readonly prefer?: RecipientSelector;
  readonly set_priority?: SetPriorityAction;
  readonly redirect?: RedirectAction;
  readonly reject?: RejectAction;
}

export interface RuleContent {
  readonly name: string;
  readonly order: number;
  readonly enabled?: boolean;
  readonly condition: string;
  readonly action: RuleAction;
}

export interface RunEvent {
  readonly event_id: string;
  readonly event_key: string;
  readonly payload?: unknown;
  readonly published_at?: string;
}

export interface RunSuiteRequest {
  readonly suite_id: string;
  readonly environment_id: string;
  readonly mode: "sandbox" | "dry_run";
  readonly pack_id?: string;
}

export interface RuntimeReceipt {
  readonly report_id: string;
  readonly contract_sha256: string;
}

export interface SampleRatio {
  readonly phase: number;
  readonly p_value: number;
  readonly chi_square: number;
  readonly chi_square_p_value: number;
  readonly mismatch: boolean;
  readonly arms: readonly ArmRatio[];
}

export interface ScenarioReceipt {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface ScheduleRange {
  readonly days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  readonly start: string;
  readonly end: string;
}

export interface Score {
  readonly score_id: string;
  readonly metric: string;
  readonly value: number;
  readonly occurred_at?: string;
  readonly eligible: boolean;
  readonly variant: string;
  readonly phase: number;
}

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
  readonly page_url?: string;
}

export interface SendEndpointConfirmationResponse {
  readonly transaction_id: string;
  readonly delivery_id: string;
  readonly status: string;
  readonly reason_code: string;
  readonly expires_at?: string;
}

export interface ServiceReport {
  readonly name: string;
  readonly methods: readonly MethodReport[];
}

export interface ServicesReport {
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
  readonly held: boolean;
  readonly reason: string;
  readonly reference: string;
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
  readonly type: string;
  readonly unit: string;
  readonly default?: unknown;
  readonly description: string;
  readonly scope: string;
}

export interface SettleBatchRequest {
  readonly pool_id: string;
  readonly settlements: readonly SettleEntry[];
}

export interface SettleBatchResponse {
  readonly results: readonly SettleResult[];
}

export interface SettleEntry {
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly outcome: "complete" | "fail" | "release" | "reject" | "extend";
  readonly result?: unknown;
  readonly error: string;
  readonly error_type: string;
  readonly retryable?: boolean;
  readonly delay_ms?: number;
  readonly lease_seconds?: number;
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
  readonly error?: BatchError;
}

export interface Settlement {
  readonly queue_item_id: string;
  readonly state: "scheduled" | "ready" | "leased" | "retry_wait" | "completed" | "dead" | "cancelled" | "expired" | "superseded";
  readonly attempts: number;
  readonly deliveries: number;
  readonly not_before?: string;
  readonly settled_at?: string;
  readonly lease_expires_at?: string;
}

export interface ShardReport {
  readonly number: number;
  readonly status: string;
  readonly thread?: number;
  readonly epoch: number;
  readonly head: number;
  readonly durable_head: number;
  readonly mailbox_depth: number;
  readonly mailbox_bytes: number;
  readonly entities: number;
  readonly buffer_bytes: number;
  readonly tenures: number;
  readonly node_id?: string;
}

export interface SideSamples {
  readonly count: number;
  readonly samples: number;
}

export interface SignalRunRequest {
  readonly run_id: string;
  readonly event_key: string;
  readonly event_id: string;
  readonly payload?: unknown;
}

export interface SignalRunResponse {
  readonly event_id: string;
  readonly duplicate: boolean;
}

export interface SingletonConfig {
  readonly key?: string;
  readonly mode?: "skip" | "cancel" | "keep_latest";
  readonly ttl_seconds?: number;
}

export interface StartCanaryRequest {
  readonly candidate_id: string;
  readonly share_bps?: number;
  readonly max_seconds?: number;
}

export interface StartExperimentRequest {
  readonly experiment_id: string;
  readonly record_version?: number;
}

export interface StartRunRequest {
  readonly definition_id?: string;
  readonly definition_key?: string;
  readonly version?: number;
  readonly input?: unknown;
  readonly run_key?: string;
}

export interface StartRunResponse {
  readonly run?: WorkflowRun;
  readonly started: boolean;
}

export interface StickyConfig {
  readonly key?: string;
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
  readonly trials: number;
  readonly baseline: number;
  readonly candidate: number;
}

export interface StreamAuthorization {
  readonly read_roles: readonly string[];
  readonly append_roles: readonly string[];
  readonly ack_roles: readonly string[];
}

export interface StreamCeilings {
  readonly unread_items?: number;
  readonly unread_bytes?: number;
  readonly total_items?: number;
  readonly total_bytes?: number;
}

export interface StreamConsumer {
  readonly consumer_id: string;
  readonly acknowledged_sequence: number;
  readonly unread_items: number;
  readonly unread_bytes: number;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export interface StreamEnd {
  readonly latest_sequence: number;
}

export interface StreamEntry {
  readonly id: string;
  readonly run_id: string;
  readonly name: string;
  readonly environment: string;
  readonly created_at?: string;
}

export interface StreamGone {
  readonly requested_sequence: number;
  readonly earliest_sequence: number;
  readonly latest_sequence: number;
  readonly resync_reason: string;
}

export interface StreamLegalHold {
  readonly reason: string;
  readonly reference: string;
  readonly set_by: string;
  readonly set_at?: string;
}

export interface StreamObject {
  readonly object_id: string;
  readonly state: string;
  readonly digest: string;
  readonly size: number;
  readonly content_type: string;
  readonly schema: string;
  readonly expires_at?: string;
  readonly upload_path: string;
  readonly authorization_receipt?: string;
  readonly sequence?: number;
}

export interface StreamObjectRef {
  readonly object_id: string;
  readonly size: number;
  readonly digest: string;
  readonly schema: string;
}

export interface StreamProducer {
  readonly id: string;
  readonly epoch: number;
  readonly sequence: number;
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
  readonly json_pointers: readonly string[];
}

export interface StreamRetention {
  readonly max_age_seconds: number;
  readonly max_records: number;
  readonly max_bytes: number;
}

export interface SubmitConnectSessionRequest {
  readonly connect_session_id: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface SubscribeRequest {
  readonly cursor: string;
  readonly kinds: readonly string[];
}

export interface SubscribeResponse {
  readonly cursor: string;
  readonly event?: Event;
}

export interface Subscriber {
  readonly id: string;
  readonly external_id: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly avatar?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly active: boolean;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
  readonly created?: boolean;
}

export interface SubscriberServiceSubscribeRequest {
  readonly subscriber_id: string;
  readonly topic_key: string;
  readonly context_keys: readonly string[];
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
  readonly status: "active" | "suspended" | "deleted";
  readonly plan: string;
  readonly quotas: Readonly<Record<string, number>>;
  readonly limits?: TenantLimits;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environments: readonly string[];
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface TenantLimits {
  readonly rps?: number;
  readonly concurrency?: number;
  readonly queue_depth?: number;
  readonly storage_bytes?: number;
}

export interface TestWebhookRequest {
  readonly webhook_id: string;
}

export interface ThrottleConfig {
  readonly key?: string;
  readonly limit?: number;
  readonly period_ms?: number;
  readonly burst?: number;
}

export interface Topic {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
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
  readonly subscriber_external_id?: string;
  readonly subscriber?: TriggerRequest_InlineSubscriber;
  readonly subscriber_id?: string;
  readonly topic?: string;
  readonly channels: readonly ("email" | "sms" | "push" | "chat" | "in_app")[];
  readonly overrides: Readonly<Record<string, TriggerRequest_ChannelOverride>>;
  readonly user_id?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly transaction_id?: string;
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
  readonly phone?: string;
  readonly avatar?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface TriggerResponse {
  readonly transaction_id: string;
  readonly outcomes: readonly TriggerResponse_Outcome[];
  readonly broadcast?: Broadcast;
}

export interface TriggerResponse_Outcome {
  readonly channel: string;
  readonly endpoint_id?: string;
  readonly delivery_id: string;
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
  readonly config?: Readonly<Record<string, unknown>>;
  readonly filter: string;
  readonly target?: TriggerTarget;
  readonly status: string;
  readonly status_reason: string;
  readonly hook_url?: string;
  readonly secret?: string;
  readonly secret_version: number;
  readonly poll_seconds?: number;
  readonly waiting: number;
  readonly last_event_at?: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface TriggerTarget {
  readonly pool_id?: string;
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

export interface UnavailableExperiment {
  readonly id: string;
  readonly name: string;
  readonly error?: BatchError;
}

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

export interface UnavailablePool {
  readonly pool_id: string;
  readonly name: string;
  readonly error?: BatchError;
}

export interface UnavailableTopic {
  readonly id: string;
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
  readonly scores: number;
  readonly sum: number;
  readonly covariate?: number;
}

export interface UnitsOfDay {
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
  readonly name?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly update_mask?: readonly string[];
  readonly record_version?: number;
}

export interface UpdateExperimentRequest {
  readonly experiment_id: string;
  readonly name?: string;
  readonly description?: string;
  readonly hash_version?: "sha256_v1" | "fnv1a_v2";
  readonly salt?: string;
  readonly variants: readonly Variant[];
  readonly coverage?: number;
  readonly targeting?: string;
  readonly group?: ExperimentGroupShare;
  readonly overrides: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
  readonly analysis?: Analysis;
  readonly scores_close_at?: string;
  readonly carry?: "keep" | "exclude";
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
}

export interface UpdateIntegrationRequest {
  readonly integration_id: string;
  readonly name: string;
  readonly provider_key: "smtp" | "webhook" | "slack" | "twilio" | "fcm" | "web_push" | "inbox" | "sink";
  readonly connection_id?: string;
  readonly priority?: number;
  readonly active?: boolean;
  readonly condition?: string;
  readonly casing_override?: "snake_case" | "camelCase" | "PascalCase" | "kebab-case" | "CONSTANT_CASE" | "none";
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly rate?: IntegrationRate;
  readonly on_unknown?: "hold" | "resend";
  readonly record_version?: number;
}

export interface UpdateLayoutRequest {
  readonly layout_id: string;
  readonly name: string;
  readonly engine: "handlebars" | "liquid";
  readonly body: string;
  readonly version: number;
}

export interface UpdateMonitorRequest {
  readonly monitor_id: string;
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
  readonly scope?: "pool" | "recipients";
  readonly metric?: "enqueue_rate" | "completion_rate" | "failure_ratio" | "dead_rate" | "wait_seconds" | "latency_ms" | "depth" | "unroutable_rate";
  readonly method?: "zscore" | "iqr" | "rate_change" | "pattern";
  readonly interval_seconds?: number;
  readonly window_points?: number;
  readonly min_points?: number;
  readonly direction?: "both" | "above" | "below";
  readonly threshold?: number;
  readonly multiplier?: number;
  readonly drop?: number;
  readonly min_base?: number;
  readonly patterns: readonly ("same_side" | "trend" | "alternating" | "two_of_three" | "flatline")[];
  readonly seasonality?: "none" | "hour_of_day" | "hour_of_week";
  readonly time_zone?: string;
  readonly open_after?: number;
  readonly close_after?: number;
  readonly cooldown_seconds?: number;
  readonly pause_seconds?: number;
  readonly actions: readonly ("log" | "alert" | "auto-pause" | "deprioritize")[];
  readonly notify?: AnomalyNotify;
}

export interface UpdatePackRequest {
  readonly environment_id: string;
  readonly pack_id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: readonly EvidenceRequirement[];
  readonly record_version?: number;
}

export interface UpdatePoolRequest {
  readonly pool_id: string;
  readonly name?: string;
  readonly description?: string;
  readonly strategy?: "weighted_random" | "round_robin" | "least_loaded" | "two_choice" | "priority" | "sticky_hash" | "longest_idle" | "skills";
  readonly config?: PoolConfig;
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
}

export interface UpdateProviderConfigRequest {
  readonly provider_config_id: string;
  readonly name?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scopes: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly allowed_return_origins: readonly string[];
  readonly update_mask?: readonly string[];
  readonly record_version?: number;
}

export interface UpdateRecipientRequest {
  readonly recipient_id: string;
  readonly name?: string;
  readonly status?: "STATUS_UNSPECIFIED" | "STATUS_ACTIVE" | "STATUS_PAUSED" | "STATUS_DRAINING" | "STATUS_EJECTED" | "STATUS_OFFLINE";
  readonly weight?: number;
  readonly capacity?: number;
  readonly tier?: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
}

export interface UpdateRuleRequest {
  readonly rule_id: string;
  readonly name?: string;
  readonly order?: number;
  readonly enabled?: boolean;
  readonly condition?: string;
  readonly action?: RuleAction;
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
}

export interface UpdateTenantRequest {
  readonly tenant_id: string;
  readonly name?: string;
  readonly status?: "active" | "suspended";
  readonly plan?: string;
  readonly quotas: Readonly<Record<string, number>>;
  readonly limits?: TenantLimits;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environments: readonly string[];
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
}

export interface UpdateTopicRequest {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly record_version?: number;
}

export interface UpdateTriggerSubscriptionRequest {
  readonly trigger_subscription_id: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly filter?: string;
  readonly target?: TriggerTarget;
  readonly status?: "active" | "disabled";
  readonly secret?: string;
  readonly poll_seconds?: number;
  readonly update_mask?: readonly string[];
  readonly record_version?: number;
}

export interface UpdateWebhookRequest {
  readonly webhook_id: string;
  readonly record_version?: number;
  readonly update_mask?: readonly string[];
  readonly name?: string;
  readonly url?: string;
  readonly kinds: readonly string[];
  readonly status?: "active" | "disabled";
  readonly ordering?: "none" | "subject" | "strict";
  readonly max_in_flight?: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UploadObjectRequest {
  readonly run_id?: string;
  readonly stream_id?: string;
  readonly object_id?: string;
  readonly data?: string;
}

export interface UpsertEndpointRequest {
  readonly subscriber_id: string;
  readonly channel: "email" | "sms" | "push" | "chat" | "in_app";
  readonly provider_key: string;
  readonly identity: string;
  readonly connection_id?: string;
  readonly verified?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface UpsertSubscriberRequest {
  readonly external_id: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly avatar?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface UserPreference {
  readonly workflow_key: string;
  readonly user_id: string;
  readonly preference?: PreferenceSettings;
  readonly updated_at?: string;
}

export interface ValidateRuleRequest {
  readonly condition: string;
  readonly pool_id?: string;
  readonly action?: RuleAction;
}

export interface ValidateRuleResponse {
  readonly valid: boolean;
  readonly errors: readonly ExpressionProblem[];
}

export interface Variant {
  readonly key: string;
  readonly weight: number;
  readonly control: boolean;
  readonly payload?: unknown;
}

export interface VariantResult {
  readonly variant: string;
  readonly n: number;
  readonly mean?: number;
  readonly variance?: number;
  readonly difference?: Effect;
  readonly lift?: Effect;
  readonly status: string;
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
  readonly event_key: string;
  readonly after_event_id: string;
  readonly wait_ms?: number;
}

export interface WaitForEventResponse {
  readonly event?: RunEvent;
}

export interface WatchInboxRequest {
  readonly subscriber_id: string;
  readonly after_sequence?: number;
}

export interface WatchInboxResponse {
  readonly message?: InboxMessage;
  readonly count?: InboxCount;
}

export interface WatchPoolsRequest {
  readonly pool_ids: readonly string[];
  readonly include_recipients: boolean;
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
  readonly environment?: string;
  readonly status: string;
  readonly disabled_reason?: string;
  readonly signing: string;
  readonly ordering: string;
  readonly max_in_flight: number;
  readonly header_names: readonly string[];
  readonly failing_since?: string;
  readonly last_gap?: string;
  readonly public_key?: string;
  readonly secret?: string;
  readonly previous_secret_until?: string;
  readonly tenant_id: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface WebhookDelivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: "pending" | "sending" | "retry_wait" | "delivered" | "exhausted" | "held";
  readonly attempts: number;
  readonly last_status: number;
  readonly last_error: string;
  readonly next_attempt_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly body?: string;
}

export interface WebhookServiceGetDeliveryRequest {
  readonly webhook_id: string;
  readonly delivery_id: string;
}

export interface WebhookServiceListDeliveriesRequest {
  readonly webhook_id: string;
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly state?: "pending" | "retry_wait" | "delivered" | "exhausted" | "held";
}

export interface WebhookServiceListDeliveriesResponse {
  readonly deliveries: readonly WebhookDelivery[];
  readonly next_page_token: string;
  readonly total?: number;
}

export interface WhoAmIRequest {
}

export interface WorkAssigned {
  readonly items: readonly LeasedItem[];
}

export interface WorkCredit {
  readonly items: number;
}

export interface WorkExtend {
  readonly leases: readonly LeaseRef[];
  readonly lease_seconds?: number;
}

export interface WorkGoAway {
  readonly reason: string;
  readonly retry_after_ms: number;
}

export interface WorkHello {
  readonly pool_id: string;
  readonly recipient_id: string;
  readonly lease_seconds?: number;
  readonly credit: number;
}

export interface WorkLeaseLost {
  readonly queue_item_id: string;
  readonly reason: string;
  readonly lease_token: string;
}

export interface WorkRefused {
  readonly error?: BatchError;
  readonly queue_item_ids: readonly string[];
}

export interface WorkRequest {
  readonly hello?: WorkHello;
  readonly credit?: WorkCredit;
  readonly settle?: WorkSettle;
  readonly extend?: WorkExtend;
}

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
  readonly results: readonly SettleResult[];
}

export interface WorkflowDefinition {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly status: string;
  readonly draft?: Readonly<Record<string, unknown>>;
  readonly problems: readonly WorkflowProblem[];
  readonly active_version?: number;
  readonly latest_version?: number;
  readonly tenant_id: string;
  readonly environment: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly record_version: number;
}

export interface WorkflowError {
  readonly code: string;
  readonly detail: string;
  readonly reason: string;
  readonly step_id: string;
  readonly outcome_unknown: boolean;
}

export interface WorkflowProblem {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
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
  readonly status: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: WorkflowError;
  readonly waiting_for: readonly WorkflowWait[];
  readonly idle_since?: string;
  readonly incompatible: boolean;
  readonly dismissed_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly ended_at?: string;
  readonly record_version: number;
}

export interface WorkflowRunFigures {
  readonly terminals: number;
  readonly failed: number;
  readonly idle: number;
  readonly incompatible: number;
  readonly dead: number;
  readonly total: number;
}

export interface WorkflowStep {
  readonly id: string;
  readonly type: string;
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
  readonly name: string;
  readonly content_classes: readonly string[];
  readonly metadata_home: string;
  readonly metadata_replicas: readonly string[];
  readonly object_regions: readonly string[];
  readonly client_egress_regions: readonly string[];
  readonly log_region: string;
  readonly retention?: StreamRetention;
  readonly redaction?: StreamRedaction;
  readonly authorization?: StreamAuthorization;
  readonly ceilings?: StreamCeilings;
  readonly overflow: string;
  readonly block_ms: number;
  readonly created_at?: string;
  readonly state: string;
  readonly latest_sequence: number;
  readonly earliest_sequence: number;
  readonly unread_items: number;
  readonly unread_bytes: number;
  readonly total_bytes: number;
  readonly legal_hold?: StreamLegalHold;
  readonly closed_at?: string;
}

export interface WorkflowStreamServiceSubscribeRequest {
  readonly run_id: string;
  readonly stream_id: string;
  readonly after_sequence: number;
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
  readonly digest: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly published_by: string;
  readonly published_at?: string;
}

export interface WorkflowWait {
  readonly step_id: string;
  readonly kind: string;
  readonly event_key?: string;
  readonly queue_item_id?: string;
  readonly until?: string;
  readonly execution_id?: string;
}

export interface Requests {
  readonly "AdmissionService.ClearAdmissionGroup": ClearAdmissionGroupRequest;
  readonly "AdmissionService.ExplainAdmission": ExplainAdmissionRequest;
  readonly "AdmissionService.GetAdmissionGroup": GetAdmissionGroupRequest;
  readonly "AdmissionService.ListAdmissionGroups": ListAdmissionGroupsRequest;
  readonly "AdmissionService.PreviewAdmission": PreviewAdmissionRequest;
  readonly "AnomalyService.CloseAnomaly": CloseAnomalyRequest;
  readonly "AnomalyService.CreateMonitor": CreateMonitorRequest;
  readonly "AnomalyService.DeleteMonitor": DeleteMonitorRequest;
  readonly "AnomalyService.GetAnomaly": GetAnomalyRequest;
  readonly "AnomalyService.GetMonitor": GetMonitorRequest;
  readonly "AnomalyService.ListAnomalies": ListAnomaliesRequest;
  readonly "AnomalyService.ListMonitors": ListMonitorsRequest;
  readonly "AnomalyService.PreviewMonitor": PreviewMonitorRequest;
  readonly "AnomalyService.UpdateMonitor": UpdateMonitorRequest;
  readonly "ApiKeyService.CreateApiKey": CreateApiKeyRequest;
  readonly "ApiKeyService.GetApiKey": GetApiKeyRequest;
  readonly "ApiKeyService.ListApiKeys": ListApiKeysRequest;
  readonly "ApiKeyService.RevokeApiKey": RevokeApiKeyRequest;
  readonly "CapabilityService.GetCapability": GetCapabilityRequest;
  readonly "CapabilityService.GetPosture": GetPostureRequest;
  readonly "CapabilityService.ListCapabilities": ListCapabilitiesRequest;
  readonly "ConfigService.ExportConfig": ExportConfigRequest;
  readonly "ConfigService.GetConfigSchema": GetConfigSchemaRequest;
  readonly "ConformanceService.ExplainReport": ExplainReportRequest;
  readonly "ConformanceService.GetReport": GetReportRequest;
  readonly "ConformanceService.GetSuite": GetSuiteRequest;
  readonly "ConformanceService.ListReports": ListReportsRequest;
  readonly "ConformanceService.ListSuites": ListSuitesRequest;
  readonly "ConformanceService.RunSuite": RunSuiteRequest;
  readonly "ConnectSessionService.CreateConnectSession": CreateConnectSessionRequest;
  readonly "ConnectSessionService.GetConnectSession": GetConnectSessionRequest;
  readonly "ConnectSessionService.RevokeConnectSession": RevokeConnectSessionRequest;
  readonly "ConnectSessionService.SubmitConnectSession": SubmitConnectSessionRequest;
  readonly "ConnectionService.DeleteConnection": DeleteConnectionRequest;
  readonly "ConnectionService.DisableConnection": DisableConnectionRequest;
  readonly "ConnectionService.EnableConnection": EnableConnectionRequest;
  readonly "ConnectionService.GetConnection": GetConnectionRequest;
  readonly "ConnectionService.ListConnections": ListConnectionsRequest;
  readonly "ConnectionService.RevokeConnection": RevokeConnectionRequest;
  readonly "ConnectionService.UpdateConnection": UpdateConnectionRequest;
  readonly "ConnectionService.VerifyConnection": VerifyConnectionRequest;
  readonly "ConnectorService.CancelExecution": CancelExecutionRequest;
  readonly "ConnectorService.ExecuteAction": ExecuteActionRequest;
  readonly "ConnectorService.GetAction": GetActionRequest;
  readonly "ConnectorService.GetEncryptionStatus": GetEncryptionStatusRequest;
  readonly "ConnectorService.GetExecution": GetExecutionRequest;
  readonly "ConnectorService.GetProvider": GetProviderRequest;
  readonly "ConnectorService.GetTrigger": GetTriggerRequest;
  readonly "ConnectorService.ListActions": ListActionsRequest;
  readonly "ConnectorService.ListExecutions": ListExecutionsRequest;
  readonly "ConnectorService.ListProviders": ListProvidersRequest;
  readonly "ConnectorService.ListTriggers": ListTriggersRequest;
  readonly "ConnectorService.PreviewAction": PreviewActionRequest;
  readonly "ConnectorService.RotateCredentials": RotateCredentialsRequest;
  readonly "DeadLetterService.GetDeadLetterStats": GetDeadLetterStatsRequest;
  readonly "DeadLetterService.GetRetryAll": GetRetryAllRequest;
  readonly "DeadLetterService.ListDeadLetters": ListDeadLettersRequest;
  readonly "DeadLetterService.Purge": PurgeRequest;
  readonly "DeadLetterService.Quarantine": QuarantineRequest;
  readonly "DeadLetterService.Release": DeadLetterServiceReleaseRequest;
  readonly "DeadLetterService.Retry": RetryRequest;
  readonly "DeadLetterService.RetryAll": RetryAllRequest;
  readonly "EventService.ListEvents": ListEventsRequest;
  readonly "EventService.Subscribe": SubscribeRequest;
  readonly "EvidenceService.AddArtifact": AddArtifactRequest;
  readonly "EvidenceService.AddReceipt": AddReceiptRequest;
  readonly "EvidenceService.ArchivePack": ArchivePackRequest;
  readonly "EvidenceService.AttachToPromotion": AttachToPromotionRequest;
  readonly "EvidenceService.CancelRun": EvidenceServiceCancelRunRequest;
  readonly "EvidenceService.CreatePack": CreatePackRequest;
  readonly "EvidenceService.EvaluateGate": EvaluateGateRequest;
  readonly "EvidenceService.ExpandRequirements": ExpandRequirementsRequest;
  readonly "EvidenceService.ExplainPack": ExplainPackRequest;
  readonly "EvidenceService.ExportPack": ExportPackRequest;
  readonly "EvidenceService.GetArtifact": GetArtifactRequest;
  readonly "EvidenceService.GetKeys": EvidenceServiceGetKeysRequest;
  readonly "EvidenceService.GetPack": GetPackRequest;
  readonly "EvidenceService.GetRun": EvidenceServiceGetRunRequest;
  readonly "EvidenceService.HeartbeatRun": EvidenceServiceHeartbeatRunRequest;
  readonly "EvidenceService.ListArtifacts": ListArtifactsRequest;
  readonly "EvidenceService.ListPacks": ListPacksRequest;
  readonly "EvidenceService.ListReceipts": ListReceiptsRequest;
  readonly "EvidenceService.ListRuns": EvidenceServiceListRunsRequest;
  readonly "EvidenceService.StartRun": EvidenceServiceStartRunRequest;
  readonly "EvidenceService.UpdatePack": UpdatePackRequest;
  readonly "ExperimentGroupService.CreateExperimentGroup": CreateExperimentGroupRequest;
  readonly "ExperimentGroupService.DeleteExperimentGroup": DeleteExperimentGroupRequest;
  readonly "ExperimentGroupService.GetExperimentGroup": GetExperimentGroupRequest;
  readonly "ExperimentGroupService.ListExperimentGroups": ListExperimentGroupsRequest;
  readonly "ExperimentService.Assign": AssignRequest;
  readonly "ExperimentService.AssignMany": AssignManyRequest;
  readonly "ExperimentService.CompleteExperiment": CompleteExperimentRequest;
  readonly "ExperimentService.CreateExperiment": CreateExperimentRequest;
  readonly "ExperimentService.DeleteExperiment": DeleteExperimentRequest;
  readonly "ExperimentService.DeleteUnit": DeleteUnitRequest;
  readonly "ExperimentService.GetExperiment": GetExperimentRequest;
  readonly "ExperimentService.GetResults": GetResultsRequest;
  readonly "ExperimentService.GetUnit": GetUnitRequest;
  readonly "ExperimentService.ListExperiments": ListExperimentsRequest;
  readonly "ExperimentService.PauseExperiment": PauseExperimentRequest;
  readonly "ExperimentService.RecordExposures": RecordExposuresRequest;
  readonly "ExperimentService.RecordScore": RecordScoreRequest;
  readonly "ExperimentService.RecordScores": RecordScoresRequest;
  readonly "ExperimentService.StartExperiment": StartExperimentRequest;
  readonly "ExperimentService.StopExperiment": StopExperimentRequest;
  readonly "ExperimentService.UpdateExperiment": UpdateExperimentRequest;
  readonly "InboxService.ListInbox": ListInboxRequest;
  readonly "InboxService.MarkInbox": MarkInboxRequest;
  readonly "InboxService.WatchInbox": WatchInboxRequest;
  readonly "IntegrationService.CreateIntegration": CreateIntegrationRequest;
  readonly "IntegrationService.DeleteIntegration": DeleteIntegrationRequest;
  readonly "IntegrationService.GetIntegration": GetIntegrationRequest;
  readonly "IntegrationService.ListIntegrations": ListIntegrationsRequest;
  readonly "IntegrationService.UpdateIntegration": UpdateIntegrationRequest;
  readonly "LayoutService.CreateLayout": CreateLayoutRequest;
  readonly "LayoutService.DeleteLayout": DeleteLayoutRequest;
  readonly "LayoutService.DuplicateLayout": DuplicateLayoutRequest;
  readonly "LayoutService.GetLayout": GetLayoutRequest;
  readonly "LayoutService.GetLayoutUsage": GetLayoutUsageRequest;
  readonly "LayoutService.ListLayouts": ListLayoutsRequest;
  readonly "LayoutService.PreviewLayout": PreviewLayoutRequest;
  readonly "LayoutService.SetDefaultLayout": SetDefaultLayoutRequest;
  readonly "LayoutService.UpdateLayout": UpdateLayoutRequest;
  readonly "LiveService.WatchPools": WatchPoolsRequest;
  readonly "MetaService.GetServices": GetServicesRequest;
  readonly "MetaService.WhoAmI": WhoAmIRequest;
  readonly "NoticeService.DeleteNotice": DeleteNoticeRequest;
  readonly "NoticeService.DeleteUserPreference": DeleteUserPreferenceRequest;
  readonly "NoticeService.GetNotice": GetNoticeRequest;
  readonly "NoticeService.GetUserPreference": GetUserPreferenceRequest;
  readonly "NoticeService.ListNotices": ListNoticesRequest;
  readonly "NoticeService.PutNotice": PutNoticeRequest;
  readonly "NoticeService.PutUserPreference": PutUserPreferenceRequest;
  readonly "NotificationService.CancelBroadcast": CancelBroadcastRequest;
  readonly "NotificationService.GetBroadcast": GetBroadcastRequest;
  readonly "NotificationService.GetDeadLetter": GetDeadLetterRequest;
  readonly "NotificationService.GetDelivery": GetDeliveryRequest;
  readonly "NotificationService.ListDeadLetters": NotificationServiceListDeadLettersRequest;
  readonly "NotificationService.ListDeliveries": ListDeliveriesRequest;
  readonly "NotificationService.ListObservations": ListObservationsRequest;
  readonly "NotificationService.RecordObservations": RecordObservationsRequest;
  readonly "NotificationService.RedriveDeadLetter": RedriveDeadLetterRequest;
  readonly "NotificationService.RedriveDeadLetters": RedriveDeadLettersRequest;
  readonly "NotificationService.Trigger": TriggerRequest;
  readonly "OperationalHealthService.GetOperationalHealthReport": GetOperationalHealthReportRequest;
  readonly "OperationalHealthService.ListScopes": ListScopesRequest;
  readonly "OutcomeService.RecordOutcome": RecordOutcomeRequest;
  readonly "OutcomeService.RecordOutcomes": RecordOutcomesRequest;
  readonly "PoolService.CreatePool": CreatePoolRequest;
  readonly "PoolService.CreatePoolVersion": CreatePoolVersionRequest;
  readonly "PoolService.DeletePool": DeletePoolRequest;
  readonly "PoolService.GetPool": GetPoolRequest;
  readonly "PoolService.GetPoolVersion": GetPoolVersionRequest;
  readonly "PoolService.ListPoolVersions": ListPoolVersionsRequest;
  readonly "PoolService.ListPools": ListPoolsRequest;
  readonly "PoolService.SetChangeControl": SetChangeControlRequest;
  readonly "PoolService.SetPoolEnabled": SetPoolEnabledRequest;
  readonly "PoolService.UpdatePool": UpdatePoolRequest;
  readonly "PromotionService.Abort": AbortRequest;
  readonly "PromotionService.Approve": ApproveRequest;
  readonly "PromotionService.CreateCandidate": CreateCandidateRequest;
  readonly "PromotionService.EvaluateGuardrails": EvaluateGuardrailsRequest;
  readonly "PromotionService.GetCandidate": GetCandidateRequest;
  readonly "PromotionService.ListCandidates": ListCandidatesRequest;
  readonly "PromotionService.Preflight": PreflightRequest;
  readonly "PromotionService.Promote": PromoteRequest;
  readonly "PromotionService.Rollback": RollbackRequest;
  readonly "PromotionService.StartCanary": StartCanaryRequest;
  readonly "PromotionService.StopCanary": StopCanaryRequest;
  readonly "ProviderConfigService.ActivateProviderConfig": ActivateProviderConfigRequest;
  readonly "ProviderConfigService.ArchiveProviderConfig": ArchiveProviderConfigRequest;
  readonly "ProviderConfigService.CreateProviderConfig": CreateProviderConfigRequest;
  readonly "ProviderConfigService.DisableProviderConfig": DisableProviderConfigRequest;
  readonly "ProviderConfigService.GetProviderConfig": GetProviderConfigRequest;
  readonly "ProviderConfigService.ListProviderConfigs": ListProviderConfigsRequest;
  readonly "ProviderConfigService.UpdateProviderConfig": UpdateProviderConfigRequest;
  readonly "QueueControlService.CancelJob": CancelJobRequest;
  readonly "QueueControlService.DrainQueue": DrainQueueRequest;
  readonly "QueueControlService.GetJob": GetJobRequest;
  readonly "QueueControlService.GetQueueSeries": GetQueueSeriesRequest;
  readonly "QueueControlService.GetQueueStatus": GetQueueStatusRequest;
  readonly "QueueControlService.ListJobs": ListJobsRequest;
  readonly "QueueControlService.ListQueues": ListQueuesRequest;
  readonly "QueueControlService.PauseQueue": PauseQueueRequest;
  readonly "QueueControlService.ResumeQueue": ResumeQueueRequest;
  readonly "QueueService.AwaitItem": AwaitItemRequest;
  readonly "QueueService.Cancel": CancelRequest;
  readonly "QueueService.CancelAll": CancelAllRequest;
  readonly "QueueService.Claim": ClaimRequest;
  readonly "QueueService.Complete": CompleteRequest;
  readonly "QueueService.Enqueue": EnqueueRequest;
  readonly "QueueService.EnqueueBatch": EnqueueBatchRequest;
  readonly "QueueService.Extend": ExtendRequest;
  readonly "QueueService.Fail": FailRequest;
  readonly "QueueService.GetItem": GetItemRequest;
  readonly "QueueService.ListItems": ListItemsRequest;
  readonly "QueueService.Reject": RejectRequest;
  readonly "QueueService.Release": ReleaseRequest;
  readonly "QueueService.SettleBatch": SettleBatchRequest;
  readonly "QueueService.Work": WorkRequest;
  readonly "RecipientService.CreateRecipient": CreateRecipientRequest;
  readonly "RecipientService.DeleteRecipient": DeleteRecipientRequest;
  readonly "RecipientService.GetRecipient": GetRecipientRequest;
  readonly "RecipientService.Heartbeat": HeartbeatRequest;
  readonly "RecipientService.ListRecipients": ListRecipientsRequest;
  readonly "RecipientService.PauseRecipient": PauseRecipientRequest;
  readonly "RecipientService.ResumeRecipient": ResumeRecipientRequest;
  readonly "RecipientService.UpdateRecipient": UpdateRecipientRequest;
  readonly "RoutingService.GetRouting": GetRoutingRequest;
  readonly "RoutingService.PreviewRoute": PreviewRouteRequest;
  readonly "RoutingService.Route": RouteRequest;
  readonly "RoutingService.RouteBatch": RouteBatchRequest;
  readonly "RoutingService.RouteStream": RouteStreamRequest;
  readonly "RuleService.CreateRule": CreateRuleRequest;
  readonly "RuleService.DeleteRule": DeleteRuleRequest;
  readonly "RuleService.GetRule": GetRuleRequest;
  readonly "RuleService.ListRules": ListRulesRequest;
  readonly "RuleService.UpdateRule": UpdateRuleRequest;
  readonly "RuleService.ValidateRule": ValidateRuleRequest;
  readonly "RuntimeService.DrainNode": DrainNodeRequest;
  readonly "RuntimeService.GetCluster": GetClusterRequest;
  readonly "RuntimeService.ListActors": ListActorsRequest;
  readonly "RuntimeService.ListShards": ListShardsRequest;
  readonly "SubscriberService.BatchUpsertSubscribers": BatchUpsertSubscribersRequest;
  readonly "SubscriberService.DeletePreference": DeletePreferenceRequest;
  readonly "SubscriberService.DeleteSubscriber": DeleteSubscriberRequest;
  readonly "SubscriberService.GetSubscriber": GetSubscriberRequest;
  readonly "SubscriberService.ListEndpoints": ListEndpointsRequest;
  readonly "SubscriberService.ListPreferences": ListPreferencesRequest;
  readonly "SubscriberService.ListSubscribers": ListSubscribersRequest;
  readonly "SubscriberService.ListSubscriptions": ListSubscriptionsRequest;
  readonly "SubscriberService.PreviewPreferences": PreviewPreferencesRequest;
  readonly "SubscriberService.PutPreference": PutPreferenceRequest;
  readonly "SubscriberService.RemoveEndpoint": RemoveEndpointRequest;
  readonly "SubscriberService.ReplaceSubscriber": ReplaceSubscriberRequest;
  readonly "SubscriberService.SendEndpointConfirmation": SendEndpointConfirmationRequest;
  readonly "SubscriberService.Subscribe": SubscriberServiceSubscribeRequest;
  readonly "SubscriberService.Unsubscribe": UnsubscribeRequest;
  readonly "SubscriberService.UpsertEndpoint": UpsertEndpointRequest;
  readonly "SubscriberService.UpsertSubscriber": UpsertSubscriberRequest;
  readonly "SubscriberService.VerifyEndpoint": VerifyEndpointRequest;
  readonly "TenantService.CreateTenant": CreateTenantRequest;
  readonly "TenantService.DeleteTenant": DeleteTenantRequest;
  readonly "TenantService.GetEntitlements": GetEntitlementsRequest;
  readonly "TenantService.GetQuota": GetQuotaRequest;
  readonly "TenantService.GetTenant": GetTenantRequest;
  readonly "TenantService.ListTenants": ListTenantsRequest;
  readonly "TenantService.PutEntitlements": PutEntitlementsRequest;
  readonly "TenantService.UpdateTenant": UpdateTenantRequest;
  readonly "TopicService.AddMembers": AddMembersRequest;
  readonly "TopicService.CreateTopic": CreateTopicRequest;
  readonly "TopicService.DeleteTopic": DeleteTopicRequest;
  readonly "TopicService.GetTopic": GetTopicRequest;
  readonly "TopicService.ListMembers": ListMembersRequest;
  readonly "TopicService.ListTopics": ListTopicsRequest;
  readonly "TopicService.RemoveMembers": RemoveMembersRequest;
  readonly "TopicService.UpdateTopic": UpdateTopicRequest;
  readonly "TriggerSubscriptionService.CreateTriggerSubscription": CreateTriggerSubscriptionRequest;
  readonly "TriggerSubscriptionService.DeleteTriggerSubscription": DeleteTriggerSubscriptionRequest;
  readonly "TriggerSubscriptionService.GetTriggerSubscription": GetTriggerSubscriptionRequest;
  readonly "TriggerSubscriptionService.ListTriggerSubscriptions": ListTriggerSubscriptionsRequest;
  readonly "TriggerSubscriptionService.UpdateTriggerSubscription": UpdateTriggerSubscriptionRequest;
  readonly "WebhookService.CancelWebhookJob": CancelWebhookJobRequest;
  readonly "WebhookService.CreateWebhook": CreateWebhookRequest;
  readonly "WebhookService.DeleteWebhook": DeleteWebhookRequest;
  readonly "WebhookService.GetDelivery": WebhookServiceGetDeliveryRequest;
  readonly "WebhookService.GetWebhook": GetWebhookRequest;
  readonly "WebhookService.GetWebhookJob": GetWebhookJobRequest;
  readonly "WebhookService.ListDeliveries": WebhookServiceListDeliveriesRequest;
  readonly "WebhookService.ListWebhookJobs": ListWebhookJobsRequest;
  readonly "WebhookService.ListWebhooks": ListWebhooksRequest;
  readonly "WebhookService.Redeliver": RedeliverRequest;
  readonly "WebhookService.RedeliverAll": RedeliverAllRequest;
  readonly "WebhookService.RotateSecret": RotateSecretRequest;
  readonly "WebhookService.TestWebhook": TestWebhookRequest;
  readonly "WebhookService.UpdateWebhook": UpdateWebhookRequest;
  readonly "WorkflowDefinitionService.ActivateVersion": ActivateVersionRequest;
  readonly "WorkflowDefinitionService.ArchiveDefinition": ArchiveDefinitionRequest;
  readonly "WorkflowDefinitionService.CreateDefinition": CreateDefinitionRequest;
  readonly "WorkflowDefinitionService.DuplicateDefinition": DuplicateDefinitionRequest;
  readonly "WorkflowDefinitionService.GetDefinition": GetDefinitionRequest;
  readonly "WorkflowDefinitionService.GetVersion": GetVersionRequest;
  readonly "WorkflowDefinitionService.ListDefinitions": ListDefinitionsRequest;
  readonly "WorkflowDefinitionService.ListVersions": ListVersionsRequest;
  readonly "WorkflowDefinitionService.PatchDraft": PatchDraftRequest;
  readonly "WorkflowDefinitionService.PublishDefinition": PublishDefinitionRequest;
  readonly "WorkflowDefinitionService.RestoreDefinition": RestoreDefinitionRequest;
  readonly "WorkflowRunService.CancelRun": CancelRunRequest;
  readonly "WorkflowRunService.DismissRun": DismissRunRequest;
  readonly "WorkflowRunService.GetRun": GetRunRequest;
  readonly "WorkflowRunService.GetRunFigures": GetRunFiguresRequest;
  readonly "WorkflowRunService.ListRuns": ListRunsRequest;
  readonly "WorkflowRunService.ListSteps": ListStepsRequest;
  readonly "WorkflowRunService.RetryRun": RetryRunRequest;
  readonly "WorkflowRunService.StartRun": StartRunRequest;
  readonly "WorkflowStreamService.AbortObject": AbortObjectRequest;
  readonly "WorkflowStreamService.Acknowledge": AcknowledgeRequest;
  readonly "WorkflowStreamService.AppendRecords": AppendRecordsRequest;
  readonly "WorkflowStreamService.CloseStream": CloseStreamRequest;
  readonly "WorkflowStreamService.CommitObject": CommitObjectRequest;
  readonly "WorkflowStreamService.CreateStream": CreateStreamRequest;
  readonly "WorkflowStreamService.DeleteConsumer": DeleteConsumerRequest;
  readonly "WorkflowStreamService.GetObject": GetObjectRequest;
  readonly "WorkflowStreamService.GetStream": GetStreamRequest;
  readonly "WorkflowStreamService.ListConsumers": ListConsumersRequest;
  readonly "WorkflowStreamService.ListStreams": ListStreamsRequest;
  readonly "WorkflowStreamService.PrepareObject": PrepareObjectRequest;
  readonly "WorkflowStreamService.PutConsumer": PutConsumerRequest;
  readonly "WorkflowStreamService.ReadRecords": ReadRecordsRequest;
  readonly "WorkflowStreamService.SetLegalHold": SetLegalHoldRequest;
  readonly "WorkflowStreamService.Subscribe": WorkflowStreamServiceSubscribeRequest;
  readonly "WorkflowStreamService.UploadObject": UploadObjectRequest;
  readonly "WorkflowWaitService.Await": AwaitRequest;
  readonly "WorkflowWaitService.Publish": PublishRequest;
  readonly "WorkflowWaitService.SignalRun": SignalRunRequest;
  readonly "WorkflowWaitService.WaitForEvent": WaitForEventRequest;
}

export interface Answers {
  readonly "AdmissionService.ClearAdmissionGroup": AdmissionGroup;
  readonly "AdmissionService.ExplainAdmission": AdmissionExplanation;
  readonly "AdmissionService.GetAdmissionGroup": AdmissionGroup;
  readonly "AdmissionService.ListAdmissionGroups": ListAdmissionGroupsResponse;
  readonly "AdmissionService.PreviewAdmission": PreviewAdmissionResponse;
  readonly "AnomalyService.CloseAnomaly": Anomaly;
  readonly "AnomalyService.CreateMonitor": AnomalyMonitor;
  readonly "AnomalyService.DeleteMonitor": DeleteMonitorResponse;
  readonly "AnomalyService.GetAnomaly": Anomaly;
  readonly "AnomalyService.GetMonitor": AnomalyMonitor;
  readonly "AnomalyService.ListAnomalies": ListAnomaliesResponse;
  readonly "AnomalyService.ListMonitors": ListMonitorsResponse;
  readonly "AnomalyService.PreviewMonitor": PreviewMonitorResponse;
  readonly "AnomalyService.UpdateMonitor": AnomalyMonitor;
  readonly "ApiKeyService.CreateApiKey": ApiKey;
  readonly "ApiKeyService.GetApiKey": ApiKey;
  readonly "ApiKeyService.ListApiKeys": ListApiKeysResponse;
  readonly "ApiKeyService.RevokeApiKey": ApiKey;
  readonly "CapabilityService.GetCapability": Capability;
  readonly "CapabilityService.GetPosture": Posture;
  readonly "CapabilityService.ListCapabilities": ListCapabilitiesResponse;
  readonly "ConfigService.ExportConfig": HttpBody;
  readonly "ConfigService.GetConfigSchema": ConfigSchema;
  readonly "ConformanceService.ExplainReport": ConformanceExplanation;
  readonly "ConformanceService.GetReport": ConformanceReport;
  readonly "ConformanceService.GetSuite": ConformanceSuite;
  readonly "ConformanceService.ListReports": ListReportsResponse;
  readonly "ConformanceService.ListSuites": ListSuitesResponse;
  readonly "ConformanceService.RunSuite": ConformanceReport;
  readonly "ConnectSessionService.CreateConnectSession": ConnectSession;
  readonly "ConnectSessionService.GetConnectSession": ConnectSession;
  readonly "ConnectSessionService.RevokeConnectSession": ConnectSession;
  readonly "ConnectSessionService.SubmitConnectSession": ConnectSession;
  readonly "ConnectionService.DeleteConnection": DeleteConnectionResponse;
  readonly "ConnectionService.DisableConnection": Connection;
  readonly "ConnectionService.EnableConnection": Connection;
  readonly "ConnectionService.GetConnection": Connection;
  readonly "ConnectionService.ListConnections": ListConnectionsResponse;
  readonly "ConnectionService.RevokeConnection": Connection;
  readonly "ConnectionService.UpdateConnection": Connection;
  readonly "ConnectionService.VerifyConnection": Connection;
  readonly "ConnectorService.CancelExecution": ConnectorExecution;
  readonly "ConnectorService.ExecuteAction": ConnectorExecution;
  readonly "ConnectorService.GetAction": ConnectorAction;
  readonly "ConnectorService.GetEncryptionStatus": EncryptionStatus;
  readonly "ConnectorService.GetExecution": ConnectorExecution;
  readonly "ConnectorService.GetProvider": ConnectorProvider;
  readonly "ConnectorService.GetTrigger": ConnectorTrigger;
  readonly "ConnectorService.ListActions": ListActionsResponse;
  readonly "ConnectorService.ListExecutions": ListExecutionsResponse;
  readonly "ConnectorService.ListProviders": ListProvidersResponse;
  readonly "ConnectorService.ListTriggers": ListTriggersResponse;
  readonly "ConnectorService.PreviewAction": PreviewActionResponse;
  readonly "ConnectorService.RotateCredentials": RotateCredentialsResponse;
  readonly "DeadLetterService.GetDeadLetterStats": DeadLetterStats;
  readonly "DeadLetterService.GetRetryAll": RetryAllOperation;
  readonly "DeadLetterService.ListDeadLetters": ListDeadLettersResponse;
  readonly "DeadLetterService.Purge": PurgeResponse;
  readonly "DeadLetterService.Quarantine": DeadLetterResults;
  readonly "DeadLetterService.Release": DeadLetterResults;
  readonly "DeadLetterService.Retry": DeadLetterResults;
  readonly "DeadLetterService.RetryAll": RetryAllOperation;
  readonly "EventService.ListEvents": ListEventsResponse;
  readonly "EventService.Subscribe": SubscribeResponse;
  readonly "EvidenceService.AddArtifact": EvidenceArtifact;
  readonly "EvidenceService.AddReceipt": EvidenceReceipt;
  readonly "EvidenceService.ArchivePack": EvidencePack;
  readonly "EvidenceService.AttachToPromotion": EvidencePack;
  readonly "EvidenceService.CancelRun": EvidenceRun;
  readonly "EvidenceService.CreatePack": EvidencePack;
  readonly "EvidenceService.EvaluateGate": EvidenceGate;
  readonly "EvidenceService.ExpandRequirements": ExpandRequirementsResponse;
  readonly "EvidenceService.ExplainPack": EvidenceExplanation;
  readonly "EvidenceService.ExportPack": EvidenceExport;
  readonly "EvidenceService.GetArtifact": EvidenceArtifact;
  readonly "EvidenceService.GetKeys": EvidenceKeys;
  readonly "EvidenceService.GetPack": EvidencePack;
  readonly "EvidenceService.GetRun": EvidenceRun;
  readonly "EvidenceService.HeartbeatRun": EvidenceRun;
  readonly "EvidenceService.ListArtifacts": ListArtifactsResponse;
  readonly "EvidenceService.ListPacks": ListPacksResponse;
  readonly "EvidenceService.ListReceipts": ListReceiptsResponse;
  readonly "EvidenceService.ListRuns": EvidenceServiceListRunsResponse;
  readonly "EvidenceService.StartRun": EvidenceRun;
  readonly "EvidenceService.UpdatePack": EvidencePack;
  readonly "ExperimentGroupService.CreateExperimentGroup": ExperimentGroup;
  readonly "ExperimentGroupService.DeleteExperimentGroup": DeleteExperimentGroupResponse;
  readonly "ExperimentGroupService.GetExperimentGroup": ExperimentGroup;
  readonly "ExperimentGroupService.ListExperimentGroups": ListExperimentGroupsResponse;
  readonly "ExperimentService.Assign": Assignment;
  readonly "ExperimentService.AssignMany": AssignManyResponse;
  readonly "ExperimentService.CompleteExperiment": Experiment;
  readonly "ExperimentService.CreateExperiment": Experiment;
  readonly "ExperimentService.DeleteExperiment": DeleteExperimentResponse;
  readonly "ExperimentService.DeleteUnit": DeleteUnitResponse;
  readonly "ExperimentService.GetExperiment": Experiment;
  readonly "ExperimentService.GetResults": ExperimentResults;
  readonly "ExperimentService.GetUnit": ExperimentUnit;
  readonly "ExperimentService.ListExperiments": ListExperimentsResponse;
  readonly "ExperimentService.PauseExperiment": Experiment;
  readonly "ExperimentService.RecordExposures": RecordExposuresResponse;
  readonly "ExperimentService.RecordScore": Score;
  readonly "ExperimentService.RecordScores": RecordScoresResponse;
  readonly "ExperimentService.StartExperiment": Experiment;
  readonly "ExperimentService.StopExperiment": Experiment;
  readonly "ExperimentService.UpdateExperiment": Experiment;
  readonly "InboxService.ListInbox": ListInboxResponse;
  readonly "InboxService.MarkInbox": MarkInboxResponse;
  readonly "InboxService.WatchInbox": WatchInboxResponse;
  readonly "IntegrationService.CreateIntegration": Integration;
  readonly "IntegrationService.DeleteIntegration": DeleteIntegrationResponse;
  readonly "IntegrationService.GetIntegration": Integration;
  readonly "IntegrationService.ListIntegrations": ListIntegrationsResponse;
  readonly "IntegrationService.UpdateIntegration": Integration;
  readonly "LayoutService.CreateLayout": Layout;
  readonly "LayoutService.DeleteLayout": DeleteLayoutResponse;
  readonly "LayoutService.DuplicateLayout": Layout;
  readonly "LayoutService.GetLayout": Layout;
  readonly "LayoutService.GetLayoutUsage": LayoutUsage;
  readonly "LayoutService.ListLayouts": ListLayoutsResponse;
  readonly "LayoutService.PreviewLayout": LayoutPreview;
  readonly "LayoutService.SetDefaultLayout": Layout;
  readonly "LayoutService.UpdateLayout": Layout;
  readonly "LiveService.WatchPools": WatchPoolsResponse;
  readonly "MetaService.GetServices": ServicesReport;
  readonly "MetaService.WhoAmI": Identity;
  readonly "NoticeService.DeleteNotice": DeleteNoticeResponse;
  readonly "NoticeService.DeleteUserPreference": DeleteUserPreferenceResponse;
  readonly "NoticeService.GetNotice": Notice;
  readonly "NoticeService.GetUserPreference": UserPreference;
  readonly "NoticeService.ListNotices": ListNoticesResponse;
  readonly "NoticeService.PutNotice": Notice;
  readonly "NoticeService.PutUserPreference": UserPreference;
  readonly "NotificationService.CancelBroadcast": Broadcast;
  readonly "NotificationService.GetBroadcast": Broadcast;
  readonly "NotificationService.GetDeadLetter": DeadLetter;
  readonly "NotificationService.GetDelivery": Delivery;
  readonly "NotificationService.ListDeadLetters": NotificationServiceListDeadLettersResponse;
  readonly "NotificationService.ListDeliveries": ListDeliveriesResponse;
  readonly "NotificationService.ListObservations": ListObservationsResponse;
  readonly "NotificationService.RecordObservations": RecordObservationsResponse;
  readonly "NotificationService.RedriveDeadLetter": DeadLetter;
  readonly "NotificationService.RedriveDeadLetters": RedriveDeadLettersResponse;
  readonly "NotificationService.Trigger": TriggerResponse;
  readonly "OperationalHealthService.GetOperationalHealthReport": OperationalHealthReport;
  readonly "OperationalHealthService.ListScopes": ListScopesResponse;
  readonly "OutcomeService.RecordOutcome": Outcome;
  readonly "OutcomeService.RecordOutcomes": RecordOutcomesResponse;
  readonly "PoolService.CreatePool": Pool;
  readonly "PoolService.CreatePoolVersion": PoolVersion;
  readonly "PoolService.DeletePool": DeletePoolResponse;
  readonly "PoolService.GetPool": Pool;
  readonly "PoolService.GetPoolVersion": PoolVersion;
  readonly "PoolService.ListPoolVersions": ListPoolVersionsResponse;
  readonly "PoolService.ListPools": ListPoolsResponse;
  readonly "PoolService.SetChangeControl": Pool;
  readonly "PoolService.SetPoolEnabled": Pool;
  readonly "PoolService.UpdatePool": Pool;
  readonly "PromotionService.Abort": PromotionCandidate;
  readonly "PromotionService.Approve": PromotionCandidate;
  readonly "PromotionService.CreateCandidate": PromotionCandidate;
  readonly "PromotionService.EvaluateGuardrails": PromotionCandidate;
  readonly "PromotionService.GetCandidate": PromotionCandidate;
  readonly "PromotionService.ListCandidates": ListCandidatesResponse;
  readonly "PromotionService.Preflight": PromotionCandidate;
  readonly "PromotionService.Promote": PromotionCandidate;
  readonly "PromotionService.Rollback": PromotionCandidate;
  readonly "PromotionService.StartCanary": PromotionCandidate;
  readonly "PromotionService.StopCanary": PromotionCandidate;
  readonly "ProviderConfigService.ActivateProviderConfig": ProviderConfig;
  readonly "ProviderConfigService.ArchiveProviderConfig": ProviderConfig;
  readonly "ProviderConfigService.CreateProviderConfig": ProviderConfig;
  readonly "ProviderConfigService.DisableProviderConfig": ProviderConfig;
  readonly "ProviderConfigService.GetProviderConfig": ProviderConfig;
  readonly "ProviderConfigService.ListProviderConfigs": ListProviderConfigsResponse;
  readonly "ProviderConfigService.UpdateProviderConfig": ProviderConfig;
  readonly "QueueControlService.CancelJob": Job;
  readonly "QueueControlService.DrainQueue": DrainQueueResponse;
  readonly "QueueControlService.GetJob": Job;
  readonly "QueueControlService.GetQueueSeries": QueueSeries;
  readonly "QueueControlService.GetQueueStatus": QueueStatus;
  readonly "QueueControlService.ListJobs": ListJobsResponse;
  readonly "QueueControlService.ListQueues": ListQueuesResponse;
  readonly "QueueControlService.PauseQueue": QueueStatus;
  readonly "QueueControlService.ResumeQueue": QueueStatus;
  readonly "QueueService.AwaitItem": AwaitItemResponse;
  readonly "QueueService.Cancel": QueueItem;
  readonly "QueueService.CancelAll": Job;
  readonly "QueueService.Claim": ClaimResponse;
  readonly "QueueService.Complete": Settlement;
  readonly "QueueService.Enqueue": EnqueueResponse;
  readonly "QueueService.EnqueueBatch": EnqueueBatchResponse;
  readonly "QueueService.Extend": Settlement;
  readonly "QueueService.Fail": Settlement;
  readonly "QueueService.GetItem": QueueItem;
  readonly "QueueService.ListItems": ListItemsResponse;
  readonly "QueueService.Reject": Settlement;
  readonly "QueueService.Release": Settlement;
  readonly "QueueService.SettleBatch": SettleBatchResponse;
  readonly "QueueService.Work": WorkResponse;
  readonly "RecipientService.CreateRecipient": Recipient;
  readonly "RecipientService.DeleteRecipient": DeleteRecipientResponse;
  readonly "RecipientService.GetRecipient": Recipient;
  readonly "RecipientService.Heartbeat": Recipient;
  readonly "RecipientService.ListRecipients": ListRecipientsResponse;
  readonly "RecipientService.PauseRecipient": Recipient;
  readonly "RecipientService.ResumeRecipient": Recipient;
  readonly "RecipientService.UpdateRecipient": Recipient;
  readonly "RoutingService.GetRouting": Routing;
  readonly "RoutingService.PreviewRoute": RoutePreview;
  readonly "RoutingService.Route": Routing;
  readonly "RoutingService.RouteBatch": RouteBatchResponse;
  readonly "RoutingService.RouteStream": RouteStreamResponse;
  readonly "RuleService.CreateRule": Rule;
  readonly "RuleService.DeleteRule": DeleteRuleResponse;
  readonly "RuleService.GetRule": Rule;
  readonly "RuleService.ListRules": ListRulesResponse;
  readonly "RuleService.UpdateRule": Rule;
  readonly "RuleService.ValidateRule": ValidateRuleResponse;
  readonly "RuntimeService.DrainNode": DrainNodeResponse;
  readonly "RuntimeService.GetCluster": ClusterReport;
  readonly "RuntimeService.ListActors": ListActorsResponse;
  readonly "RuntimeService.ListShards": ListShardsResponse;
  readonly "SubscriberService.BatchUpsertSubscribers": BatchUpsertSubscribersResponse;
  readonly "SubscriberService.DeletePreference": DeletePreferenceResponse;
  readonly "SubscriberService.DeleteSubscriber": DeleteSubscriberResponse;
  readonly "SubscriberService.GetSubscriber": Subscriber;
  readonly "SubscriberService.ListEndpoints": ListEndpointsResponse;
  readonly "SubscriberService.ListPreferences": ListPreferencesResponse;
  readonly "SubscriberService.ListSubscribers": ListSubscribersResponse;
  readonly "SubscriberService.ListSubscriptions": ListSubscriptionsResponse;
  readonly "SubscriberService.PreviewPreferences": PreviewPreferencesResponse;
  readonly "SubscriberService.PutPreference": Preference;
  readonly "SubscriberService.RemoveEndpoint": RemoveEndpointResponse;
  readonly "SubscriberService.ReplaceSubscriber": Subscriber;
  readonly "SubscriberService.SendEndpointConfirmation": SendEndpointConfirmationResponse;
  readonly "SubscriberService.Subscribe": Subscription;
  readonly "SubscriberService.Unsubscribe": UnsubscribeResponse;
  readonly "SubscriberService.UpsertEndpoint": Endpoint;
  readonly "SubscriberService.UpsertSubscriber": Subscriber;
  readonly "SubscriberService.VerifyEndpoint": Endpoint;
  readonly "TenantService.CreateTenant": Tenant;
  readonly "TenantService.DeleteTenant": DeleteTenantResponse;
  readonly "TenantService.GetEntitlements": Entitlements;
  readonly "TenantService.GetQuota": Quota;
  readonly "TenantService.GetTenant": Tenant;
  readonly "TenantService.ListTenants": ListTenantsResponse;
  readonly "TenantService.PutEntitlements": Entitlements;
  readonly "TenantService.UpdateTenant": Tenant;
  readonly "TopicService.AddMembers": AddMembersResponse;
  readonly "TopicService.CreateTopic": Topic;
  readonly "TopicService.DeleteTopic": DeleteTopicResponse;
  readonly "TopicService.GetTopic": Topic;
  readonly "TopicService.ListMembers": ListMembersResponse;
  readonly "TopicService.ListTopics": ListTopicsResponse;
  readonly "TopicService.RemoveMembers": RemoveMembersResponse;
  readonly "TopicService.UpdateTopic": Topic;
  readonly "TriggerSubscriptionService.CreateTriggerSubscription": TriggerSubscription;
  readonly "TriggerSubscriptionService.DeleteTriggerSubscription": DeleteTriggerSubscriptionResponse;
  readonly "TriggerSubscriptionService.GetTriggerSubscription": TriggerSubscription;
  readonly "TriggerSubscriptionService.ListTriggerSubscriptions": ListTriggerSubscriptionsResponse;
  readonly "TriggerSubscriptionService.UpdateTriggerSubscription": TriggerSubscription;
  readonly "WebhookService.CancelWebhookJob": Job;
  readonly "WebhookService.CreateWebhook": Webhook;
  readonly "WebhookService.DeleteWebhook": DeleteWebhookResponse;
  readonly "WebhookService.GetDelivery": WebhookDelivery;
  readonly "WebhookService.GetWebhook": Webhook;
  readonly "WebhookService.GetWebhookJob": Job;
  readonly "WebhookService.ListDeliveries": WebhookServiceListDeliveriesResponse;
  readonly "WebhookService.ListWebhookJobs": ListWebhookJobsResponse;
  readonly "WebhookService.ListWebhooks": ListWebhooksResponse;
  readonly "WebhookService.Redeliver": WebhookDelivery;
  readonly "WebhookService.RedeliverAll": Job;
  readonly "WebhookService.RotateSecret": Webhook;
  readonly "WebhookService.TestWebhook": WebhookDelivery;
  readonly "WebhookService.UpdateWebhook": Webhook;
  readonly "WorkflowDefinitionService.ActivateVersion": WorkflowDefinition;
  readonly "WorkflowDefinitionService.ArchiveDefinition": WorkflowDefinition;
  readonly "WorkflowDefinitionService.CreateDefinition": WorkflowDefinition;
  readonly "WorkflowDefinitionService.DuplicateDefinition": WorkflowDefinition;
  readonly "WorkflowDefinitionService.GetDefinition": WorkflowDefinition;
  readonly "WorkflowDefinitionService.GetVersion": WorkflowVersion;
  readonly "WorkflowDefinitionService.ListDefinitions": ListDefinitionsResponse;
  readonly "WorkflowDefinitionService.ListVersions": ListVersionsResponse;
  readonly "WorkflowDefinitionService.PatchDraft": WorkflowDefinition;
  readonly "WorkflowDefinitionService.PublishDefinition": WorkflowDefinition;
  readonly "WorkflowDefinitionService.RestoreDefinition": WorkflowDefinition;
  readonly "WorkflowRunService.CancelRun": WorkflowRun;
  readonly "WorkflowRunService.DismissRun": WorkflowRun;
  readonly "WorkflowRunService.GetRun": WorkflowRun;
  readonly "WorkflowRunService.GetRunFigures": WorkflowRunFigures;
  readonly "WorkflowRunService.ListRuns": ListRunsResponse;
  readonly "WorkflowRunService.ListSteps": ListStepsResponse;
  readonly "WorkflowRunService.RetryRun": WorkflowRun;
  readonly "WorkflowRunService.StartRun": StartRunResponse;
  readonly "WorkflowStreamService.AbortObject": StreamObject;
  readonly "WorkflowStreamService.Acknowledge": StreamConsumer;
  readonly "WorkflowStreamService.AppendRecords": AppendRecordsResponse;
  readonly "WorkflowStreamService.CloseStream": WorkflowStream;
  readonly "WorkflowStreamService.CommitObject": StreamObject;
  readonly "WorkflowStreamService.CreateStream": WorkflowStream;
  readonly "WorkflowStreamService.DeleteConsumer": DeleteConsumerResponse;
  readonly "WorkflowStreamService.GetObject": GetObjectResponse;
  readonly "WorkflowStreamService.GetStream": WorkflowStream;
  readonly "WorkflowStreamService.ListConsumers": ListConsumersResponse;
  readonly "WorkflowStreamService.ListStreams": ListStreamsResponse;
  readonly "WorkflowStreamService.PrepareObject": StreamObject;
  readonly "WorkflowStreamService.PutConsumer": StreamConsumer;
  readonly "WorkflowStreamService.ReadRecords": ReadRecordsResponse;
  readonly "WorkflowStreamService.SetLegalHold": WorkflowStream;
  readonly "WorkflowStreamService.Subscribe": WorkflowStreamServiceSubscribeResponse;
  readonly "WorkflowStreamService.UploadObject": StreamObject;
  readonly "WorkflowWaitService.Await": AwaitResponse;
  readonly "WorkflowWaitService.Publish": PublishResponse;
  readonly "WorkflowWaitService.SignalRun": SignalRunResponse;
  readonly "WorkflowWaitService.WaitForEvent": WaitForEventResponse;
}
