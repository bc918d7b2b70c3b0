import test from "ava";
import { type ContractMethod, loadContract } from "./index.ts";

/**
 * What was decided about every method, written down once more by hand, so that a slip of the pen in a .proto is seen:
 * R read-only, I takes an Idempotency-Key, T repeats by lease token, N no effect, C cursor pages, INT internal-only.
 */
const decided = `
PoolService.CreatePool                | POST /api/pools | pool:write | | I
PoolService.GetPool                   | GET /api/pools/{pool_id} | pool:read | | R
PoolService.ListPools                 | GET /api/pools | pool:read | | R C
PoolService.UpdatePool                | PATCH /api/pools/{pool_id} | pool:write | | I
PoolService.SetPoolEnabled            | POST /api/pools/{pool_id}:set_enabled | pool:write | | I
PoolService.DeletePool                | DELETE /api/pools/{pool_id} | pool:delete | | I
PoolService.CreatePoolVersion         | POST /api/pools/{pool_id}/versions | pool_version:write | | I
PoolService.ListPoolVersions          | GET /api/pools/{pool_id}/versions | pool_version:read | | R C
PoolService.GetPoolVersion            | GET /api/pools/{pool_id}/versions/{version} | pool_version:read | | R
PoolService.SetChangeControl          | POST /api/pools/{pool_id}:set_change_control | pool:admin | admin | I
PromotionService.CreateCandidate      | POST /api/promotions/candidates | promotion:write | | I
PromotionService.GetCandidate         | GET /api/promotions/candidates/{candidate_id} | promotion:read | | R
PromotionService.ListCandidates       | GET /api/promotions/candidates | promotion:read | | R C
PromotionService.Preflight            | POST /api/promotions/candidates/{candidate_id}/preflight | promotion:write | | I
PromotionService.EvaluateGuardrails   | POST /api/promotions/candidates/{candidate_id}/guardrails/evaluate | promotion:write | | I
PromotionService.StartCanary          | POST /api/promotions/candidates/{candidate_id}/canary/start | promotion:write | | I
PromotionService.StopCanary           | POST /api/promotions/candidates/{candidate_id}/canary/stop | promotion:write | | I
PromotionService.Approve              | POST /api/promotions/candidates/{candidate_id}/approve | promotion_approval:write | admin promotion_approver | I audited
PromotionService.Promote              | POST /api/promotions/candidates/{candidate_id}/promote | promotion:admin | admin promotion_operator | I audited
PromotionService.Rollback             | POST /api/promotions/candidates/{candidate_id}/rollback | promotion:admin | admin promotion_operator | I audited
PromotionService.Abort                | POST /api/promotions/candidates/{candidate_id}/abort | promotion:write | | I
RecipientService.CreateRecipient      | POST /api/pools/{pool_id}/recipients | recipient:write | | I
RecipientService.ListRecipients       | GET /api/pools/{pool_id}/recipients | recipient:read | | R C
RecipientService.GetRecipient         | GET /api/recipients/{recipient_id} | recipient:read | | R
RecipientService.UpdateRecipient      | PATCH /api/recipients/{recipient_id} | recipient:write | | I
RecipientService.DeleteRecipient      | DELETE /api/recipients/{recipient_id} | recipient:delete | | I
RecipientService.PauseRecipient       | POST /api/recipients/{recipient_id}/pause | recipient:write | | I
RecipientService.ResumeRecipient      | POST /api/recipients/{recipient_id}/resume | recipient:write | | I
RecipientService.Heartbeat            | POST /api/recipients/{recipient_id}/heartbeat | recipient:write | | I
RuleService.CreateRule                | POST /api/pools/{pool_id}/rules | rule:write | | I
RuleService.ListRules                 | GET /api/pools/{pool_id}/rules | rule:read | | R C
RuleService.GetRule                   | GET /api/rules/{rule_id} | rule:read | | R
RuleService.UpdateRule                | PATCH /api/rules/{rule_id} | rule:write | | I
RuleService.DeleteRule                | DELETE /api/rules/{rule_id} | rule:delete | | I
RuleService.ValidateRule              | POST /api/rules/validate | rule:preview | | N
RoutingService.Route                  | POST /api/pools/{pool_id}:route | routing:write | | I
RoutingService.RouteBatch             | POST /api/pools/{pool_id}:route-batch | routing:write | | I
RoutingService.RouteStream            | | routing:write | | stream
RoutingService.GetRouting             | GET /api/routings/{routing_id} | routing:read | | R
OutcomeService.RecordOutcome          | POST /api/outcomes | outcome:write | | I
OutcomeService.RecordOutcomes         | POST /api/outcomes:batch | outcome:write | | I
QueueService.Enqueue                  | POST /api/queues/{pool_id}/items | queue_item:write | | I
QueueService.EnqueueBatch             | POST /api/queues/{pool_id}/items:batch | queue_item:write | | I
QueueService.ListItems                | GET /api/queues/{pool_id}/items | queue_item:read | | R C
QueueService.GetItem                  | GET /api/queues/{pool_id}/items/{queue_item_id} | queue_item:read | | R
QueueService.Claim                    | POST /api/queues/{pool_id}/items:claim | queue_item:write | | I
QueueService.SettleBatch              | POST /api/queues/{pool_id}/items:settle | queue_item:write | | I
QueueService.Complete                 | POST /api/queues/{pool_id}/items/{queue_item_id}/complete | queue_item:write | | T
QueueService.Fail                     | POST /api/queues/{pool_id}/items/{queue_item_id}/fail | queue_item:write | | T
QueueService.Release                  | POST /api/queues/{pool_id}/items/{queue_item_id}/release | queue_item:write | | T
QueueService.Reject                   | POST /api/queues/{pool_id}/items/{queue_item_id}/reject | queue_item:write | | T
QueueService.Extend                   | POST /api/queues/{pool_id}/items/{queue_item_id}/extend | queue_item:write | | T
QueueService.Cancel                   | POST /api/queues/{pool_id}/items/{queue_item_id}/cancel | queue_item:write | | I
QueueService.Work                     | | queue_item:write | | stream
QueueControlService.ListQueues        | GET /api/queues | queue:read | | R C
QueueControlService.GetQueueStatus    | GET /api/queues/{pool_id}/status | queue:read | | R
QueueControlService.PauseQueue        | POST /api/queues/{pool_id}/pause | queue:admin | admin | I audited
QueueControlService.ResumeQueue       | POST /api/queues/{pool_id}/resume | queue:admin | admin | I audited
QueueControlService.DrainQueue        | POST /api/queues/{pool_id}/drain | queue:admin | admin | I audited
AdmissionService.PreviewAdmission     | POST /api/queues/{pool_id}:preview-admission | queue:preview | | N
AdmissionService.ExplainAdmission     | GET /api/queues/{pool_id}/items/{queue_item_id}/admission-explanation | queue:read | | R
AdmissionService.ListAdmissionGroups  | GET /api/queues/admission-groups | queue:read | | R C
AdmissionService.GetAdmissionGroup    | GET /api/queues/{pool_id}/admission-groups/{constraint_kind}/{group_id} | queue:read | | R
AdmissionService.ClearAdmissionGroup  | POST /api/queues/{pool_id}/admission-groups/{constraint_kind}/{group_id}:clear | queue:write | | I audited
DeadLetterService.ListDeadLetters     | GET /api/dlq/{pool_id} | dlq:read | | R C
DeadLetterService.GetDeadLetterStats  | GET /api/dlq/{pool_id}/stats | dlq:read | | R
DeadLetterService.Retry               | POST /api/dlq/{pool_id}/retry | dlq:write | | I
DeadLetterService.RetryAll            | POST /api/dlq/{pool_id}/retry-all | dlq:write | | I
DeadLetterService.GetRetryAll         | GET /api/dlq/{pool_id}/retry-all/{operation_id} | dlq:read | | R
DeadLetterService.Quarantine          | POST /api/dlq/{pool_id}/quarantine | dlq:write | | I
DeadLetterService.Release             | POST /api/dlq/{pool_id}/release | dlq:write | | I
DeadLetterService.Purge               | POST /api/dlq/{pool_id}/purge | dlq:delete + dlq:delete | | I audited
ExperimentService.CreateExperiment    | POST /api/experiments | experiment:write | | I
ExperimentService.GetExperiment       | GET /api/experiments/{experiment_id} | experiment:read | | R
ExperimentService.ListExperiments     | GET /api/experiments | experiment:read | | R C
ExperimentService.UpdateExperiment    | PATCH /api/experiments/{experiment_id} | experiment:write | | I
ExperimentService.DeleteExperiment    | DELETE /api/experiments/{experiment_id} | experiment:delete | | I
ExperimentService.StartExperiment     | POST /api/experiments/{experiment_id}/start | experiment:write | | I
ExperimentService.PauseExperiment     | POST /api/experiments/{experiment_id}/pause | experiment:write | | I
ExperimentService.CompleteExperiment  | POST /api/experiments/{experiment_id}/complete | experiment:write | | I
ExperimentService.StopExperiment      | POST /api/experiments/{experiment_id}/stop | experiment:write | | I
ExperimentService.Assign              | POST /api/experiments/{experiment_id}/assign | experiment_assignment:write | | I
ExperimentService.AssignMany          | POST /api/experiments:assign | experiment_assignment:write | | I
ExperimentService.RecordExposures     | POST /api/experiments/{experiment_id}/exposures | experiment_assignment:write | | I
ExperimentService.RecordScore         | POST /api/experiments/{experiment_id}/scores | experiment_score:write | | I
ExperimentService.RecordScores        | POST /api/experiments/{experiment_id}/scores:batch | experiment_score:write | | I
ExperimentService.GetResults          | GET /api/experiments/{experiment_id}/results | experiment:read | | R
ExperimentService.GetUnit             | GET /api/experiments/{experiment_id}/units/{unit_id} | experiment:read | | R
ExperimentService.DeleteUnit          | DELETE /api/experiments/{experiment_id}/units/{unit_id} | experiment:delete | | I
ExperimentGroupService.CreateExperimentGroup | POST /api/experiment-groups | experiment:write | | I
ExperimentGroupService.GetExperimentGroup | GET /api/experiment-groups/{id} | experiment:read | | R
ExperimentGroupService.ListExperimentGroups | GET /api/experiment-groups | experiment:read | | R C
ExperimentGroupService.DeleteExperimentGroup | DELETE /api/experiment-groups/{id} | experiment:delete | | I
ApiKeyService.CreateApiKey            | POST /api/v2/api-keys | api_key:write + tenant:write | admin | I
ApiKeyService.ListApiKeys             | GET /api/v2/api-keys | api_key:read + tenant:read | admin | R C
ApiKeyService.GetApiKey               | GET /api/v2/api-keys/{id} | api_key:read | admin | R
ApiKeyService.RevokeApiKey            | POST /api/v2/api-keys/{id}/revoke | api_key:write + tenant:write | admin | I
ConnectorService.ListProviders        | GET /api/v2/connector/providers | connector:read | | R C
ConnectorService.GetProvider          | GET /api/v2/connector/providers/{key} | connector:read | | R
ConnectorService.ListActions          | GET /api/v2/connector/actions | connector:read | | R C
ConnectorService.GetAction            | GET /api/v2/connector/actions/{key} | connector:read | | R
ConnectorService.ListTriggers         | GET /api/v2/connector/triggers | connector:read | | R C
ConnectorService.GetTrigger           | GET /api/v2/connector/triggers/{key} | connector:read | | R
ConnectorService.ExecuteAction        | POST /api/v2/connector/actions/{key}:execute | connector_execution:write | | I
ConnectorService.PreviewAction        | POST /api/v2/connector/actions/{key}:preview | connector_execution:preview | | N
ConnectorService.GetExecution         | GET /api/v2/connector/executions/{execution_id} | connector_execution:read | | R
ConnectorService.ListExecutions       | GET /api/v2/connector/connections/{connection_id}/executions | connector_execution:read | | R C
ConnectorService.CancelExecution      | POST /api/v2/connector/executions/{execution_id}/cancel | connector_execution:write | | I
ConnectorService.GetEncryptionStatus  | GET /api/v2/connector/encryption | connector:admin | | INT R
ConnectorService.RotateCredentials    | POST /api/v2/connector/encryption:rotate | connector:admin | | INT I
ProviderConfigService.CreateProviderConfig | POST /api/v2/connector/provider-configs | provider_config:write | admin | I
ProviderConfigService.GetProviderConfig | GET /api/v2/connector/provider-configs/{provider_config_id} | provider_config:read | | R
ProviderConfigService.ListProviderConfigs | GET /api/v2/connector/provider-configs | provider_config:read | | R C
ProviderConfigService.UpdateProviderConfig | PATCH /api/v2/connector/provider-configs/{provider_config_id} | provider_config:write | admin | I
ProviderConfigService.ActivateProviderConfig | POST /api/v2/connector/provider-configs/{provider_config_id}:activate | provider_config:write | admin | I
ProviderConfigService.DisableProviderConfig | POST /api/v2/connector/provider-configs/{provider_config_id}:disable | provider_config:write | admin | I
ProviderConfigService.ArchiveProviderConfig | POST /api/v2/connector/provider-configs/{provider_config_id}:archive | provider_config:write | admin | I
ConnectSessionService.CreateConnectSession | POST /api/v2/connector/connect-sessions | connect_session:write | | I
ConnectSessionService.GetConnectSession | GET /api/v2/connector/connect-sessions/{connect_session_id} | connect_session:read | | R
ConnectSessionService.SubmitConnectSession | POST /api/v2/connector/connect-sessions/{connect_session_id}/submit | connect_session:write | | I
ConnectSessionService.RevokeConnectSession | POST /api/v2/connector/connect-sessions/{connect_session_id}/revoke | connect_session:write | | I
ConnectionService.GetConnection       | GET /api/v2/connector/connections/{connection_id} | connection:read | | R
ConnectionService.ListConnections     | GET /api/v2/connector/connections | connection:read | | R C
ConnectionService.UpdateConnection    | PATCH /api/v2/connector/connections/{connection_id} | connection:write | | I
ConnectionService.DeleteConnection    | DELETE /api/v2/connector/connections/{connection_id} | connection:delete | | I
ConnectionService.VerifyConnection    | POST /api/v2/connector/connections/{connection_id}:verify | connection:write | | I
ConnectionService.DisableConnection   | POST /api/v2/connector/connections/{connection_id}:disable | connection:write | | I
ConnectionService.EnableConnection    | POST /api/v2/connector/connections/{connection_id}:enable | connection:write | | I
ConnectionService.RevokeConnection    | POST /api/v2/connector/connections/{connection_id}:revoke | connection:delete | | I
TriggerSubscriptionService.CreateTriggerSubscription | POST /api/v2/connector/trigger-subscriptions | connector_trigger:write | | I
TriggerSubscriptionService.GetTriggerSubscription | GET /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} | connector_trigger:read | | R
TriggerSubscriptionService.ListTriggerSubscriptions | GET /api/v2/connector/trigger-subscriptions | connector_trigger:read | | R C
TriggerSubscriptionService.UpdateTriggerSubscription | PATCH /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} | connector_trigger:write | | I
TriggerSubscriptionService.DeleteTriggerSubscription | DELETE /api/v2/connector/trigger-subscriptions/{trigger_subscription_id} | connector_trigger:delete | | I
MetaService.WhoAmI                    | GET /api/_meta/whoami | meta:read | | R
TenantService.CreateTenant            | POST /api/tenants | tenant:admin | | I
TenantService.GetTenant               | GET /api/tenants/{tenant_id} | tenant:read | | R
TenantService.ListTenants             | GET /api/tenants | tenant:read | | R C
TenantService.UpdateTenant            | PATCH /api/tenants/{tenant_id} | tenant:write | admin | I
TenantService.DeleteTenant            | DELETE /api/tenants/{tenant_id} | tenant:admin | | I
TenantService.GetQuota                | GET /api/tenants/{tenant_id}/quota/{operation} | tenant:read | | R
TenantService.PutEntitlements         | PUT /api/tenants/{tenant_id}/entitlements | entitlement:write | service | INT I
TenantService.GetEntitlements         | GET /api/tenants/{tenant_id}/entitlements | entitlement:read | service | INT R
WorkflowDefinitionService.CreateDefinition    | POST /api/workflow-definitions | workflow_definition:write | | I
WorkflowDefinitionService.GetDefinition       | GET /api/workflow-definitions/{id} | workflow_definition:read | | R
WorkflowDefinitionService.ListDefinitions     | GET /api/workflow-definitions | workflow_definition:read | | R C
WorkflowDefinitionService.PatchDraft          | PATCH /api/workflow-definitions/{id}/draft | workflow_definition:write | | I
WorkflowDefinitionService.PublishDefinition   | POST /api/workflow-definitions/{id}/publish | workflow_definition:write | | I
WorkflowDefinitionService.DuplicateDefinition | POST /api/workflow-definitions/{id}/duplicate | workflow_definition:write | | I
WorkflowDefinitionService.ArchiveDefinition   | POST /api/workflow-definitions/{id}/archive | workflow_definition:write | | I
WorkflowDefinitionService.RestoreDefinition   | POST /api/workflow-definitions/{id}/restore | workflow_definition:write | | I
WorkflowDefinitionService.ActivateVersion     | POST /api/workflow-definitions/{id}/activate | workflow_definition:write | | I
WorkflowDefinitionService.ListVersions        | GET /api/workflow-definitions/{id}/versions | workflow_definition:read | | R C
WorkflowDefinitionService.GetVersion          | GET /api/workflow-definitions/{id}/versions/{version} | workflow_definition:read | | R
IntegrationService.CreateIntegration | POST /api/v2/notification/integrations | notification:write | | I
IntegrationService.GetIntegration    | GET /api/v2/notification/integrations/{integration_id} | notification:read | | R
IntegrationService.ListIntegrations  | GET /api/v2/notification/integrations | notification:read | | R C
IntegrationService.UpdateIntegration | PUT /api/v2/notification/integrations/{integration_id} | notification:write | | I
IntegrationService.DeleteIntegration | DELETE /api/v2/notification/integrations/{integration_id} | notification:write | | I
LayoutService.CreateLayout     | POST /api/v2/layouts | layout:write | | I
LayoutService.GetLayout        | GET /api/v2/layouts/{layout_id} | layout:read | | R
LayoutService.ListLayouts      | GET /api/v2/layouts | layout:read | | R C
LayoutService.UpdateLayout     | PUT /api/v2/layouts/{layout_id} | layout:write | | I
LayoutService.DeleteLayout     | DELETE /api/v2/layouts/{layout_id} | layout:write | | I
LayoutService.GetLayoutUsage   | GET /api/v2/layouts/{layout_id}/usage | layout:read | | R
LayoutService.SetDefaultLayout | POST /api/v2/layouts/{layout_id}:setDefault | layout:write | | I
LayoutService.DuplicateLayout  | POST /api/v2/layouts/{layout_id}:duplicate | layout:write | | I
LayoutService.PreviewLayout    | POST /api/v2/layouts/{layout_id}:preview | layout:read | | N
WorkflowRunService.StartRun      | POST /api/workflow-runs | workflow_run:write | | I
WorkflowRunService.GetRun        | GET /api/workflow-runs/{run_id} | workflow_run:read | | R
WorkflowRunService.ListRuns      | GET /api/workflow-runs | workflow_run:read | | R C
WorkflowRunService.ListSteps     | GET /api/workflow-runs/{run_id}/steps | workflow_run:read | | R C
WorkflowRunService.CancelRun     | POST /api/workflow-runs/{run_id}/cancel | workflow_run:write | | I
WorkflowRunService.RetryRun      | POST /api/workflow-runs/{run_id}/retry | workflow_run:write | | I
WorkflowRunService.DismissRun    | POST /api/workflow-runs/{run_id}/dismiss | workflow_run:write | | I
WorkflowRunService.GetRunFigures | GET /api/workflow-runs:figures | workflow_run:read | | INT R
MetaService.GetServices               | GET /api/_meta/services | meta:read | | R
CapabilityService.GetPosture          | GET /api/capabilities | capability:read | | R
CapabilityService.ListCapabilities    | GET /api/v2/capabilities | capability:read | | R C
CapabilityService.GetCapability       | GET /api/v2/capabilities/{id} | capability:read | | R
ConfigService.GetConfigSchema         | GET /api/config/schema | config:read | | R
ConfigService.ExportConfig            | GET /api/config/export | config:read | | R
EventService.Subscribe                | GET /api/events/subscribe | event:read | service | INT stream
RuntimeService.GetCluster             | GET /api/_meta/cluster | runtime:read | service | INT R
RuntimeService.DrainNode              | POST /api/_meta/cluster/nodes/{node_id}/drain | runtime:admin | service | INT N audited
RuntimeService.ListShards             | GET /api/_meta/shards | runtime:read | service | INT R
RuntimeService.ListActors             | GET /api/_meta/actors | runtime:read | service | INT R
WorkflowWaitService.WaitForEvent      | GET /api/workflow-runs/{run_id}/waits/{event_key} | workflow_run:read | | R
WorkflowWaitService.SignalRun         | POST /api/workflow-runs/{run_id}/signals | workflow_run:write | | I
WorkflowWaitService.Await             | | workflow_run:read | service | INT R
WorkflowWaitService.Publish           | | workflow_run:write | service | INT I
WorkflowStreamService.CreateStream    | POST /api/workflow-streams/runs/{run_id}/streams | workflow_stream:write | | I
WorkflowStreamService.GetStream       | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id} | workflow_stream:read | | R
WorkflowStreamService.ListStreams     | GET /api/workflow-streams/runs/{run_id}/streams | workflow_stream:read | | R C
WorkflowStreamService.AppendRecords   | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/records | workflow_stream:write | | I
WorkflowStreamService.ReadRecords     | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/records | workflow_stream:read | | R
WorkflowStreamService.Subscribe       | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/subscribe | workflow_stream:read | | stream
WorkflowStreamService.PutConsumer     | PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id} | workflow_stream:write | | I
WorkflowStreamService.DeleteConsumer  | DELETE /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id} | workflow_stream:write | | I
WorkflowStreamService.ListConsumers   | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers | workflow_stream:read | | R C
WorkflowStreamService.Acknowledge     | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id}/ack | workflow_stream:write | | I
WorkflowStreamService.PrepareObject   | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects | workflow_stream:write | | I
WorkflowStreamService.UploadObject    | PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id} | workflow_stream:write | | stream
WorkflowStreamService.CommitObject    | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}/commit | workflow_stream:write | | I
WorkflowStreamService.AbortObject     | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}/abort | workflow_stream:write | | I
WorkflowStreamService.GetObject       | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id} | workflow_stream:read | | stream
WorkflowStreamService.CloseStream     | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/close | workflow_stream:write | | I
WorkflowStreamService.SetLegalHold    | PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/legal-hold | workflow_stream:admin | | I audited
EvidenceService.CreatePack            | POST /api/rollout-evidence/packs | rollout_evidence:write | | I
EvidenceService.GetPack               | GET /api/rollout-evidence/packs/{environment_id}/{pack_id} | rollout_evidence:read | | R
EvidenceService.ListPacks             | GET /api/rollout-evidence/packs | rollout_evidence:read | | R C
EvidenceService.UpdatePack            | PUT /api/rollout-evidence/packs/{environment_id}/{pack_id} | rollout_evidence:write | | I
EvidenceService.AddArtifact           | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts | rollout_evidence:write | | I
EvidenceService.ListArtifacts         | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts | rollout_evidence:read | | R C
EvidenceService.GetArtifact           | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/artifacts/{artifact_id} | rollout_evidence:read | | R
EvidenceService.AddReceipt            | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/receipts | rollout_evidence:write | | I
EvidenceService.ListReceipts          | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/receipts | rollout_evidence:read | | R C
EvidenceService.StartRun              | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/runs | rollout_evidence:write | | I
EvidenceService.ListRuns              | GET /api/rollout-evidence/packs/{environment_id}/{pack_id}/runs | rollout_evidence:read | | R C
EvidenceService.GetRun                | GET /api/rollout-evidence/runs/{environment_id}/{run_id} | rollout_evidence:read | | R
EvidenceService.HeartbeatRun          | POST /api/rollout-evidence/runs/{environment_id}/{run_id}:heartbeat | rollout_evidence:write | | T
EvidenceService.CancelRun             | POST /api/rollout-evidence/runs/{environment_id}/{run_id}:cancel | rollout_evidence:write | | I
EvidenceService.EvaluateGate          | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}/gate:evaluate | rollout_evidence:write | | I
EvidenceService.ExplainPack           | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:explain | rollout_evidence:preview | | N
EvidenceService.ExportPack            | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:export | rollout_evidence:read | | N
EvidenceService.ArchivePack           | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:archive | rollout_evidence:write | | I
EvidenceService.AttachToPromotion     | POST /api/rollout-evidence/packs/{environment_id}/{pack_id}:attach-to-promotion | rollout_evidence:write | | I
EvidenceService.ExpandRequirements    | POST /api/rollout-evidence/requirements:expand | rollout_evidence:preview | | N
EvidenceService.GetKeys               | GET /api/rollout-evidence/keys | rollout_evidence:read | | R
SubscriberService.UpsertSubscriber    | POST /api/v2/notification/subscribers | notification:write | | I
SubscriberService.ListSubscribers     | GET /api/v2/notification/subscribers | notification:read | | R C
SubscriberService.GetSubscriber       | GET /api/v2/notification/subscribers/{subscriber_id} | notification:read | | R
SubscriberService.ReplaceSubscriber   | PUT /api/v2/notification/subscribers/{subscriber_id} | notification:write | | I
SubscriberService.DeleteSubscriber    | DELETE /api/v2/notification/subscribers/{subscriber_id} | notification:write | | I
SubscriberService.BatchUpsertSubscribers| POST /api/v2/notification/subscribers:batch | notification:write | | I
SubscriberService.UpsertEndpoint      | POST /api/v2/notification/subscribers/{subscriber_id}/endpoints | notification:write | | I
SubscriberService.ListEndpoints       | GET /api/v2/notification/subscribers/{subscriber_id}/endpoints | notification:read | | R C
SubscriberService.RemoveEndpoint      | DELETE /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id} | notification:write | | I
SubscriberService.Subscribe           | POST /api/v2/notification/subscribers/{subscriber_id}/subscriptions | notification:write | | I
SubscriberService.ListSubscriptions   | GET /api/v2/notification/subscribers/{subscriber_id}/subscriptions | notification:read | | R C
SubscriberService.Unsubscribe         | DELETE /api/v2/notification/subscribers/{subscriber_id}/subscriptions/{topic_key} | notification:write | | I
SubscriberService.PutPreference       | POST /api/v2/notification/subscribers/{subscriber_id}/preferences | notification:write | | I
SubscriberService.ListPreferences     | GET /api/v2/notification/subscribers/{subscriber_id}/preferences | notification:read | | R C
SubscriberService.DeletePreference    | DELETE /api/v2/notification/subscribers/{subscriber_id}/preferences/{preference_id} | notification:write | | I
SubscriberService.PreviewPreferences  | POST /api/v2/notification/subscribers/{subscriber_id}/preferences:preview | notification:read | | N
TopicService.CreateTopic              | POST /api/v2/notification/topics | notification:write | | I
TopicService.ListTopics               | GET /api/v2/notification/topics | notification:read | | R C
TopicService.GetTopic                 | GET /api/v2/notification/topics/{key} | notification:read | | R
TopicService.UpdateTopic              | PUT /api/v2/notification/topics/{key} | notification:write | | I
TopicService.DeleteTopic              | DELETE /api/v2/notification/topics/{key} | notification:write | | I
TopicService.AddMembers               | POST /api/v2/notification/topics/{key}/subscribers | notification:write | | I
TopicService.ListMembers              | GET /api/v2/notification/topics/{key}/subscribers | notification:read | | R C
TopicService.RemoveMembers            | POST /api/v2/notification/topics/{key}/subscribers:remove | notification:write | | I
NoticeService.ListNotices             | GET /api/v2/notification/workflows | notification:read | | R C
NoticeService.PutNotice               | PUT /api/v2/notification/workflows/{workflow_key} | notification:write | | I
NoticeService.GetNotice               | GET /api/v2/notification/workflows/{workflow_key} | notification:read | | R
NoticeService.DeleteNotice            | DELETE /api/v2/notification/workflows/{workflow_key} | notification:write | | I
NoticeService.PutUserPreference       | PUT /api/v2/notification/workflows/{workflow_key}/users/{user_id} | notification:write | | I
NoticeService.GetUserPreference       | GET /api/v2/notification/workflows/{workflow_key}/users/{user_id} | notification:read | | R
NoticeService.DeleteUserPreference    | DELETE /api/v2/notification/workflows/{workflow_key}/users/{user_id} | notification:write | | I
NotificationService.Trigger           | POST /api/v2/notifications/trigger | notification:write | | I
NotificationService.GetBroadcast      | GET /api/v2/notifications/broadcasts/{transaction_id} | notification:read | | R
NotificationService.CancelBroadcast   | POST /api/v2/notifications/broadcasts/{transaction_id}:cancel | notification:write | | I
NotificationService.ListDeliveries    | GET /api/v2/notifications/deliveries | notification:read | | R C
NotificationService.GetDelivery       | GET /api/v2/notifications/deliveries/{delivery_id} | notification:read | | R
NotificationService.ListObservations  | GET /api/v2/notifications/deliveries/{delivery_id}/observations | notification:read | | R C
NotificationService.ListDeadLetters   | GET /api/v2/notifications/dead-letters | notification:read | | R C
NotificationService.GetDeadLetter     | GET /api/v2/notifications/dead-letters/{dead_letter_id} | notification:read | | R
NotificationService.RedriveDeadLetter | POST /api/v2/notifications/dead-letters/{dead_letter_id}:redrive | notification:admin | | I
NotificationService.RedriveDeadLetters| POST /api/v2/notifications/dead-letters:redrive | notification:admin | | I
NotificationService.RecordObservations| POST /api/v2/notifications/observations | notification_observation:write | service | INT I
InboxService.ListInbox                | GET /api/v2/notification/subscribers/{subscriber_id}/inbox | notification:read | | R C
InboxService.MarkInbox                | POST /api/v2/notification/subscribers/{subscriber_id}/inbox:mark | notification:write | | I
InboxService.WatchInbox               | GET /api/v2/notification/subscribers/{subscriber_id}/inbox/subscribe | notification:read | | stream
ConformanceService.ListSuites         | GET /api/runtime-conformance/suites | conformance:read | | R C
ConformanceService.GetSuite           | GET /api/runtime-conformance/suites/{suite_id} | conformance:read | | R
ConformanceService.RunSuite           | POST /api/runtime-conformance/suites/{suite_id}:run | conformance:write | | I
ConformanceService.ListReports        | GET /api/runtime-conformance/reports | conformance:read | | R C
ConformanceService.GetReport          | GET /api/runtime-conformance/reports/{environment_id}/{report_id} | conformance:read | | R
ConformanceService.ExplainReport      | POST /api/runtime-conformance/reports/{environment_id}:explain | conformance:preview | | N
`;

