/** What a metric says of itself on the page. */
export function helpOf(name: string): string {
  return help[name] ?? name;
}

/** The table of docs/operations.md; a test compares the two. */
export function metricsMarkdown(): string {
  const rows = Object.entries(catalogue).flatMap(([labels, metrics]) =>
    Object.entries(metrics).map(([name, text]) => `| \`${name}\` | ${labels || "–"} | ${text} |`),
  );
  return ["| metric | labels | what it says |", "|---|---|---|", ...rows].join("\n");
}

/** Every metric of ours and what it says, by its labels. */
const catalogue: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "method, protocol, plane, code": {
    service_request_duration_seconds:
      "Histogram: time from the first byte of a call to its answer; the count is the number of calls.",
  },
  "method, protocol, plane": {
    service_streams_open: "Streams and long polls under way.",
  },
  "method, protocol": {
    service_deprecated_calls_total: "Calls of deprecated methods.",
  },
  "method, reason": {
    service_entitlement_grace_admits_total:
      "Calls let in that strict enforcement of entitlements would refuse (entitlement.enforcement).",
  },
  "plane, kind": {
    service_credentials_accepted_total:
      "Calls whose credentials were good, by kind (api_key, bearer, session, certificate, anonymous).",
  },
  "plane, kind, reason": {
    service_credentials_refused_total:
      "Calls whose credentials were refused. An API key that is unknown, wrong, expired or revoked is always invalid.",
  },
  "plane, code": {
    service_denials_total: "Calls of known callers that may not do what they asked for.",
  },
  "channel, provider, result": {
    service_notification_attempts_total: "Attempts to deliver a notification, by what came of them.",
  },
  "channel, provider, status": {
    service_notification_deliveries_total:
      "Deliveries that came to a status (queued, running, sent, failed, skipped); the provider is empty before one is chosen.",
  },
  tier: {
    service_notification_lag_seconds:
      "Histogram: time from the creation of a delivery to its first attempt, by tier (direct, broadcast).",
  },
  "way, result": {
    service_sign_ins_total:
      "Sign-ins of people by their way (oidc, api_key): ok, or the reason of the refusal, or its code where it has none.",
  },
  operation: {
    service_queue_operations_total:
      "What happened to items of queues (enqueued, claimed, completed, failed, dead, expired, cancelled), ten seconds late at most; like all service_queue metrics lost with a thread for as long.",
  },
  "strategy, result": {
    service_routes_total:
      "Routing decisions by the strategy of their pool: routed, redirected, rejected (by a rule), unroutable (no recipient is eligible), refused (for any other reason).",
  },
  reason: {
    service_experiment_assignments_total: "Assignments of units to variants, by what decided them.",
  },
  "operation, result": {
    service_promotions_total: "Operations of promotions: ok, or the code of the refusal.",
  },
  "": {
    service_canaries_active: "Canaries of promotions that decide a share of the keys.",
    service_queue_oldest_ready_seconds: "Age of the item that has been ready longest, of all tenants.",
    service_queue_wait_seconds: "Histogram: time from ready to leased; the count is the items handed out.",
    service_notification_render_kills_total:
      "Render threads that were replaced because a template took too long or too much.",
    service_redis_failures_total:
      "Calls whose limit Redis did not decide (only with ratelimit.backend=redis).",
    service_redis_threads_connected: "Threads that reach Redis (only with ratelimit.backend=redis).",
    service_audit_entries_total: "Audit entries written since the start (only with an audit.sink).",
    service_audit_lost_total:
      "Calls that should be in the audit log and are not: too many waited to be written.",
    service_audit_waiting: "Audit entries that wait to be written.",
    service_audit_position:
      "Number of the last audit entry; note it elsewhere to see a log that was cut off.",
    service_shards_ready: "Shards that are open; must equal the number of shards of this node.",
    service_cluster_list_version:
      "Version of the list of nodes; it rises when a node joins, leaves or is suspected (all service_cluster and service_link metrics: only on Cassandra).",
    service_cluster_shards_held: "Shards of this node.",
    service_cluster_shards_share: "Shards that this node should have by the list of nodes.",
    service_cluster_shards_unheld: "Shards that no node is known to hold: their callers wait.",
    service_cluster_moves_running: "Shards on their way to this node.",
    service_cluster_shards_given_total: "Shards that this node gave to others that asked for them.",
    service_cluster_move_duration_seconds:
      "Histogram: time from asking another node for a shard until it was open here; the count is the shards moved here.",
    service_cluster_takeover_duration_seconds:
      "Histogram: time from the moment in which no node was known to hold a shard until it was open here, also at a start; of a kill it is the fail-over.",
    service_cluster_nodes_removed_total:
      "Nodes that this one removed from the list because their heartbeats had stopped.",
    service_cluster_heartbeat_age_seconds:
      "Since the last heartbeat of this node that Cassandra took; above 2 it refuses changes.",
  },
  outcome: {
    service_notification_renders_total:
      "Templates that were rendered or checked: ok, or the code of the failure.",
  },
  result: {
    service_webhook_attempts_total:
      "Attempts to send an event to a webhook, by the class of the answer (1xx to 5xx), none where there was no answer.",
  },
  "provider, status": {
    service_connector_executions_total:
      "Executions of actions that came to a status (queued, running, waiting, succeeded, failed, outcome_unknown, cancelled).",
  },
  "provider, result": {
    service_connector_refreshes_total: "Refreshes of tokens that ended (refreshed, refresh_failing).",
  },
  "provider, kind": {
    service_connector_trigger_events_total:
      "Events of trigger subscriptions that were taken (webhook, polling).",
  },
  status: {
    service_workflow_runs_total:
      "Workflow runs that came to a status (pending, running, succeeded, failed, cancelling, cancelled).",
  },
  "type, status": {
    service_workflow_step_duration_seconds:
      "Histogram: time from the start of a step to its end, by type of step and how it ended.",
  },
  refused: {
    service_egress_denied_total:
      "Outgoing calls to addresses that are not allowed, refused or only counted (egress.mode).",
  },
  state: {
    service_queue_items: "Items that wait or are leased, by state (scheduled, ready, leased, retry_wait).",
    service_cluster_nodes:
      "Nodes by state: member, leaving (gives its shards away), silent (in the list, and not heard here).",
  },
  node: {
    service_link_silent_seconds:
      "Since anything was heard of a node over its link; nodes speak every 250 ms.",
    service_link_calls: "Calls to a node that wait for their answer.",
    service_link_unread_bytes: "Sent to a node and not said to have been read; it says so every 256 KiB.",
    service_link_sent_bytes_total: "Bytes of frames sent to a node; begins anew with a new link.",
    service_link_received_bytes_total: "Bytes of frames received from a node; begins anew with a new link.",
  },
  thread: {
    service_thread_answered: "1: the thread's stats are on this page; 0: it did not give them in time.",
    service_thread_busy_seconds_total:
      "Time a thread did not wait for something to do; its rate is how busy it is, and near 1 it is full.",
    service_thread_heap_bytes: "What a thread has in its JavaScript heap, garbage included.",
    service_thread_heap_limit_bytes: "How much that may be: a thread that needs more ends the process.",
    service_commit_duration_seconds:
      "Histogram: time from the start of a batch's append to its being durable.",
    service_timer_lateness_seconds:
      "Histogram: how long after its time a timer fired; the count is the timers fired.",
    service_mailbox_depth: "Commands that wait in front of entities.",
    service_mailbox_bytes: "Bytes of the commands that wait in front of entities.",
    service_mailbox_refused_total: "Commands refused because too many waited: 429 to a caller.",
    service_long_polls_waiting: "Commands that wait inside entities for something to happen.",
    service_effects_running: "Calls to the outside under way.",
    service_effects_waiting: "Calls to the outside whose time has come and that wait for a place.",
    service_entities_in_memory: "Entities in memory.",
    service_entities_bytes: "What entities in memory take, estimated.",
    service_entities_failing: "Entities that failed within the last minute, or are isolated.",
    service_entity_activations_total: "Entities brought into memory.",
    service_entity_restarts_total: "Entities that failed and were brought back from their rows.",
    service_passivations_total: "Idle entities that were forgotten.",
    service_replies_held: "Answers that wait for their commit.",
    service_committed_bytes_total: "Bytes of journal entries that became durable.",
    service_checkpoints_total: "Writes to the tables.",
    service_checkpoint_rows_total: "Rows written to the tables.",
    service_checkpoint_waiting_bytes: "Rows in the journal that the tables do not have yet.",
    service_checkpoint_pinned_bytes: "What those rows keep in memory, with what stands beside them.",
    service_timers_in_memory: "Timers of the next minute.",
    service_outbox_in_memory: "Messages between entities that have not arrived yet.",
  },
  shard: {
    service_shard_mailbox_depth:
      "Commands that wait in front of the entities of a shard: most of them are in a hot one.",
    service_shard_mailbox_bytes: "Bytes of the commands that wait in front of the entities of a shard.",
    service_shard_entities: "Entities a shard knows.",
    service_shard_buffer_bytes: "Rows of a shard that the tables do not have yet.",
    service_shard_commits_total: "Appends of a shard that became durable.",
    service_shard_committed_commands_total: "Commands in them; by commits, the size of a batch.",
    service_shard_commit_seconds_total: "What they took; by commits, the time of one.",
    service_shard_tenures_total: "How often its thread has opened a shard; growing means it was lost.",
    service_shard_failures_total:
      "Ownership terms that ended by an error of the runtime's own; the log has the stack.",
  },
};

const help: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(catalogue));
