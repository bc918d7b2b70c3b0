# Written by `npm run contract:build` from protos/gen/surface.json.
"""Requests and answers. An answer's field that may be absent is left out when it is unset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    # At run time the annotations are texts that nobody reads.
    from typing_extensions import Required

class AbortObjectRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    object_id: Required[str]


class AbortRequest(TypedDict, total=False):
    candidate_id: Required[str]
    reason: str


class AcknowledgeRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    consumer_id: Required[str]
    sequence: int


class ActivateProviderConfigRequest(TypedDict, total=False):
    provider_config_id: Required[str]


class ActivateVersionRequest(TypedDict, total=False):
    id: Required[str]
    version: Required[int]


class ActivePoolVersion(TypedDict, total=False):
    kind: Required[str]
    version: Required[int]
    digest: Required[str]
    candidate_id: Required[str]
    activated_at: str


class AddArtifactRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    name: Required[str]
    media_type: str
    content: Any
    digest: str
    size: int
    storage_ref: str


class AddMembersRequest(TypedDict, total=False):
    key: Required[str]
    subscriber_ids: Required[list[str]]
    context_keys: list[str]


class AddMembersResponse(TypedDict, total=False):
    added: Required[int]
    updated: Required[int]
    not_found: Required[list[str]]


class AddReceiptRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    scenario: ScenarioReceipt
    connector: ConnectorReceipt
    strategy: StrategyReceipt
    runtime: RuntimeReceipt
    graph: GraphReceipt
    canary: CanaryReceipt
    dsse: dict[str, Any]
    subjects: list[EvidenceSubject]
    candidate_id: str
    produced_in: str
    result: Literal["", "passed", "failed", "blocked"]
    produced_at: str
    expires_at: str
    run_id: str
    lease_token: str
    details: dict[str, Any]


class Admission(TypedDict, total=False):
    outcome: Required[Literal["enqueued", "duplicate", "debounced", "skipped", "replaced"]]
    existing_item_id: str
    constraint_kind: Literal["singleton", "debounce"]
    group_id: str


class AdmissionConfig(TypedDict, total=False):
    singleton: SingletonConfig
    debounce: DebounceConfig
    throttle: ThrottleConfig
    concurrency: list[ConcurrencyConfig]


class AdmissionExplanation(TypedDict, total=False):
    status: Required[str]
    reason: str
    constraint_kind: Literal["singleton", "debounce", "throttle", "concurrency"]
    group_id: str
    retry_after_ms: int
    not_before: str
    position: int
    redirect_pool_id: str


class AdmissionGroup(TypedDict, total=False):
    constraint_kind: Required[Literal["singleton", "debounce", "throttle", "concurrency"]]
    group_id: Required[str]
    pool_id: Required[str]
    environment: Required[str]
    status: Required[Literal["active", "expired", "cleared"]]
    in_use: Required[int]
    limit: Required[int]
    waiting: Required[int]
    next_eligible_at: str
    cleared_at: str
    cleared_by: str
    clear_reason: str


class Analysis(TypedDict, total=False):
    method: Literal["sequential", "fixed"]
    alpha: float
    tuning: int
    min_units: int


class Anomaly(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    monitor_id: Required[str]
    recipient_id: str
    metric: Required[str]
    method: Required[str]
    value: Required[float]
    expected: Required[float]
    score: float
    baseline: Required[Literal["window", "seasonal", "peers"]]
    state: Required[Literal["open", "closed"]]
    actions: Required[list[AnomalyAction]]
    opened_at: str
    closed_at: str
    closed_by: str


class AnomalyAction(TypedDict, total=False):
    action: Required[str]
    result: Required[str]


class AnomalyMonitor(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    scope: Required[str]
    metric: Required[str]
    method: Required[str]
    interval_seconds: Required[int]
    window_points: Required[int]
    min_points: Required[int]
    direction: Required[str]
    threshold: Required[float]
    multiplier: Required[float]
    drop: Required[float]
    min_base: Required[float]
    patterns: Required[list[str]]
    seasonality: Required[str]
    time_zone: Required[str]
    open_after: Required[int]
    close_after: Required[int]
    cooldown_seconds: Required[int]
    pause_seconds: Required[int]
    actions: Required[list[str]]
    notify: AnomalyNotify
    points: Required[int]
    last_point_at: str
    tenant_id: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class AnomalyNotify(TypedDict, total=False):
    workflow_key: Required[str]
    topic: str
    subscriber_external_id: str


class ApiKey(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    tenant_id: Required[str]
    roles: Required[list[str]]
    scopes: Required[list[str]]
    environment_mode: Required[str]
    prefix: Required[str]
    created_at: str
    created_by: Required[str]
    last_used_at: str
    expires_at: str
    revoked_at: str
    secret: str


class AppendRecordsRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    records: Required[list[NewStreamRecord]]


class AppendRecordsResponse(TypedDict, total=False):
    first_sequence: Required[int]
    last_sequence: Required[int]
    duplicate: Required[bool]


class ApproveRequest(TypedDict, total=False):
    candidate_id: Required[str]
    decision: Required[Literal["approve", "reject"]]
    reason: Required[str]
    accept_inconclusive: bool


class ArchiveDefinitionRequest(TypedDict, total=False):
    id: Required[str]


class ArchivePackRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]


class ArchiveProviderConfigRequest(TypedDict, total=False):
    provider_config_id: Required[str]


class ArmRatio(TypedDict, total=False):
    variant: Required[str]
    units: Required[int]
    expected_share: Required[float]


class ArtifactPreflight(TypedDict, total=False):
    kind: Required[str]
    id: Required[str]
    base_digest: str
    impacts: Required[list[PromotionImpact]]
    impacts_left_out: int
    blocking_reasons: Required[list[BlockingReason]]


class AssignManyRequest(TypedDict, total=False):
    experiment_ids: Required[list[str]]
    unit_id: Required[str]
    attributes: dict[str, Any]
    expose: bool


class AssignManyResponse(TypedDict, total=False):
    results: Required[list[AssignManyResult]]


class AssignManyResult(TypedDict, total=False):
    index: Required[int]
    experiment_id: Required[str]
    assignment: Assignment
    error: BatchError


class AssignRequest(TypedDict, total=False):
    experiment_id: Required[str]
    unit_id: Required[str]
    attributes: dict[str, Any]
    expose: bool
    covariates: dict[str, float]


class Assignment(TypedDict, total=False):
    variant: Required[str]
    payload: Any
    in_experiment: Required[bool]
    reason: Required[str]
    phase: Required[int]
    receipt: str


class AttachToPromotionRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    candidate_id: Required[str]


class AwaitItemRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]
    wait_ms: int
    until: Literal["finished", "started"]


class AwaitItemResponse(TypedDict, total=False):
    item: QueueItem
    reached: Required[bool]


class Backoff(TypedDict, total=False):
    initial_ms: int
    max_ms: int
    multiplier: float


class BatchError(TypedDict, total=False):
    error_code: Required[str]
    detail: Required[str]
    reason: Required[str]
    retryable: Required[bool]
    retry_after_ms: int
    errors: Required[list[BatchFieldError]]
    explanation: Required[list[CandidateExplanation]]
    explanation_left_out: int


class BatchFieldError(TypedDict, total=False):
    field: Required[str]
    reason: Required[str]


class BatchUpsertSubscribersRequest(TypedDict, total=False):
    subscribers: Required[list[UpsertSubscriberRequest]]


class BatchUpsertSubscribersResponse(TypedDict, total=False):
    results: Required[list[BatchUpsertSubscribersResponse_Result]]


class BatchUpsertSubscribersResponse_Result(TypedDict, total=False):
    index: Required[int]
    subscriber: Subscriber
    error: BatchError


class BlockingReason(TypedDict, total=False):
    reason: Required[Literal["ARTIFACT_GONE", "TARGET_DELETED", "WRONG_ENVIRONMENT", "CONFIG_INVALID", "RULE_INVALID", "RULE_TARGET_MISSING", "NO_CHANGE", "CANARY_ACTIVE", "DEPENDENCY_INACTIVE"]]
    detail: Required[str]


class Broadcast(TypedDict, total=False):
    transaction_id: Required[str]
    workflow_key: Required[str]
    topic_key: Required[str]
    state: Required[str]
    cutoff_sequence: Required[int]
    member_count: Required[int]
    expanded: Required[int]
    deliveries: Required[int]
    sent: Required[int]
    failed: Required[int]
    skipped: Required[int]
    workflow_version: Required[int]
    created_at: str
    updated_at: str


class CanaryReceipt(TypedDict, total=False):
    figures: dict[str, Any]


class CancelAllRequest(TypedDict, total=False):
    pool_id: Required[str]
    states: list[Literal["scheduled", "ready", "retry_wait"]]
    filter: str


class CancelBroadcastRequest(TypedDict, total=False):
    transaction_id: Required[str]


class CancelExecutionRequest(TypedDict, total=False):
    execution_id: Required[str]


class CancelJobRequest(TypedDict, total=False):
    pool_id: Required[str]
    operation_id: Required[str]


class CancelRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]


class CancelRunRequest(TypedDict, total=False):
    run_id: Required[str]


class CancelWebhookJobRequest(TypedDict, total=False):
    webhook_id: Required[str]
    operation_id: Required[str]


class CandidateExplanation(TypedDict, total=False):
    recipient_id: Required[str]
    eligible: Required[bool]
    chosen: Required[bool]
    reason: Required[str]
    detail: Required[str]


class Capability(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    mode: Required[str]
    reason: Required[str]
    dependencies: Required[list[str]]


class ChannelDecision(TypedDict, total=False):
    channel: Required[str]
    allowed: Required[bool]
    reason_code: Required[str]
    winning_layer: Required[int]
    trace: Required[list[LayerTrace]]


class ChannelPreference(TypedDict, total=False):
    enabled: bool
    read_only: bool
    condition: str


class ClaimRequest(TypedDict, total=False):
    pool_id: Required[str]
    recipient_id: Required[str]
    max_items: int
    lease_seconds: int
    wait_seconds: int


class ClaimResponse(TypedDict, total=False):
    items: Required[list[LeasedItem]]


class ClearAdmissionGroupRequest(TypedDict, total=False):
    pool_id: Required[str]
    constraint_kind: Required[Literal["singleton", "debounce", "throttle", "concurrency"]]
    group_id: Required[str]
    reason: Required[str]


class CloseAnomalyRequest(TypedDict, total=False):
    anomaly_id: Required[str]


class CloseStreamRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]


class CommitObjectRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    object_id: Required[str]
    object_receipt: str


class CompleteExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]
    winner: str
    record_version: int


class CompleteRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]
    lease_token: Required[str]
    result: Any


class ConcurrencyConfig(TypedDict, total=False):
    key: str
    limit: Required[int]
    cost: int


class ConfigSchema(TypedDict, total=False):
    enabled: Required[bool]
    settings: Required[list[Setting]]
    json_schema: dict[str, Any]


class ConformanceCase(TypedDict, total=False):
    id: Required[str]
    title: Required[str]
    required: Required[bool]
    effect: Required[str]
    methods: Required[list[str]]


class ConformanceCoverage(TypedDict, total=False):
    exercised_count: Required[int]
    method_count: Required[int]
    exercised_methods: Required[list[str]]


class ConformanceExplanation(TypedDict, total=False):
    report_id: Required[str]
    verdict: Required[str]
    compared_with: Required[str]
    failed: Required[list[ExplainedResult]]
    not_run: Required[list[ExplainedResult]]
    changed: Required[list[ExplainedResult]]
    added: Required[list[str]]
    removed: Required[list[str]]


class ConformanceReport(TypedDict, total=False):
    report_id: Required[str]
    suite_id: Required[str]
    environment_id: Required[str]
    mode: Required[str]
    verdict: Required[str]
    contract_sha256: Required[str]
    results: Required[list[ConformanceResult]]
    coverage: ConformanceCoverage
    created_by: Required[str]
    created_at: str


class ConformanceResult(TypedDict, total=False):
    case_id: Required[str]
    status: Required[str]
    detail: Required[str]


class ConformanceSuite(TypedDict, total=False):
    id: Required[str]
    title: Required[str]
    case_count: Required[int]
    cases: Required[list[ConformanceCase]]


class ConnectSession(TypedDict, total=False):
    id: Required[str]
    provider_config_id: Required[str]
    connection_id: Required[str]
    external_id: Required[str]
    scopes: Required[list[str]]
    return_url: Required[str]
    status: Required[str]
    token: str
    connect_url: str
    error: Required[str]
    expires_at: str
    tenant_id: Required[str]
    environment: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class Connection(TypedDict, total=False):
    id: Required[str]
    provider_config_id: Required[str]
    provider_key: Required[str]
    external_id: Required[str]
    name: Required[str]
    environment: Required[str]
    status: Required[str]
    status_reason: Required[str]
    granted_scopes: Required[list[str]]
    credential_version: Required[int]
    key_id: Required[str]
    expires_at: str
    refresh_failing_since: str
    metadata: dict[str, Any]
    tenant_id: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class ConnectorAction(TypedDict, total=False):
    key: Required[str]
    provider_key: Required[str]
    version: Required[str]
    title: Required[str]
    description: Required[str]
    mutation: Required[str]
    retried_after: Required[list[str]]
    input_schema: dict[str, Any]
    input_properties: Required[list[ConnectorProperty]]
    output_schema: dict[str, Any]
    scopes: Required[list[ConnectorScopes]]
    permissions: Required[list[str]]
    related: Required[list[str]]
    runtime_status: Required[str]
    runtime_reason: Required[str]


class ConnectorAuth(TypedDict, total=False):
    name: Required[str]
    type: Required[str]
    scopes: Required[list[str]]
    fields: dict[str, Any]


class ConnectorCheck(TypedDict, total=False):
    name: Required[str]
    passed: bool


class ConnectorExecution(TypedDict, total=False):
    id: Required[str]
    action_key: Required[str]
    action_version: Required[str]
    connection_id: Required[str]
    status: Required[str]
    attempts: Required[int]
    input: Any
    output: Any
    output_invalid: Required[bool]
    error: ConnectorExecutionError
    created_at: str
    updated_at: str
    ended_at: str
    tenant_id: Required[str]
    environment: Required[str]
    record_version: Required[int]


class ConnectorExecutionError(TypedDict, total=False):
    code: Required[str]
    provider_status: int
    message: Required[str]
    retryable: Required[bool]


class ConnectorLimits(TypedDict, total=False):
    requests_per_second: Required[float]
    burst: Required[int]
    concurrency: Required[int]


class ConnectorProperty(TypedDict, total=False):
    name: Required[str]
    type: Required[str]
    description: Required[str]
    required: Required[bool]


class ConnectorProvider(TypedDict, total=False):
    key: Required[str]
    version: Required[str]
    name: Required[str]
    config_schema: dict[str, Any]
    auth: Required[list[ConnectorAuth]]
    actions: Required[list[str]]
    triggers: Required[list[str]]
    verify_action: str
    limits: ConnectorLimits


class ConnectorReceipt(TypedDict, total=False):
    checks: Required[list[ConnectorCheck]]


class ConnectorScopes(TypedDict, total=False):
    all_of: Required[list[str]]


class ConnectorTrigger(TypedDict, total=False):
    key: Required[str]
    provider_key: Required[str]
    version: Required[str]
    title: Required[str]
    kind: Required[str]
    event_schema: dict[str, Any]
    config_schema: dict[str, Any]


class CreateApiKeyRequest(TypedDict, total=False):
    name: Required[str]
    roles: Required[list[str]]
    scopes: list[str]
    environment_mode: Literal["any", "production_only", "non_production_only"]
    expires_at: str


class CreateCandidateRequest(TypedDict, total=False):
    environment_id: Required[str]
    artifacts: Required[list[PromotionArtifact]]
    name: str
    guardrails: list[PromotionGuardrail]


class CreateConnectSessionRequest(TypedDict, total=False):
    provider_config_id: Required[str]
    connection_id: str
    external_id: str
    scopes: list[str]
    return_url: str
    ttl_seconds: int
    name: str


class CreateDefinitionRequest(TypedDict, total=False):
    key: Required[str]
    name: str
    draft: dict[str, Any]


class CreateExperimentGroupRequest(TypedDict, total=False):
    name: Required[str]


class CreateExperimentRequest(TypedDict, total=False):
    key: Required[str]
    name: Required[str]
    description: str
    hash_version: Literal["sha256_v1", "fnv1a_v2"]
    salt: str
    variants: list[Variant]
    coverage: float
    targeting: str
    group: ExperimentGroupShare
    overrides: dict[str, str]
    metrics: list[Metric]
    analysis: Analysis
    scores_close_at: str


class CreateIntegrationRequest(TypedDict, total=False):
    channel: Required[Literal["email", "sms", "push", "chat", "in_app"]]
    name: Required[str]
    provider_key: Required[Literal["smtp", "webhook", "slack", "twilio", "fcm", "web_push", "inbox", "sink"]]
    connection_id: str
    priority: int
    active: bool
    condition: str
    casing_override: Literal["snake_case", "camelCase", "PascalCase", "kebab-case", "CONSTANT_CASE", "none"]
    metadata: dict[str, Any]
    rate: IntegrationRate
    on_unknown: Literal["hold", "resend"]


class CreateLayoutRequest(TypedDict, total=False):
    channel: Required[Literal["email", "sms", "push", "chat", "inapp", "in_app"]]
    name: Required[str]
    engine: Required[Literal["handlebars", "liquid"]]
    body: Required[str]
    is_default: bool


class CreateMonitorRequest(TypedDict, total=False):
    pool_id: Required[str]
    scope: Literal["pool", "recipients"]
    metric: Required[Literal["enqueue_rate", "completion_rate", "failure_ratio", "dead_rate", "wait_seconds", "latency_ms", "depth", "unroutable_rate"]]
    method: Required[Literal["zscore", "iqr", "rate_change", "pattern"]]
    interval_seconds: int
    window_points: int
    min_points: int
    direction: Literal["both", "above", "below"]
    threshold: float
    multiplier: float
    drop: float
    min_base: float
    patterns: list[Literal["same_side", "trend", "alternating", "two_of_three", "flatline"]]
    seasonality: Literal["none", "hour_of_day", "hour_of_week"]
    time_zone: str
    open_after: int
    close_after: int
    cooldown_seconds: int
    pause_seconds: int
    actions: list[Literal["log", "alert", "auto-pause", "deprioritize"]]
    notify: AnomalyNotify


class CreatePackRequest(TypedDict, total=False):
    environment_id: Required[str]
    name: Required[str]
    labels: dict[str, str]
    requirements: list[EvidenceRequirement]


class CreatePoolRequest(TypedDict, total=False):
    name: Required[str]
    description: str
    strategy: Literal["weighted_random", "round_robin", "least_loaded", "two_choice", "priority", "sticky_hash", "longest_idle", "skills"]
    status: Literal["STATUS_ACTIVE", "STATUS_DISABLED"]
    config: PoolConfig
    if_absent: bool


CreatePoolVersionRequest = TypedDict(
    "CreatePoolVersionRequest",
    {
        "pool_id": "Required[str]",
        "kind": "Required[Literal[\"routing\", \"strategy\"]]",
        "content": "PoolContent",
        "from": "PoolVersionSource",
    },
    total=False,
)


class CreateProviderConfigRequest(TypedDict, total=False):
    name: Required[str]
    provider_key: Required[str]
    auth: str
    client_id: str
    client_secret: str
    scopes: list[str]
    config: dict[str, Any]
    allowed_return_origins: list[str]


class CreateRecipientRequest(TypedDict, total=False):
    pool_id: Required[str]
    name: Required[str]
    status: Literal["STATUS_ACTIVE", "STATUS_PAUSED", "STATUS_DRAINING"]
    weight: int
    capacity: int
    tier: int
    labels: dict[str, str]
    skills: dict[str, int]
    metadata: dict[str, Any]
    if_absent: bool


class CreateRuleRequest(TypedDict, total=False):
    pool_id: Required[str]
    name: Required[str]
    order: int
    enabled: bool
    condition: str
    action: Required[RuleAction]


class CreateStreamRequest(TypedDict, total=False):
    run_id: Required[str]
    name: Required[str]
    content_classes: Required[list[Literal["text", "json", "binary", "tool_io", "model_output"]]]
    metadata_home: str
    metadata_replicas: list[str]
    object_regions: list[str]
    client_egress_regions: list[str]
    log_region: str
    retention: StreamRetention
    redaction: StreamRedaction
    authorization: StreamAuthorization
    ceilings: StreamCeilings
    overflow: Literal["reject", "block"]
    block_ms: int


class CreateTenantRequest(TypedDict, total=False):
    name: Required[str]
    plan: str
    quotas: dict[str, int]
    limits: TenantLimits
    settings: dict[str, Any]
    environments: list[str]


class CreateTopicRequest(TypedDict, total=False):
    key: Required[str]
    name: str
    description: str
    metadata: dict[str, Any]


class CreateTriggerSubscriptionRequest(TypedDict, total=False):
    connection_id: Required[str]
    trigger_key: Required[str]
    config: dict[str, Any]
    filter: str
    target: TriggerTarget
    secret: str
    poll_seconds: int


class CreateWebhookRequest(TypedDict, total=False):
    name: Required[str]
    url: Required[str]
    kinds: Required[list[Literal["admission_group", "admission_group.cleared", "anomaly", "anomaly.alert", "anomaly.closed", "anomaly.opened", "broadcast", "broadcast.cancelled", "broadcast.completed", "broadcast.completed_with_failures", "broadcast.delivering", "broadcast.expanding", "conformance", "conformance.reported", "connect_session", "connect_session.authorizing", "connect_session.connected", "connect_session.created", "connect_session.expired", "connect_session.failed", "connect_session.revoked", "connection", "connection.active", "connection.deleted", "connection.disabled", "connection.needs_reauth", "connection.refresh_failing", "connection.refreshed", "connection.revoked", "connector_execution", "connector_execution.cancelled", "connector_execution.failed", "connector_execution.outcome_unknown", "connector_execution.queued", "connector_execution.running", "connector_execution.succeeded", "connector_execution.waiting", "connector_trigger", "connector_trigger.dropped", "connector_trigger.fired", "console_session", "console_session.ended", "console_session.started", "delivery", "delivery.failed", "delivery.observed", "delivery.sent", "delivery.skipped", "endpoint", "endpoint.removed", "endpoint.suppressed", "endpoint.updated", "evidence_pack", "evidence_pack.archived", "evidence_pack.changed", "evidence_pack.created", "evidence_run", "evidence_run.cancelled", "evidence_run.expired", "evidence_run.failed", "evidence_run.pending", "evidence_run.running", "evidence_run.succeeded", "experiment", "experiment.breached", "experiment.completed", "experiment.deleted", "experiment.draft", "experiment.paused", "experiment.phase_opened", "experiment.running", "experiment.srm", "experiment.stopped", "integration", "integration.created", "integration.deleted", "integration.updated", "layout", "layout.created", "layout.deleted", "layout.updated", "notice", "notice.deleted", "notice.updated", "notification_dead_letter", "notification_dead_letter.opened", "notification_dead_letter.redriven", "notification_dead_letter.resolved", "pool", "pool.activated", "pool.canary_changed", "pool.created", "pool.deleted", "pool.updated", "preference", "preference.deleted", "preference.updated", "promotion", "promotion.aborted", "promotion.approved", "promotion.blocked", "promotion.canary", "promotion.canary_stopped", "promotion.created", "promotion.failed", "promotion.guarded", "promotion.preflighted", "promotion.promoted", "promotion.promoting", "promotion.rejected", "promotion.rolled_back", "promotion.rolling_back", "provider_config", "provider_config.active", "provider_config.archived", "provider_config.disabled", "provider_config.draft", "queue", "queue.paused", "queue.resumed", "queue_item", "queue_item.cancelled", "queue_item.coalesced", "queue_item.completed", "queue_item.dead", "queue_item.drained", "queue_item.enqueued", "queue_item.expired", "queue_item.extended", "queue_item.lease_expired", "queue_item.leased", "queue_item.purged", "queue_item.quarantined", "queue_item.ready", "queue_item.redirected", "queue_item.redriven", "queue_item.released", "queue_item.retry_scheduled", "queue_item.superseded", "queue_item.unquarantined", "recipient", "recipient.created", "recipient.deleted", "recipient.ejected", "recipient.half_opened", "recipient.offline", "recipient.online", "recipient.recovered", "recipient.updated", "routing", "routing.redirected", "rule", "rule.created", "rule.deleted", "rule.updated", "subscriber", "subscriber.created", "subscriber.deleted", "subscriber.updated", "tenant", "tenant.created", "tenant.deleted", "tenant.updated", "topic", "topic.created", "topic.deleted", "topic.updated", "webhook", "webhook.created", "webhook.deleted", "webhook.disabled", "webhook.exhausted", "webhook.gap", "webhook.updated", "workflow_definition", "workflow_definition.archived", "workflow_definition.draft", "workflow_definition.published", "workflow_run", "workflow_run.cancelled", "workflow_run.cancelling", "workflow_run.failed", "workflow_run.pending", "workflow_run.running", "workflow_run.succeeded", "workflow_step", "workflow_step.failed"]]]
    environment: str
    signing: Literal["v1", "v1a"]
    ordering: Literal["none", "subject", "strict"]
    max_in_flight: int
    headers: dict[str, str]


class DeadLetter(TypedDict, total=False):
    id: Required[str]
    delivery_id: Required[str]
    transaction_id: Required[str]
    subscriber_id: Required[str]
    workflow_key: Required[str]
    channel: Required[str]
    reason: Required[str]
    phase: Required[str]
    status: Required[str]
    redrive_count: Required[int]
    created_at: str
    updated_at: str


class DeadLetterResult(TypedDict, total=False):
    index: Required[int]
    queue_item_id: Required[str]
    error: BatchError


class DeadLetterResults(TypedDict, total=False):
    results: Required[list[DeadLetterResult]]
    succeeded: Required[int]


class DeadLetterServiceReleaseRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_ids: Required[list[str]]


class DeadLetterStats(TypedDict, total=False):
    depth: Required[int]
    oldest_failure_at: str
    quarantined: Required[int]
    max_retries: Required[int]


class DebounceConfig(TypedDict, total=False):
    key: Required[str]
    period_ms: Required[int]
    max_wait_ms: int
    take: Literal["last", "first"]


class DeleteConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]
    record_version: int


class DeleteConnectionResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteConsumerRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    consumer_id: Required[str]


class DeleteConsumerResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteExperimentGroupRequest(TypedDict, total=False):
    id: Required[str]
    record_version: int


class DeleteExperimentGroupResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]
    record_version: int


class DeleteExperimentResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteIntegrationRequest(TypedDict, total=False):
    integration_id: Required[str]
    record_version: int


class DeleteIntegrationResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteLayoutRequest(TypedDict, total=False):
    layout_id: Required[str]
    version: int
    force: bool


class DeleteLayoutResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteMonitorRequest(TypedDict, total=False):
    monitor_id: Required[str]
    record_version: int


class DeleteMonitorResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteNoticeRequest(TypedDict, total=False):
    workflow_key: Required[str]


class DeleteNoticeResponse(TypedDict, total=False):
    workflow_key: Required[str]
    deleted: Required[bool]


class DeletePoolRequest(TypedDict, total=False):
    pool_id: Required[str]
    force: bool
    record_version: int


class DeletePoolResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeletePreferenceRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    preference_id: Required[str]


class DeletePreferenceResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteRecipientRequest(TypedDict, total=False):
    recipient_id: Required[str]
    record_version: int


class DeleteRecipientResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteRuleRequest(TypedDict, total=False):
    rule_id: Required[str]
    record_version: int


class DeleteRuleResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteSubscriberRequest(TypedDict, total=False):
    subscriber_id: Required[str]


class DeleteSubscriberResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteTenantRequest(TypedDict, total=False):
    tenant_id: Required[str]
    record_version: int


class DeleteTenantResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteTopicRequest(TypedDict, total=False):
    key: Required[str]
    record_version: int


class DeleteTopicResponse(TypedDict, total=False):
    key: Required[str]
    deleted: Required[bool]


class DeleteTriggerSubscriptionRequest(TypedDict, total=False):
    trigger_subscription_id: Required[str]
    record_version: int


class DeleteTriggerSubscriptionResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteUnitRequest(TypedDict, total=False):
    experiment_id: Required[str]
    unit_id: Required[str]


class DeleteUnitResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class DeleteUserPreferenceRequest(TypedDict, total=False):
    workflow_key: Required[str]
    user_id: Required[str]


class DeleteUserPreferenceResponse(TypedDict, total=False):
    user_id: Required[str]
    deleted: Required[bool]


class DeleteWebhookRequest(TypedDict, total=False):
    webhook_id: Required[str]
    record_version: int


class DeleteWebhookResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class Delivery(TypedDict, total=False):
    id: Required[str]
    transaction_id: Required[str]
    subscriber_id: Required[str]
    workflow_key: Required[str]
    topic_key: str
    channel: Required[str]
    endpoint_id: str
    identity: Required[str]
    status: Required[str]
    integration_id: str
    provider_key: Required[str]
    provider_message_id: Required[str]
    failure: Failure
    reason_code: Required[str]
    winning_layer: Required[int]
    resolver_version: Required[str]
    retry_at: str
    generation: Required[int]
    attempt: Required[int]
    provider_attempts: Required[int]
    attempts: Required[list[Delivery_Attempt]]
    observation_state: Required[str]
    reconciliation_required: Required[bool]
    dead_letter_id: str
    expires_at: str
    created_at: str
    updated_at: str
    sent_at: str


class Delivery_Attempt(TypedDict, total=False):
    generation: Required[int]
    attempt: Required[int]
    integration_id: Required[str]
    provider_key: Required[str]
    started_at: str
    ended_at: str
    result: Required[str]
    code: Required[str]


class DisableConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]


class DisableProviderConfigRequest(TypedDict, total=False):
    provider_config_id: Required[str]


class DismissRunRequest(TypedDict, total=False):
    run_id: Required[str]


class DrainQueueRequest(TypedDict, total=False):
    pool_id: Required[str]
    max_items: Required[int]


class DrainQueueResponse(TypedDict, total=False):
    drained: Required[int]
    remaining_depth: Required[int]


class DuplicateDefinitionRequest(TypedDict, total=False):
    id: Required[str]
    key: str


class DuplicateLayoutRequest(TypedDict, total=False):
    layout_id: Required[str]


class Effect(TypedDict, total=False):
    estimate: Required[float]
    lower: Required[float]
    upper: Required[float]
    p_value: Required[float]


class EnableConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]


class Endpoint(TypedDict, total=False):
    id: Required[str]
    subscriber_id: Required[str]
    channel: Required[str]
    provider_key: Required[str]
    identity: Required[str]
    connection_id: str
    verified: Required[bool]
    metadata: dict[str, Any]
    last_used_at: str
    active: Required[bool]
    suppressed: Endpoint_Suppressed
    created_at: str
    updated_at: str


class Endpoint_Suppressed(TypedDict, total=False):
    reason: Required[str]
    at: str


class EnqueueBatchRequest(TypedDict, total=False):
    pool_id: Required[str]
    items: Required[list[EnqueueEntry]]


class EnqueueBatchResponse(TypedDict, total=False):
    results: Required[list[EnqueueResult]]


class EnqueueEntry(TypedDict, total=False):
    key: str
    payload: Any
    attributes: dict[str, Any]
    priority: int
    cost: int
    dedup_id: str
    not_before: str
    expires_at: str
    traceparent: str


class EnqueueRequest(TypedDict, total=False):
    pool_id: Required[str]
    key: str
    payload: Any
    attributes: dict[str, Any]
    priority: int
    cost: int
    dedup_id: str
    not_before: str
    expires_at: str
    traceparent: str


class EnqueueResponse(TypedDict, total=False):
    item: QueueItem
    admission: Admission


class EnqueueResult(TypedDict, total=False):
    index: Required[int]
    item: QueueItem
    admission: Admission
    error: BatchError


class EvaluateGateRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    phase: Literal["canary", "approval"]


class EvaluateGuardrailsRequest(TypedDict, total=False):
    candidate_id: Required[str]


class Event(TypedDict, total=False):
    id: Required[str]
    kind: Required[str]
    tenant_id: Required[str]
    subject: Required[str]
    at: str
    payload: dict[str, Any]
    environment: Required[str]


class EvidenceArtifact(TypedDict, total=False):
    id: Required[str]
    pack_id: Required[str]
    environment_id: Required[str]
    name: Required[str]
    media_type: Required[str]
    digest: Required[str]
    size: Required[int]
    storage_ref: Required[str]
    content: Any
    created_at: str


class EvidenceExplanation(TypedDict, total=False):
    pack_id: Required[str]
    environment_id: Required[str]
    candidate_id: Required[str]
    digest: Required[str]
    satisfied: Required[bool]
    requirements: Required[list[RequirementExplanation]]


class EvidenceExport(TypedDict, total=False):
    manifest: dict[str, Any]
    envelope: dict[str, Any]


class EvidenceGate(TypedDict, total=False):
    pack_id: Required[str]
    environment_id: Required[str]
    candidate_id: Required[str]
    digest: Required[str]
    phase: Required[str]
    satisfied: Required[bool]
    requirements: Required[list[RequirementGate]]
    evaluated_at: str


class EvidenceKey(TypedDict, total=False):
    kty: Required[str]
    crv: Required[str]
    x: Required[str]
    kid: Required[str]
    use: Required[str]
    alg: Required[str]


class EvidenceKeys(TypedDict, total=False):
    keys: Required[list[EvidenceKey]]


class EvidencePack(TypedDict, total=False):
    id: Required[str]
    tenant_id: Required[str]
    environment_id: Required[str]
    name: Required[str]
    labels: Required[dict[str, str]]
    candidate_id: Required[str]
    requirements: Required[list[EvidenceRequirement]]
    state: Required[str]
    digest: Required[str]
    artifact_count: Required[int]
    receipt_count: Required[int]
    open_run_count: Required[int]
    record_version: Required[int]
    created_at: str
    updated_at: str


class EvidenceReceipt(TypedDict, total=False):
    id: Required[str]
    pack_id: Required[str]
    environment_id: Required[str]
    scenario: ScenarioReceipt
    connector: ConnectorReceipt
    strategy: StrategyReceipt
    runtime: RuntimeReceipt
    graph: GraphReceipt
    canary: CanaryReceipt
    subjects: Required[list[EvidenceSubject]]
    candidate_id: Required[str]
    result: Required[str]
    produced_at: str
    expires_at: str
    run_id: Required[str]
    details: dict[str, Any]
    digest: Required[str]
    producer_key_id: Required[str]
    created_by: Required[str]
    created_at: str


class EvidenceRequirement(TypedDict, total=False):
    id: Required[str]
    receipt_type: Required[Literal["scenario", "connector", "strategy", "runtime", "graph", "canary"]]
    subject: str
    phase: Literal["", "canary", "approval"]
    max_age_seconds: int
    producer_signed: bool
    depends_on: list[str]


class EvidenceRun(TypedDict, total=False):
    id: Required[str]
    pack_id: Required[str]
    environment_id: Required[str]
    kind: Required[str]
    mode: Required[str]
    state: Required[str]
    lease_token: str
    lease_expires_at: str
    deadline_at: str
    receipt_id: Required[str]
    created_by: Required[str]
    cancel_reason: Required[str]
    created_at: str
    updated_at: str


class EvidenceServiceCancelRunRequest(TypedDict, total=False):
    environment_id: Required[str]
    run_id: Required[str]
    reason: str


class EvidenceServiceGetKeysRequest(TypedDict, total=False):
    pass


class EvidenceServiceGetRunRequest(TypedDict, total=False):
    environment_id: Required[str]
    run_id: Required[str]


class EvidenceServiceHeartbeatRunRequest(TypedDict, total=False):
    environment_id: Required[str]
    run_id: Required[str]
    lease_token: Required[str]
    lease_seconds: int


class EvidenceServiceListRunsRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    limit: int
    cursor: str
    offset: int
    state: Literal["pending", "running", "succeeded", "failed", "cancelled", "expired"]


class EvidenceServiceListRunsResponse(TypedDict, total=False):
    runs: Required[list[EvidenceRun]]
    next_page_token: Required[str]
    total: Required[int]


class EvidenceServiceStartRunRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    kind: Required[Literal["scenario", "connector", "strategy", "runtime", "graph"]]
    mode: Required[Literal["sandbox", "dry_run"]]
    lease_seconds: int
    deadline_seconds: int


class EvidenceSubject(TypedDict, total=False):
    name: str
    digest: Required[str]


class ExecuteActionRequest(TypedDict, total=False):
    key: Required[str]
    connection_id: Required[str]
    input: Any
    wait_seconds: int
    deadline_seconds: int


class ExpandRequirementsRequest(TypedDict, total=False):
    environment_id: Required[str]
    artifacts: Required[list[PromotionArtifactRef]]
    redirects: bool


class ExpandRequirementsResponse(TypedDict, total=False):
    version: Required[str]
    requirements: Required[list[EvidenceRequirement]]


class Experiment(TypedDict, total=False):
    id: Required[str]
    key: Required[str]
    name: Required[str]
    description: Required[str]
    tenant_id: Required[str]
    environment: Required[str]
    status: Required[str]
    hash_version: Required[str]
    salt: Required[str]
    variants: Required[list[Variant]]
    coverage: Required[float]
    targeting: Required[str]
    group: ExperimentGroupShare
    overrides: Required[dict[str, str]]
    metrics: Required[list[Metric]]
    analysis: Analysis
    scores_close_at: str
    winner: str
    stop_reason: str
    phases: Required[list[Phase]]
    started_at: str
    ended_at: str
    last_look: GuardrailLook
    record_version: Required[int]
    created_at: str
    updated_at: str


class ExperimentGroup(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    tenant_id: Required[str]
    environment: Required[str]
    ranges: Required[list[GroupRange]]
    free: Required[float]
    record_version: Required[int]
    created_at: str
    updated_at: str


class ExperimentGroupShare(TypedDict, total=False):
    id: Required[str]
    share: float
    start: float


class ExperimentResults(TypedDict, total=False):
    experiment_id: Required[str]
    status: Required[str]
    computed_at: str
    method: Required[str]
    alpha: Required[float]
    peeked: Required[bool]
    trustworthy: Required[bool]
    problems: Required[list[str]]
    phases: Required[list[int]]
    variants: Required[list[VariantUnits]]
    metrics: Required[list[MetricResults]]
    sample_ratios: Required[list[SampleRatio]]
    multiple_exposures: MultipleExposures
    guardrails: Required[list[GuardrailResult]]
    units_by_day: Required[list[UnitsOfDay]]
    winner: str


class ExperimentUnit(TypedDict, total=False):
    variant: Required[str]
    phase: Required[int]
    exposed_at: str
    multiple: Required[bool]
    excluded: Required[bool]
    metrics: Required[list[UnitMetric]]


class ExplainAdmissionRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]


class ExplainPackRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    phase: Literal["canary", "approval"]


class ExplainReportRequest(TypedDict, total=False):
    environment_id: Required[str]
    report_id: str


class ExplainedResult(TypedDict, total=False):
    case_id: Required[str]
    title: Required[str]
    status: Required[str]
    detail: Required[str]


class ExportConfigRequest(TypedDict, total=False):
    pass


class ExportPackRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]


class Exposure(TypedDict, total=False):
    receipt: Required[str]
    covariates: dict[str, float]


class ExposureResult(TypedDict, total=False):
    index: Required[int]
    outcome: str
    error: BatchError


class ExpressionProblem(TypedDict, total=False):
    line: Required[int]
    column: Required[int]
    reason: Required[str]
    field: Required[str]


class ExtendRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]
    lease_token: Required[str]
    lease_seconds: int
    progress: ItemProgress


class FailRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]
    lease_token: Required[str]
    error: str
    error_type: str
    retryable: bool
    delay_ms: int


class Failure(TypedDict, total=False):
    phase: Required[str]
    code: Required[str]
    detail: Required[str]


class FairnessConfig(TypedDict, total=False):
    key: Required[str]
    weights: dict[str, int]


class GetActionRequest(TypedDict, total=False):
    key: Required[str]


class GetAdmissionGroupRequest(TypedDict, total=False):
    pool_id: Required[str]
    constraint_kind: Required[Literal["singleton", "debounce", "throttle", "concurrency"]]
    group_id: Required[str]


class GetAnomalyRequest(TypedDict, total=False):
    anomaly_id: Required[str]


class GetApiKeyRequest(TypedDict, total=False):
    id: Required[str]


class GetArtifactRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    artifact_id: Required[str]


class GetBroadcastRequest(TypedDict, total=False):
    transaction_id: Required[str]


class GetCandidateRequest(TypedDict, total=False):
    candidate_id: Required[str]


class GetCapabilityRequest(TypedDict, total=False):
    id: Required[str]


class GetConfigSchemaRequest(TypedDict, total=False):
    pass


class GetConnectSessionRequest(TypedDict, total=False):
    connect_session_id: Required[str]


class GetConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]


class GetDeadLetterRequest(TypedDict, total=False):
    dead_letter_id: Required[str]


class GetDeadLetterStatsRequest(TypedDict, total=False):
    pool_id: Required[str]


class GetDefinitionRequest(TypedDict, total=False):
    id: Required[str]


class GetDeliveryRequest(TypedDict, total=False):
    delivery_id: Required[str]


class GetExecutionRequest(TypedDict, total=False):
    execution_id: Required[str]
    wait_seconds: int


class GetExperimentGroupRequest(TypedDict, total=False):
    id: Required[str]


class GetExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]


class GetIntegrationRequest(TypedDict, total=False):
    integration_id: Required[str]


class GetItemRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]


class GetJobRequest(TypedDict, total=False):
    pool_id: Required[str]
    operation_id: Required[str]


class GetLayoutRequest(TypedDict, total=False):
    layout_id: Required[str]


class GetLayoutUsageRequest(TypedDict, total=False):
    layout_id: Required[str]


class GetMonitorRequest(TypedDict, total=False):
    monitor_id: Required[str]


class GetNoticeRequest(TypedDict, total=False):
    workflow_key: Required[str]


class GetObjectRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    object_id: Required[str]
    start: int
    end: int
    if_digest: str


class GetObjectResponse(TypedDict, total=False):
    data: Required[str]
    content_type: str
    size: int
    start: int
    end: int
    digest: str


class GetOperationalHealthReportRequest(TypedDict, total=False):
    environment: str
    period: str


class GetPackRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]


class GetPoolRequest(TypedDict, total=False):
    pool_id: Required[str]


class GetPoolVersionRequest(TypedDict, total=False):
    pool_id: Required[str]
    version: Required[int]


class GetPostureRequest(TypedDict, total=False):
    pass


class GetProviderConfigRequest(TypedDict, total=False):
    provider_config_id: Required[str]


class GetProviderRequest(TypedDict, total=False):
    key: Required[str]


class GetQueueSeriesRequest(TypedDict, total=False):
    pool_id: Required[str]
    window: str
    step: Literal["1m", "5m", "1h"]


class GetQueueStatusRequest(TypedDict, total=False):
    pool_id: Required[str]


class GetQuotaRequest(TypedDict, total=False):
    tenant_id: Required[str]
    operation: Required[str]


class GetRecipientRequest(TypedDict, total=False):
    recipient_id: Required[str]


class GetReportRequest(TypedDict, total=False):
    environment_id: Required[str]
    report_id: Required[str]


class GetResultsRequest(TypedDict, total=False):
    experiment_id: Required[str]
    phase: int


class GetRetryAllRequest(TypedDict, total=False):
    pool_id: Required[str]
    operation_id: Required[str]


class GetRoutingRequest(TypedDict, total=False):
    routing_id: Required[str]
    verify: bool


class GetRuleRequest(TypedDict, total=False):
    rule_id: Required[str]


class GetRunRequest(TypedDict, total=False):
    run_id: Required[str]


class GetServicesRequest(TypedDict, total=False):
    pass


class GetStreamRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]


class GetSubscriberRequest(TypedDict, total=False):
    subscriber_id: Required[str]


class GetSuiteRequest(TypedDict, total=False):
    suite_id: Required[str]


class GetTenantRequest(TypedDict, total=False):
    tenant_id: Required[str]


class GetTopicRequest(TypedDict, total=False):
    key: Required[str]


class GetTriggerRequest(TypedDict, total=False):
    key: Required[str]


class GetTriggerSubscriptionRequest(TypedDict, total=False):
    trigger_subscription_id: Required[str]


class GetUnitRequest(TypedDict, total=False):
    experiment_id: Required[str]
    unit_id: Required[str]


class GetUserPreferenceRequest(TypedDict, total=False):
    workflow_key: Required[str]
    user_id: Required[str]


class GetVersionRequest(TypedDict, total=False):
    id: Required[str]
    version: Required[int]


class GetWebhookJobRequest(TypedDict, total=False):
    webhook_id: Required[str]
    operation_id: Required[str]


class GetWebhookRequest(TypedDict, total=False):
    webhook_id: Required[str]


class GraphReceipt(TypedDict, total=False):
    cycles: int
    unresolved: list[str]


class GroupRange(TypedDict, total=False):
    experiment_id: Required[str]
    start: Required[float]
    share: Required[float]


class GuardrailFinding(TypedDict, total=False):
    scope: Required[str]
    metric: Required[str]
    verdict: Required[Literal["pass", "fail", "inconclusive"]]
    report_only: Required[bool]
    target_id: str
    value: float
    low: float
    high: float
    canary: SideSamples
    stable: SideSamples
    detail: Required[str]


class GuardrailLook(TypedDict, total=False):
    looked_at: str
    breached: Required[list[str]]
    sample_ratio_mismatch: Required[bool]


class GuardrailResult(TypedDict, total=False):
    metric: Required[str]
    variant: Required[str]
    verdict: Required[str]
    margin: Required[float]
    lower: float
    upper: float
    reason: Required[str]


class HealthEvidence(TypedDict, total=False):
    signal: Required[str]
    value: Required[int]
    degraded_at: Required[int]
    unhealthy_at: Required[int]


class HealthFreshness(TypedDict, total=False):
    telemetry_age_ms: int
    clock_skew_ms: int
    dependency_age_ms: int


class HealthReason(TypedDict, total=False):
    code: Required[str]
    signal: Required[str]
    level: Required[str]


class HealthScope(TypedDict, total=False):
    tenant_id: Required[str]
    environment: Required[str]


class HealthScopes(TypedDict, total=False):
    tenant_id: Required[str]
    environments: Required[list[str]]


class HealthStep(TypedDict, total=False):
    code: Required[str]
    title: Required[str]
    runbook: Required[str]


HealthWindow = TypedDict(
    "HealthWindow",
    {
        "from": "str",
        "to": "str",
    },
    total=False,
)


class HeartbeatRequest(TypedDict, total=False):
    recipient_id: Required[str]
    ttl_seconds: int


class Identity(TypedDict, total=False):
    kind: Required[str]
    subject: Required[str]
    owner: Required[str]
    tenant_id: str
    roles: Required[list[str]]
    scopes: Required[list[str]]
    permissions: Required[list[str]]
    environment_mode: Required[str]
    tenant_name: str
    environments: Required[list[str]]


class InboxCount(TypedDict, total=False):
    unread_count: Required[int]


class InboxMessage(TypedDict, total=False):
    id: Required[str]
    delivery_id: Required[str]
    workflow_key: Required[str]
    subject: Required[str]
    body: Required[str]
    data: dict[str, Any]
    read: Required[bool]
    archived: Required[bool]
    sequence: Required[int]
    created_at: str
    read_at: str


class Integration(TypedDict, total=False):
    id: Required[str]
    channel: Required[str]
    name: Required[str]
    provider_key: Required[str]
    connection_id: Required[str]
    priority: Required[int]
    active: Required[bool]
    condition: Required[str]
    casing_override: Required[str]
    metadata: dict[str, Any]
    rate: IntegrationRate
    on_unknown: Required[str]
    tenant_id: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]
    deleted_at: str


class IntegrationRate(TypedDict, total=False):
    per_second: Required[float]
    burst: int


class ItemProgress(TypedDict, total=False):
    percent: int
    note: str
    data: Any


class Job(TypedDict, total=False):
    operation_id: Required[str]
    kind: Required[Literal["retry_all", "cancel_all", "redeliver"]]
    state: Required[Literal["running", "completed", "cancelled"]]
    filter: Required[str]
    total: Required[int]
    looked_at: Required[int]
    changed: Required[int]
    skipped: Required[int]
    started_by: Required[str]
    started_at: str
    finished_at: str


class LayerTrace(TypedDict, total=False):
    layer: Required[int]
    name: Required[str]
    state: Required[str]
    enabled: bool
    source: str
    read_only: Required[bool]
    schedule: Required[str]


class Layout(TypedDict, total=False):
    id: Required[str]
    channel: Required[str]
    name: Required[str]
    engine: Required[str]
    body: Required[str]
    is_default: Required[bool]
    version: Required[int]
    tenant_id: Required[str]
    created_at: str
    updated_at: str


class LayoutPreview(TypedDict, total=False):
    output: Required[str]
    resolved: Required[list[str]]
    unresolved: Required[list[str]]


class LayoutUsage(TypedDict, total=False):
    layout_id: Required[str]
    workflow_keys: Required[list[str]]
    more: Required[bool]


class LeasedItem(TypedDict, total=False):
    item: QueueItem
    lease_token: Required[str]
    lease_expires_at: str


class ListActionsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    provider_key: str
    runtime_status: Literal["executable", "catalog_only", "disabled", "blocked"]
    mutation: Literal["none", "idempotent", "non_idempotent"]
    text: str


class ListActionsResponse(TypedDict, total=False):
    actions: Required[list[ConnectorAction]]
    next_page_token: Required[str]
    total: int


class ListAdmissionGroupsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    environment: str
    pool_id: str
    constraint_kind: Literal["singleton", "debounce", "throttle", "concurrency"]
    status: Literal["active", "expired", "cleared"]


class ListAdmissionGroupsResponse(TypedDict, total=False):
    admission_groups: Required[list[AdmissionGroup]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailablePool]]


class ListAnomaliesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    pool_id: str
    monitor_id: str
    state: Literal["open", "closed"]


class ListAnomaliesResponse(TypedDict, total=False):
    anomalies: Required[list[Anomaly]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableAnomaly]]


class ListApiKeysRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["active", "revoked"]


class ListApiKeysResponse(TypedDict, total=False):
    api_keys: Required[list[ApiKey]]
    next_page_token: Required[str]
    total: int


class ListArtifactsRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListArtifactsResponse(TypedDict, total=False):
    artifacts: Required[list[EvidenceArtifact]]
    next_page_token: Required[str]
    total: Required[int]


class ListCandidatesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    state: str
    environment_id: str


class ListCandidatesResponse(TypedDict, total=False):
    candidates: Required[list[PromotionCandidate]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableCandidate]]


class ListCapabilitiesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    include_disabled: bool
    include_degraded: bool
    include_missing_dependency: bool


class ListCapabilitiesResponse(TypedDict, total=False):
    capabilities: Required[list[Capability]]
    next_page_token: Required[str]
    total: int


class ListConnectionsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    provider_key: str
    status: Literal["active", "needs_reauth", "disabled", "revoked"]


class ListConnectionsResponse(TypedDict, total=False):
    connections: Required[list[Connection]]
    next_page_token: Required[str]
    total: int


class ListConsumersRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListConsumersResponse(TypedDict, total=False):
    consumers: Required[list[StreamConsumer]]
    next_page_token: Required[str]
    total: int


class ListDeadLettersRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int
    quarantined: bool
    filter: str


class ListDeadLettersResponse(TypedDict, total=False):
    dead_letters: Required[list[QueueItem]]
    next_page_token: Required[str]
    total: int


class ListDefinitionsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["draft", "published", "archived"]
    key: str


class ListDefinitionsResponse(TypedDict, total=False):
    definitions: Required[list[WorkflowDefinition]]
    next_page_token: Required[str]
    total: int


class ListDeliveriesRequest(TypedDict, total=False):
    transaction_id: str
    subscriber_id: str
    limit: int
    cursor: str
    offset: int


class ListDeliveriesResponse(TypedDict, total=False):
    deliveries: Required[list[Delivery]]
    next_page_token: Required[str]
    total: int


class ListEndpointsRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    channel: Literal["email", "sms", "push", "chat", "in_app"]
    limit: int
    cursor: str
    offset: int


class ListEndpointsResponse(TypedDict, total=False):
    endpoints: Required[list[Endpoint]]
    next_page_token: Required[str]
    total: int


class ListEventsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    kinds: list[Literal["admission_group", "admission_group.cleared", "anomaly", "anomaly.alert", "anomaly.closed", "anomaly.opened", "broadcast", "broadcast.cancelled", "broadcast.completed", "broadcast.completed_with_failures", "broadcast.delivering", "broadcast.expanding", "conformance", "conformance.reported", "connect_session", "connect_session.authorizing", "connect_session.connected", "connect_session.created", "connect_session.expired", "connect_session.failed", "connect_session.revoked", "connection", "connection.active", "connection.deleted", "connection.disabled", "connection.needs_reauth", "connection.refresh_failing", "connection.refreshed", "connection.revoked", "connector_execution", "connector_execution.cancelled", "connector_execution.failed", "connector_execution.outcome_unknown", "connector_execution.queued", "connector_execution.running", "connector_execution.succeeded", "connector_execution.waiting", "connector_trigger", "connector_trigger.dropped", "connector_trigger.fired", "console_session", "console_session.ended", "console_session.started", "delivery", "delivery.failed", "delivery.observed", "delivery.sent", "delivery.skipped", "endpoint", "endpoint.removed", "endpoint.suppressed", "endpoint.updated", "evidence_pack", "evidence_pack.archived", "evidence_pack.changed", "evidence_pack.created", "evidence_run", "evidence_run.cancelled", "evidence_run.expired", "evidence_run.failed", "evidence_run.pending", "evidence_run.running", "evidence_run.succeeded", "experiment", "experiment.breached", "experiment.completed", "experiment.deleted", "experiment.draft", "experiment.paused", "experiment.phase_opened", "experiment.running", "experiment.srm", "experiment.stopped", "integration", "integration.created", "integration.deleted", "integration.updated", "layout", "layout.created", "layout.deleted", "layout.updated", "notice", "notice.deleted", "notice.updated", "notification_dead_letter", "notification_dead_letter.opened", "notification_dead_letter.redriven", "notification_dead_letter.resolved", "pool", "pool.activated", "pool.canary_changed", "pool.created", "pool.deleted", "pool.updated", "preference", "preference.deleted", "preference.updated", "promotion", "promotion.aborted", "promotion.approved", "promotion.blocked", "promotion.canary", "promotion.canary_stopped", "promotion.created", "promotion.failed", "promotion.guarded", "promotion.preflighted", "promotion.promoted", "promotion.promoting", "promotion.rejected", "promotion.rolled_back", "promotion.rolling_back", "provider_config", "provider_config.active", "provider_config.archived", "provider_config.disabled", "provider_config.draft", "queue", "queue.paused", "queue.resumed", "queue_item", "queue_item.cancelled", "queue_item.coalesced", "queue_item.completed", "queue_item.dead", "queue_item.drained", "queue_item.enqueued", "queue_item.expired", "queue_item.extended", "queue_item.lease_expired", "queue_item.leased", "queue_item.purged", "queue_item.quarantined", "queue_item.ready", "queue_item.redirected", "queue_item.redriven", "queue_item.released", "queue_item.retry_scheduled", "queue_item.superseded", "queue_item.unquarantined", "recipient", "recipient.created", "recipient.deleted", "recipient.ejected", "recipient.half_opened", "recipient.offline", "recipient.online", "recipient.recovered", "recipient.updated", "routing", "routing.redirected", "rule", "rule.created", "rule.deleted", "rule.updated", "subscriber", "subscriber.created", "subscriber.deleted", "subscriber.updated", "tenant", "tenant.created", "tenant.deleted", "tenant.updated", "topic", "topic.created", "topic.deleted", "topic.updated", "webhook", "webhook.created", "webhook.deleted", "webhook.disabled", "webhook.exhausted", "webhook.gap", "webhook.updated", "workflow_definition", "workflow_definition.archived", "workflow_definition.draft", "workflow_definition.published", "workflow_run", "workflow_run.cancelled", "workflow_run.cancelling", "workflow_run.failed", "workflow_run.pending", "workflow_run.running", "workflow_run.succeeded", "workflow_step", "workflow_step.failed"]]
    subject: str
    since: str


class ListEventsResponse(TypedDict, total=False):
    events: Required[list[Event]]
    next_page_token: Required[str]
    total: int


class ListExecutionsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    connection_id: Required[str]
    status: Literal["queued", "running", "waiting", "succeeded", "failed", "outcome_unknown", "cancelled"]


class ListExecutionsResponse(TypedDict, total=False):
    executions: Required[list[ConnectorExecution]]
    next_page_token: Required[str]
    total: int


class ListExperimentGroupsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    environment: str


class ListExperimentGroupsResponse(TypedDict, total=False):
    experiment_groups: Required[list[ExperimentGroup]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableExperiment]]


class ListExperimentsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["draft", "running", "paused", "completed", "stopped"]
    environment: str


class ListExperimentsResponse(TypedDict, total=False):
    experiments: Required[list[Experiment]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableExperiment]]


class ListInboxRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    unread: bool
    limit: int
    cursor: str
    offset: int


class ListInboxResponse(TypedDict, total=False):
    messages: Required[list[InboxMessage]]
    next_page_token: Required[str]
    total: int
    unread_count: Required[int]


class ListIntegrationsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    channel: Literal["email", "sms", "push", "chat", "in_app"]


class ListIntegrationsResponse(TypedDict, total=False):
    integrations: Required[list[Integration]]
    next_page_token: Required[str]
    total: int


class ListItemsRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int
    states: list[Literal["scheduled", "ready", "leased", "retry_wait", "completed", "dead", "cancelled", "expired", "superseded"]]
    key: str
    filter: str


class ListItemsResponse(TypedDict, total=False):
    items: Required[list[QueueItem]]
    next_page_token: Required[str]
    total: int


class ListJobsRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListJobsResponse(TypedDict, total=False):
    jobs: Required[list[Job]]
    next_page_token: Required[str]
    total: int


class ListLayoutsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    channel: Literal["email", "sms", "push", "chat", "inapp", "in_app"]


class ListLayoutsResponse(TypedDict, total=False):
    layouts: Required[list[Layout]]
    next_page_token: Required[str]
    total: int


class ListMembersRequest(TypedDict, total=False):
    key: Required[str]
    limit: int
    cursor: str
    offset: int


class ListMembersResponse(TypedDict, total=False):
    members: Required[list[TopicMember]]
    next_page_token: Required[str]
    total: int


class ListMonitorsRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListMonitorsResponse(TypedDict, total=False):
    monitors: Required[list[AnomalyMonitor]]
    next_page_token: Required[str]
    total: int


class ListNoticesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int


class ListNoticesResponse(TypedDict, total=False):
    workflows: Required[list[Notice]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableNotice]]


class ListObservationsRequest(TypedDict, total=False):
    delivery_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListObservationsResponse(TypedDict, total=False):
    observations: Required[list[Observation]]
    next_page_token: Required[str]
    total: int


class ListPacksRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    state: Literal["open", "archived"]
    environment_id: str


class ListPacksResponse(TypedDict, total=False):
    packs: Required[list[EvidencePack]]
    next_page_token: Required[str]
    total: Required[int]
    unavailable: Required[list[UnavailablePack]]


class ListPoolVersionsRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListPoolVersionsResponse(TypedDict, total=False):
    pool_versions: Required[list[PoolVersion]]
    next_page_token: Required[str]
    total: int


class ListPoolsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["STATUS_ACTIVE", "STATUS_DISABLED"]
    environment: str
    name: str
    name_prefix: str


class ListPoolsResponse(TypedDict, total=False):
    pools: Required[list[Pool]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailablePool]]


class ListPreferencesRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListPreferencesResponse(TypedDict, total=False):
    preferences: Required[list[Preference]]
    next_page_token: Required[str]
    total: int


class ListProviderConfigsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    provider_key: str
    status: Literal["draft", "active", "disabled", "archived"]


class ListProviderConfigsResponse(TypedDict, total=False):
    provider_configs: Required[list[ProviderConfig]]
    next_page_token: Required[str]
    total: int


class ListProvidersRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    text: str


class ListProvidersResponse(TypedDict, total=False):
    providers: Required[list[ConnectorProvider]]
    next_page_token: Required[str]
    total: int


class ListQueuesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    tenant_id: str
    paused_only: bool
    environment: str
    name: str
    name_prefix: str


class ListQueuesResponse(TypedDict, total=False):
    queues: Required[list[QueueStatus]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailablePool]]


class ListReceiptsRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    limit: int
    cursor: str
    offset: int
    receipt_type: Literal["scenario", "connector", "strategy", "runtime", "graph", "canary"]


class ListReceiptsResponse(TypedDict, total=False):
    receipts: Required[list[EvidenceReceipt]]
    next_page_token: Required[str]
    total: Required[int]


class ListRecipientsRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int
    status: Literal["STATUS_ACTIVE", "STATUS_PAUSED", "STATUS_DRAINING", "STATUS_EJECTED", "STATUS_OFFLINE"]
    name: str


class ListRecipientsResponse(TypedDict, total=False):
    recipients: Required[list[Recipient]]
    next_page_token: Required[str]
    total: int


class ListReportsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    environment_id: str


class ListReportsResponse(TypedDict, total=False):
    reports: Required[list[ConformanceReport]]
    next_page_token: Required[str]
    total: Required[int]


class ListRulesRequest(TypedDict, total=False):
    pool_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListRulesResponse(TypedDict, total=False):
    rules: Required[list[Rule]]
    next_page_token: Required[str]
    total: int


class ListRunsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["pending", "running", "succeeded", "failed", "cancelling", "cancelled"]
    definition_id: str
    mark: Literal["idle", "incompatible", "dead"]


class ListRunsResponse(TypedDict, total=False):
    runs: Required[list[WorkflowRun]]
    next_page_token: Required[str]
    total: int


class ListScopesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int


class ListScopesResponse(TypedDict, total=False):
    scopes: Required[list[HealthScopes]]
    next_page_token: Required[str]
    total: int


class ListStepsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    run_id: Required[str]


class ListStepsResponse(TypedDict, total=False):
    steps: Required[list[WorkflowStep]]
    next_page_token: Required[str]
    total: int


class ListStreamsRequest(TypedDict, total=False):
    run_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListStreamsResponse(TypedDict, total=False):
    streams: Required[list[StreamEntry]]
    next_page_token: Required[str]
    total: int


class ListSubscribersRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int


class ListSubscribersResponse(TypedDict, total=False):
    subscribers: Required[list[Subscriber]]
    next_page_token: Required[str]
    total: int


class ListSubscriptionsRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListSubscriptionsResponse(TypedDict, total=False):
    subscriptions: Required[list[Subscription]]
    next_page_token: Required[str]
    total: int


class ListSuitesRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int


class ListSuitesResponse(TypedDict, total=False):
    suites: Required[list[ConformanceSuite]]
    next_page_token: Required[str]
    total: Required[int]


class ListTenantsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["active", "suspended", "deleted"]


class ListTenantsResponse(TypedDict, total=False):
    tenants: Required[list[Tenant]]
    next_page_token: Required[str]
    total: int


class ListTopicsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int


class ListTopicsResponse(TypedDict, total=False):
    topics: Required[list[Topic]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableTopic]]


class ListTriggerSubscriptionsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    connection_id: str
    status: Literal["active", "disabled", "failing"]


class ListTriggerSubscriptionsResponse(TypedDict, total=False):
    trigger_subscriptions: Required[list[TriggerSubscription]]
    next_page_token: Required[str]
    total: int


class ListTriggersRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    provider_key: str
    text: str


class ListTriggersResponse(TypedDict, total=False):
    triggers: Required[list[ConnectorTrigger]]
    next_page_token: Required[str]
    total: int


class ListVersionsRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    id: Required[str]


class ListVersionsResponse(TypedDict, total=False):
    versions: Required[list[WorkflowVersion]]
    next_page_token: Required[str]
    total: int


class ListWebhookJobsRequest(TypedDict, total=False):
    webhook_id: Required[str]
    limit: int
    cursor: str
    offset: int


class ListWebhookJobsResponse(TypedDict, total=False):
    jobs: Required[list[Job]]
    next_page_token: Required[str]
    total: int


class ListWebhooksRequest(TypedDict, total=False):
    limit: int
    cursor: str
    offset: int
    status: Literal["active", "disabled"]


class ListWebhooksResponse(TypedDict, total=False):
    webhooks: Required[list[Webhook]]
    next_page_token: Required[str]
    total: int
    unavailable: Required[list[UnavailableWebhook]]


class LivePool(TypedDict, total=False):
    pool_id: Required[str]
    queue: QueueStatus
    rates: LiveRates
    recipients: Required[list[LiveRecipient]]
    error: BatchError


class LivePools(TypedDict, total=False):
    at: str
    pools: Required[list[LivePool]]


class LiveRates(TypedDict, total=False):
    enqueued: Required[float]
    claimed: Required[float]
    completed: Required[float]
    failed: Required[float]
    dead: Required[float]


class LiveRecipient(TypedDict, total=False):
    recipient_id: Required[str]
    name: Required[str]
    status: Required[Literal["STATUS_ACTIVE", "STATUS_PAUSED", "STATUS_DRAINING", "STATUS_EJECTED", "STATUS_OFFLINE"]]
    in_flight: Required[int]
    capacity: Required[int]


MarkInboxRequest = TypedDict(
    "MarkInboxRequest",
    {
        "subscriber_id": "Required[str]",
        "message_ids": "list[str]",
        "all": "bool",
        "as": "Required[Literal[\"read\", \"unread\", \"archived\"]]",
    },
    total=False,
)


class MarkInboxResponse(TypedDict, total=False):
    changed: Required[int]
    unread_count: Required[int]


class MethodReport(TypedDict, total=False):
    name: Required[str]
    http_method: str
    path: str
    scopes: Required[list[str]]
    roles: Required[list[str]]
    lifecycle: Required[str]
    audience: Required[str]
    authentication_required: Required[bool]
    authorization_required: Required[bool]
    resource: Required[str]
    action: Required[str]
    internal_only: Required[bool]


class Metric(TypedDict, total=False):
    key: Required[str]
    kind: Required[Literal["binary", "sum", "count", "mean"]]
    role: Literal["primary", "secondary", "guardrail"]
    direction: Literal["increase", "decrease"]
    scale: int
    cap: float
    window_seconds: int
    covariate: bool
    margin: float
    on_breach: Literal["flag", "pause"]


class MetricResults(TypedDict, total=False):
    metric: Required[str]
    kind: Required[str]
    role: Required[str]
    direction: Required[str]
    variants: Required[list[VariantResult]]


class MultipleExposures(TypedDict, total=False):
    units: Required[int]
    share: Required[float]
    too_many: Required[bool]


class NewStreamRecord(TypedDict, total=False):
    kind: Literal["data", "input", "control"]
    content_type: str
    payload: Any
    bytes: str
    producer: StreamProducer
    expected_sequence: int


class Notice(TypedDict, total=False):
    workflow_key: Required[str]
    channels: Required[dict[str, NoticeContent]]
    preference: PreferenceSettings
    ttl_seconds: int
    version: Required[int]
    created_at: str
    updated_at: str


class NoticeContent(TypedDict, total=False):
    engine: Required[Literal["handlebars", "liquid"]]
    subject: str
    body: str
    layout_id: str


class NotificationServiceListDeadLettersRequest(TypedDict, total=False):
    status: Literal["open", "redriven", "resolved"]
    channel: Literal["email", "sms", "push", "chat", "in_app"]
    limit: int
    cursor: str
    offset: int


class NotificationServiceListDeadLettersResponse(TypedDict, total=False):
    dead_letters: Required[list[DeadLetter]]
    next_page_token: Required[str]
    total: int


class Observation(TypedDict, total=False):
    seq: Required[int]
    kind: Required[str]
    occurred_at: str
    provider_event_id: Required[str]
    adapter: Required[str]
    detail: dict[str, Any]
    recorded_at: str


class OperationalHealthReport(TypedDict, total=False):
    report_id: Required[str]
    verdict: Required[str]
    confidence: Required[str]
    reasons: Required[list[HealthReason]]
    next_steps: Required[list[HealthStep]]
    evidence: Required[list[HealthEvidence]]
    scope: HealthScope
    window: HealthWindow
    freshness: HealthFreshness
    ruleset: Required[str]
    ruleset_sha256: Required[str]


class Outcome(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    routing_id: str
    queue_item_id: str
    recipient_id: str
    result: Required[Literal["success", "failure", "timeout", "cancelled"]]
    latency_ms: int
    score: float
    metadata: dict[str, Any]
    created_at: str


class OutcomeResult(TypedDict, total=False):
    index: Required[int]
    outcome: Outcome
    error: BatchError


class OutlierConfig(TypedDict, total=False):
    consecutive_failures: int
    ejection_seconds: int
    max_ejected_percent: int


class PatchDraftRequest(TypedDict, total=False):
    id: Required[str]
    name: str
    draft: dict[str, Any]
    record_version: int


class PauseExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]
    record_version: int


class PauseQueueRequest(TypedDict, total=False):
    pool_id: Required[str]
    until: str
    reason: str


class PauseRecipientRequest(TypedDict, total=False):
    recipient_id: Required[str]


class Phase(TypedDict, total=False):
    number: Required[int]
    opened_at: str
    coverage: Required[float]
    weights: Required[dict[str, float]]
    targeting: Required[str]
    carry: Required[str]


class Pool(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    description: Required[str]
    strategy: Required[Literal["weighted_random", "round_robin", "least_loaded", "two_choice", "priority", "sticky_hash", "longest_idle", "skills"]]
    status: Required[Literal["STATUS_ACTIVE", "STATUS_DISABLED"]]
    config: PoolConfig
    recipient_ids: Required[list[str]]
    rule_ids: Required[list[str]]
    tenant_id: Required[str]
    environment: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]
    governance: PoolGovernance
    created: bool


class PoolCanary(TypedDict, total=False):
    candidate_id: Required[str]
    share_bps: Required[int]
    kinds: Required[list[str]]
    started_at: str


class PoolConfig(TypedDict, total=False):
    lease_seconds: int
    max_attempts: int
    max_deliveries: int
    backoff: Backoff
    max_depth: int
    max_bytes: int
    retention_seconds: int
    priority: PriorityConfig
    fairness: FairnessConfig
    sticky: StickyConfig
    admission: AdmissionConfig
    outlier: OutlierConfig


class PoolContent(TypedDict, total=False):
    routing: RoutingContent
    strategy: StrategyContent


class PoolGovernance(TypedDict, total=False):
    change_control: Required[Literal["open", "governed"]]
    active: Required[list[ActivePoolVersion]]
    canary: PoolCanary


class PoolVersion(TypedDict, total=False):
    pool_id: Required[str]
    version: Required[int]
    kind: Required[Literal["routing", "strategy"]]
    digest: Required[str]
    content: PoolContent
    source: Required[Literal["snapshot", "proposal", "import", "replaced"]]
    created_by: Required[str]
    created_at: str


class PoolVersionSource(TypedDict, total=False):
    pool_id: Required[str]
    version: Required[int]
    ids: dict[str, str]


class Posture(TypedDict, total=False):
    capabilities: Required[list[Capability]]


class Preference(TypedDict, total=False):
    id: Required[str]
    layer: Required[int]
    workflow_key: str
    topic_key: str
    context_keys: Required[list[str]]
    all: ChannelPreference
    channels: Required[dict[str, ChannelPreference]]
    schedule: PreferenceSchedule
    read_only: bool
    condition: str
    created_at: str
    updated_at: str


class PreferenceSchedule(TypedDict, total=False):
    timezone: str
    ranges: Required[list[ScheduleRange]]


class PreferenceSettings(TypedDict, total=False):
    all: ChannelPreference
    channels: dict[str, ChannelPreference]
    schedule: PreferenceSchedule
    read_only: bool
    condition: str


class PreflightRequest(TypedDict, total=False):
    candidate_id: Required[str]


class PrepareObjectRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    idempotency_key: Required[str]
    digest: Required[str]
    size: Required[int]
    content_type: str
    schema: str
    expires_in_seconds: int


class PreviewActionRequest(TypedDict, total=False):
    key: Required[str]
    connection_id: Required[str]
    input: Any


class PreviewActionResponse(TypedDict, total=False):
    transport: Required[str]
    method: Required[str]
    url: Required[str]
    headers: Required[dict[str, str]]
    body: Required[str]
    mutation: Required[str]
    missing_scopes: Required[list[str]]
    executable: Required[bool]
    reason: Required[str]


class PreviewAdmissionRequest(TypedDict, total=False):
    pool_id: Required[str]
    key: str
    payload: Any
    attributes: dict[str, Any]
    priority: int
    cost: int
    dedup_id: str
    not_before: str
    expires_at: str
    traceparent: str


class PreviewAdmissionResponse(TypedDict, total=False):
    item: QueueItem
    admission: Admission
    explanation: AdmissionExplanation


class PreviewLayoutRequest(TypedDict, total=False):
    layout_id: Required[str]
    payload: dict[str, Any]
    subscriber: dict[str, Any]


class PreviewMonitorRequest(TypedDict, total=False):
    pool_id: Required[str]
    scope: Literal["pool", "recipients"]
    metric: Required[Literal["enqueue_rate", "completion_rate", "failure_ratio", "dead_rate", "wait_seconds", "latency_ms", "depth", "unroutable_rate"]]
    method: Required[Literal["zscore", "iqr", "rate_change", "pattern"]]
    interval_seconds: int
    window_points: int
    min_points: int
    direction: Literal["both", "above", "below"]
    threshold: float
    multiplier: float
    drop: float
    min_base: float
    patterns: list[Literal["same_side", "trend", "alternating", "two_of_three", "flatline"]]
    seasonality: Literal["none", "hour_of_day", "hour_of_week"]
    time_zone: str
    open_after: int
    close_after: int
    cooldown_seconds: int
    pause_seconds: int
    actions: list[Literal["log", "alert", "auto-pause", "deprioritize"]]
    notify: AnomalyNotify
    values: Required[list[float]]
    start_at: str


class PreviewMonitorResponse(TypedDict, total=False):
    points: Required[list[PreviewedPoint]]


class PreviewPreferencesRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    workflow_key: Required[str]
    user_id: str
    topic_key: str
    context_keys: list[str]
    channels: list[Literal["email", "sms", "push", "chat", "in_app"]]
    payload_context: dict[str, Any]


class PreviewPreferencesResponse(TypedDict, total=False):
    resolver_version: Required[str]
    channels: Required[list[ChannelDecision]]


class PreviewRouteRequest(TypedDict, total=False):
    pool_id: Required[str]
    key: str
    attributes: dict[str, Any]
    required_labels: dict[str, str]
    skills: dict[str, int]
    priority: int
    cost: int
    reserve: bool
    reserve_seconds: int
    explain: bool
    payload: Any
    draft_rules: list[RuleContent]
    seed: str


class PreviewedPoint(TypedDict, total=False):
    value: Required[float]
    expected: float
    score: float
    anomaly: Required[bool]
    open: Required[bool]


class PreviewedRule(TypedDict, total=False):
    rule_id: str
    name: Required[str]
    matched: Required[bool]
    error: str


class PriorityConfig(TypedDict, total=False):
    bands: int
    default: int
    aging_seconds: int


class PromoteRequest(TypedDict, total=False):
    candidate_id: Required[str]


class PromotionApproval(TypedDict, total=False):
    subject: Required[str]
    owner: Required[str]
    decision: Required[Literal["approve", "reject"]]
    reason: Required[str]
    at: str
    candidate_digest: Required[str]
    pack_digest: Required[str]
    check_digest: Required[str]


class PromotionArtifact(TypedDict, total=False):
    kind: Required[Literal["routing", "strategy", "workflow", "connector"]]
    id: Required[str]
    version: Required[int]
    digest: str


class PromotionArtifactRef(TypedDict, total=False):
    kind: Required[Literal["routing", "strategy", "workflow", "connector"]]
    id: Required[str]
    version: Required[int]
    digest: Required[str]


class PromotionCanary(TypedDict, total=False):
    share_bps: Required[int]
    started_at: str
    ends_at: str
    stopped_at: str


class PromotionCandidate(TypedDict, total=False):
    id: Required[str]
    tenant_id: Required[str]
    environment_id: Required[str]
    name: Required[str]
    artifacts: Required[list[PromotionArtifact]]
    digest: Required[str]
    guardrails: Required[list[PromotionGuardrail]]
    pack_id: str
    state: Required[Literal["created", "preflighted", "blocked", "guarded", "canary", "canary_stopped", "approved", "rejected", "promoting", "promoted", "failed", "rolling_back", "rolled_back", "aborted"]]
    reason: str
    preflight: PromotionPreflight
    canary: PromotionCanary
    checks: Required[list[PromotionCheck]]
    approvals: Required[list[PromotionApproval]]
    rollback_handles: Required[list[RollbackHandle]]
    operation: PromotionOperation
    created_by: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class PromotionCheck(TypedDict, total=False):
    number: Required[int]
    at: str
    trigger: Required[Literal["evaluate", "look", "stop"]]
    verdict: Required[Literal["pass", "fail", "inconclusive"]]
    results: Required[list[GuardrailFinding]]
    digest: Required[str]


class PromotionGuardrail(TypedDict, total=False):
    scope: Required[Literal["target", "canary", "evidence"]]
    metric: str
    max: float
    max_increase: float
    min_samples: int
    report_only: bool
    slow_ms: int


class PromotionImpact(TypedDict, total=False):
    path: Required[str]
    change: Required[Literal["added", "removed", "changed"]]
    exercised_by: Required[Literal["canary", "promote"]]


class PromotionOperation(TypedDict, total=False):
    name: Required[str]
    waiting_for: Required[list[str]]
    since: str


class PromotionPreflight(TypedDict, total=False):
    at: str
    artifacts: Required[list[ArtifactPreflight]]


class ProviderConfig(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    provider_key: Required[str]
    auth: Required[str]
    environment: Required[str]
    status: Required[str]
    client_id: Required[str]
    scopes: Required[list[str]]
    config: dict[str, Any]
    allowed_return_origins: Required[list[str]]
    version: Required[int]
    active_version: Required[int]
    credential_version: Required[int]
    tenant_id: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class PublishDefinitionRequest(TypedDict, total=False):
    id: Required[str]
    activate: bool
    record_version: int


class PurgeRequest(TypedDict, total=False):
    pool_id: Required[str]
    older_than: str
    include_quarantined: bool


class PurgeResponse(TypedDict, total=False):
    purged: Required[int]


class PutConsumerRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    consumer_id: Required[str]


class PutNoticeRequest(TypedDict, total=False):
    workflow_key: Required[str]
    channels: dict[str, NoticeContent]
    preference: PreferenceSettings
    ttl_seconds: int
    version: int


class PutPreferenceRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    workflow_key: str
    topic_key: str
    context_keys: list[str]
    all: ChannelPreference
    channels: dict[str, ChannelPreference]
    schedule: PreferenceSchedule
    read_only: bool
    condition: str


class PutUserPreferenceRequest(TypedDict, total=False):
    workflow_key: Required[str]
    user_id: Required[str]
    preference: PreferenceSettings


class QuarantineRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_ids: Required[list[str]]


class QueueItem(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    tenant_id: Required[str]
    environment: Required[str]
    key: Required[str]
    payload: Any
    attributes: dict[str, Any]
    priority: Required[int]
    cost: Required[int]
    dedup_id: Required[str]
    state: Required[Literal["scheduled", "ready", "leased", "retry_wait", "completed", "dead", "cancelled", "expired", "superseded"]]
    attempts: Required[int]
    deliveries: Required[int]
    retry_count: Required[int]
    not_before: str
    expires_at: str
    created_at: str
    updated_at: str
    lease: QueueItemLease
    last_error: QueueItemError
    result: Any
    wait: QueueItemWait
    record_version: Required[int]
    coalesced: Required[int]
    quarantined: Required[bool]
    finished_at: str
    history: Required[list[QueueItemHistory]]
    completed_by: Required[str]
    traceparent: Required[str]


class QueueItemError(TypedDict, total=False):
    message: Required[str]
    type: Required[str]
    at: str


class QueueItemHistory(TypedDict, total=False):
    delivery: Required[int]
    recipient_id: Required[str]
    leased_at: str
    ended_at: str
    outcome: Required[Literal["failed", "expired", "released", "rejected", "cancelled", "redriven"]]
    error: Required[str]
    error_type: Required[str]
    progress: ItemProgress


class QueueItemLease(TypedDict, total=False):
    recipient_id: Required[str]
    expires_at: str
    progress: ItemProgress


class QueueItemWait(TypedDict, total=False):
    reason: Required[str]
    until: str
    position: int


class QueuePoint(TypedDict, total=False):
    at: str
    enqueued: Required[int]
    claimed: Required[int]
    completed: Required[int]
    failed: Required[int]
    dead: Required[int]
    expired: Required[int]
    cancelled: Required[int]
    wait_ms_sum: Required[int]
    lease_ms_sum: Required[int]
    depth: Required[int]


class QueueSeries(TypedDict, total=False):
    pool_id: Required[str]
    points: Required[list[QueuePoint]]


class QueueStatus(TypedDict, total=False):
    pool_id: Required[str]
    name: Required[str]
    environment: Required[str]
    depth: Required[int]
    by_state: Required[dict[str, int]]
    paused: Required[bool]
    paused_until: str
    pause_reason: str
    oldest_item_age_seconds: Required[int]
    average_wait_seconds: Required[float]
    throughput_today: Required[int]
    leased: Required[int]
    dlq_depth: Required[int]
    held: Required[int]
    bytes: Required[int]
    oldest_ready_age_seconds: Required[int]


class Quota(TypedDict, total=False):
    operation: Required[str]
    limit: int
    used: Required[int]
    remaining: int
    window: Required[Literal["day"]]
    resets_at: str


class ReadRecordsRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    after_sequence: int
    limit: int
    max_bytes: int
    wait_ms: int


class ReadRecordsResponse(TypedDict, total=False):
    records: Required[list[StreamRecord]]
    next_after_sequence: Required[int]
    latest_sequence: Required[int]
    earliest_sequence: Required[int]
    closed: Required[bool]


class ReceiptExplanation(TypedDict, total=False):
    receipt_id: Required[str]
    reasons: Required[list[str]]


class Recipient(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    tenant_id: Required[str]
    name: Required[str]
    status: Required[Literal["STATUS_ACTIVE", "STATUS_PAUSED", "STATUS_DRAINING", "STATUS_EJECTED", "STATUS_OFFLINE"]]
    weight: Required[int]
    capacity: Required[int]
    tier: Required[int]
    labels: Required[dict[str, str]]
    skills: Required[dict[str, int]]
    metadata: dict[str, Any]
    in_flight: Required[int]
    last_assigned_at: str
    health: RecipientHealth
    record_version: Required[int]
    created_at: str
    updated_at: str
    created: bool


class RecipientHealth(TypedDict, total=False):
    state: Required[Literal["healthy", "ejected", "half_open"]]
    consecutive_failures: Required[int]
    ejections: Required[int]
    ejected_until: str
    last_heartbeat_at: str


class RecipientSelector(TypedDict, total=False):
    recipient_ids: list[str]
    labels: dict[str, str]
    skills: dict[str, int]


class RecordExposuresRequest(TypedDict, total=False):
    experiment_id: Required[str]
    exposures: Required[list[Exposure]]


class RecordExposuresResponse(TypedDict, total=False):
    results: Required[list[ExposureResult]]


class RecordOutcomeRequest(TypedDict, total=False):
    id: str
    routing_id: str
    queue_item_id: str
    result: Required[Literal["success", "failure", "timeout", "cancelled"]]
    latency_ms: int
    score: float
    metadata: dict[str, Any]


class RecordOutcomesRequest(TypedDict, total=False):
    outcomes: Required[list[RecordOutcomeRequest]]


class RecordOutcomesResponse(TypedDict, total=False):
    results: Required[list[OutcomeResult]]


class RecordScoreRequest(TypedDict, total=False):
    experiment_id: Required[str]
    score_id: Required[str]
    receipt: str
    unit_id: str
    metric: Required[str]
    value: float
    occurred_at: str


class RecordScoresRequest(TypedDict, total=False):
    experiment_id: Required[str]
    scores: Required[list[ScoreEntry]]


class RecordScoresResponse(TypedDict, total=False):
    results: Required[list[ScoreResult]]


class RedeliverAllRequest(TypedDict, total=False):
    webhook_id: Required[str]
    since: Required[str]
    until: str
    kinds: list[Literal["admission_group", "admission_group.cleared", "anomaly", "anomaly.alert", "anomaly.closed", "anomaly.opened", "broadcast", "broadcast.cancelled", "broadcast.completed", "broadcast.completed_with_failures", "broadcast.delivering", "broadcast.expanding", "conformance", "conformance.reported", "connect_session", "connect_session.authorizing", "connect_session.connected", "connect_session.created", "connect_session.expired", "connect_session.failed", "connect_session.revoked", "connection", "connection.active", "connection.deleted", "connection.disabled", "connection.needs_reauth", "connection.refresh_failing", "connection.refreshed", "connection.revoked", "connector_execution", "connector_execution.cancelled", "connector_execution.failed", "connector_execution.outcome_unknown", "connector_execution.queued", "connector_execution.running", "connector_execution.succeeded", "connector_execution.waiting", "connector_trigger", "connector_trigger.dropped", "connector_trigger.fired", "console_session", "console_session.ended", "console_session.started", "delivery", "delivery.failed", "delivery.observed", "delivery.sent", "delivery.skipped", "endpoint", "endpoint.removed", "endpoint.suppressed", "endpoint.updated", "evidence_pack", "evidence_pack.archived", "evidence_pack.changed", "evidence_pack.created", "evidence_run", "evidence_run.cancelled", "evidence_run.expired", "evidence_run.failed", "evidence_run.pending", "evidence_run.running", "evidence_run.succeeded", "experiment", "experiment.breached", "experiment.completed", "experiment.deleted", "experiment.draft", "experiment.paused", "experiment.phase_opened", "experiment.running", "experiment.srm", "experiment.stopped", "integration", "integration.created", "integration.deleted", "integration.updated", "layout", "layout.created", "layout.deleted", "layout.updated", "notice", "notice.deleted", "notice.updated", "notification_dead_letter", "notification_dead_letter.opened", "notification_dead_letter.redriven", "notification_dead_letter.resolved", "pool", "pool.activated", "pool.canary_changed", "pool.created", "pool.deleted", "pool.updated", "preference", "preference.deleted", "preference.updated", "promotion", "promotion.aborted", "promotion.approved", "promotion.blocked", "promotion.canary", "promotion.canary_stopped", "promotion.created", "promotion.failed", "promotion.guarded", "promotion.preflighted", "promotion.promoted", "promotion.promoting", "promotion.rejected", "promotion.rolled_back", "promotion.rolling_back", "provider_config", "provider_config.active", "provider_config.archived", "provider_config.disabled", "provider_config.draft", "queue", "queue.paused", "queue.resumed", "queue_item", "queue_item.cancelled", "queue_item.coalesced", "queue_item.completed", "queue_item.dead", "queue_item.drained", "queue_item.enqueued", "queue_item.expired", "queue_item.extended", "queue_item.lease_expired", "queue_item.leased", "queue_item.purged", "queue_item.quarantined", "queue_item.ready", "queue_item.redirected", "queue_item.redriven", "queue_item.released", "queue_item.retry_scheduled", "queue_item.superseded", "queue_item.unquarantined", "recipient", "recipient.created", "recipient.deleted", "recipient.ejected", "recipient.half_opened", "recipient.offline", "recipient.online", "recipient.recovered", "recipient.updated", "routing", "routing.redirected", "rule", "rule.created", "rule.deleted", "rule.updated", "subscriber", "subscriber.created", "subscriber.deleted", "subscriber.updated", "tenant", "tenant.created", "tenant.deleted", "tenant.updated", "topic", "topic.created", "topic.deleted", "topic.updated", "webhook", "webhook.created", "webhook.deleted", "webhook.disabled", "webhook.exhausted", "webhook.gap", "webhook.updated", "workflow_definition", "workflow_definition.archived", "workflow_definition.draft", "workflow_definition.published", "workflow_run", "workflow_run.cancelled", "workflow_run.cancelling", "workflow_run.failed", "workflow_run.pending", "workflow_run.running", "workflow_run.succeeded", "workflow_step", "workflow_step.failed"]]
    states: list[Literal["delivered", "exhausted"]]


class RedeliverRequest(TypedDict, total=False):
    webhook_id: Required[str]
    delivery_id: Required[str]


class RedirectAction(TypedDict, total=False):
    pool_id: Required[str]


class RedriveDeadLetterRequest(TypedDict, total=False):
    dead_letter_id: Required[str]
    accept_duplicate: bool


class RedriveDeadLettersRequest(TypedDict, total=False):
    dead_letter_ids: Required[list[str]]
    accept_duplicate: bool


class RedriveDeadLettersResponse(TypedDict, total=False):
    results: Required[list[RedriveDeadLettersResponse_Result]]


class RedriveDeadLettersResponse_Result(TypedDict, total=False):
    index: Required[int]
    dead_letter: DeadLetter
    error: BatchError


class RejectAction(TypedDict, total=False):
    reason: Required[str]


class RejectRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]
    lease_token: Required[str]
    error: str
    error_type: str


class ReleaseRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_id: Required[str]
    lease_token: Required[str]
    delay_ms: int


class RemoveEndpointRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    endpoint_id: Required[str]


class RemoveEndpointResponse(TypedDict, total=False):
    id: Required[str]
    deleted: Required[bool]


class RemoveMembersRequest(TypedDict, total=False):
    key: Required[str]
    subscriber_ids: Required[list[str]]


class RemoveMembersResponse(TypedDict, total=False):
    removed: Required[int]


class ReplaceSubscriberRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    first_name: str
    last_name: str
    email: str
    phone: str
    avatar: str
    locale: str
    timezone: str
    data: dict[str, Any]
    record_version: int


class RequirementExplanation(TypedDict, total=False):
    gate: RequirementGate
    others: Required[list[ReceiptExplanation]]
    others_left_out: Required[int]
    next_steps: Required[list[str]]


class RequirementGate(TypedDict, total=False):
    id: Required[str]
    receipt_type: Required[str]
    status: Required[str]
    reasons: Required[list[str]]
    receipt_id: Required[str]


class RestoreDefinitionRequest(TypedDict, total=False):
    id: Required[str]


class ResumeQueueRequest(TypedDict, total=False):
    pool_id: Required[str]


class ResumeRecipientRequest(TypedDict, total=False):
    recipient_id: Required[str]


class RetryAllOperation(TypedDict, total=False):
    operation_id: Required[str]
    state: Required[Literal["running", "completed", "cancelled"]]
    retried: Required[int]
    skipped: Required[int]
    started_at: str
    finished_at: str
    kind: Required[str]
    filter: Required[str]
    total: Required[int]
    looked_at: Required[int]
    changed: Required[int]
    started_by: Required[str]


class RetryAllRequest(TypedDict, total=False):
    pool_id: Required[str]
    key: str
    error_type: str
    failed_before: str
    rate: int
    filter: str


class RetryRequest(TypedDict, total=False):
    pool_id: Required[str]
    queue_item_ids: Required[list[str]]


class RetryRunRequest(TypedDict, total=False):
    run_id: Required[str]


class RevokeApiKeyRequest(TypedDict, total=False):
    id: Required[str]


class RevokeConnectSessionRequest(TypedDict, total=False):
    connect_session_id: Required[str]


class RevokeConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]


class RollbackHandle(TypedDict, total=False):
    kind: Required[str]
    id: Required[str]
    version: Required[int]
    digest: Required[str]


class RollbackRequest(TypedDict, total=False):
    candidate_id: Required[str]
    reason: str


class RotateSecretRequest(TypedDict, total=False):
    webhook_id: Required[str]
    overlap_seconds: int


class RouteBatchRequest(TypedDict, total=False):
    pool_id: Required[str]
    routes: Required[list[RouteEntry]]


class RouteBatchResponse(TypedDict, total=False):
    results: Required[list[RouteResult]]


class RouteEntry(TypedDict, total=False):
    key: str
    attributes: dict[str, Any]
    required_labels: dict[str, str]
    skills: dict[str, int]
    priority: int
    cost: int
    reserve: bool
    reserve_seconds: int
    explain: bool


class RoutePreview(TypedDict, total=False):
    outcome: Required[Literal["routed", "rejected", "redirected", "no_recipient"]]
    recipient_id: str
    redirect_pool_id: str
    reason: str
    rules: Required[list[PreviewedRule]]
    explanation: Required[list[CandidateExplanation]]
    explanation_left_out: int


class RouteRequest(TypedDict, total=False):
    pool_id: Required[str]
    key: str
    attributes: dict[str, Any]
    required_labels: dict[str, str]
    skills: dict[str, int]
    priority: int
    cost: int
    reserve: bool
    reserve_seconds: int
    explain: bool


class RouteResult(TypedDict, total=False):
    index: Required[int]
    routing: Routing
    error: BatchError


class Routing(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    tenant_id: Required[str]
    recipient_id: Required[str]
    strategy: Required[Literal["weighted_random", "round_robin", "least_loaded", "two_choice", "priority", "sticky_hash", "longest_idle", "skills"]]
    key: Required[str]
    priority: Required[int]
    cost: Required[int]
    pool_version: Required[int]
    matched_rule_ids: Required[list[str]]
    redirected_from: Required[list[str]]
    reserved_until: str
    candidate_count: Required[int]
    explanation: Required[list[CandidateExplanation]]
    verification: RoutingVerification
    created_at: str
    explanation_left_out: int
    candidate_id: str


class RoutingContent(TypedDict, total=False):
    config: PoolConfig
    rules: list[RuleContent]


class RoutingVerification(TypedDict, total=False):
    matches: Required[bool]
    complete: Required[bool]
    recipient_id: Required[str]


class Rule(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    tenant_id: Required[str]
    name: Required[str]
    order: Required[int]
    enabled: Required[bool]
    condition: Required[str]
    action: RuleAction
    evaluation_errors: Required[int]
    record_version: Required[int]
    created_at: str
    updated_at: str


class RuleAction(TypedDict, total=False):
    restrict: RecipientSelector
    prefer: RecipientSelector
    set_priority: SetPriorityAction
    redirect: RedirectAction
    reject: RejectAction


class RuleContent(TypedDict, total=False):
    name: Required[str]
    order: int
    enabled: bool
    condition: str
    action: Required[RuleAction]


class RunEvent(TypedDict, total=False):
    event_id: Required[str]
    event_key: Required[str]
    payload: Any
    published_at: str


class RunSuiteRequest(TypedDict, total=False):
    suite_id: Required[str]
    environment_id: Required[str]
    mode: Required[Literal["sandbox", "dry_run"]]
    pack_id: str


class RuntimeReceipt(TypedDict, total=False):
    report_id: Required[str]
    contract_sha256: Required[str]


class SampleRatio(TypedDict, total=False):
    phase: Required[int]
    p_value: Required[float]
    chi_square: Required[float]
    chi_square_p_value: Required[float]
    mismatch: Required[bool]
    arms: Required[list[ArmRatio]]


class ScenarioReceipt(TypedDict, total=False):
    passed: int
    failed: int
    skipped: int


class ScheduleRange(TypedDict, total=False):
    days: Required[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]]
    start: Required[str]
    end: Required[str]


class Score(TypedDict, total=False):
    score_id: Required[str]
    metric: Required[str]
    value: Required[float]
    occurred_at: str
    eligible: Required[bool]
    variant: Required[str]
    phase: Required[int]


class ScoreEntry(TypedDict, total=False):
    score_id: Required[str]
    receipt: str
    unit_id: str
    metric: Required[str]
    value: float
    occurred_at: str


class ScoreResult(TypedDict, total=False):
    index: Required[int]
    score: Score
    error: BatchError


class SendEndpointConfirmationRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    endpoint_id: Required[str]
    page_url: str


class SendEndpointConfirmationResponse(TypedDict, total=False):
    transaction_id: Required[str]
    delivery_id: Required[str]
    status: Required[str]
    reason_code: Required[str]
    expires_at: str


class ServiceReport(TypedDict, total=False):
    name: Required[str]
    methods: Required[list[MethodReport]]


class ServicesReport(TypedDict, total=False):
    contract_sha256: Required[str]
    services: Required[list[ServiceReport]]


class SetChangeControlRequest(TypedDict, total=False):
    pool_id: Required[str]
    change_control: Required[Literal["open", "governed"]]
    record_version: int


class SetDefaultLayoutRequest(TypedDict, total=False):
    layout_id: Required[str]


class SetLegalHoldRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    held: bool
    reason: str
    reference: str


class SetPoolEnabledRequest(TypedDict, total=False):
    pool_id: Required[str]
    enabled: Required[bool]
    record_version: int


class SetPriorityAction(TypedDict, total=False):
    priority: Required[int]


class Setting(TypedDict, total=False):
    key: Required[str]
    type: Required[str]
    unit: Required[str]
    default: Any
    description: Required[str]
    scope: Required[str]


class SettleBatchRequest(TypedDict, total=False):
    pool_id: Required[str]
    settlements: Required[list[SettleEntry]]


class SettleBatchResponse(TypedDict, total=False):
    results: Required[list[SettleResult]]


class SettleEntry(TypedDict, total=False):
    queue_item_id: Required[str]
    lease_token: Required[str]
    outcome: Required[Literal["complete", "fail", "release", "reject", "extend"]]
    result: Any
    error: str
    error_type: str
    retryable: bool
    delay_ms: int
    lease_seconds: int
    progress: ItemProgress


class SettleResult(TypedDict, total=False):
    index: Required[int]
    queue_item_id: Required[str]
    state: Required[str]
    attempts: Required[int]
    deliveries: Required[int]
    not_before: str
    settled_at: str
    lease_expires_at: str
    error: BatchError


class Settlement(TypedDict, total=False):
    queue_item_id: Required[str]
    state: Required[Literal["scheduled", "ready", "leased", "retry_wait", "completed", "dead", "cancelled", "expired", "superseded"]]
    attempts: Required[int]
    deliveries: Required[int]
    not_before: str
    settled_at: str
    lease_expires_at: str


class SideSamples(TypedDict, total=False):
    count: Required[int]
    samples: Required[int]


class SignalRunRequest(TypedDict, total=False):
    run_id: Required[str]
    event_key: Required[str]
    event_id: str
    payload: Any


class SignalRunResponse(TypedDict, total=False):
    event_id: Required[str]
    duplicate: Required[bool]


class SingletonConfig(TypedDict, total=False):
    key: Required[str]
    mode: Required[Literal["skip", "cancel", "keep_latest"]]
    ttl_seconds: int


class StartCanaryRequest(TypedDict, total=False):
    candidate_id: Required[str]
    share_bps: int
    max_seconds: int


class StartExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]
    record_version: int


class StartRunRequest(TypedDict, total=False):
    definition_id: str
    definition_key: str
    version: int
    input: Any
    run_key: str


class StartRunResponse(TypedDict, total=False):
    run: WorkflowRun
    started: Required[bool]


class StickyConfig(TypedDict, total=False):
    key: Required[str]


class StopCanaryRequest(TypedDict, total=False):
    candidate_id: Required[str]


class StopExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]
    reason: Required[str]
    record_version: int


class StrategyContent(TypedDict, total=False):
    strategy: Required[Literal["weighted_random", "round_robin", "least_loaded", "two_choice", "priority", "sticky_hash", "longest_idle", "skills"]]
    sticky: StickyConfig
    outlier: OutlierConfig


class StrategyReceipt(TypedDict, total=False):
    trials: int
    baseline: float
    candidate: float


class StreamAuthorization(TypedDict, total=False):
    read_roles: list[str]
    append_roles: list[str]
    ack_roles: list[str]


class StreamCeilings(TypedDict, total=False):
    unread_items: int
    unread_bytes: int
    total_items: int
    total_bytes: int


class StreamConsumer(TypedDict, total=False):
    consumer_id: Required[str]
    acknowledged_sequence: Required[int]
    unread_items: Required[int]
    unread_bytes: Required[int]
    created_at: str
    updated_at: str


class StreamEnd(TypedDict, total=False):
    latest_sequence: Required[int]


class StreamEntry(TypedDict, total=False):
    id: Required[str]
    run_id: Required[str]
    name: Required[str]
    environment: Required[str]
    created_at: str


class StreamGone(TypedDict, total=False):
    requested_sequence: Required[int]
    earliest_sequence: Required[int]
    latest_sequence: Required[int]
    resync_reason: Required[str]


class StreamLegalHold(TypedDict, total=False):
    reason: Required[str]
    reference: Required[str]
    set_by: Required[str]
    set_at: str


class StreamObject(TypedDict, total=False):
    object_id: Required[str]
    state: Required[str]
    digest: Required[str]
    size: Required[int]
    content_type: Required[str]
    schema: Required[str]
    expires_at: str
    upload_path: Required[str]
    authorization_receipt: str
    sequence: int


class StreamObjectRef(TypedDict, total=False):
    object_id: Required[str]
    size: Required[int]
    digest: Required[str]
    schema: Required[str]


class StreamProducer(TypedDict, total=False):
    id: Required[str]
    epoch: int
    sequence: int


class StreamRecord(TypedDict, total=False):
    sequence: Required[int]
    kind: Required[str]
    content_type: Required[str]
    payload: Any
    bytes: str
    object: StreamObjectRef
    appended_at: str
    producer: StreamProducer


class StreamRedaction(TypedDict, total=False):
    json_pointers: list[str]


class StreamRetention(TypedDict, total=False):
    max_age_seconds: int
    max_records: int
    max_bytes: int


class SubmitConnectSessionRequest(TypedDict, total=False):
    connect_session_id: Required[str]
    fields: dict[str, Any]


class SubscribeRequest(TypedDict, total=False):
    cursor: str
    kinds: list[Literal["admission_group", "admission_group.cleared", "anomaly", "anomaly.alert", "anomaly.closed", "anomaly.opened", "broadcast", "broadcast.cancelled", "broadcast.completed", "broadcast.completed_with_failures", "broadcast.delivering", "broadcast.expanding", "conformance", "conformance.reported", "connect_session", "connect_session.authorizing", "connect_session.connected", "connect_session.created", "connect_session.expired", "connect_session.failed", "connect_session.revoked", "connection", "connection.active", "connection.deleted", "connection.disabled", "connection.needs_reauth", "connection.refresh_failing", "connection.refreshed", "connection.revoked", "connector_execution", "connector_execution.cancelled", "connector_execution.failed", "connector_execution.outcome_unknown", "connector_execution.queued", "connector_execution.running", "connector_execution.succeeded", "connector_execution.waiting", "connector_trigger", "connector_trigger.dropped", "connector_trigger.fired", "console_session", "console_session.ended", "console_session.started", "delivery", "delivery.failed", "delivery.observed", "delivery.sent", "delivery.skipped", "endpoint", "endpoint.removed", "endpoint.suppressed", "endpoint.updated", "evidence_pack", "evidence_pack.archived", "evidence_pack.changed", "evidence_pack.created", "evidence_run", "evidence_run.cancelled", "evidence_run.expired", "evidence_run.failed", "evidence_run.pending", "evidence_run.running", "evidence_run.succeeded", "experiment", "experiment.breached", "experiment.completed", "experiment.deleted", "experiment.draft", "experiment.paused", "experiment.phase_opened", "experiment.running", "experiment.srm", "experiment.stopped", "integration", "integration.created", "integration.deleted", "integration.updated", "layout", "layout.created", "layout.deleted", "layout.updated", "notice", "notice.deleted", "notice.updated", "notification_dead_letter", "notification_dead_letter.opened", "notification_dead_letter.redriven", "notification_dead_letter.resolved", "pool", "pool.activated", "pool.canary_changed", "pool.created", "pool.deleted", "pool.updated", "preference", "preference.deleted", "preference.updated", "promotion", "promotion.aborted", "promotion.approved", "promotion.blocked", "promotion.canary", "promotion.canary_stopped", "promotion.created", "promotion.failed", "promotion.guarded", "promotion.preflighted", "promotion.promoted", "promotion.promoting", "promotion.rejected", "promotion.rolled_back", "promotion.rolling_back", "provider_config", "provider_config.active", "provider_config.archived", "provider_config.disabled", "provider_config.draft", "queue", "queue.paused", "queue.resumed", "queue_item", "queue_item.cancelled", "queue_item.coalesced", "queue_item.completed", "queue_item.dead", "queue_item.drained", "queue_item.enqueued", "queue_item.expired", "queue_item.extended", "queue_item.lease_expired", "queue_item.leased", "queue_item.purged", "queue_item.quarantined", "queue_item.ready", "queue_item.redirected", "queue_item.redriven", "queue_item.released", "queue_item.retry_scheduled", "queue_item.superseded", "queue_item.unquarantined", "recipient", "recipient.created", "recipient.deleted", "recipient.ejected", "recipient.half_opened", "recipient.offline", "recipient.online", "recipient.recovered", "recipient.updated", "routing", "routing.redirected", "rule", "rule.created", "rule.deleted", "rule.updated", "subscriber", "subscriber.created", "subscriber.deleted", "subscriber.updated", "tenant", "tenant.created", "tenant.deleted", "tenant.updated", "topic", "topic.created", "topic.deleted", "topic.updated", "webhook", "webhook.created", "webhook.deleted", "webhook.disabled", "webhook.exhausted", "webhook.gap", "webhook.updated", "workflow_definition", "workflow_definition.archived", "workflow_definition.draft", "workflow_definition.published", "workflow_run", "workflow_run.cancelled", "workflow_run.cancelling", "workflow_run.failed", "workflow_run.pending", "workflow_run.running", "workflow_run.succeeded", "workflow_step", "workflow_step.failed"]]


class SubscribeResponse(TypedDict, total=False):
    cursor: Required[str]
    event: Event


class Subscriber(TypedDict, total=False):
    id: Required[str]
    external_id: Required[str]
    first_name: str
    last_name: str
    email: str
    phone: str
    avatar: str
    locale: str
    timezone: str
    data: dict[str, Any]
    active: Required[bool]
    created_at: str
    updated_at: str
    record_version: Required[int]
    created: bool


class SubscriberServiceSubscribeRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    topic_key: Required[str]
    context_keys: list[str]


class Subscription(TypedDict, total=False):
    subscriber_id: Required[str]
    topic_key: Required[str]
    context_keys: Required[list[str]]
    created_at: str


class Tenant(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    status: Required[Literal["active", "suspended", "deleted"]]
    plan: Required[str]
    quotas: Required[dict[str, int]]
    limits: TenantLimits
    settings: dict[str, Any]
    environments: Required[list[str]]
    created_at: str
    updated_at: str
    record_version: Required[int]


class TenantLimits(TypedDict, total=False):
    rps: int
    concurrency: int
    queue_depth: int
    storage_bytes: int


class TestWebhookRequest(TypedDict, total=False):
    webhook_id: Required[str]


class ThrottleConfig(TypedDict, total=False):
    key: str
    limit: Required[int]
    period_ms: Required[int]
    burst: int


class Topic(TypedDict, total=False):
    id: Required[str]
    key: Required[str]
    name: Required[str]
    description: Required[str]
    metadata: dict[str, Any]
    member_count: Required[int]
    created_at: str
    updated_at: str
    record_version: Required[int]


class TopicMember(TypedDict, total=False):
    subscriber_id: Required[str]
    context_keys: Required[list[str]]
    joined_at: str


class TriggerRequest(TypedDict, total=False):
    workflow_key: Required[str]
    subscriber_external_id: str
    subscriber: TriggerRequest_InlineSubscriber
    subscriber_id: str
    topic: str
    channels: list[Literal["email", "sms", "push", "chat", "in_app"]]
    overrides: dict[str, TriggerRequest_ChannelOverride]
    user_id: str
    payload: dict[str, Any]
    transaction_id: str
    wait_ms: int


class TriggerRequest_ChannelOverride(TypedDict, total=False):
    subject: str
    body: str
    provider: dict[str, Any]


class TriggerRequest_InlineSubscriber(TypedDict, total=False):
    first_name: str
    last_name: str
    email: str
    phone: str
    avatar: str
    locale: str
    timezone: str
    data: dict[str, Any]


class TriggerResponse(TypedDict, total=False):
    transaction_id: Required[str]
    outcomes: Required[list[TriggerResponse_Outcome]]
    broadcast: Broadcast


class TriggerResponse_Outcome(TypedDict, total=False):
    channel: Required[str]
    endpoint_id: str
    delivery_id: Required[str]
    outcome: str
    status: Required[str]
    reason_code: Required[str]
    failure: Failure
    retry_at: str


class TriggerSubscription(TypedDict, total=False):
    id: Required[str]
    connection_id: Required[str]
    trigger_key: Required[str]
    config: dict[str, Any]
    filter: Required[str]
    target: TriggerTarget
    status: Required[str]
    status_reason: Required[str]
    hook_url: str
    secret: str
    secret_version: Required[int]
    poll_seconds: int
    waiting: Required[int]
    last_event_at: str
    tenant_id: Required[str]
    environment: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class TriggerTarget(TypedDict, total=False):
    pool_id: str
    workflow_key: str


class UnavailableAnomaly(TypedDict, total=False):
    id: Required[str]
    pool_id: Required[str]
    error: BatchError


class UnavailableCandidate(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    error: BatchError


class UnavailableExperiment(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    error: BatchError


class UnavailableNotice(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    error: BatchError


class UnavailablePack(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    error: BatchError


class UnavailablePool(TypedDict, total=False):
    pool_id: Required[str]
    name: Required[str]
    error: BatchError


class UnavailableTopic(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    error: BatchError


class UnavailableWebhook(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    error: BatchError


class UnitMetric(TypedDict, total=False):
    metric: Required[str]
    scores: Required[int]
    sum: Required[float]
    covariate: float


class UnitsOfDay(TypedDict, total=False):
    day: Required[str]
    variant: Required[str]
    units: Required[int]


class UnsubscribeRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    topic_key: Required[str]


class UnsubscribeResponse(TypedDict, total=False):
    topic_key: Required[str]
    deleted: Required[bool]


class UpdateConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]
    name: str
    metadata: dict[str, Any]
    record_version: int


class UpdateExperimentRequest(TypedDict, total=False):
    experiment_id: Required[str]
    name: str
    description: str
    hash_version: Literal["sha256_v1", "fnv1a_v2"]
    salt: str
    variants: list[Variant]
    coverage: float
    targeting: str
    group: ExperimentGroupShare
    overrides: dict[str, str]
    metrics: list[Metric]
    analysis: Analysis
    scores_close_at: str
    carry: Literal["keep", "exclude"]
    record_version: int


class UpdateIntegrationRequest(TypedDict, total=False):
    integration_id: Required[str]
    name: Required[str]
    provider_key: Required[Literal["smtp", "webhook", "slack", "twilio", "fcm", "web_push", "inbox", "sink"]]
    connection_id: str
    priority: int
    active: bool
    condition: str
    casing_override: Literal["snake_case", "camelCase", "PascalCase", "kebab-case", "CONSTANT_CASE", "none"]
    metadata: dict[str, Any]
    rate: IntegrationRate
    on_unknown: Literal["hold", "resend"]
    record_version: int


class UpdateLayoutRequest(TypedDict, total=False):
    layout_id: Required[str]
    name: Required[str]
    engine: Required[Literal["handlebars", "liquid"]]
    body: Required[str]
    version: Required[int]


class UpdateMonitorRequest(TypedDict, total=False):
    monitor_id: Required[str]
    record_version: int
    scope: Literal["pool", "recipients"]
    metric: Literal["enqueue_rate", "completion_rate", "failure_ratio", "dead_rate", "wait_seconds", "latency_ms", "depth", "unroutable_rate"]
    method: Literal["zscore", "iqr", "rate_change", "pattern"]
    interval_seconds: int
    window_points: int
    min_points: int
    direction: Literal["both", "above", "below"]
    threshold: float
    multiplier: float
    drop: float
    min_base: float
    patterns: list[Literal["same_side", "trend", "alternating", "two_of_three", "flatline"]]
    seasonality: Literal["none", "hour_of_day", "hour_of_week"]
    time_zone: str
    open_after: int
    close_after: int
    cooldown_seconds: int
    pause_seconds: int
    actions: list[Literal["log", "alert", "auto-pause", "deprioritize"]]
    notify: AnomalyNotify


class UpdatePackRequest(TypedDict, total=False):
    environment_id: Required[str]
    pack_id: Required[str]
    name: Required[str]
    labels: dict[str, str]
    requirements: list[EvidenceRequirement]
    record_version: int


class UpdatePoolRequest(TypedDict, total=False):
    pool_id: Required[str]
    name: str
    description: str
    strategy: Literal["weighted_random", "round_robin", "least_loaded", "two_choice", "priority", "sticky_hash", "longest_idle", "skills"]
    config: PoolConfig
    record_version: int


class UpdateProviderConfigRequest(TypedDict, total=False):
    provider_config_id: Required[str]
    name: str
    client_id: str
    client_secret: str
    scopes: list[str]
    config: dict[str, Any]
    allowed_return_origins: list[str]
    record_version: int


class UpdateRecipientRequest(TypedDict, total=False):
    recipient_id: Required[str]
    name: str
    status: Literal["STATUS_ACTIVE", "STATUS_PAUSED", "STATUS_DRAINING"]
    weight: int
    capacity: int
    tier: int
    labels: dict[str, str]
    skills: dict[str, int]
    metadata: dict[str, Any]
    record_version: int


class UpdateRuleRequest(TypedDict, total=False):
    rule_id: Required[str]
    name: str
    order: int
    enabled: bool
    condition: str
    action: RuleAction
    record_version: int


class UpdateTenantRequest(TypedDict, total=False):
    tenant_id: Required[str]
    name: str
    status: Literal["active", "suspended"]
    plan: str
    quotas: dict[str, int]
    limits: TenantLimits
    settings: dict[str, Any]
    environments: list[str]
    record_version: int


class UpdateTopicRequest(TypedDict, total=False):
    key: Required[str]
    name: str
    description: str
    metadata: dict[str, Any]
    record_version: int


class UpdateTriggerSubscriptionRequest(TypedDict, total=False):
    trigger_subscription_id: Required[str]
    config: dict[str, Any]
    filter: str
    target: TriggerTarget
    status: Literal["active", "disabled"]
    secret: str
    poll_seconds: int
    record_version: int


class UpdateWebhookRequest(TypedDict, total=False):
    webhook_id: Required[str]
    record_version: int
    name: str
    url: str
    kinds: list[Literal["admission_group", "admission_group.cleared", "anomaly", "anomaly.alert", "anomaly.closed", "anomaly.opened", "broadcast", "broadcast.cancelled", "broadcast.completed", "broadcast.completed_with_failures", "broadcast.delivering", "broadcast.expanding", "conformance", "conformance.reported", "connect_session", "connect_session.authorizing", "connect_session.connected", "connect_session.created", "connect_session.expired", "connect_session.failed", "connect_session.revoked", "connection", "connection.active", "connection.deleted", "connection.disabled", "connection.needs_reauth", "connection.refresh_failing", "connection.refreshed", "connection.revoked", "connector_execution", "connector_execution.cancelled", "connector_execution.failed", "connector_execution.outcome_unknown", "connector_execution.queued", "connector_execution.running", "connector_execution.succeeded", "connector_execution.waiting", "connector_trigger", "connector_trigger.dropped", "connector_trigger.fired", "console_session", "console_session.ended", "console_session.started", "delivery", "delivery.failed", "delivery.observed", "delivery.sent", "delivery.skipped", "endpoint", "endpoint.removed", "endpoint.suppressed", "endpoint.updated", "evidence_pack", "evidence_pack.archived", "evidence_pack.changed", "evidence_pack.created", "evidence_run", "evidence_run.cancelled", "evidence_run.expired", "evidence_run.failed", "evidence_run.pending", "evidence_run.running", "evidence_run.succeeded", "experiment", "experiment.breached", "experiment.completed", "experiment.deleted", "experiment.draft", "experiment.paused", "experiment.phase_opened", "experiment.running", "experiment.srm", "experiment.stopped", "integration", "integration.created", "integration.deleted", "integration.updated", "layout", "layout.created", "layout.deleted", "layout.updated", "notice", "notice.deleted", "notice.updated", "notification_dead_letter", "notification_dead_letter.opened", "notification_dead_letter.redriven", "notification_dead_letter.resolved", "pool", "pool.activated", "pool.canary_changed", "pool.created", "pool.deleted", "pool.updated", "preference", "preference.deleted", "preference.updated", "promotion", "promotion.aborted", "promotion.approved", "promotion.blocked", "promotion.canary", "promotion.canary_stopped", "promotion.created", "promotion.failed", "promotion.guarded", "promotion.preflighted", "promotion.promoted", "promotion.promoting", "promotion.rejected", "promotion.rolled_back", "promotion.rolling_back", "provider_config", "provider_config.active", "provider_config.archived", "provider_config.disabled", "provider_config.draft", "queue", "queue.paused", "queue.resumed", "queue_item", "queue_item.cancelled", "queue_item.coalesced", "queue_item.completed", "queue_item.dead", "queue_item.drained", "queue_item.enqueued", "queue_item.expired", "queue_item.extended", "queue_item.lease_expired", "queue_item.leased", "queue_item.purged", "queue_item.quarantined", "queue_item.ready", "queue_item.redirected", "queue_item.redriven", "queue_item.released", "queue_item.retry_scheduled", "queue_item.superseded", "queue_item.unquarantined", "recipient", "recipient.created", "recipient.deleted", "recipient.ejected", "recipient.half_opened", "recipient.offline", "recipient.online", "recipient.recovered", "recipient.updated", "routing", "routing.redirected", "rule", "rule.created", "rule.deleted", "rule.updated", "subscriber", "subscriber.created", "subscriber.deleted", "subscriber.updated", "tenant", "tenant.created", "tenant.deleted", "tenant.updated", "topic", "topic.created", "topic.deleted", "topic.updated", "webhook", "webhook.created", "webhook.deleted", "webhook.disabled", "webhook.exhausted", "webhook.gap", "webhook.updated", "workflow_definition", "workflow_definition.archived", "workflow_definition.draft", "workflow_definition.published", "workflow_run", "workflow_run.cancelled", "workflow_run.cancelling", "workflow_run.failed", "workflow_run.pending", "workflow_run.running", "workflow_run.succeeded", "workflow_step", "workflow_step.failed"]]
    status: Literal["active", "disabled"]
    ordering: Literal["none", "subject", "strict"]
    max_in_flight: int
    headers: dict[str, str]


class UploadObjectRequest(TypedDict, total=False):
    run_id: str
    stream_id: str
    object_id: str
    data: bytes
    object_receipt: str


class UpsertEndpointRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    channel: Required[Literal["email", "sms", "push", "chat", "in_app"]]
    provider_key: str
    identity: Required[str]
    connection_id: str
    verified: bool
    metadata: dict[str, Any]


class UpsertSubscriberRequest(TypedDict, total=False):
    external_id: Required[str]
    first_name: str
    last_name: str
    email: str
    phone: str
    avatar: str
    locale: str
    timezone: str
    data: dict[str, Any]


class UserPreference(TypedDict, total=False):
    workflow_key: Required[str]
    user_id: Required[str]
    preference: PreferenceSettings
    updated_at: str


class ValidateRuleRequest(TypedDict, total=False):
    condition: str
    pool_id: str
    action: RuleAction


class ValidateRuleResponse(TypedDict, total=False):
    valid: Required[bool]
    errors: Required[list[ExpressionProblem]]


class Variant(TypedDict, total=False):
    key: Required[str]
    weight: float
    control: bool
    payload: Any


class VariantResult(TypedDict, total=False):
    variant: Required[str]
    n: Required[int]
    mean: float
    variance: float
    difference: Effect
    lift: Effect
    status: Required[str]
    reason: Required[str]


class VariantUnits(TypedDict, total=False):
    variant: Required[str]
    control: Required[bool]
    units: Required[int]


class VerifyConnectionRequest(TypedDict, total=False):
    connection_id: Required[str]


class VerifyEndpointRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    endpoint_id: Required[str]


class WaitForEventRequest(TypedDict, total=False):
    run_id: Required[str]
    event_key: Required[str]
    after_event_id: str
    wait_ms: int


class WaitForEventResponse(TypedDict, total=False):
    event: RunEvent


class WatchInboxRequest(TypedDict, total=False):
    subscriber_id: Required[str]
    after_sequence: int


class WatchInboxResponse(TypedDict, total=False):
    message: InboxMessage
    count: InboxCount


class WatchPoolsRequest(TypedDict, total=False):
    pool_ids: Required[list[str]]
    include_recipients: bool
    interval_ms: int


class WatchPoolsResponse(TypedDict, total=False):
    pools: LivePools


class Webhook(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    url: Required[str]
    kinds: Required[list[str]]
    environment: str
    status: Required[str]
    disabled_reason: str
    signing: Required[str]
    ordering: Required[str]
    max_in_flight: Required[int]
    header_names: Required[list[str]]
    failing_since: str
    last_gap: str
    public_key: str
    secret: str
    previous_secret_until: str
    tenant_id: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class WebhookDelivery(TypedDict, total=False):
    id: Required[str]
    webhook_id: Required[str]
    event_id: Required[str]
    kind: Required[str]
    subject: Required[str]
    state: Required[Literal["pending", "sending", "retry_wait", "delivered", "exhausted", "held"]]
    attempts: Required[int]
    last_status: Required[int]
    last_error: Required[str]
    next_attempt_at: str
    created_at: str
    updated_at: str
    body: str


class WebhookServiceGetDeliveryRequest(TypedDict, total=False):
    webhook_id: Required[str]
    delivery_id: Required[str]


class WebhookServiceListDeliveriesRequest(TypedDict, total=False):
    webhook_id: Required[str]
    limit: int
    cursor: str
    offset: int
    state: Literal["pending", "retry_wait", "delivered", "exhausted", "held"]


class WebhookServiceListDeliveriesResponse(TypedDict, total=False):
    deliveries: Required[list[WebhookDelivery]]
    next_page_token: Required[str]
    total: int


class WhoAmIRequest(TypedDict, total=False):
    pass


class WorkflowDefinition(TypedDict, total=False):
    id: Required[str]
    key: Required[str]
    name: Required[str]
    status: Required[str]
    draft: dict[str, Any]
    problems: Required[list[WorkflowProblem]]
    active_version: int
    latest_version: int
    tenant_id: Required[str]
    environment: Required[str]
    created_at: str
    updated_at: str
    record_version: Required[int]


class WorkflowError(TypedDict, total=False):
    code: Required[str]
    detail: Required[str]
    reason: Required[str]
    step_id: Required[str]
    outcome_unknown: Required[bool]


class WorkflowProblem(TypedDict, total=False):
    path: Required[str]
    code: Required[str]
    reason: Required[str]
    line: int
    column: int


class WorkflowRun(TypedDict, total=False):
    id: Required[str]
    definition_id: Required[str]
    definition_key: Required[str]
    version: Required[int]
    run_key: Required[str]
    environment: Required[str]
    tenant_id: Required[str]
    status: Required[str]
    input: Any
    output: Any
    error: WorkflowError
    waiting_for: Required[list[WorkflowWait]]
    idle_since: str
    incompatible: Required[bool]
    dismissed_at: str
    created_at: str
    updated_at: str
    ended_at: str
    record_version: Required[int]


class WorkflowStep(TypedDict, total=False):
    id: Required[str]
    type: Required[str]
    status: Required[str]
    attempt: Required[int]
    started_at: str
    ended_at: str
    output: Any
    error: WorkflowError
    waiting_for: Required[list[WorkflowWait]]


class WorkflowStream(TypedDict, total=False):
    id: Required[str]
    run_id: Required[str]
    tenant_id: Required[str]
    environment: Required[str]
    name: Required[str]
    content_classes: Required[list[str]]
    metadata_home: Required[str]
    metadata_replicas: Required[list[str]]
    object_regions: Required[list[str]]
    client_egress_regions: Required[list[str]]
    log_region: Required[str]
    retention: StreamRetention
    redaction: StreamRedaction
    authorization: StreamAuthorization
    ceilings: StreamCeilings
    overflow: Required[str]
    block_ms: Required[int]
    created_at: str
    state: Required[str]
    latest_sequence: Required[int]
    earliest_sequence: Required[int]
    unread_items: Required[int]
    unread_bytes: Required[int]
    total_bytes: Required[int]
    legal_hold: StreamLegalHold
    closed_at: str


class WorkflowStreamServiceSubscribeRequest(TypedDict, total=False):
    run_id: Required[str]
    stream_id: Required[str]
    after_sequence: int
    gone: Literal["event"]


class WorkflowStreamServiceSubscribeResponse(TypedDict, total=False):
    record: StreamRecord
    gone: StreamGone
    end: StreamEnd


class WorkflowVersion(TypedDict, total=False):
    definition_id: Required[str]
    version: Required[int]
    digest: Required[str]
    body: dict[str, Any]
    published_by: Required[str]
    published_at: str


class WorkflowWait(TypedDict, total=False):
    step_id: Required[str]
    kind: Required[str]
    event_key: str
    queue_item_id: str
    until: str
    execution_id: str