test("every method has the address, the permission and the behaviour that was decided", (t) => {
  const lines = decided
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((part) => part.trim()));
  const methods = loadContract().methods;
  t.deepEqual(methods.map(lineOf).sort(byName), lines.sort(byName));
});

test("a method has the governance of its service, and its own where it differs", (t) => {
  const of = (name: string) => loadContract().byName.get(name)!.governance;
  t.like(of("CapabilityService.GetCapability"), { lifecycle: "supported", audience: "tenant" });
  t.like(of("CapabilityService.GetPosture"), { lifecycle: "operational", audience: "tenant" });
  t.deepEqual(of("RuntimeService.ListShards"), {
    lifecycle: "internal",
    audience: "internal",
    authenticationRequired: true,
    authorizationRequired: true,
    resource: "runtime",
    action: "read",
    scopes: [],
    roles: ["service"],
    internalOnly: true,
  });
});

test("quotas name the operations that were decided, and a batch costs the length of its list", (t) => {
  const counted = loadContract().methods.flatMap(({ name, quota }) => (quota ? [[name, quota]] : []));
  t.deepEqual(Object.fromEntries(counted), {
    "ConnectorService.ExecuteAction": { operation: "connector_execute" },
    "NotificationService.Trigger": { operation: "notification_trigger" },
    "OutcomeService.RecordOutcome": { operation: "outcome" },
    "OutcomeService.RecordOutcomes": { operation: "outcome", lengthOf: "outcomes" },
    "QueueService.Enqueue": { operation: "enqueue" },
    "QueueService.EnqueueBatch": { operation: "enqueue", lengthOf: "items" },
    "RoutingService.Route": { operation: "route" },
    "RoutingService.RouteBatch": { operation: "route", lengthOf: "routes" },
    "RoutingService.RouteStream": { operation: "route" },
    "WorkflowStreamService.PrepareObject": { operation: "object_bytes", amountOf: "size" },
    "WorkflowStreamService.AppendRecords": { operation: "stream_append", lengthOf: "records" },
    "WorkflowRunService.StartRun": { operation: "workflow_run" },
  });
});

test("no method that changes something is bound to GET: a page of another site may send one", (t) => {
  const methods = loadContract().methods.filter(({ rest }) => rest.some(({ verb }) => verb === "GET"));
  t.true(methods.length > 0);
  // A server stream changes nothing: it has one request, and only tells.
  for (const { name, readOnly, kind } of methods) t.true(readOnly || kind === "server_streaming", name);
});

function lineOf(method: ContractMethod): string[] {
  const { resource, action, scopes, roles } = method.governance;
  return [
    method.name,
    method.rest.map(({ verb, template }) => `${verb} ${template}`).join(", "),
    [`${resource}:${action}`, ...scopes].join(" + "),
    roles.join(" "),
    flagsOf(method).join(" "),
  ];
}

function flagsOf(method: ContractMethod): string[] {
  return [
    ...(method.governance.internalOnly ? ["INT"] : []),
    ...(method.kind === "unary" ? [] : ["stream"]),
    ...(method.readOnly ? ["R"] : []),
    ...(method.idempotent ? ["I"] : []),
    ...(method.kind === "unary" && !method.readOnly && !method.idempotent ? [repeatOf(method)] : []),
    ...(method.pagination?.convention === "cursor" ? ["C"] : []),
    ...(method.audit === "always" ? ["audited"] : []),
  ];
}

/** What is neither read-only nor repeated by key is fenced by a token, or does nothing. */
function repeatOf({ descriptor }: ContractMethod): string {
  return descriptor.input.fields.some(({ name }) => name === "lease_token") ? "T" : "N";
}

function byName([a]: readonly string[], [b]: readonly string[]): number {
  return a! < b! ? -1 : 1;
}
