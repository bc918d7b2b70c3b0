# Written by `npm run contract:build` from protos/gen/surface.json.
"""One class for each group of calls. Names are those of the commands: `pools set-enabled` is `pools.set_enabled`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._call import CallOptions
from ._follow import AsyncEvents as AsyncServerEvents
from ._follow import Events as ServerEvents
from ._pages import AsyncPages, Pages
from ._transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _types as t

class Admission:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewAdmissionRequest]) -> t.PreviewAdmissionResponse:
        """Says what would become of an item, in the pool that rules send it to. Nothing is enqueued, no token is taken."""
        answer: t.PreviewAdmissionResponse = self._transport.call("AdmissionService.PreviewAdmission", options, dict(request))
        return answer

    def explain(self, options: CallOptions | None = None, /, **request: Unpack[t.ExplainAdmissionRequest]) -> t.AdmissionExplanation:
        """Says what holds an item back."""
        answer: t.AdmissionExplanation = self._transport.call("AdmissionService.ExplainAdmission", options, dict(request))
        return answer


class AsyncAdmission:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewAdmissionRequest]) -> t.PreviewAdmissionResponse:
        """Says what would become of an item, in the pool that rules send it to. Nothing is enqueued, no token is taken."""
        answer: t.PreviewAdmissionResponse = await self._transport.call("AdmissionService.PreviewAdmission", options, dict(request))
        return answer

    async def explain(self, options: CallOptions | None = None, /, **request: Unpack[t.ExplainAdmissionRequest]) -> t.AdmissionExplanation:
        """Says what holds an item back."""
        answer: t.AdmissionExplanation = await self._transport.call("AdmissionService.ExplainAdmission", options, dict(request))
        return answer


class AdmissionGroups:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListAdmissionGroupsRequest]) -> Pages[t.AdmissionGroup]:
        """Lists groups of one pool, or of all pools, pool by pool."""
        return Pages(self._transport, "AdmissionService.ListAdmissionGroups", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetAdmissionGroupRequest]) -> t.AdmissionGroup:
        """Returns one group."""
        answer: t.AdmissionGroup = self._transport.call("AdmissionService.GetAdmissionGroup", options, dict(request))
        return answer

    def clear(self, options: CallOptions | None = None, /, **request: Unpack[t.ClearAdmissionGroupRequest]) -> t.AdmissionGroup:
        """Ends a singleton, debounce or throttle group: its key is free, its item fires, its tokens are back."""
        answer: t.AdmissionGroup = self._transport.call("AdmissionService.ClearAdmissionGroup", options, dict(request))
        return answer


class AsyncAdmissionGroups:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListAdmissionGroupsRequest]) -> AsyncPages[t.AdmissionGroup]:
        """Lists groups of one pool, or of all pools, pool by pool."""
        return AsyncPages(self._transport, "AdmissionService.ListAdmissionGroups", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetAdmissionGroupRequest]) -> t.AdmissionGroup:
        """Returns one group."""
        answer: t.AdmissionGroup = await self._transport.call("AdmissionService.GetAdmissionGroup", options, dict(request))
        return answer

    async def clear(self, options: CallOptions | None = None, /, **request: Unpack[t.ClearAdmissionGroupRequest]) -> t.AdmissionGroup:
        """Ends a singleton, debounce or throttle group: its key is free, its item fires, its tokens are back."""
        answer: t.AdmissionGroup = await self._transport.call("AdmissionService.ClearAdmissionGroup", options, dict(request))
        return answer


class AnomalyMonitors:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateMonitorRequest]) -> t.AnomalyMonitor:
        """Creates a monitor, which measures from now on. Its actions need what they do: auto-pause queue:admin, or of recipients recipient:write, as deprioritize; notify notification:write."""
        answer: t.AnomalyMonitor = self._transport.call("AnomalyService.CreateMonitor", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListMonitorsRequest]) -> Pages[t.AnomalyMonitor]:
        """Lists the monitors of a pool by id, oldest first."""
        return Pages(self._transport, "AnomalyService.ListMonitors", options, dict(request))

    def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewMonitorRequest]) -> t.PreviewMonitorResponse:
        """Says what a monitor with these settings would make of given values. Nothing is stored."""
        answer: t.PreviewMonitorResponse = self._transport.call("AnomalyService.PreviewMonitor", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetMonitorRequest]) -> t.AnomalyMonitor:
        """Returns one monitor."""
        answer: t.AnomalyMonitor = self._transport.call("AnomalyService.GetMonitor", options, dict(request))
        return answer

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateMonitorRequest]) -> t.AnomalyMonitor:
        """Changes the named fields of a monitor. REST takes a merge patch instead of update_mask. A monitor that measures something else begins anew."""
        answer: t.AnomalyMonitor = self._transport.call("AnomalyService.UpdateMonitor", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteMonitorRequest]) -> t.DeleteMonitorResponse:
        """Deletes a monitor, and closes its anomalies."""
        answer: t.DeleteMonitorResponse = self._transport.call("AnomalyService.DeleteMonitor", options, dict(request))
        return answer


class AsyncAnomalyMonitors:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateMonitorRequest]) -> t.AnomalyMonitor:
        """Creates a monitor, which measures from now on. Its actions need what they do: auto-pause queue:admin, or of recipients recipient:write, as deprioritize; notify notification:write."""
        answer: t.AnomalyMonitor = await self._transport.call("AnomalyService.CreateMonitor", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListMonitorsRequest]) -> AsyncPages[t.AnomalyMonitor]:
        """Lists the monitors of a pool by id, oldest first."""
        return AsyncPages(self._transport, "AnomalyService.ListMonitors", options, dict(request))

    async def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewMonitorRequest]) -> t.PreviewMonitorResponse:
        """Says what a monitor with these settings would make of given values. Nothing is stored."""
        answer: t.PreviewMonitorResponse = await self._transport.call("AnomalyService.PreviewMonitor", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetMonitorRequest]) -> t.AnomalyMonitor:
        """Returns one monitor."""
        answer: t.AnomalyMonitor = await self._transport.call("AnomalyService.GetMonitor", options, dict(request))
        return answer

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateMonitorRequest]) -> t.AnomalyMonitor:
        """Changes the named fields of a monitor. REST takes a merge patch instead of update_mask. A monitor that measures something else begins anew."""
        answer: t.AnomalyMonitor = await self._transport.call("AnomalyService.UpdateMonitor", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteMonitorRequest]) -> t.DeleteMonitorResponse:
        """Deletes a monitor, and closes its anomalies."""
        answer: t.DeleteMonitorResponse = await self._transport.call("AnomalyService.DeleteMonitor", options, dict(request))
        return answer


class Anomalies:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListAnomaliesRequest]) -> Pages[t.Anomaly]:
        """Lists anomalies, the newest first. Without a pool or a monitor the list may lag behind a change by a moment."""
        return Pages(self._transport, "AnomalyService.ListAnomalies", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetAnomalyRequest]) -> t.Anomaly:
        """Returns one anomaly."""
        answer: t.Anomaly = self._transport.call("AnomalyService.GetAnomaly", options, dict(request))
        return answer

    def close(self, options: CallOptions | None = None, /, **request: Unpack[t.CloseAnomalyRequest]) -> t.Anomaly:
        """Closes an anomaly by hand. What it paused stays paused for its time."""
        answer: t.Anomaly = self._transport.call("AnomalyService.CloseAnomaly", options, dict(request))
        return answer


class AsyncAnomalies:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListAnomaliesRequest]) -> AsyncPages[t.Anomaly]:
        """Lists anomalies, the newest first. Without a pool or a monitor the list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "AnomalyService.ListAnomalies", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetAnomalyRequest]) -> t.Anomaly:
        """Returns one anomaly."""
        answer: t.Anomaly = await self._transport.call("AnomalyService.GetAnomaly", options, dict(request))
        return answer

    async def close(self, options: CallOptions | None = None, /, **request: Unpack[t.CloseAnomalyRequest]) -> t.Anomaly:
        """Closes an anomaly by hand. What it paused stays paused for its time."""
        answer: t.Anomaly = await self._transport.call("AnomalyService.CloseAnomaly", options, dict(request))
        return answer


class ApiKeys:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListApiKeysRequest]) -> Pages[t.ApiKey]:
        """Lists the tenant's keys, revoked ones among them."""
        return Pages(self._transport, "ApiKeyService.ListApiKeys", options, dict(request))

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateApiKeyRequest]) -> t.ApiKey:
        """Creates a key. The answer has its secret, this once: it is stored nowhere, and a repeat with the same Idempotency-Key returns the key without it."""
        answer: t.ApiKey = self._transport.call("ApiKeyService.CreateApiKey", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetApiKeyRequest]) -> t.ApiKey:
        """Returns one key, without its secret."""
        answer: t.ApiKey = self._transport.call("ApiKeyService.GetApiKey", options, dict(request))
        return answer

    def revoke(self, options: CallOptions | None = None, /, **request: Unpack[t.RevokeApiKeyRequest]) -> t.ApiKey:
        """Revokes a key for good: within a second no request with it is taken. Revoking it again changes nothing."""
        answer: t.ApiKey = self._transport.call("ApiKeyService.RevokeApiKey", options, dict(request))
        return answer


class AsyncApiKeys:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListApiKeysRequest]) -> AsyncPages[t.ApiKey]:
        """Lists the tenant's keys, revoked ones among them."""
        return AsyncPages(self._transport, "ApiKeyService.ListApiKeys", options, dict(request))

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateApiKeyRequest]) -> t.ApiKey:
        """Creates a key. The answer has its secret, this once: it is stored nowhere, and a repeat with the same Idempotency-Key returns the key without it."""
        answer: t.ApiKey = await self._transport.call("ApiKeyService.CreateApiKey", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetApiKeyRequest]) -> t.ApiKey:
        """Returns one key, without its secret."""
        answer: t.ApiKey = await self._transport.call("ApiKeyService.GetApiKey", options, dict(request))
        return answer

    async def revoke(self, options: CallOptions | None = None, /, **request: Unpack[t.RevokeApiKeyRequest]) -> t.ApiKey:
        """Revokes a key for good: within a second no request with it is taken. Revoking it again changes nothing."""
        answer: t.ApiKey = await self._transport.call("ApiKeyService.RevokeApiKey", options, dict(request))
        return answer


class Capabilities:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def posture(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPostureRequest]) -> t.Posture:
        """Returns the condition of every feature."""
        answer: t.Posture = self._transport.call("CapabilityService.GetPosture", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListCapabilitiesRequest]) -> Pages[t.Capability]:
        """Lists capabilities: the active ones, and others when asked for."""
        return Pages(self._transport, "CapabilityService.ListCapabilities", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetCapabilityRequest]) -> t.Capability:
        """Returns one capability."""
        answer: t.Capability = self._transport.call("CapabilityService.GetCapability", options, dict(request))
        return answer


class AsyncCapabilities:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def posture(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPostureRequest]) -> t.Posture:
        """Returns the condition of every feature."""
        answer: t.Posture = await self._transport.call("CapabilityService.GetPosture", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListCapabilitiesRequest]) -> AsyncPages[t.Capability]:
        """Lists capabilities: the active ones, and others when asked for."""
        return AsyncPages(self._transport, "CapabilityService.ListCapabilities", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetCapabilityRequest]) -> t.Capability:
        """Returns one capability."""
        answer: t.Capability = await self._transport.call("CapabilityService.GetCapability", options, dict(request))
        return answer


class Config:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def schema(self, options: CallOptions | None = None, /, **request: Unpack[t.GetConfigSchemaRequest]) -> t.ConfigSchema:
        """Describes every dynamic setting: type, unit, default and reason."""
        answer: t.ConfigSchema = self._transport.call("ConfigService.GetConfigSchema", options, dict(request))
        return answer

    def export(self, options: CallOptions | None = None, /, **request: Unpack[t.ExportConfigRequest]) -> Any:
        """Returns the values of the caller's tenant as YAML. UNAVAILABLE unless dynamic_config.enabled."""
        answer: Any = self._transport.call("ConfigService.ExportConfig", options, dict(request))
        return answer


class AsyncConfig:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def schema(self, options: CallOptions | None = None, /, **request: Unpack[t.GetConfigSchemaRequest]) -> t.ConfigSchema:
        """Describes every dynamic setting: type, unit, default and reason."""
        answer: t.ConfigSchema = await self._transport.call("ConfigService.GetConfigSchema", options, dict(request))
        return answer

    async def export(self, options: CallOptions | None = None, /, **request: Unpack[t.ExportConfigRequest]) -> Any:
        """Returns the values of the caller's tenant as YAML. UNAVAILABLE unless dynamic_config.enabled."""
        answer: Any = await self._transport.call("ConfigService.ExportConfig", options, dict(request))
        return answer


class Conformance:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_suites(self, options: CallOptions | None = None, /, **request: Unpack[t.ListSuitesRequest]) -> Pages[t.ConformanceSuite]:
        """Lists the suites, and `all` at the end."""
        return Pages(self._transport, "ConformanceService.ListSuites", options, dict(request))

    def get_suite(self, options: CallOptions | None = None, /, **request: Unpack[t.GetSuiteRequest]) -> t.ConformanceSuite:
        """Returns one suite with its cases."""
        answer: t.ConformanceSuite = self._transport.call("ConformanceService.GetSuite", options, dict(request))
        return answer

    def run_suite(self, options: CallOptions | None = None, /, **request: Unpack[t.RunSuiteRequest]) -> t.ConformanceReport:
        """Runs a suite against this node: `sandbox` in a tenant that is made for the run and purged after it, `dry_run` only what changes nothing, in the caller's tenant. A live environment takes dry runs only."""
        answer: t.ConformanceReport = self._transport.call("ConformanceService.RunSuite", options, dict(request))
        return answer

    def list_reports(self, options: CallOptions | None = None, /, **request: Unpack[t.ListReportsRequest]) -> Pages[t.ConformanceReport]:
        """Lists the tenant's reports, newest first, without their results."""
        return Pages(self._transport, "ConformanceService.ListReports", options, dict(request))

    def get_report(self, options: CallOptions | None = None, /, **request: Unpack[t.GetReportRequest]) -> t.ConformanceReport:
        """Returns one report."""
        answer: t.ConformanceReport = self._transport.call("ConformanceService.GetReport", options, dict(request))
        return answer

    def explain_report(self, options: CallOptions | None = None, /, **request: Unpack[t.ExplainReportRequest]) -> t.ConformanceExplanation:
        """Says what fails in a report, and what has changed since the one before of the same suite and mode."""
        answer: t.ConformanceExplanation = self._transport.call("ConformanceService.ExplainReport", options, dict(request))
        return answer


class AsyncConformance:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list_suites(self, options: CallOptions | None = None, /, **request: Unpack[t.ListSuitesRequest]) -> AsyncPages[t.ConformanceSuite]:
        """Lists the suites, and `all` at the end."""
        return AsyncPages(self._transport, "ConformanceService.ListSuites", options, dict(request))

    async def get_suite(self, options: CallOptions | None = None, /, **request: Unpack[t.GetSuiteRequest]) -> t.ConformanceSuite:
        """Returns one suite with its cases."""
        answer: t.ConformanceSuite = await self._transport.call("ConformanceService.GetSuite", options, dict(request))
        return answer

    async def run_suite(self, options: CallOptions | None = None, /, **request: Unpack[t.RunSuiteRequest]) -> t.ConformanceReport:
        """Runs a suite against this node: `sandbox` in a tenant that is made for the run and purged after it, `dry_run` only what changes nothing, in the caller's tenant. A live environment takes dry runs only."""
        answer: t.ConformanceReport = await self._transport.call("ConformanceService.RunSuite", options, dict(request))
        return answer

    def list_reports(self, options: CallOptions | None = None, /, **request: Unpack[t.ListReportsRequest]) -> AsyncPages[t.ConformanceReport]:
        """Lists the tenant's reports, newest first, without their results."""
        return AsyncPages(self._transport, "ConformanceService.ListReports", options, dict(request))

    async def get_report(self, options: CallOptions | None = None, /, **request: Unpack[t.GetReportRequest]) -> t.ConformanceReport:
        """Returns one report."""
        answer: t.ConformanceReport = await self._transport.call("ConformanceService.GetReport", options, dict(request))
        return answer

    async def explain_report(self, options: CallOptions | None = None, /, **request: Unpack[t.ExplainReportRequest]) -> t.ConformanceExplanation:
        """Says what fails in a report, and what has changed since the one before of the same suite and mode."""
        answer: t.ConformanceExplanation = await self._transport.call("ConformanceService.ExplainReport", options, dict(request))
        return answer


class ConnectSessions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateConnectSessionRequest]) -> t.ConnectSession:
        """Opens a session for a new connection, or for the credentials of one that is there. The answer has the token, this once."""
        answer: t.ConnectSession = self._transport.call("ConnectSessionService.CreateConnectSession", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetConnectSessionRequest]) -> t.ConnectSession:
        """Returns one session, without its token."""
        answer: t.ConnectSession = self._transport.call("ConnectSessionService.GetConnectSession", options, dict(request))
        return answer

    def submit(self, options: CallOptions | None = None, /, **request: Unpack[t.SubmitConnectSessionRequest]) -> t.ConnectSession:
        """Gives the fields that the provider config's auth asks for (an API key, user and password, or none). The answer comes when the provider has taken or refused them, or after 20 seconds."""
        answer: t.ConnectSession = self._transport.call("ConnectSessionService.SubmitConnectSession", options, dict(request))
        return answer

    def revoke(self, options: CallOptions | None = None, /, **request: Unpack[t.RevokeConnectSessionRequest]) -> t.ConnectSession:
        """Ends an open session: its token and page are of no use any more. A session that has connected is refused."""
        answer: t.ConnectSession = self._transport.call("ConnectSessionService.RevokeConnectSession", options, dict(request))
        return answer


class AsyncConnectSessions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateConnectSessionRequest]) -> t.ConnectSession:
        """Opens a session for a new connection, or for the credentials of one that is there. The answer has the token, this once."""
        answer: t.ConnectSession = await self._transport.call("ConnectSessionService.CreateConnectSession", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetConnectSessionRequest]) -> t.ConnectSession:
        """Returns one session, without its token."""
        answer: t.ConnectSession = await self._transport.call("ConnectSessionService.GetConnectSession", options, dict(request))
        return answer

    async def submit(self, options: CallOptions | None = None, /, **request: Unpack[t.SubmitConnectSessionRequest]) -> t.ConnectSession:
        """Gives the fields that the provider config's auth asks for (an API key, user and password, or none). The answer comes when the provider has taken or refused them, or after 20 seconds."""
        answer: t.ConnectSession = await self._transport.call("ConnectSessionService.SubmitConnectSession", options, dict(request))
        return answer

    async def revoke(self, options: CallOptions | None = None, /, **request: Unpack[t.RevokeConnectSessionRequest]) -> t.ConnectSession:
        """Ends an open session: its token and page are of no use any more. A session that has connected is refused."""
        answer: t.ConnectSession = await self._transport.call("ConnectSessionService.RevokeConnectSession", options, dict(request))
        return answer


class Connections:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetConnectionRequest]) -> t.Connection:
        """Returns one connection, without its credentials."""
        answer: t.Connection = self._transport.call("ConnectionService.GetConnection", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListConnectionsRequest]) -> Pages[t.Connection]:
        """Lists connections by id, oldest first. The list may lag behind a change by a moment; GetConnection does not."""
        return Pages(self._transport, "ConnectionService.ListConnections", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateConnectionRequest]) -> t.Connection:
        """Changes name or metadata. REST takes a merge patch instead of update_mask."""
        answer: t.Connection = self._transport.call("ConnectionService.UpdateConnection", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteConnectionRequest]) -> t.DeleteConnectionResponse:
        """Deletes a revoked connection with its sessions, executions and subscriptions."""
        answer: t.DeleteConnectionResponse = self._transport.call("ConnectionService.DeleteConnection", options, dict(request))
        return answer

    def verify(self, options: CallOptions | None = None, /, **request: Unpack[t.VerifyConnectionRequest]) -> t.Connection:
        """Asks the provider whether the credentials work. Where it says no, the connection needs new ones."""
        answer: t.Connection = self._transport.call("ConnectionService.VerifyConnection", options, dict(request))
        return answer

    def disable(self, options: CallOptions | None = None, /, **request: Unpack[t.DisableConnectionRequest]) -> t.Connection:
        """Lets nothing be executed over an active connection until it is enabled."""
        answer: t.Connection = self._transport.call("ConnectionService.DisableConnection", options, dict(request))
        return answer

    def enable(self, options: CallOptions | None = None, /, **request: Unpack[t.EnableConnectionRequest]) -> t.Connection:
        """Makes a disabled connection active again."""
        answer: t.Connection = self._transport.call("ConnectionService.EnableConnection", options, dict(request))
        return answer

    def revoke(self, options: CallOptions | None = None, /, **request: Unpack[t.RevokeConnectionRequest]) -> t.Connection:
        """Tells the provider, where it takes that, and erases the credentials. For good."""
        answer: t.Connection = self._transport.call("ConnectionService.RevokeConnection", options, dict(request))
        return answer


class AsyncConnections:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetConnectionRequest]) -> t.Connection:
        """Returns one connection, without its credentials."""
        answer: t.Connection = await self._transport.call("ConnectionService.GetConnection", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListConnectionsRequest]) -> AsyncPages[t.Connection]:
        """Lists connections by id, oldest first. The list may lag behind a change by a moment; GetConnection does not."""
        return AsyncPages(self._transport, "ConnectionService.ListConnections", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateConnectionRequest]) -> t.Connection:
        """Changes name or metadata. REST takes a merge patch instead of update_mask."""
        answer: t.Connection = await self._transport.call("ConnectionService.UpdateConnection", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteConnectionRequest]) -> t.DeleteConnectionResponse:
        """Deletes a revoked connection with its sessions, executions and subscriptions."""
        answer: t.DeleteConnectionResponse = await self._transport.call("ConnectionService.DeleteConnection", options, dict(request))
        return answer

    async def verify(self, options: CallOptions | None = None, /, **request: Unpack[t.VerifyConnectionRequest]) -> t.Connection:
        """Asks the provider whether the credentials work. Where it says no, the connection needs new ones."""
        answer: t.Connection = await self._transport.call("ConnectionService.VerifyConnection", options, dict(request))
        return answer

    async def disable(self, options: CallOptions | None = None, /, **request: Unpack[t.DisableConnectionRequest]) -> t.Connection:
        """Lets nothing be executed over an active connection until it is enabled."""
        answer: t.Connection = await self._transport.call("ConnectionService.DisableConnection", options, dict(request))
        return answer

    async def enable(self, options: CallOptions | None = None, /, **request: Unpack[t.EnableConnectionRequest]) -> t.Connection:
        """Makes a disabled connection active again."""
        answer: t.Connection = await self._transport.call("ConnectionService.EnableConnection", options, dict(request))
        return answer

    async def revoke(self, options: CallOptions | None = None, /, **request: Unpack[t.RevokeConnectionRequest]) -> t.Connection:
        """Tells the provider, where it takes that, and erases the credentials. For good."""
        answer: t.Connection = await self._transport.call("ConnectionService.RevokeConnection", options, dict(request))
        return answer


class Providers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListProvidersRequest]) -> Pages[t.ConnectorProvider]:
        """Lists the providers of the catalogue by key."""
        return Pages(self._transport, "ConnectorService.ListProviders", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetProviderRequest]) -> t.ConnectorProvider:
        """Returns one provider: how to authenticate, which settings it takes."""
        answer: t.ConnectorProvider = self._transport.call("ConnectorService.GetProvider", options, dict(request))
        return answer


class AsyncProviders:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListProvidersRequest]) -> AsyncPages[t.ConnectorProvider]:
        """Lists the providers of the catalogue by key."""
        return AsyncPages(self._transport, "ConnectorService.ListProviders", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetProviderRequest]) -> t.ConnectorProvider:
        """Returns one provider: how to authenticate, which settings it takes."""
        answer: t.ConnectorProvider = await self._transport.call("ConnectorService.GetProvider", options, dict(request))
        return answer


class Actions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListActionsRequest]) -> Pages[t.ConnectorAction]:
        """Lists the actions of all providers by key."""
        return Pages(self._transport, "ConnectorService.ListActions", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetActionRequest]) -> t.ConnectorAction:
        """Returns one action: what it takes and answers, which scopes it needs, whether a repeat is safe."""
        answer: t.ConnectorAction = self._transport.call("ConnectorService.GetAction", options, dict(request))
        return answer

    def execute(self, options: CallOptions | None = None, /, **request: Unpack[t.ExecuteActionRequest]) -> t.ConnectorExecution:
        """Performs an action over a connection. The answer comes when the execution has ended or wait_seconds are over; an action that failed is an answer with that status. One that is not safe to repeat is never sent twice: where its outcome cannot be known it ends as outcome_unknown."""
        answer: t.ConnectorExecution = self._transport.call("ConnectorService.ExecuteAction", options, dict(request))
        return answer

    def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewActionRequest]) -> t.PreviewActionResponse:
        """Says what an execution would send, without sending it and without credentials."""
        answer: t.PreviewActionResponse = self._transport.call("ConnectorService.PreviewAction", options, dict(request))
        return answer


class AsyncActions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListActionsRequest]) -> AsyncPages[t.ConnectorAction]:
        """Lists the actions of all providers by key."""
        return AsyncPages(self._transport, "ConnectorService.ListActions", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetActionRequest]) -> t.ConnectorAction:
        """Returns one action: what it takes and answers, which scopes it needs, whether a repeat is safe."""
        answer: t.ConnectorAction = await self._transport.call("ConnectorService.GetAction", options, dict(request))
        return answer

    async def execute(self, options: CallOptions | None = None, /, **request: Unpack[t.ExecuteActionRequest]) -> t.ConnectorExecution:
        """Performs an action over a connection. The answer comes when the execution has ended or wait_seconds are over; an action that failed is an answer with that status. One that is not safe to repeat is never sent twice: where its outcome cannot be known it ends as outcome_unknown."""
        answer: t.ConnectorExecution = await self._transport.call("ConnectorService.ExecuteAction", options, dict(request))
        return answer

    async def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewActionRequest]) -> t.PreviewActionResponse:
        """Says what an execution would send, without sending it and without credentials."""
        answer: t.PreviewActionResponse = await self._transport.call("ConnectorService.PreviewAction", options, dict(request))
        return answer


class Triggers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTriggersRequest]) -> Pages[t.ConnectorTrigger]:
        """Lists the triggers of all providers by key."""
        return Pages(self._transport, "ConnectorService.ListTriggers", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTriggerRequest]) -> t.ConnectorTrigger:
        """Returns one trigger."""
        answer: t.ConnectorTrigger = self._transport.call("ConnectorService.GetTrigger", options, dict(request))
        return answer


class AsyncTriggers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTriggersRequest]) -> AsyncPages[t.ConnectorTrigger]:
        """Lists the triggers of all providers by key."""
        return AsyncPages(self._transport, "ConnectorService.ListTriggers", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTriggerRequest]) -> t.ConnectorTrigger:
        """Returns one trigger."""
        answer: t.ConnectorTrigger = await self._transport.call("ConnectorService.GetTrigger", options, dict(request))
        return answer


class Executions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetExecutionRequest]) -> t.ConnectorExecution:
        """Returns one execution with input and output. With wait_seconds the answer waits for its end."""
        answer: t.ConnectorExecution = self._transport.call("ConnectorService.GetExecution", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListExecutionsRequest]) -> Pages[t.ConnectorExecution]:
        """Lists the executions of a connection, the newest first, without input and output."""
        return Pages(self._transport, "ConnectorService.ListExecutions", options, dict(request))

    def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelExecutionRequest]) -> t.ConnectorExecution:
        """Ends an execution that has not ended. One whose request may have left already, and may have changed something, ends as outcome_unknown. Cancelling one that has ended changes nothing."""
        answer: t.ConnectorExecution = self._transport.call("ConnectorService.CancelExecution", options, dict(request))
        return answer


class AsyncExecutions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetExecutionRequest]) -> t.ConnectorExecution:
        """Returns one execution with input and output. With wait_seconds the answer waits for its end."""
        answer: t.ConnectorExecution = await self._transport.call("ConnectorService.GetExecution", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListExecutionsRequest]) -> AsyncPages[t.ConnectorExecution]:
        """Lists the executions of a connection, the newest first, without input and output."""
        return AsyncPages(self._transport, "ConnectorService.ListExecutions", options, dict(request))

    async def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelExecutionRequest]) -> t.ConnectorExecution:
        """Ends an execution that has not ended. One whose request may have left already, and may have changed something, ends as outcome_unknown. Cancelling one that has ended changes nothing."""
        answer: t.ConnectorExecution = await self._transport.call("ConnectorService.CancelExecution", options, dict(request))
        return answer


class DeadLetters:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListDeadLettersRequest]) -> Pages[t.QueueItem]:
        """Lists dead letters by id; quarantined ones only where asked for."""
        return Pages(self._transport, "DeadLetterService.ListDeadLetters", options, dict(request))

    def stats(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDeadLetterStatsRequest]) -> t.DeadLetterStats:
        """Returns how many dead letters there are, and since when."""
        answer: t.DeadLetterStats = self._transport.call("DeadLetterService.GetDeadLetterStats", options, dict(request))
        return answer

    def retry(self, options: CallOptions | None = None, /, **request: Unpack[t.RetryRequest]) -> t.DeadLetterResults:
        """Enqueues the named dead letters again, each with all of its settings and a new budget of attempts."""
        answer: t.DeadLetterResults = self._transport.call("DeadLetterService.Retry", options, dict(request))
        return answer

    def retry_all(self, options: CallOptions | None = None, /, **request: Unpack[t.RetryAllRequest]) -> t.RetryAllOperation:
        """Starts to enqueue every dead letter that matches, each once; goes on by itself, also over restarts."""
        answer: t.RetryAllOperation = self._transport.call("DeadLetterService.RetryAll", options, dict(request))
        return answer

    def get_retry_all(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRetryAllRequest]) -> t.RetryAllOperation:
        """Says how far a retry of all is."""
        answer: t.RetryAllOperation = self._transport.call("DeadLetterService.GetRetryAll", options, dict(request))
        return answer

    def quarantine(self, options: CallOptions | None = None, /, **request: Unpack[t.QuarantineRequest]) -> t.DeadLetterResults:
        """Sets the named dead letters aside: out of list, retry, retry-all and purge."""
        answer: t.DeadLetterResults = self._transport.call("DeadLetterService.Quarantine", options, dict(request))
        return answer

    def release(self, options: CallOptions | None = None, /, **request: Unpack[t.DeadLetterServiceReleaseRequest]) -> t.DeadLetterResults:
        """Brings quarantined dead letters back among the others."""
        answer: t.DeadLetterResults = self._transport.call("DeadLetterService.Release", options, dict(request))
        return answer

    def purge(self, options: CallOptions | None = None, /, **request: Unpack[t.PurgeRequest]) -> t.PurgeResponse:
        """Removes dead letters for good."""
        answer: t.PurgeResponse = self._transport.call("DeadLetterService.Purge", options, dict(request))
        return answer


class AsyncDeadLetters:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListDeadLettersRequest]) -> AsyncPages[t.QueueItem]:
        """Lists dead letters by id; quarantined ones only where asked for."""
        return AsyncPages(self._transport, "DeadLetterService.ListDeadLetters", options, dict(request))

    async def stats(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDeadLetterStatsRequest]) -> t.DeadLetterStats:
        """Returns how many dead letters there are, and since when."""
        answer: t.DeadLetterStats = await self._transport.call("DeadLetterService.GetDeadLetterStats", options, dict(request))
        return answer

    async def retry(self, options: CallOptions | None = None, /, **request: Unpack[t.RetryRequest]) -> t.DeadLetterResults:
        """Enqueues the named dead letters again, each with all of its settings and a new budget of attempts."""
        answer: t.DeadLetterResults = await self._transport.call("DeadLetterService.Retry", options, dict(request))
        return answer

    async def retry_all(self, options: CallOptions | None = None, /, **request: Unpack[t.RetryAllRequest]) -> t.RetryAllOperation:
        """Starts to enqueue every dead letter that matches, each once; goes on by itself, also over restarts."""
        answer: t.RetryAllOperation = await self._transport.call("DeadLetterService.RetryAll", options, dict(request))
        return answer

    async def get_retry_all(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRetryAllRequest]) -> t.RetryAllOperation:
        """Says how far a retry of all is."""
        answer: t.RetryAllOperation = await self._transport.call("DeadLetterService.GetRetryAll", options, dict(request))
        return answer

    async def quarantine(self, options: CallOptions | None = None, /, **request: Unpack[t.QuarantineRequest]) -> t.DeadLetterResults:
        """Sets the named dead letters aside: out of list, retry, retry-all and purge."""
        answer: t.DeadLetterResults = await self._transport.call("DeadLetterService.Quarantine", options, dict(request))
        return answer

    async def release(self, options: CallOptions | None = None, /, **request: Unpack[t.DeadLetterServiceReleaseRequest]) -> t.DeadLetterResults:
        """Brings quarantined dead letters back among the others."""
        answer: t.DeadLetterResults = await self._transport.call("DeadLetterService.Release", options, dict(request))
        return answer

    async def purge(self, options: CallOptions | None = None, /, **request: Unpack[t.PurgeRequest]) -> t.PurgeResponse:
        """Removes dead letters for good."""
        answer: t.PurgeResponse = await self._transport.call("DeadLetterService.Purge", options, dict(request))
        return answer


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def subscribe(self, options: CallOptions | None = None, /, **request: Unpack[t.SubscribeRequest]) -> ServerEvents:
        """Events from a cursor on, then new ones as they happen: at least once, ordered per entity."""
        return ServerEvents(self._transport, "EventService.Subscribe", dict(request), options)

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListEventsRequest]) -> Pages[t.Event]:
        """Lists the events that are kept, the newest first."""
        return Pages(self._transport, "EventService.ListEvents", options, dict(request))


class AsyncEvents:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def subscribe(self, options: CallOptions | None = None, /, **request: Unpack[t.SubscribeRequest]) -> AsyncServerEvents:
        """Events from a cursor on, then new ones as they happen: at least once, ordered per entity."""
        return AsyncServerEvents(self._transport, "EventService.Subscribe", dict(request), options)

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListEventsRequest]) -> AsyncPages[t.Event]:
        """Lists the events that are kept, the newest first."""
        return AsyncPages(self._transport, "EventService.ListEvents", options, dict(request))


class EvidencePacks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreatePackRequest]) -> t.EvidencePack:
        """Creates a pack for one environment of the tenant."""
        answer: t.EvidencePack = self._transport.call("EvidenceService.CreatePack", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPackRequest]) -> t.EvidencePack:
        """Returns one pack."""
        answer: t.EvidencePack = self._transport.call("EvidenceService.GetPack", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPacksRequest]) -> Pages[t.EvidencePack]:
        """Lists the tenant's packs by id, oldest first. The list may lag behind a change by a moment; GetPack does not."""
        return Pages(self._transport, "EvidenceService.ListPacks", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdatePackRequest]) -> t.EvidencePack:
        """Replaces name, labels and requirements: what the request leaves out is empty afterwards."""
        answer: t.EvidencePack = self._transport.call("EvidenceService.UpdatePack", options, dict(request))
        return answer

    def evaluate_gate(self, options: CallOptions | None = None, /, **request: Unpack[t.EvaluateGateRequest]) -> t.EvidenceGate:
        """Says whether the receipts are what the requirements ask for, and per requirement everything that is wrong."""
        answer: t.EvidenceGate = self._transport.call("EvidenceService.EvaluateGate", options, dict(request))
        return answer

    def explain(self, options: CallOptions | None = None, /, **request: Unpack[t.ExplainPackRequest]) -> t.EvidenceExplanation:
        """Says per requirement which receipt decided, why others did not, and what to do."""
        answer: t.EvidenceExplanation = self._transport.call("EvidenceService.ExplainPack", options, dict(request))
        return answer

    def export(self, options: CallOptions | None = None, /, **request: Unpack[t.ExportPackRequest]) -> t.EvidenceExport:
        """Returns a signed manifest of the pack: digests in place of free-form values, no contents, no places of storage, principals as pseudonyms."""
        answer: t.EvidenceExport = self._transport.call("EvidenceService.ExportPack", options, dict(request))
        return answer

    def archive(self, options: CallOptions | None = None, /, **request: Unpack[t.ArchivePackRequest]) -> t.EvidencePack:
        """Archives a pack: it can be read and exported, and takes nothing more. Refused while its candidate is open."""
        answer: t.EvidencePack = self._transport.call("EvidenceService.ArchivePack", options, dict(request))
        return answer

    def attach(self, options: CallOptions | None = None, /, **request: Unpack[t.AttachToPromotionRequest]) -> t.EvidencePack:
        """Gives the pack to an open promotion of its environment: its gates ask this pack from then on, and an approval is bound to it."""
        answer: t.EvidencePack = self._transport.call("EvidenceService.AttachToPromotion", options, dict(request))
        return answer


class AsyncEvidencePacks:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreatePackRequest]) -> t.EvidencePack:
        """Creates a pack for one environment of the tenant."""
        answer: t.EvidencePack = await self._transport.call("EvidenceService.CreatePack", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPackRequest]) -> t.EvidencePack:
        """Returns one pack."""
        answer: t.EvidencePack = await self._transport.call("EvidenceService.GetPack", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPacksRequest]) -> AsyncPages[t.EvidencePack]:
        """Lists the tenant's packs by id, oldest first. The list may lag behind a change by a moment; GetPack does not."""
        return AsyncPages(self._transport, "EvidenceService.ListPacks", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdatePackRequest]) -> t.EvidencePack:
        """Replaces name, labels and requirements: what the request leaves out is empty afterwards."""
        answer: t.EvidencePack = await self._transport.call("EvidenceService.UpdatePack", options, dict(request))
        return answer

    async def evaluate_gate(self, options: CallOptions | None = None, /, **request: Unpack[t.EvaluateGateRequest]) -> t.EvidenceGate:
        """Says whether the receipts are what the requirements ask for, and per requirement everything that is wrong."""
        answer: t.EvidenceGate = await self._transport.call("EvidenceService.EvaluateGate", options, dict(request))
        return answer

    async def explain(self, options: CallOptions | None = None, /, **request: Unpack[t.ExplainPackRequest]) -> t.EvidenceExplanation:
        """Says per requirement which receipt decided, why others did not, and what to do."""
        answer: t.EvidenceExplanation = await self._transport.call("EvidenceService.ExplainPack", options, dict(request))
        return answer

    async def export(self, options: CallOptions | None = None, /, **request: Unpack[t.ExportPackRequest]) -> t.EvidenceExport:
        """Returns a signed manifest of the pack: digests in place of free-form values, no contents, no places of storage, principals as pseudonyms."""
        answer: t.EvidenceExport = await self._transport.call("EvidenceService.ExportPack", options, dict(request))
        return answer

    async def archive(self, options: CallOptions | None = None, /, **request: Unpack[t.ArchivePackRequest]) -> t.EvidencePack:
        """Archives a pack: it can be read and exported, and takes nothing more. Refused while its candidate is open."""
        answer: t.EvidencePack = await self._transport.call("EvidenceService.ArchivePack", options, dict(request))
        return answer

    async def attach(self, options: CallOptions | None = None, /, **request: Unpack[t.AttachToPromotionRequest]) -> t.EvidencePack:
        """Gives the pack to an open promotion of its environment: its gates ask this pack from then on, and an approval is bound to it."""
        answer: t.EvidencePack = await self._transport.call("EvidenceService.AttachToPromotion", options, dict(request))
        return answer


class EvidenceArtifacts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def add(self, options: CallOptions | None = None, /, **request: Unpack[t.AddArtifactRequest]) -> t.EvidenceArtifact:
        """Adds an artifact that receipts are about: its content, or only its digest and where it is. The same digest again is the artifact that is there already."""
        answer: t.EvidenceArtifact = self._transport.call("EvidenceService.AddArtifact", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListArtifactsRequest]) -> Pages[t.EvidenceArtifact]:
        """Lists the artifacts of a pack by id, oldest first, without their content."""
        return Pages(self._transport, "EvidenceService.ListArtifacts", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetArtifactRequest]) -> t.EvidenceArtifact:
        """Returns one artifact with its content."""
        answer: t.EvidenceArtifact = self._transport.call("EvidenceService.GetArtifact", options, dict(request))
        return answer


class AsyncEvidenceArtifacts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add(self, options: CallOptions | None = None, /, **request: Unpack[t.AddArtifactRequest]) -> t.EvidenceArtifact:
        """Adds an artifact that receipts are about: its content, or only its digest and where it is. The same digest again is the artifact that is there already."""
        answer: t.EvidenceArtifact = await self._transport.call("EvidenceService.AddArtifact", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListArtifactsRequest]) -> AsyncPages[t.EvidenceArtifact]:
        """Lists the artifacts of a pack by id, oldest first, without their content."""
        return AsyncPages(self._transport, "EvidenceService.ListArtifacts", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetArtifactRequest]) -> t.EvidenceArtifact:
        """Returns one artifact with its content."""
        answer: t.EvidenceArtifact = await self._transport.call("EvidenceService.GetArtifact", options, dict(request))
        return answer


class EvidenceReceipts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def add(self, options: CallOptions | None = None, /, **request: Unpack[t.AddReceiptRequest]) -> t.EvidenceReceipt:
        """Adds a receipt of exactly one type, as fields or as a DSSE envelope that a trusted producer signed. With a run it ends the run."""
        answer: t.EvidenceReceipt = self._transport.call("EvidenceService.AddReceipt", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListReceiptsRequest]) -> Pages[t.EvidenceReceipt]:
        """Lists the receipts of a pack by id, newest first."""
        return Pages(self._transport, "EvidenceService.ListReceipts", options, dict(request))


class AsyncEvidenceReceipts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add(self, options: CallOptions | None = None, /, **request: Unpack[t.AddReceiptRequest]) -> t.EvidenceReceipt:
        """Adds a receipt of exactly one type, as fields or as a DSSE envelope that a trusted producer signed. With a run it ends the run."""
        answer: t.EvidenceReceipt = await self._transport.call("EvidenceService.AddReceipt", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListReceiptsRequest]) -> AsyncPages[t.EvidenceReceipt]:
        """Lists the receipts of a pack by id, newest first."""
        return AsyncPages(self._transport, "EvidenceService.ListReceipts", options, dict(request))


class EvidenceRuns:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceStartRunRequest]) -> t.EvidenceRun:
        """Starts a run that is going to bring a receipt. Its producer holds it with lease_token and heartbeats; without one in time it expires."""
        answer: t.EvidenceRun = self._transport.call("EvidenceService.StartRun", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceListRunsRequest]) -> Pages[t.EvidenceRun]:
        """Lists the runs of a pack by id, newest first."""
        return Pages(self._transport, "EvidenceService.ListRuns", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceGetRunRequest]) -> t.EvidenceRun:
        """Returns one run."""
        answer: t.EvidenceRun = self._transport.call("EvidenceService.GetRun", options, dict(request))
        return answer

    def heartbeat(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceHeartbeatRunRequest]) -> t.EvidenceRun:
        """Renews the lease of a run, never beyond its deadline. The first heartbeat makes a pending run running."""
        answer: t.EvidenceRun = self._transport.call("EvidenceService.HeartbeatRun", options, dict(request))
        return answer

    def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceCancelRunRequest]) -> t.EvidenceRun:
        """Cancels a pending or running run: its lease token is worth nothing from then on."""
        answer: t.EvidenceRun = self._transport.call("EvidenceService.CancelRun", options, dict(request))
        return answer


class AsyncEvidenceRuns:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def start(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceStartRunRequest]) -> t.EvidenceRun:
        """Starts a run that is going to bring a receipt. Its producer holds it with lease_token and heartbeats; without one in time it expires."""
        answer: t.EvidenceRun = await self._transport.call("EvidenceService.StartRun", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceListRunsRequest]) -> AsyncPages[t.EvidenceRun]:
        """Lists the runs of a pack by id, newest first."""
        return AsyncPages(self._transport, "EvidenceService.ListRuns", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceGetRunRequest]) -> t.EvidenceRun:
        """Returns one run."""
        answer: t.EvidenceRun = await self._transport.call("EvidenceService.GetRun", options, dict(request))
        return answer

    async def heartbeat(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceHeartbeatRunRequest]) -> t.EvidenceRun:
        """Renews the lease of a run, never beyond its deadline. The first heartbeat makes a pending run running."""
        answer: t.EvidenceRun = await self._transport.call("EvidenceService.HeartbeatRun", options, dict(request))
        return answer

    async def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceCancelRunRequest]) -> t.EvidenceRun:
        """Cancels a pending or running run: its lease token is worth nothing from then on."""
        answer: t.EvidenceRun = await self._transport.call("EvidenceService.CancelRun", options, dict(request))
        return answer


class Evidence:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def expand_requirements(self, options: CallOptions | None = None, /, **request: Unpack[t.ExpandRequirementsRequest]) -> t.ExpandRequirementsResponse:
        """Says which requirements the artifacts of a candidate call for, by the rules of version `v1`."""
        answer: t.ExpandRequirementsResponse = self._transport.call("EvidenceService.ExpandRequirements", options, dict(request))
        return answer

    def keys(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceGetKeysRequest]) -> t.EvidenceKeys:
        """Returns the public keys that exports are signed with, as a JSON Web Key Set."""
        answer: t.EvidenceKeys = self._transport.call("EvidenceService.GetKeys", options, dict(request))
        return answer


class AsyncEvidence:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def expand_requirements(self, options: CallOptions | None = None, /, **request: Unpack[t.ExpandRequirementsRequest]) -> t.ExpandRequirementsResponse:
        """Says which requirements the artifacts of a candidate call for, by the rules of version `v1`."""
        answer: t.ExpandRequirementsResponse = await self._transport.call("EvidenceService.ExpandRequirements", options, dict(request))
        return answer

    async def keys(self, options: CallOptions | None = None, /, **request: Unpack[t.EvidenceServiceGetKeysRequest]) -> t.EvidenceKeys:
        """Returns the public keys that exports are signed with, as a JSON Web Key Set."""
        answer: t.EvidenceKeys = await self._transport.call("EvidenceService.GetKeys", options, dict(request))
        return answer


class ExperimentGroups:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateExperimentGroupRequest]) -> t.ExperimentGroup:
        """Creates a group in the environment that X-Environment names."""
        answer: t.ExperimentGroup = self._transport.call("ExperimentGroupService.CreateExperimentGroup", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetExperimentGroupRequest]) -> t.ExperimentGroup:
        """Returns one group with the ranges that it has given out."""
        answer: t.ExperimentGroup = self._transport.call("ExperimentGroupService.GetExperimentGroup", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListExperimentGroupsRequest]) -> Pages[t.ExperimentGroup]:
        """Lists the tenant's groups by id, oldest first."""
        return Pages(self._transport, "ExperimentGroupService.ListExperimentGroups", options, dict(request))

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteExperimentGroupRequest]) -> t.DeleteExperimentGroupResponse:
        """Deletes a group that has given out no range."""
        answer: t.DeleteExperimentGroupResponse = self._transport.call("ExperimentGroupService.DeleteExperimentGroup", options, dict(request))
        return answer


class AsyncExperimentGroups:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateExperimentGroupRequest]) -> t.ExperimentGroup:
        """Creates a group in the environment that X-Environment names."""
        answer: t.ExperimentGroup = await self._transport.call("ExperimentGroupService.CreateExperimentGroup", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetExperimentGroupRequest]) -> t.ExperimentGroup:
        """Returns one group with the ranges that it has given out."""
        answer: t.ExperimentGroup = await self._transport.call("ExperimentGroupService.GetExperimentGroup", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListExperimentGroupsRequest]) -> AsyncPages[t.ExperimentGroup]:
        """Lists the tenant's groups by id, oldest first."""
        return AsyncPages(self._transport, "ExperimentGroupService.ListExperimentGroups", options, dict(request))

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteExperimentGroupRequest]) -> t.DeleteExperimentGroupResponse:
        """Deletes a group that has given out no range."""
        answer: t.DeleteExperimentGroupResponse = await self._transport.call("ExperimentGroupService.DeleteExperimentGroup", options, dict(request))
        return answer


class Experiments:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateExperimentRequest]) -> t.Experiment:
        """Creates an experiment as a draft, in the environment that X-Environment names."""
        answer: t.Experiment = self._transport.call("ExperimentService.CreateExperiment", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetExperimentRequest]) -> t.Experiment:
        """Returns one experiment."""
        answer: t.Experiment = self._transport.call("ExperimentService.GetExperiment", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListExperimentsRequest]) -> Pages[t.Experiment]:
        """Lists the tenant's experiments by id, oldest first. The list may lag behind a change by a moment; GetExperiment does not."""
        return Pages(self._transport, "ExperimentService.ListExperiments", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateExperimentRequest]) -> t.Experiment:
        """Changes the named fields of an experiment. REST takes a merge patch instead of update_mask. A draft takes all of them. After the start: name, description, scores_close_at and a higher coverage; new weights, targeting or a lower coverage open a phase and need `carry`."""
        answer: t.Experiment = self._transport.call("ExperimentService.UpdateExperiment", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteExperimentRequest]) -> t.DeleteExperimentResponse:
        """Deletes an experiment that is not running or paused, with its units, scores and figures."""
        answer: t.DeleteExperimentResponse = self._transport.call("ExperimentService.DeleteExperiment", options, dict(request))
        return answer

    def start(self, options: CallOptions | None = None, /, **request: Unpack[t.StartExperimentRequest]) -> t.Experiment:
        """Starts a draft, or a paused experiment again. In a group it first takes a free range there."""
        answer: t.Experiment = self._transport.call("ExperimentService.StartExperiment", options, dict(request))
        return answer

    def pause(self, options: CallOptions | None = None, /, **request: Unpack[t.PauseExperimentRequest]) -> t.Experiment:
        """Enrols no new units from the answer on. Units that are enrolled keep their variant."""
        answer: t.Experiment = self._transport.call("ExperimentService.PauseExperiment", options, dict(request))
        return answer

    def complete(self, options: CallOptions | None = None, /, **request: Unpack[t.CompleteExperimentRequest]) -> t.Experiment:
        """Ends an experiment: from now on every unit gets the winner, or the control where none is named."""
        answer: t.Experiment = self._transport.call("ExperimentService.CompleteExperiment", options, dict(request))
        return answer

    def stop(self, options: CallOptions | None = None, /, **request: Unpack[t.StopExperimentRequest]) -> t.Experiment:
        """Breaks an experiment off: from now on every unit gets the control."""
        answer: t.Experiment = self._transport.call("ExperimentService.StopExperiment", options, dict(request))
        return answer

    def assign(self, options: CallOptions | None = None, /, **request: Unpack[t.AssignRequest]) -> t.Assignment:
        """Says which variant a unit gets. A unit that was exposed keeps its variant."""
        answer: t.Assignment = self._transport.call("ExperimentService.Assign", options, dict(request))
        return answer

    def assign_many(self, options: CallOptions | None = None, /, **request: Unpack[t.AssignManyRequest]) -> t.AssignManyResponse:
        """Says which variants a unit gets in several experiments, each answered by itself."""
        answer: t.AssignManyResponse = self._transport.call("ExperimentService.AssignMany", options, dict(request))
        return answer

    def record_exposures(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordExposuresRequest]) -> t.RecordExposuresResponse:
        """Redeems receipts of assignments that were made with `expose: false`: their units were exposed. The first receipt of a unit wins."""
        answer: t.RecordExposuresResponse = self._transport.call("ExperimentService.RecordExposures", options, dict(request))
        return answer

    def score(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordScoreRequest]) -> t.Score:
        """Records what came of a unit, now or later. A repeat of the same score_id with the same body changes nothing."""
        answer: t.Score = self._transport.call("ExperimentService.RecordScore", options, dict(request))
        return answer

    def score_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordScoresRequest]) -> t.RecordScoresResponse:
        """Records many scores, each answered by itself."""
        answer: t.RecordScoresResponse = self._transport.call("ExperimentService.RecordScores", options, dict(request))
        return answer

    def results(self, options: CallOptions | None = None, /, **request: Unpack[t.GetResultsRequest]) -> t.ExperimentResults:
        """Returns the figures as they are now, from exact sums."""
        answer: t.ExperimentResults = self._transport.call("ExperimentService.GetResults", options, dict(request))
        return answer

    def get_unit(self, options: CallOptions | None = None, /, **request: Unpack[t.GetUnitRequest]) -> t.ExperimentUnit:
        """Returns what is stored of one unit."""
        answer: t.ExperimentUnit = self._transport.call("ExperimentService.GetUnit", options, dict(request))
        return answer

    def delete_unit(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteUnitRequest]) -> t.DeleteUnitResponse:
        """Deletes a unit with its scores, and takes it out of the figures."""
        answer: t.DeleteUnitResponse = self._transport.call("ExperimentService.DeleteUnit", options, dict(request))
        return answer


class AsyncExperiments:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateExperimentRequest]) -> t.Experiment:
        """Creates an experiment as a draft, in the environment that X-Environment names."""
        answer: t.Experiment = await self._transport.call("ExperimentService.CreateExperiment", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetExperimentRequest]) -> t.Experiment:
        """Returns one experiment."""
        answer: t.Experiment = await self._transport.call("ExperimentService.GetExperiment", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListExperimentsRequest]) -> AsyncPages[t.Experiment]:
        """Lists the tenant's experiments by id, oldest first. The list may lag behind a change by a moment; GetExperiment does not."""
        return AsyncPages(self._transport, "ExperimentService.ListExperiments", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateExperimentRequest]) -> t.Experiment:
        """Changes the named fields of an experiment. REST takes a merge patch instead of update_mask. A draft takes all of them. After the start: name, description, scores_close_at and a higher coverage; new weights, targeting or a lower coverage open a phase and need `carry`."""
        answer: t.Experiment = await self._transport.call("ExperimentService.UpdateExperiment", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteExperimentRequest]) -> t.DeleteExperimentResponse:
        """Deletes an experiment that is not running or paused, with its units, scores and figures."""
        answer: t.DeleteExperimentResponse = await self._transport.call("ExperimentService.DeleteExperiment", options, dict(request))
        return answer

    async def start(self, options: CallOptions | None = None, /, **request: Unpack[t.StartExperimentRequest]) -> t.Experiment:
        """Starts a draft, or a paused experiment again. In a group it first takes a free range there."""
        answer: t.Experiment = await self._transport.call("ExperimentService.StartExperiment", options, dict(request))
        return answer

    async def pause(self, options: CallOptions | None = None, /, **request: Unpack[t.PauseExperimentRequest]) -> t.Experiment:
        """Enrols no new units from the answer on. Units that are enrolled keep their variant."""
        answer: t.Experiment = await self._transport.call("ExperimentService.PauseExperiment", options, dict(request))
        return answer

    async def complete(self, options: CallOptions | None = None, /, **request: Unpack[t.CompleteExperimentRequest]) -> t.Experiment:
        """Ends an experiment: from now on every unit gets the winner, or the control where none is named."""
        answer: t.Experiment = await self._transport.call("ExperimentService.CompleteExperiment", options, dict(request))
        return answer

    async def stop(self, options: CallOptions | None = None, /, **request: Unpack[t.StopExperimentRequest]) -> t.Experiment:
        """Breaks an experiment off: from now on every unit gets the control."""
        answer: t.Experiment = await self._transport.call("ExperimentService.StopExperiment", options, dict(request))
        return answer

    async def assign(self, options: CallOptions | None = None, /, **request: Unpack[t.AssignRequest]) -> t.Assignment:
        """Says which variant a unit gets. A unit that was exposed keeps its variant."""
        answer: t.Assignment = await self._transport.call("ExperimentService.Assign", options, dict(request))
        return answer

    async def assign_many(self, options: CallOptions | None = None, /, **request: Unpack[t.AssignManyRequest]) -> t.AssignManyResponse:
        """Says which variants a unit gets in several experiments, each answered by itself."""
        answer: t.AssignManyResponse = await self._transport.call("ExperimentService.AssignMany", options, dict(request))
        return answer

    async def record_exposures(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordExposuresRequest]) -> t.RecordExposuresResponse:
        """Redeems receipts of assignments that were made with `expose: false`: their units were exposed. The first receipt of a unit wins."""
        answer: t.RecordExposuresResponse = await self._transport.call("ExperimentService.RecordExposures", options, dict(request))
        return answer

    async def score(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordScoreRequest]) -> t.Score:
        """Records what came of a unit, now or later. A repeat of the same score_id with the same body changes nothing."""
        answer: t.Score = await self._transport.call("ExperimentService.RecordScore", options, dict(request))
        return answer

    async def score_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordScoresRequest]) -> t.RecordScoresResponse:
        """Records many scores, each answered by itself."""
        answer: t.RecordScoresResponse = await self._transport.call("ExperimentService.RecordScores", options, dict(request))
        return answer

    async def results(self, options: CallOptions | None = None, /, **request: Unpack[t.GetResultsRequest]) -> t.ExperimentResults:
        """Returns the figures as they are now, from exact sums."""
        answer: t.ExperimentResults = await self._transport.call("ExperimentService.GetResults", options, dict(request))
        return answer

    async def get_unit(self, options: CallOptions | None = None, /, **request: Unpack[t.GetUnitRequest]) -> t.ExperimentUnit:
        """Returns what is stored of one unit."""
        answer: t.ExperimentUnit = await self._transport.call("ExperimentService.GetUnit", options, dict(request))
        return answer

    async def delete_unit(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteUnitRequest]) -> t.DeleteUnitResponse:
        """Deletes a unit with its scores, and takes it out of the figures."""
        answer: t.DeleteUnitResponse = await self._transport.call("ExperimentService.DeleteUnit", options, dict(request))
        return answer


class Inbox:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListInboxRequest]) -> Pages[t.InboxMessage]:
        """Lists the messages of an inbox, newest first, with the number of unread ones."""
        return Pages(self._transport, "InboxService.ListInbox", options, dict(request))

    def mark(self, options: CallOptions | None = None, /, **request: Unpack[t.MarkInboxRequest]) -> t.MarkInboxResponse:
        """Marks messages read, unread or archived: those that are named, or all."""
        answer: t.MarkInboxResponse = self._transport.call("InboxService.MarkInbox", options, dict(request))
        return answer

    def watch(self, options: CallOptions | None = None, /, **request: Unpack[t.WatchInboxRequest]) -> ServerEvents:
        """Sends the messages that arrive after a position, each once, and the number of unread ones whenever it changes."""
        return ServerEvents(self._transport, "InboxService.WatchInbox", dict(request), options)


class AsyncInbox:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListInboxRequest]) -> AsyncPages[t.InboxMessage]:
        """Lists the messages of an inbox, newest first, with the number of unread ones."""
        return AsyncPages(self._transport, "InboxService.ListInbox", options, dict(request))

    async def mark(self, options: CallOptions | None = None, /, **request: Unpack[t.MarkInboxRequest]) -> t.MarkInboxResponse:
        """Marks messages read, unread or archived: those that are named, or all."""
        answer: t.MarkInboxResponse = await self._transport.call("InboxService.MarkInbox", options, dict(request))
        return answer

    def watch(self, options: CallOptions | None = None, /, **request: Unpack[t.WatchInboxRequest]) -> AsyncServerEvents:
        """Sends the messages that arrive after a position, each once, and the number of unread ones whenever it changes."""
        return AsyncServerEvents(self._transport, "InboxService.WatchInbox", dict(request), options)


class Integrations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateIntegrationRequest]) -> t.Integration:
        """Creates an integration. Every trigger that is accepted after the answer may choose it."""
        answer: t.Integration = self._transport.call("IntegrationService.CreateIntegration", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetIntegrationRequest]) -> t.Integration:
        """Returns one integration."""
        answer: t.Integration = self._transport.call("IntegrationService.GetIntegration", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListIntegrationsRequest]) -> Pages[t.Integration]:
        """Lists the tenant's integrations by id, oldest first."""
        return Pages(self._transport, "IntegrationService.ListIntegrations", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateIntegrationRequest]) -> t.Integration:
        """Replaces an integration; what is not given has its default. The channel stays."""
        answer: t.Integration = self._transport.call("IntegrationService.UpdateIntegration", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteIntegrationRequest]) -> t.DeleteIntegrationResponse:
        """Deletes an integration. After the answer no delivery chooses it."""
        answer: t.DeleteIntegrationResponse = self._transport.call("IntegrationService.DeleteIntegration", options, dict(request))
        return answer


class AsyncIntegrations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateIntegrationRequest]) -> t.Integration:
        """Creates an integration. Every trigger that is accepted after the answer may choose it."""
        answer: t.Integration = await self._transport.call("IntegrationService.CreateIntegration", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetIntegrationRequest]) -> t.Integration:
        """Returns one integration."""
        answer: t.Integration = await self._transport.call("IntegrationService.GetIntegration", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListIntegrationsRequest]) -> AsyncPages[t.Integration]:
        """Lists the tenant's integrations by id, oldest first."""
        return AsyncPages(self._transport, "IntegrationService.ListIntegrations", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateIntegrationRequest]) -> t.Integration:
        """Replaces an integration; what is not given has its default. The channel stays."""
        answer: t.Integration = await self._transport.call("IntegrationService.UpdateIntegration", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteIntegrationRequest]) -> t.DeleteIntegrationResponse:
        """Deletes an integration. After the answer no delivery chooses it."""
        answer: t.DeleteIntegrationResponse = await self._transport.call("IntegrationService.DeleteIntegration", options, dict(request))
        return answer


class Layouts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateLayoutRequest]) -> t.Layout:
        """Creates a layout. Its body must put out `{{ content }}`."""
        answer: t.Layout = self._transport.call("LayoutService.CreateLayout", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetLayoutRequest]) -> t.Layout:
        """Returns one layout."""
        answer: t.Layout = self._transport.call("LayoutService.GetLayout", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListLayoutsRequest]) -> Pages[t.Layout]:
        """Lists the tenant's layouts by id, oldest first."""
        return Pages(self._transport, "LayoutService.ListLayouts", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateLayoutRequest]) -> t.Layout:
        """Replaces name, engine and body. `version` is the one that was read."""
        answer: t.Layout = self._transport.call("LayoutService.UpdateLayout", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteLayoutRequest]) -> t.DeleteLayoutResponse:
        """Deletes a layout. One that workflows name is deleted with `force` only; they use the channel's default then."""
        answer: t.DeleteLayoutResponse = self._transport.call("LayoutService.DeleteLayout", options, dict(request))
        return answer

    def usage(self, options: CallOptions | None = None, /, **request: Unpack[t.GetLayoutUsageRequest]) -> t.LayoutUsage:
        """Returns which workflows name a layout."""
        answer: t.LayoutUsage = self._transport.call("LayoutService.GetLayoutUsage", options, dict(request))
        return answer

    def set_default(self, options: CallOptions | None = None, /, **request: Unpack[t.SetDefaultLayoutRequest]) -> t.Layout:
        """Makes a layout the default of its channel, in the place of the one that is."""
        answer: t.Layout = self._transport.call("LayoutService.SetDefaultLayout", options, dict(request))
        return answer

    def duplicate(self, options: CallOptions | None = None, /, **request: Unpack[t.DuplicateLayoutRequest]) -> t.Layout:
        """Copies a layout: a new id, ` (copy)` after its name, never the default."""
        answer: t.Layout = self._transport.call("LayoutService.DuplicateLayout", options, dict(request))
        return answer

    def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewLayoutRequest]) -> t.LayoutPreview:
        """Renders a layout with `[content]` in the place of a message, and says which of its variables have a value."""
        answer: t.LayoutPreview = self._transport.call("LayoutService.PreviewLayout", options, dict(request))
        return answer


class AsyncLayouts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateLayoutRequest]) -> t.Layout:
        """Creates a layout. Its body must put out `{{ content }}`."""
        answer: t.Layout = await self._transport.call("LayoutService.CreateLayout", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetLayoutRequest]) -> t.Layout:
        """Returns one layout."""
        answer: t.Layout = await self._transport.call("LayoutService.GetLayout", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListLayoutsRequest]) -> AsyncPages[t.Layout]:
        """Lists the tenant's layouts by id, oldest first."""
        return AsyncPages(self._transport, "LayoutService.ListLayouts", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateLayoutRequest]) -> t.Layout:
        """Replaces name, engine and body. `version` is the one that was read."""
        answer: t.Layout = await self._transport.call("LayoutService.UpdateLayout", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteLayoutRequest]) -> t.DeleteLayoutResponse:
        """Deletes a layout. One that workflows name is deleted with `force` only; they use the channel's default then."""
        answer: t.DeleteLayoutResponse = await self._transport.call("LayoutService.DeleteLayout", options, dict(request))
        return answer

    async def usage(self, options: CallOptions | None = None, /, **request: Unpack[t.GetLayoutUsageRequest]) -> t.LayoutUsage:
        """Returns which workflows name a layout."""
        answer: t.LayoutUsage = await self._transport.call("LayoutService.GetLayoutUsage", options, dict(request))
        return answer

    async def set_default(self, options: CallOptions | None = None, /, **request: Unpack[t.SetDefaultLayoutRequest]) -> t.Layout:
        """Makes a layout the default of its channel, in the place of the one that is."""
        answer: t.Layout = await self._transport.call("LayoutService.SetDefaultLayout", options, dict(request))
        return answer

    async def duplicate(self, options: CallOptions | None = None, /, **request: Unpack[t.DuplicateLayoutRequest]) -> t.Layout:
        """Copies a layout: a new id, ` (copy)` after its name, never the default."""
        answer: t.Layout = await self._transport.call("LayoutService.DuplicateLayout", options, dict(request))
        return answer

    async def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewLayoutRequest]) -> t.LayoutPreview:
        """Renders a layout with `[content]` in the place of a message, and says which of its variables have a value."""
        answer: t.LayoutPreview = await self._transport.call("LayoutService.PreviewLayout", options, dict(request))
        return answer


class Pools:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def watch(self, options: CallOptions | None = None, /, **request: Unpack[t.WatchPoolsRequest]) -> ServerEvents:
        """Sends the figures of pools: all of them at first, then those that have changed. A pool is looked at once a second however many watch it."""
        return ServerEvents(self._transport, "LiveService.WatchPools", dict(request), options)

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreatePoolRequest]) -> t.Pool:
        """Creates a pool in the environment that X-Environment names."""
        answer: t.Pool = self._transport.call("PoolService.CreatePool", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPoolRequest]) -> t.Pool:
        """Returns one pool."""
        answer: t.Pool = self._transport.call("PoolService.GetPool", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPoolsRequest]) -> Pages[t.Pool]:
        """Lists the tenant's pools by id, oldest first. The list may lag behind a change by a moment; GetPool does not."""
        return Pages(self._transport, "PoolService.ListPools", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdatePoolRequest]) -> t.Pool:
        """Changes the named fields of a pool. REST takes a merge patch instead of update_mask."""
        answer: t.Pool = self._transport.call("PoolService.UpdatePool", options, dict(request))
        return answer

    def set_enabled(self, options: CallOptions | None = None, /, **request: Unpack[t.SetPoolEnabledRequest]) -> t.Pool:
        """Enables or disables a pool. A disabled pool refuses routing and claims and keeps its items."""
        answer: t.Pool = self._transport.call("PoolService.SetPoolEnabled", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeletePoolRequest]) -> t.DeletePoolResponse:
        """Deletes a pool with its recipients and rules. Refused while it holds items, unless forced."""
        answer: t.DeletePoolResponse = self._transport.call("PoolService.DeletePool", options, dict(request))
        return answer

    def create_version(self, options: CallOptions | None = None, /, **request: Unpack[t.CreatePoolVersionRequest]) -> t.PoolVersion:
        """Keeps a version of the pool's routing or strategy: as it is now, as given, or as it is in a version of another pool. Nothing of it is in force before a promotion activates it."""
        answer: t.PoolVersion = self._transport.call("PoolService.CreatePoolVersion", options, dict(request))
        return answer

    def list_versions(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPoolVersionsRequest]) -> Pages[t.PoolVersion]:
        """Lists the versions of a pool by number, oldest first, without their content."""
        return Pages(self._transport, "PoolService.ListPoolVersions", options, dict(request))

    def get_version(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPoolVersionRequest]) -> t.PoolVersion:
        """Returns one version with its content."""
        answer: t.PoolVersion = self._transport.call("PoolService.GetPoolVersion", options, dict(request))
        return answer

    def set_change_control(self, options: CallOptions | None = None, /, **request: Unpack[t.SetChangeControlRequest]) -> t.Pool:
        """Says how the routing and the strategy of a pool may be changed: directly, or by promotions only."""
        answer: t.Pool = self._transport.call("PoolService.SetChangeControl", options, dict(request))
        return answer

    def route(self, options: CallOptions | None = None, /, **request: Unpack[t.RouteRequest]) -> t.Routing:
        """Chooses a recipient. The decision is durable before it is answered and kept for a day."""
        answer: t.Routing = self._transport.call("RoutingService.Route", options, dict(request))
        return answer

    def route_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.RouteBatchRequest]) -> t.RouteBatchResponse:
        """Chooses a recipient for each entry, in order, in one commit per pool."""
        answer: t.RouteBatchResponse = self._transport.call("RoutingService.RouteBatch", options, dict(request))
        return answer

    def preview_route(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewRouteRequest]) -> t.RoutePreview:
        """Says what Route would answer now, and why: what each rule does and who could take it. Nothing is recorded or held, and a redirect is not followed."""
        answer: t.RoutePreview = self._transport.call("RoutingService.PreviewRoute", options, dict(request))
        return answer


class AsyncPools:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def watch(self, options: CallOptions | None = None, /, **request: Unpack[t.WatchPoolsRequest]) -> AsyncServerEvents:
        """Sends the figures of pools: all of them at first, then those that have changed. A pool is looked at once a second however many watch it."""
        return AsyncServerEvents(self._transport, "LiveService.WatchPools", dict(request), options)

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreatePoolRequest]) -> t.Pool:
        """Creates a pool in the environment that X-Environment names."""
        answer: t.Pool = await self._transport.call("PoolService.CreatePool", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPoolRequest]) -> t.Pool:
        """Returns one pool."""
        answer: t.Pool = await self._transport.call("PoolService.GetPool", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPoolsRequest]) -> AsyncPages[t.Pool]:
        """Lists the tenant's pools by id, oldest first. The list may lag behind a change by a moment; GetPool does not."""
        return AsyncPages(self._transport, "PoolService.ListPools", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdatePoolRequest]) -> t.Pool:
        """Changes the named fields of a pool. REST takes a merge patch instead of update_mask."""
        answer: t.Pool = await self._transport.call("PoolService.UpdatePool", options, dict(request))
        return answer

    async def set_enabled(self, options: CallOptions | None = None, /, **request: Unpack[t.SetPoolEnabledRequest]) -> t.Pool:
        """Enables or disables a pool. A disabled pool refuses routing and claims and keeps its items."""
        answer: t.Pool = await self._transport.call("PoolService.SetPoolEnabled", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeletePoolRequest]) -> t.DeletePoolResponse:
        """Deletes a pool with its recipients and rules. Refused while it holds items, unless forced."""
        answer: t.DeletePoolResponse = await self._transport.call("PoolService.DeletePool", options, dict(request))
        return answer

    async def create_version(self, options: CallOptions | None = None, /, **request: Unpack[t.CreatePoolVersionRequest]) -> t.PoolVersion:
        """Keeps a version of the pool's routing or strategy: as it is now, as given, or as it is in a version of another pool. Nothing of it is in force before a promotion activates it."""
        answer: t.PoolVersion = await self._transport.call("PoolService.CreatePoolVersion", options, dict(request))
        return answer

    def list_versions(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPoolVersionsRequest]) -> AsyncPages[t.PoolVersion]:
        """Lists the versions of a pool by number, oldest first, without their content."""
        return AsyncPages(self._transport, "PoolService.ListPoolVersions", options, dict(request))

    async def get_version(self, options: CallOptions | None = None, /, **request: Unpack[t.GetPoolVersionRequest]) -> t.PoolVersion:
        """Returns one version with its content."""
        answer: t.PoolVersion = await self._transport.call("PoolService.GetPoolVersion", options, dict(request))
        return answer

    async def set_change_control(self, options: CallOptions | None = None, /, **request: Unpack[t.SetChangeControlRequest]) -> t.Pool:
        """Says how the routing and the strategy of a pool may be changed: directly, or by promotions only."""
        answer: t.Pool = await self._transport.call("PoolService.SetChangeControl", options, dict(request))
        return answer

    async def route(self, options: CallOptions | None = None, /, **request: Unpack[t.RouteRequest]) -> t.Routing:
        """Chooses a recipient. The decision is durable before it is answered and kept for a day."""
        answer: t.Routing = await self._transport.call("RoutingService.Route", options, dict(request))
        return answer

    async def route_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.RouteBatchRequest]) -> t.RouteBatchResponse:
        """Chooses a recipient for each entry, in order, in one commit per pool."""
        answer: t.RouteBatchResponse = await self._transport.call("RoutingService.RouteBatch", options, dict(request))
        return answer

    async def preview_route(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewRouteRequest]) -> t.RoutePreview:
        """Says what Route would answer now, and why: what each rule does and who could take it. Nothing is recorded or held, and a redirect is not followed."""
        answer: t.RoutePreview = await self._transport.call("RoutingService.PreviewRoute", options, dict(request))
        return answer


class Services:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.GetServicesRequest]) -> t.ServicesReport:
        """Lists every service and method of this plane with its REST address and what it asks of the caller."""
        answer: t.ServicesReport = self._transport.call("MetaService.GetServices", options, dict(request))
        return answer


class AsyncServices:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, options: CallOptions | None = None, /, **request: Unpack[t.GetServicesRequest]) -> t.ServicesReport:
        """Lists every service and method of this plane with its REST address and what it asks of the caller."""
        answer: t.ServicesReport = await self._transport.call("MetaService.GetServices", options, dict(request))
        return answer


class Notices:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListNoticesRequest]) -> Pages[t.Notice]:
        """Lists the tenant's notification workflows. The list may lag behind a change by a moment."""
        return Pages(self._transport, "NoticeService.ListNotices", options, dict(request))

    def put(self, options: CallOptions | None = None, /, **request: Unpack[t.PutNoticeRequest]) -> t.Notice:
        """Writes a notification workflow as a new version. Triggers that were accepted before keep theirs."""
        answer: t.Notice = self._transport.call("NoticeService.PutNotice", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetNoticeRequest]) -> t.Notice:
        """Returns one notification workflow."""
        answer: t.Notice = self._transport.call("NoticeService.GetNotice", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteNoticeRequest]) -> t.DeleteNoticeResponse:
        """Deletes a notification workflow. Triggers with its key then take content from the request."""
        answer: t.DeleteNoticeResponse = self._transport.call("NoticeService.DeleteNotice", options, dict(request))
        return answer


class AsyncNotices:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListNoticesRequest]) -> AsyncPages[t.Notice]:
        """Lists the tenant's notification workflows. The list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "NoticeService.ListNotices", options, dict(request))

    async def put(self, options: CallOptions | None = None, /, **request: Unpack[t.PutNoticeRequest]) -> t.Notice:
        """Writes a notification workflow as a new version. Triggers that were accepted before keep theirs."""
        answer: t.Notice = await self._transport.call("NoticeService.PutNotice", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetNoticeRequest]) -> t.Notice:
        """Returns one notification workflow."""
        answer: t.Notice = await self._transport.call("NoticeService.GetNotice", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteNoticeRequest]) -> t.DeleteNoticeResponse:
        """Deletes a notification workflow. Triggers with its key then take content from the request."""
        answer: t.DeleteNoticeResponse = await self._transport.call("NoticeService.DeleteNotice", options, dict(request))
        return answer


class UserPreferences:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def put(self, options: CallOptions | None = None, /, **request: Unpack[t.PutUserPreferenceRequest]) -> t.UserPreference:
        """Writes what the author decided for one user_id of a trigger (layer 2)."""
        answer: t.UserPreference = self._transport.call("NoticeService.PutUserPreference", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetUserPreferenceRequest]) -> t.UserPreference:
        """Returns the row of one user_id (layer 2)."""
        answer: t.UserPreference = self._transport.call("NoticeService.GetUserPreference", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteUserPreferenceRequest]) -> t.DeleteUserPreferenceResponse:
        """Deletes the row of one user_id (layer 2)."""
        answer: t.DeleteUserPreferenceResponse = self._transport.call("NoticeService.DeleteUserPreference", options, dict(request))
        return answer


class AsyncUserPreferences:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def put(self, options: CallOptions | None = None, /, **request: Unpack[t.PutUserPreferenceRequest]) -> t.UserPreference:
        """Writes what the author decided for one user_id of a trigger (layer 2)."""
        answer: t.UserPreference = await self._transport.call("NoticeService.PutUserPreference", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetUserPreferenceRequest]) -> t.UserPreference:
        """Returns the row of one user_id (layer 2)."""
        answer: t.UserPreference = await self._transport.call("NoticeService.GetUserPreference", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteUserPreferenceRequest]) -> t.DeleteUserPreferenceResponse:
        """Deletes the row of one user_id (layer 2)."""
        answer: t.DeleteUserPreferenceResponse = await self._transport.call("NoticeService.DeleteUserPreference", options, dict(request))
        return answer


class Notify:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def trigger(self, options: CallOptions | None = None, /, **request: Unpack[t.TriggerRequest]) -> t.TriggerResponse:
        """Sends a notification to one subscriber, and waits for the first outcomes; or to all members of a topic, and answers once the broadcast is stored."""
        answer: t.TriggerResponse = self._transport.call("NotificationService.Trigger", options, dict(request))
        return answer

    def broadcast(self, options: CallOptions | None = None, /, **request: Unpack[t.GetBroadcastRequest]) -> t.Broadcast:
        """Returns how far a broadcast to a topic is."""
        answer: t.Broadcast = self._transport.call("NotificationService.GetBroadcast", options, dict(request))
        return answer

    def cancel_broadcast(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelBroadcastRequest]) -> t.Broadcast:
        """Stops a broadcast: members that were not reached yet are not, and deliveries that wait are skipped. One that is over stays as it is."""
        answer: t.Broadcast = self._transport.call("NotificationService.CancelBroadcast", options, dict(request))
        return answer

    def deliveries(self, options: CallOptions | None = None, /, **request: Unpack[t.ListDeliveriesRequest]) -> Pages[t.Delivery]:
        """Lists deliveries of one transaction or of one subscriber, newest first: exactly one of them is named."""
        return Pages(self._transport, "NotificationService.ListDeliveries", options, dict(request))

    def delivery(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDeliveryRequest]) -> t.Delivery:
        """Returns one delivery."""
        answer: t.Delivery = self._transport.call("NotificationService.GetDelivery", options, dict(request))
        return answer

    def observations(self, options: CallOptions | None = None, /, **request: Unpack[t.ListObservationsRequest]) -> Pages[t.Observation]:
        """Lists what adapters have observed of a delivery, in order."""
        return Pages(self._transport, "NotificationService.ListObservations", options, dict(request))

    def dead_letters(self, options: CallOptions | None = None, /, **request: Unpack[t.NotificationServiceListDeadLettersRequest]) -> Pages[t.DeadLetter]:
        """Lists failed deliveries, newest first."""
        return Pages(self._transport, "NotificationService.ListDeadLetters", options, dict(request))

    def dead_letter(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDeadLetterRequest]) -> t.DeadLetter:
        """Returns one dead letter."""
        answer: t.DeadLetter = self._transport.call("NotificationService.GetDeadLetter", options, dict(request))
        return answer

    def redrive_one(self, options: CallOptions | None = None, /, **request: Unpack[t.RedriveDeadLetterRequest]) -> t.DeadLetter:
        """Sends a failed delivery again, by the preferences and integrations of now."""
        answer: t.DeadLetter = self._transport.call("NotificationService.RedriveDeadLetter", options, dict(request))
        return answer

    def redrive(self, options: CallOptions | None = None, /, **request: Unpack[t.RedriveDeadLettersRequest]) -> t.RedriveDeadLettersResponse:
        """Sends up to 1,000 failed deliveries again; each is answered by itself."""
        answer: t.RedriveDeadLettersResponse = self._transport.call("NotificationService.RedriveDeadLetters", options, dict(request))
        return answer


class AsyncNotify:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def trigger(self, options: CallOptions | None = None, /, **request: Unpack[t.TriggerRequest]) -> t.TriggerResponse:
        """Sends a notification to one subscriber, and waits for the first outcomes; or to all members of a topic, and answers once the broadcast is stored."""
        answer: t.TriggerResponse = await self._transport.call("NotificationService.Trigger", options, dict(request))
        return answer

    async def broadcast(self, options: CallOptions | None = None, /, **request: Unpack[t.GetBroadcastRequest]) -> t.Broadcast:
        """Returns how far a broadcast to a topic is."""
        answer: t.Broadcast = await self._transport.call("NotificationService.GetBroadcast", options, dict(request))
        return answer

    async def cancel_broadcast(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelBroadcastRequest]) -> t.Broadcast:
        """Stops a broadcast: members that were not reached yet are not, and deliveries that wait are skipped. One that is over stays as it is."""
        answer: t.Broadcast = await self._transport.call("NotificationService.CancelBroadcast", options, dict(request))
        return answer

    def deliveries(self, options: CallOptions | None = None, /, **request: Unpack[t.ListDeliveriesRequest]) -> AsyncPages[t.Delivery]:
        """Lists deliveries of one transaction or of one subscriber, newest first: exactly one of them is named."""
        return AsyncPages(self._transport, "NotificationService.ListDeliveries", options, dict(request))

    async def delivery(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDeliveryRequest]) -> t.Delivery:
        """Returns one delivery."""
        answer: t.Delivery = await self._transport.call("NotificationService.GetDelivery", options, dict(request))
        return answer

    def observations(self, options: CallOptions | None = None, /, **request: Unpack[t.ListObservationsRequest]) -> AsyncPages[t.Observation]:
        """Lists what adapters have observed of a delivery, in order."""
        return AsyncPages(self._transport, "NotificationService.ListObservations", options, dict(request))

    def dead_letters(self, options: CallOptions | None = None, /, **request: Unpack[t.NotificationServiceListDeadLettersRequest]) -> AsyncPages[t.DeadLetter]:
        """Lists failed deliveries, newest first."""
        return AsyncPages(self._transport, "NotificationService.ListDeadLetters", options, dict(request))

    async def dead_letter(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDeadLetterRequest]) -> t.DeadLetter:
        """Returns one dead letter."""
        answer: t.DeadLetter = await self._transport.call("NotificationService.GetDeadLetter", options, dict(request))
        return answer

    async def redrive_one(self, options: CallOptions | None = None, /, **request: Unpack[t.RedriveDeadLetterRequest]) -> t.DeadLetter:
        """Sends a failed delivery again, by the preferences and integrations of now."""
        answer: t.DeadLetter = await self._transport.call("NotificationService.RedriveDeadLetter", options, dict(request))
        return answer

    async def redrive(self, options: CallOptions | None = None, /, **request: Unpack[t.RedriveDeadLettersRequest]) -> t.RedriveDeadLettersResponse:
        """Sends up to 1,000 failed deliveries again; each is answered by itself."""
        answer: t.RedriveDeadLettersResponse = await self._transport.call("NotificationService.RedriveDeadLetters", options, dict(request))
        return answer


class Report:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def health(self, options: CallOptions | None = None, /, **request: Unpack[t.GetOperationalHealthReportRequest]) -> t.OperationalHealthReport:
        """Returns the verdict on an environment by a fixed ruleset: one report for all callers within 15 seconds."""
        answer: t.OperationalHealthReport = self._transport.call("OperationalHealthService.GetOperationalHealthReport", options, dict(request))
        return answer

    def scopes(self, options: CallOptions | None = None, /, **request: Unpack[t.ListScopesRequest]) -> Pages[t.HealthScopes]:
        """Lists the tenants and environments that the caller may ask about."""
        return Pages(self._transport, "OperationalHealthService.ListScopes", options, dict(request))


class AsyncReport:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def health(self, options: CallOptions | None = None, /, **request: Unpack[t.GetOperationalHealthReportRequest]) -> t.OperationalHealthReport:
        """Returns the verdict on an environment by a fixed ruleset: one report for all callers within 15 seconds."""
        answer: t.OperationalHealthReport = await self._transport.call("OperationalHealthService.GetOperationalHealthReport", options, dict(request))
        return answer

    def scopes(self, options: CallOptions | None = None, /, **request: Unpack[t.ListScopesRequest]) -> AsyncPages[t.HealthScopes]:
        """Lists the tenants and environments that the caller may ask about."""
        return AsyncPages(self._transport, "OperationalHealthService.ListScopes", options, dict(request))


class Outcomes:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def record(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordOutcomeRequest]) -> t.Outcome:
        """Records how a routing or an item ended."""
        answer: t.Outcome = self._transport.call("OutcomeService.RecordOutcome", options, dict(request))
        return answer

    def record_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordOutcomesRequest]) -> t.RecordOutcomesResponse:
        """Records many outcomes, one commit per pool."""
        answer: t.RecordOutcomesResponse = self._transport.call("OutcomeService.RecordOutcomes", options, dict(request))
        return answer


class AsyncOutcomes:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def record(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordOutcomeRequest]) -> t.Outcome:
        """Records how a routing or an item ended."""
        answer: t.Outcome = await self._transport.call("OutcomeService.RecordOutcome", options, dict(request))
        return answer

    async def record_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.RecordOutcomesRequest]) -> t.RecordOutcomesResponse:
        """Records many outcomes, one commit per pool."""
        answer: t.RecordOutcomesResponse = await self._transport.call("OutcomeService.RecordOutcomes", options, dict(request))
        return answer


class Promotions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateCandidateRequest]) -> t.PromotionCandidate:
        """Creates a candidate of exact versions. Another version needs another candidate."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.CreateCandidate", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetCandidateRequest]) -> t.PromotionCandidate:
        """Returns one candidate."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.GetCandidate", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListCandidatesRequest]) -> Pages[t.PromotionCandidate]:
        """Lists the tenant's candidates by id, newest first, each with its last check only. The list may lag behind a change by a moment."""
        return Pages(self._transport, "PromotionService.ListCandidates", options, dict(request))

    def preflight(self, options: CallOptions | None = None, /, **request: Unpack[t.PreflightRequest]) -> t.PromotionCandidate:
        """Compares every artifact with what is in force and says what would change and what stands against it. Changes nothing else."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.Preflight", options, dict(request))
        return answer

    def evaluate_guardrails(self, options: CallOptions | None = None, /, **request: Unpack[t.EvaluateGuardrailsRequest]) -> t.PromotionCandidate:
        """Evaluates the guardrails over what is known now, and keeps the result as a check."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.EvaluateGuardrails", options, dict(request))
        return answer

    def start_canary(self, options: CallOptions | None = None, /, **request: Unpack[t.StartCanaryRequest]) -> t.PromotionCandidate:
        """Lets the candidate decide a share of the keys, or a larger share. A key stays on its side."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.StartCanary", options, dict(request))
        return answer

    def stop_canary(self, options: CallOptions | None = None, /, **request: Unpack[t.StopCanaryRequest]) -> t.PromotionCandidate:
        """Stops the canary and evaluates the guardrails. What it has counted stays."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.StopCanary", options, dict(request))
        return answer

    def approve(self, options: CallOptions | None = None, /, **request: Unpack[t.ApproveRequest]) -> t.PromotionCandidate:
        """Records the caller's decision. Whoever made the candidate or a version in it cannot approve it."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.Approve", options, dict(request))
        return answer

    def promote(self, options: CallOptions | None = None, /, **request: Unpack[t.PromoteRequest]) -> t.PromotionCandidate:
        """Puts all artifacts into force, or none of them."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.Promote", options, dict(request))
        return answer

    def rollback(self, options: CallOptions | None = None, /, **request: Unpack[t.RollbackRequest]) -> t.PromotionCandidate:
        """Puts back what was in force before the promotion, with the same rule ids: all of it or nothing."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.Rollback", options, dict(request))
        return answer

    def abort(self, options: CallOptions | None = None, /, **request: Unpack[t.AbortRequest]) -> t.PromotionCandidate:
        """Ends a candidate that is not promoted, and its canary."""
        answer: t.PromotionCandidate = self._transport.call("PromotionService.Abort", options, dict(request))
        return answer


class AsyncPromotions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateCandidateRequest]) -> t.PromotionCandidate:
        """Creates a candidate of exact versions. Another version needs another candidate."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.CreateCandidate", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetCandidateRequest]) -> t.PromotionCandidate:
        """Returns one candidate."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.GetCandidate", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListCandidatesRequest]) -> AsyncPages[t.PromotionCandidate]:
        """Lists the tenant's candidates by id, newest first, each with its last check only. The list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "PromotionService.ListCandidates", options, dict(request))

    async def preflight(self, options: CallOptions | None = None, /, **request: Unpack[t.PreflightRequest]) -> t.PromotionCandidate:
        """Compares every artifact with what is in force and says what would change and what stands against it. Changes nothing else."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.Preflight", options, dict(request))
        return answer

    async def evaluate_guardrails(self, options: CallOptions | None = None, /, **request: Unpack[t.EvaluateGuardrailsRequest]) -> t.PromotionCandidate:
        """Evaluates the guardrails over what is known now, and keeps the result as a check."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.EvaluateGuardrails", options, dict(request))
        return answer

    async def start_canary(self, options: CallOptions | None = None, /, **request: Unpack[t.StartCanaryRequest]) -> t.PromotionCandidate:
        """Lets the candidate decide a share of the keys, or a larger share. A key stays on its side."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.StartCanary", options, dict(request))
        return answer

    async def stop_canary(self, options: CallOptions | None = None, /, **request: Unpack[t.StopCanaryRequest]) -> t.PromotionCandidate:
        """Stops the canary and evaluates the guardrails. What it has counted stays."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.StopCanary", options, dict(request))
        return answer

    async def approve(self, options: CallOptions | None = None, /, **request: Unpack[t.ApproveRequest]) -> t.PromotionCandidate:
        """Records the caller's decision. Whoever made the candidate or a version in it cannot approve it."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.Approve", options, dict(request))
        return answer

    async def promote(self, options: CallOptions | None = None, /, **request: Unpack[t.PromoteRequest]) -> t.PromotionCandidate:
        """Puts all artifacts into force, or none of them."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.Promote", options, dict(request))
        return answer

    async def rollback(self, options: CallOptions | None = None, /, **request: Unpack[t.RollbackRequest]) -> t.PromotionCandidate:
        """Puts back what was in force before the promotion, with the same rule ids: all of it or nothing."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.Rollback", options, dict(request))
        return answer

    async def abort(self, options: CallOptions | None = None, /, **request: Unpack[t.AbortRequest]) -> t.PromotionCandidate:
        """Ends a candidate that is not promoted, and its canary."""
        answer: t.PromotionCandidate = await self._transport.call("PromotionService.Abort", options, dict(request))
        return answer


class ProviderConfigs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateProviderConfigRequest]) -> t.ProviderConfig:
        """Creates a provider config as a draft, in the environment that X-Environment names."""
        answer: t.ProviderConfig = self._transport.call("ProviderConfigService.CreateProviderConfig", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetProviderConfigRequest]) -> t.ProviderConfig:
        """Returns one provider config, without its client secret."""
        answer: t.ProviderConfig = self._transport.call("ProviderConfigService.GetProviderConfig", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListProviderConfigsRequest]) -> Pages[t.ProviderConfig]:
        """Lists provider configs by id, oldest first. The list may lag behind a change by a moment."""
        return Pages(self._transport, "ProviderConfigService.ListProviderConfigs", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateProviderConfigRequest]) -> t.ProviderConfig:
        """Changes the named fields; each change makes a new version. REST takes a merge patch instead of update_mask."""
        answer: t.ProviderConfig = self._transport.call("ProviderConfigService.UpdateProviderConfig", options, dict(request))
        return answer

    def activate(self, options: CallOptions | None = None, /, **request: Unpack[t.ActivateProviderConfigRequest]) -> t.ProviderConfig:
        """Lets connections be made and actions be executed with it: from draft or disabled."""
        answer: t.ProviderConfig = self._transport.call("ProviderConfigService.ActivateProviderConfig", options, dict(request))
        return answer

    def disable(self, options: CallOptions | None = None, /, **request: Unpack[t.DisableProviderConfigRequest]) -> t.ProviderConfig:
        """Stops its executions, those that wait among them: from active."""
        answer: t.ProviderConfig = self._transport.call("ProviderConfigService.DisableProviderConfig", options, dict(request))
        return answer

    def archive(self, options: CallOptions | None = None, /, **request: Unpack[t.ArchiveProviderConfigRequest]) -> t.ProviderConfig:
        """Puts it away for good: from draft or disabled."""
        answer: t.ProviderConfig = self._transport.call("ProviderConfigService.ArchiveProviderConfig", options, dict(request))
        return answer


class AsyncProviderConfigs:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateProviderConfigRequest]) -> t.ProviderConfig:
        """Creates a provider config as a draft, in the environment that X-Environment names."""
        answer: t.ProviderConfig = await self._transport.call("ProviderConfigService.CreateProviderConfig", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetProviderConfigRequest]) -> t.ProviderConfig:
        """Returns one provider config, without its client secret."""
        answer: t.ProviderConfig = await self._transport.call("ProviderConfigService.GetProviderConfig", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListProviderConfigsRequest]) -> AsyncPages[t.ProviderConfig]:
        """Lists provider configs by id, oldest first. The list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "ProviderConfigService.ListProviderConfigs", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateProviderConfigRequest]) -> t.ProviderConfig:
        """Changes the named fields; each change makes a new version. REST takes a merge patch instead of update_mask."""
        answer: t.ProviderConfig = await self._transport.call("ProviderConfigService.UpdateProviderConfig", options, dict(request))
        return answer

    async def activate(self, options: CallOptions | None = None, /, **request: Unpack[t.ActivateProviderConfigRequest]) -> t.ProviderConfig:
        """Lets connections be made and actions be executed with it: from draft or disabled."""
        answer: t.ProviderConfig = await self._transport.call("ProviderConfigService.ActivateProviderConfig", options, dict(request))
        return answer

    async def disable(self, options: CallOptions | None = None, /, **request: Unpack[t.DisableProviderConfigRequest]) -> t.ProviderConfig:
        """Stops its executions, those that wait among them: from active."""
        answer: t.ProviderConfig = await self._transport.call("ProviderConfigService.DisableProviderConfig", options, dict(request))
        return answer

    async def archive(self, options: CallOptions | None = None, /, **request: Unpack[t.ArchiveProviderConfigRequest]) -> t.ProviderConfig:
        """Puts it away for good: from draft or disabled."""
        answer: t.ProviderConfig = await self._transport.call("ProviderConfigService.ArchiveProviderConfig", options, dict(request))
        return answer


class Queues:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListQueuesRequest]) -> Pages[t.QueueStatus]:
        """Lists the tenant's queues with their figures, by pool id."""
        return Pages(self._transport, "QueueControlService.ListQueues", options, dict(request))

    def status(self, options: CallOptions | None = None, /, **request: Unpack[t.GetQueueStatusRequest]) -> t.QueueStatus:
        """Returns a queue's figures."""
        answer: t.QueueStatus = self._transport.call("QueueControlService.GetQueueStatus", options, dict(request))
        return answer

    def series(self, options: CallOptions | None = None, /, **request: Unpack[t.GetQueueSeriesRequest]) -> t.QueueSeries:
        """Returns what has happened in a queue, by minutes, five minutes or hours: whole steps, up to the last one that is over."""
        answer: t.QueueSeries = self._transport.call("QueueControlService.GetQueueSeries", options, dict(request))
        return answer

    def pause(self, options: CallOptions | None = None, /, **request: Unpack[t.PauseQueueRequest]) -> t.QueueStatus:
        """Stops handing items out; they can still be enqueued, and leases go on."""
        answer: t.QueueStatus = self._transport.call("QueueControlService.PauseQueue", options, dict(request))
        return answer

    def resume(self, options: CallOptions | None = None, /, **request: Unpack[t.ResumeQueueRequest]) -> t.QueueStatus:
        """Hands items out again, at once."""
        answer: t.QueueStatus = self._transport.call("QueueControlService.ResumeQueue", options, dict(request))
        return answer

    def drain(self, options: CallOptions | None = None, /, **request: Unpack[t.DrainQueueRequest]) -> t.DrainQueueResponse:
        """Cancels the oldest waiting items, never a leased one."""
        answer: t.DrainQueueResponse = self._transport.call("QueueControlService.DrainQueue", options, dict(request))
        return answer


class AsyncQueues:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListQueuesRequest]) -> AsyncPages[t.QueueStatus]:
        """Lists the tenant's queues with their figures, by pool id."""
        return AsyncPages(self._transport, "QueueControlService.ListQueues", options, dict(request))

    async def status(self, options: CallOptions | None = None, /, **request: Unpack[t.GetQueueStatusRequest]) -> t.QueueStatus:
        """Returns a queue's figures."""
        answer: t.QueueStatus = await self._transport.call("QueueControlService.GetQueueStatus", options, dict(request))
        return answer

    async def series(self, options: CallOptions | None = None, /, **request: Unpack[t.GetQueueSeriesRequest]) -> t.QueueSeries:
        """Returns what has happened in a queue, by minutes, five minutes or hours: whole steps, up to the last one that is over."""
        answer: t.QueueSeries = await self._transport.call("QueueControlService.GetQueueSeries", options, dict(request))
        return answer

    async def pause(self, options: CallOptions | None = None, /, **request: Unpack[t.PauseQueueRequest]) -> t.QueueStatus:
        """Stops handing items out; they can still be enqueued, and leases go on."""
        answer: t.QueueStatus = await self._transport.call("QueueControlService.PauseQueue", options, dict(request))
        return answer

    async def resume(self, options: CallOptions | None = None, /, **request: Unpack[t.ResumeQueueRequest]) -> t.QueueStatus:
        """Hands items out again, at once."""
        answer: t.QueueStatus = await self._transport.call("QueueControlService.ResumeQueue", options, dict(request))
        return answer

    async def drain(self, options: CallOptions | None = None, /, **request: Unpack[t.DrainQueueRequest]) -> t.DrainQueueResponse:
        """Cancels the oldest waiting items, never a leased one."""
        answer: t.DrainQueueResponse = await self._transport.call("QueueControlService.DrainQueue", options, dict(request))
        return answer


class Jobs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListJobsRequest]) -> Pages[t.Job]:
        """Lists the jobs of a queue, the newest first: those that run, and the last 20 that have ended, for 7 days."""
        return Pages(self._transport, "QueueControlService.ListJobs", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetJobRequest]) -> t.Job:
        """Says how far a job is."""
        answer: t.Job = self._transport.call("QueueControlService.GetJob", options, dict(request))
        return answer

    def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelJobRequest]) -> t.Job:
        """Ends a job where it is; what it has changed stays so."""
        answer: t.Job = self._transport.call("QueueControlService.CancelJob", options, dict(request))
        return answer


class AsyncJobs:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListJobsRequest]) -> AsyncPages[t.Job]:
        """Lists the jobs of a queue, the newest first: those that run, and the last 20 that have ended, for 7 days."""
        return AsyncPages(self._transport, "QueueControlService.ListJobs", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetJobRequest]) -> t.Job:
        """Says how far a job is."""
        answer: t.Job = await self._transport.call("QueueControlService.GetJob", options, dict(request))
        return answer

    async def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelJobRequest]) -> t.Job:
        """Ends a job where it is; what it has changed stays so."""
        answer: t.Job = await self._transport.call("QueueControlService.CancelJob", options, dict(request))
        return answer


class Items:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def enqueue(self, options: CallOptions | None = None, /, **request: Unpack[t.EnqueueRequest]) -> t.EnqueueResponse:
        """Enqueues an item. The answer says what admission made of it; 201 where a new item was made."""
        answer: t.EnqueueResponse = self._transport.call("QueueService.Enqueue", options, dict(request))
        return answer

    def enqueue_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.EnqueueBatchRequest]) -> t.EnqueueBatchResponse:
        """Enqueues up to 1,000 items in one commit; each entry sees the ones before it."""
        answer: t.EnqueueBatchResponse = self._transport.call("QueueService.EnqueueBatch", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListItemsRequest]) -> Pages[t.QueueItem]:
        """Lists items by id, oldest first."""
        return Pages(self._transport, "QueueService.ListItems", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetItemRequest]) -> t.QueueItem:
        """Returns one item, and why it waits."""
        answer: t.QueueItem = self._transport.call("QueueService.GetItem", options, dict(request))
        return answer

    def await_(self, options: CallOptions | None = None, /, **request: Unpack[t.AwaitItemRequest]) -> t.AwaitItemResponse:
        """Waits until an item is finished, or started; answers at once where it is, and otherwise when the wait is over."""
        answer: t.AwaitItemResponse = self._transport.call("QueueService.AwaitItem", options, dict(request))
        return answer

    def claim(self, options: CallOptions | None = None, /, **request: Unpack[t.ClaimRequest]) -> t.ClaimResponse:
        """Leases the next items in line to a recipient; waits for some if there are none."""
        answer: t.ClaimResponse = self._transport.call("QueueService.Claim", options, dict(request))
        return answer

    def settle(self, options: CallOptions | None = None, /, **request: Unpack[t.SettleBatchRequest]) -> t.SettleBatchResponse:
        """Settles or extends many leases in one commit."""
        answer: t.SettleBatchResponse = self._transport.call("QueueService.SettleBatch", options, dict(request))
        return answer

    def complete(self, options: CallOptions | None = None, /, **request: Unpack[t.CompleteRequest]) -> t.Settlement:
        """Ends an item as done."""
        answer: t.Settlement = self._transport.call("QueueService.Complete", options, dict(request))
        return answer

    def fail(self, options: CallOptions | None = None, /, **request: Unpack[t.FailRequest]) -> t.Settlement:
        """Ends an attempt: the item is tried again after a back-off, or is a dead letter."""
        answer: t.Settlement = self._transport.call("QueueService.Fail", options, dict(request))
        return answer

    def release(self, options: CallOptions | None = None, /, **request: Unpack[t.ReleaseRequest]) -> t.Settlement:
        """Gives an item back untouched; costs a delivery, not an attempt."""
        answer: t.Settlement = self._transport.call("QueueService.Release", options, dict(request))
        return answer

    def reject(self, options: CallOptions | None = None, /, **request: Unpack[t.RejectRequest]) -> t.Settlement:
        """Makes an item a dead letter at once."""
        answer: t.Settlement = self._transport.call("QueueService.Reject", options, dict(request))
        return answer

    def extend(self, options: CallOptions | None = None, /, **request: Unpack[t.ExtendRequest]) -> t.Settlement:
        """Makes a lease last longer, counted from now."""
        answer: t.Settlement = self._transport.call("QueueService.Extend", options, dict(request))
        return answer

    def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelRequest]) -> t.QueueItem:
        """Ends an item whatever it is doing; a lease on it is void at once."""
        answer: t.QueueItem = self._transport.call("QueueService.Cancel", options, dict(request))
        return answer

    def cancel_all(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelAllRequest]) -> t.Job:
        """Starts to cancel every item that waits and matches, each once; goes on by itself, also over restarts. Items that are enqueued later, and leased ones, are not touched."""
        answer: t.Job = self._transport.call("QueueService.CancelAll", options, dict(request))
        return answer


class AsyncItems:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def enqueue(self, options: CallOptions | None = None, /, **request: Unpack[t.EnqueueRequest]) -> t.EnqueueResponse:
        """Enqueues an item. The answer says what admission made of it; 201 where a new item was made."""
        answer: t.EnqueueResponse = await self._transport.call("QueueService.Enqueue", options, dict(request))
        return answer

    async def enqueue_batch(self, options: CallOptions | None = None, /, **request: Unpack[t.EnqueueBatchRequest]) -> t.EnqueueBatchResponse:
        """Enqueues up to 1,000 items in one commit; each entry sees the ones before it."""
        answer: t.EnqueueBatchResponse = await self._transport.call("QueueService.EnqueueBatch", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListItemsRequest]) -> AsyncPages[t.QueueItem]:
        """Lists items by id, oldest first."""
        return AsyncPages(self._transport, "QueueService.ListItems", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetItemRequest]) -> t.QueueItem:
        """Returns one item, and why it waits."""
        answer: t.QueueItem = await self._transport.call("QueueService.GetItem", options, dict(request))
        return answer

    async def await_(self, options: CallOptions | None = None, /, **request: Unpack[t.AwaitItemRequest]) -> t.AwaitItemResponse:
        """Waits until an item is finished, or started; answers at once where it is, and otherwise when the wait is over."""
        answer: t.AwaitItemResponse = await self._transport.call("QueueService.AwaitItem", options, dict(request))
        return answer

    async def claim(self, options: CallOptions | None = None, /, **request: Unpack[t.ClaimRequest]) -> t.ClaimResponse:
        """Leases the next items in line to a recipient; waits for some if there are none."""
        answer: t.ClaimResponse = await self._transport.call("QueueService.Claim", options, dict(request))
        return answer

    async def settle(self, options: CallOptions | None = None, /, **request: Unpack[t.SettleBatchRequest]) -> t.SettleBatchResponse:
        """Settles or extends many leases in one commit."""
        answer: t.SettleBatchResponse = await self._transport.call("QueueService.SettleBatch", options, dict(request))
        return answer

    async def complete(self, options: CallOptions | None = None, /, **request: Unpack[t.CompleteRequest]) -> t.Settlement:
        """Ends an item as done."""
        answer: t.Settlement = await self._transport.call("QueueService.Complete", options, dict(request))
        return answer

    async def fail(self, options: CallOptions | None = None, /, **request: Unpack[t.FailRequest]) -> t.Settlement:
        """Ends an attempt: the item is tried again after a back-off, or is a dead letter."""
        answer: t.Settlement = await self._transport.call("QueueService.Fail", options, dict(request))
        return answer

    async def release(self, options: CallOptions | None = None, /, **request: Unpack[t.ReleaseRequest]) -> t.Settlement:
        """Gives an item back untouched; costs a delivery, not an attempt."""
        answer: t.Settlement = await self._transport.call("QueueService.Release", options, dict(request))
        return answer

    async def reject(self, options: CallOptions | None = None, /, **request: Unpack[t.RejectRequest]) -> t.Settlement:
        """Makes an item a dead letter at once."""
        answer: t.Settlement = await self._transport.call("QueueService.Reject", options, dict(request))
        return answer

    async def extend(self, options: CallOptions | None = None, /, **request: Unpack[t.ExtendRequest]) -> t.Settlement:
        """Makes a lease last longer, counted from now."""
        answer: t.Settlement = await self._transport.call("QueueService.Extend", options, dict(request))
        return answer

    async def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelRequest]) -> t.QueueItem:
        """Ends an item whatever it is doing; a lease on it is void at once."""
        answer: t.QueueItem = await self._transport.call("QueueService.Cancel", options, dict(request))
        return answer

    async def cancel_all(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelAllRequest]) -> t.Job:
        """Starts to cancel every item that waits and matches, each once; goes on by itself, also over restarts. Items that are enqueued later, and leased ones, are not touched."""
        answer: t.Job = await self._transport.call("QueueService.CancelAll", options, dict(request))
        return answer


class Recipients:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateRecipientRequest]) -> t.Recipient:
        """Adds a recipient to a pool."""
        answer: t.Recipient = self._transport.call("RecipientService.CreateRecipient", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListRecipientsRequest]) -> Pages[t.Recipient]:
        """Lists a pool's recipients by id, oldest first."""
        return Pages(self._transport, "RecipientService.ListRecipients", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRecipientRequest]) -> t.Recipient:
        """Returns one recipient with its live figures."""
        answer: t.Recipient = self._transport.call("RecipientService.GetRecipient", options, dict(request))
        return answer

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateRecipientRequest]) -> t.Recipient:
        """Changes the named fields of a recipient. REST takes a merge patch instead of update_mask."""
        answer: t.Recipient = self._transport.call("RecipientService.UpdateRecipient", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteRecipientRequest]) -> t.DeleteRecipientResponse:
        """Removes a recipient. What it holds can still be settled."""
        answer: t.DeleteRecipientResponse = self._transport.call("RecipientService.DeleteRecipient", options, dict(request))
        return answer

    def pause(self, options: CallOptions | None = None, /, **request: Unpack[t.PauseRecipientRequest]) -> t.Recipient:
        """Gives a recipient nothing new until it is resumed."""
        answer: t.Recipient = self._transport.call("RecipientService.PauseRecipient", options, dict(request))
        return answer

    def resume(self, options: CallOptions | None = None, /, **request: Unpack[t.ResumeRecipientRequest]) -> t.Recipient:
        """Makes a paused, draining or ejected recipient active again."""
        answer: t.Recipient = self._transport.call("RecipientService.ResumeRecipient", options, dict(request))
        return answer

    def heartbeat(self, options: CallOptions | None = None, /, **request: Unpack[t.HeartbeatRequest]) -> t.Recipient:
        """Says that a recipient is there. Once it has, it is offline when its next heartbeat is overdue."""
        answer: t.Recipient = self._transport.call("RecipientService.Heartbeat", options, dict(request))
        return answer


class AsyncRecipients:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateRecipientRequest]) -> t.Recipient:
        """Adds a recipient to a pool."""
        answer: t.Recipient = await self._transport.call("RecipientService.CreateRecipient", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListRecipientsRequest]) -> AsyncPages[t.Recipient]:
        """Lists a pool's recipients by id, oldest first."""
        return AsyncPages(self._transport, "RecipientService.ListRecipients", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRecipientRequest]) -> t.Recipient:
        """Returns one recipient with its live figures."""
        answer: t.Recipient = await self._transport.call("RecipientService.GetRecipient", options, dict(request))
        return answer

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateRecipientRequest]) -> t.Recipient:
        """Changes the named fields of a recipient. REST takes a merge patch instead of update_mask."""
        answer: t.Recipient = await self._transport.call("RecipientService.UpdateRecipient", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteRecipientRequest]) -> t.DeleteRecipientResponse:
        """Removes a recipient. What it holds can still be settled."""
        answer: t.DeleteRecipientResponse = await self._transport.call("RecipientService.DeleteRecipient", options, dict(request))
        return answer

    async def pause(self, options: CallOptions | None = None, /, **request: Unpack[t.PauseRecipientRequest]) -> t.Recipient:
        """Gives a recipient nothing new until it is resumed."""
        answer: t.Recipient = await self._transport.call("RecipientService.PauseRecipient", options, dict(request))
        return answer

    async def resume(self, options: CallOptions | None = None, /, **request: Unpack[t.ResumeRecipientRequest]) -> t.Recipient:
        """Makes a paused, draining or ejected recipient active again."""
        answer: t.Recipient = await self._transport.call("RecipientService.ResumeRecipient", options, dict(request))
        return answer

    async def heartbeat(self, options: CallOptions | None = None, /, **request: Unpack[t.HeartbeatRequest]) -> t.Recipient:
        """Says that a recipient is there. Once it has, it is offline when its next heartbeat is overdue."""
        answer: t.Recipient = await self._transport.call("RecipientService.Heartbeat", options, dict(request))
        return answer


class Routings:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRoutingRequest]) -> t.Routing:
        """Returns a decision of the last day; `verify` decides again from what was recorded."""
        answer: t.Routing = self._transport.call("RoutingService.GetRouting", options, dict(request))
        return answer


class AsyncRoutings:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRoutingRequest]) -> t.Routing:
        """Returns a decision of the last day; `verify` decides again from what was recorded."""
        answer: t.Routing = await self._transport.call("RoutingService.GetRouting", options, dict(request))
        return answer


class Rules:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateRuleRequest]) -> t.Rule:
        """Adds a rule to a pool."""
        answer: t.Rule = self._transport.call("RuleService.CreateRule", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListRulesRequest]) -> Pages[t.Rule]:
        """Lists a pool's rules by id, oldest first."""
        return Pages(self._transport, "RuleService.ListRules", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRuleRequest]) -> t.Rule:
        """Returns one rule."""
        answer: t.Rule = self._transport.call("RuleService.GetRule", options, dict(request))
        return answer

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateRuleRequest]) -> t.Rule:
        """Changes the named fields of a rule. REST takes a merge patch instead of update_mask."""
        answer: t.Rule = self._transport.call("RuleService.UpdateRule", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteRuleRequest]) -> t.DeleteRuleResponse:
        """Removes a rule."""
        answer: t.DeleteRuleResponse = self._transport.call("RuleService.DeleteRule", options, dict(request))
        return answer

    def validate(self, options: CallOptions | None = None, /, **request: Unpack[t.ValidateRuleRequest]) -> t.ValidateRuleResponse:
        """Checks a condition, and with pool_id what an action names, without storing it."""
        answer: t.ValidateRuleResponse = self._transport.call("RuleService.ValidateRule", options, dict(request))
        return answer


class AsyncRules:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateRuleRequest]) -> t.Rule:
        """Adds a rule to a pool."""
        answer: t.Rule = await self._transport.call("RuleService.CreateRule", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListRulesRequest]) -> AsyncPages[t.Rule]:
        """Lists a pool's rules by id, oldest first."""
        return AsyncPages(self._transport, "RuleService.ListRules", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRuleRequest]) -> t.Rule:
        """Returns one rule."""
        answer: t.Rule = await self._transport.call("RuleService.GetRule", options, dict(request))
        return answer

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateRuleRequest]) -> t.Rule:
        """Changes the named fields of a rule. REST takes a merge patch instead of update_mask."""
        answer: t.Rule = await self._transport.call("RuleService.UpdateRule", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteRuleRequest]) -> t.DeleteRuleResponse:
        """Removes a rule."""
        answer: t.DeleteRuleResponse = await self._transport.call("RuleService.DeleteRule", options, dict(request))
        return answer

    async def validate(self, options: CallOptions | None = None, /, **request: Unpack[t.ValidateRuleRequest]) -> t.ValidateRuleResponse:
        """Checks a condition, and with pool_id what an action names, without storing it."""
        answer: t.ValidateRuleResponse = await self._transport.call("RuleService.ValidateRule", options, dict(request))
        return answer


class Subscribers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upsert(self, options: CallOptions | None = None, /, **request: Unpack[t.UpsertSubscriberRequest]) -> t.Subscriber:
        """Creates a subscriber, or merges what is given into the one with this external_id and makes it active again."""
        answer: t.Subscriber = self._transport.call("SubscriberService.UpsertSubscriber", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListSubscribersRequest]) -> Pages[t.Subscriber]:
        """Lists the tenant's subscribers, newest first."""
        return Pages(self._transport, "SubscriberService.ListSubscribers", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetSubscriberRequest]) -> t.Subscriber:
        """Returns one subscriber."""
        answer: t.Subscriber = self._transport.call("SubscriberService.GetSubscriber", options, dict(request))
        return answer

    def replace(self, options: CallOptions | None = None, /, **request: Unpack[t.ReplaceSubscriberRequest]) -> t.Subscriber:
        """Replaces the profile of a subscriber: fields that are not given become empty."""
        answer: t.Subscriber = self._transport.call("SubscriberService.ReplaceSubscriber", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteSubscriberRequest]) -> t.DeleteSubscriberResponse:
        """Makes a subscriber inactive. Its endpoints, subscriptions and deliveries stay readable; nothing is sent to it."""
        answer: t.DeleteSubscriberResponse = self._transport.call("SubscriberService.DeleteSubscriber", options, dict(request))
        return answer

    def batch_upsert(self, options: CallOptions | None = None, /, **request: Unpack[t.BatchUpsertSubscribersRequest]) -> t.BatchUpsertSubscribersResponse:
        """Creates or merges up to 1,000 subscribers; each is answered by itself."""
        answer: t.BatchUpsertSubscribersResponse = self._transport.call("SubscriberService.BatchUpsertSubscribers", options, dict(request))
        return answer


class AsyncSubscribers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upsert(self, options: CallOptions | None = None, /, **request: Unpack[t.UpsertSubscriberRequest]) -> t.Subscriber:
        """Creates a subscriber, or merges what is given into the one with this external_id and makes it active again."""
        answer: t.Subscriber = await self._transport.call("SubscriberService.UpsertSubscriber", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListSubscribersRequest]) -> AsyncPages[t.Subscriber]:
        """Lists the tenant's subscribers, newest first."""
        return AsyncPages(self._transport, "SubscriberService.ListSubscribers", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetSubscriberRequest]) -> t.Subscriber:
        """Returns one subscriber."""
        answer: t.Subscriber = await self._transport.call("SubscriberService.GetSubscriber", options, dict(request))
        return answer

    async def replace(self, options: CallOptions | None = None, /, **request: Unpack[t.ReplaceSubscriberRequest]) -> t.Subscriber:
        """Replaces the profile of a subscriber: fields that are not given become empty."""
        answer: t.Subscriber = await self._transport.call("SubscriberService.ReplaceSubscriber", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteSubscriberRequest]) -> t.DeleteSubscriberResponse:
        """Makes a subscriber inactive. Its endpoints, subscriptions and deliveries stay readable; nothing is sent to it."""
        answer: t.DeleteSubscriberResponse = await self._transport.call("SubscriberService.DeleteSubscriber", options, dict(request))
        return answer

    async def batch_upsert(self, options: CallOptions | None = None, /, **request: Unpack[t.BatchUpsertSubscribersRequest]) -> t.BatchUpsertSubscribersResponse:
        """Creates or merges up to 1,000 subscribers; each is answered by itself."""
        answer: t.BatchUpsertSubscribersResponse = await self._transport.call("SubscriberService.BatchUpsertSubscribers", options, dict(request))
        return answer


class Endpoints:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upsert(self, options: CallOptions | None = None, /, **request: Unpack[t.UpsertEndpointRequest]) -> t.Endpoint:
        """Adds an address, or refreshes the one that is there: it becomes active, unsuppressed and last used now."""
        answer: t.Endpoint = self._transport.call("SubscriberService.UpsertEndpoint", options, dict(request))
        return answer

    def send_confirmation(self, options: CallOptions | None = None, /, **request: Unpack[t.SendEndpointConfirmationRequest]) -> t.SendEndpointConfirmationResponse:
        """Sends a link to an address, with which its owner confirms it within 7 days, once. A new link replaces the one before."""
        answer: t.SendEndpointConfirmationResponse = self._transport.call("SubscriberService.SendEndpointConfirmation", options, dict(request))
        return answer

    def verify(self, options: CallOptions | None = None, /, **request: Unpack[t.VerifyEndpointRequest]) -> t.Endpoint:
        """Makes an address verified by the caller's word, without a confirmation of its owner."""
        answer: t.Endpoint = self._transport.call("SubscriberService.VerifyEndpoint", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListEndpointsRequest]) -> Pages[t.Endpoint]:
        """Lists the addresses of a subscriber, also those that were removed."""
        return Pages(self._transport, "SubscriberService.ListEndpoints", options, dict(request))

    def remove(self, options: CallOptions | None = None, /, **request: Unpack[t.RemoveEndpointRequest]) -> t.RemoveEndpointResponse:
        """Removes an address: it stays in the list with active false, and another subscriber may take it."""
        answer: t.RemoveEndpointResponse = self._transport.call("SubscriberService.RemoveEndpoint", options, dict(request))
        return answer


class AsyncEndpoints:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upsert(self, options: CallOptions | None = None, /, **request: Unpack[t.UpsertEndpointRequest]) -> t.Endpoint:
        """Adds an address, or refreshes the one that is there: it becomes active, unsuppressed and last used now."""
        answer: t.Endpoint = await self._transport.call("SubscriberService.UpsertEndpoint", options, dict(request))
        return answer

    async def send_confirmation(self, options: CallOptions | None = None, /, **request: Unpack[t.SendEndpointConfirmationRequest]) -> t.SendEndpointConfirmationResponse:
        """Sends a link to an address, with which its owner confirms it within 7 days, once. A new link replaces the one before."""
        answer: t.SendEndpointConfirmationResponse = await self._transport.call("SubscriberService.SendEndpointConfirmation", options, dict(request))
        return answer

    async def verify(self, options: CallOptions | None = None, /, **request: Unpack[t.VerifyEndpointRequest]) -> t.Endpoint:
        """Makes an address verified by the caller's word, without a confirmation of its owner."""
        answer: t.Endpoint = await self._transport.call("SubscriberService.VerifyEndpoint", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListEndpointsRequest]) -> AsyncPages[t.Endpoint]:
        """Lists the addresses of a subscriber, also those that were removed."""
        return AsyncPages(self._transport, "SubscriberService.ListEndpoints", options, dict(request))

    async def remove(self, options: CallOptions | None = None, /, **request: Unpack[t.RemoveEndpointRequest]) -> t.RemoveEndpointResponse:
        """Removes an address: it stays in the list with active false, and another subscriber may take it."""
        answer: t.RemoveEndpointResponse = await self._transport.call("SubscriberService.RemoveEndpoint", options, dict(request))
        return answer


class Subscriptions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.SubscriberServiceSubscribeRequest]) -> t.Subscription:
        """Makes a subscriber a member of a topic, or changes its context keys."""
        answer: t.Subscription = self._transport.call("SubscriberService.Subscribe", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListSubscriptionsRequest]) -> Pages[t.Subscription]:
        """Lists the topics of a subscriber by key."""
        return Pages(self._transport, "SubscriberService.ListSubscriptions", options, dict(request))

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.UnsubscribeRequest]) -> t.UnsubscribeResponse:
        """Takes a subscriber out of a topic."""
        answer: t.UnsubscribeResponse = self._transport.call("SubscriberService.Unsubscribe", options, dict(request))
        return answer


class AsyncSubscriptions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.SubscriberServiceSubscribeRequest]) -> t.Subscription:
        """Makes a subscriber a member of a topic, or changes its context keys."""
        answer: t.Subscription = await self._transport.call("SubscriberService.Subscribe", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListSubscriptionsRequest]) -> AsyncPages[t.Subscription]:
        """Lists the topics of a subscriber by key."""
        return AsyncPages(self._transport, "SubscriberService.ListSubscriptions", options, dict(request))

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.UnsubscribeRequest]) -> t.UnsubscribeResponse:
        """Takes a subscriber out of a topic."""
        answer: t.UnsubscribeResponse = await self._transport.call("SubscriberService.Unsubscribe", options, dict(request))
        return answer


class Preferences:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def put(self, options: CallOptions | None = None, /, **request: Unpack[t.PutPreferenceRequest]) -> t.Preference:
        """Writes one preference row. Without keys it is layer 3 (all of the subscriber), with workflow_key layer 4, with topic_key too layer 5. It replaces the row with the same keys."""
        answer: t.Preference = self._transport.call("SubscriberService.PutPreference", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPreferencesRequest]) -> Pages[t.Preference]:
        """Lists the preference rows of a subscriber, layers 3 to 5."""
        return Pages(self._transport, "SubscriberService.ListPreferences", options, dict(request))

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeletePreferenceRequest]) -> t.DeletePreferenceResponse:
        """Deletes one preference row."""
        answer: t.DeletePreferenceResponse = self._transport.call("SubscriberService.DeletePreference", options, dict(request))
        return answer

    def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewPreferencesRequest]) -> t.PreviewPreferencesResponse:
        """Says what a trigger would decide for each channel, and why. It is the resolver of the trigger; nothing is sent or stored."""
        answer: t.PreviewPreferencesResponse = self._transport.call("SubscriberService.PreviewPreferences", options, dict(request))
        return answer


class AsyncPreferences:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def put(self, options: CallOptions | None = None, /, **request: Unpack[t.PutPreferenceRequest]) -> t.Preference:
        """Writes one preference row. Without keys it is layer 3 (all of the subscriber), with workflow_key layer 4, with topic_key too layer 5. It replaces the row with the same keys."""
        answer: t.Preference = await self._transport.call("SubscriberService.PutPreference", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListPreferencesRequest]) -> AsyncPages[t.Preference]:
        """Lists the preference rows of a subscriber, layers 3 to 5."""
        return AsyncPages(self._transport, "SubscriberService.ListPreferences", options, dict(request))

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeletePreferenceRequest]) -> t.DeletePreferenceResponse:
        """Deletes one preference row."""
        answer: t.DeletePreferenceResponse = await self._transport.call("SubscriberService.DeletePreference", options, dict(request))
        return answer

    async def preview(self, options: CallOptions | None = None, /, **request: Unpack[t.PreviewPreferencesRequest]) -> t.PreviewPreferencesResponse:
        """Says what a trigger would decide for each channel, and why. It is the resolver of the trigger; nothing is sent or stored."""
        answer: t.PreviewPreferencesResponse = await self._transport.call("SubscriberService.PreviewPreferences", options, dict(request))
        return answer


class Tenants:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateTenantRequest]) -> t.Tenant:
        """Creates a tenant."""
        answer: t.Tenant = self._transport.call("TenantService.CreateTenant", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTenantRequest]) -> t.Tenant:
        """Returns one tenant."""
        answer: t.Tenant = self._transport.call("TenantService.GetTenant", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTenantsRequest]) -> Pages[t.Tenant]:
        """Lists tenants by id, oldest first. Deleted ones are listed only where `status` asks for them."""
        return Pages(self._transport, "TenantService.ListTenants", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateTenantRequest]) -> t.Tenant:
        """Changes the named fields of a tenant. REST takes a merge patch instead of update_mask. A tenant's own administrator may change `name` and `settings`; the other fields are for the operator of the installation."""
        answer: t.Tenant = self._transport.call("TenantService.UpdateTenant", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteTenantRequest]) -> t.DeleteTenantResponse:
        """Deletes a tenant: its callers are refused from then on, and its data is purged. The record stays, marked as deleted."""
        answer: t.DeleteTenantResponse = self._transport.call("TenantService.DeleteTenant", options, dict(request))
        return answer

    def quota(self, options: CallOptions | None = None, /, **request: Unpack[t.GetQuotaRequest]) -> t.Quota:
        """Returns what a tenant has used of one operation today (UTC), and what it may use."""
        answer: t.Quota = self._transport.call("TenantService.GetQuota", options, dict(request))
        return answer


class AsyncTenants:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateTenantRequest]) -> t.Tenant:
        """Creates a tenant."""
        answer: t.Tenant = await self._transport.call("TenantService.CreateTenant", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTenantRequest]) -> t.Tenant:
        """Returns one tenant."""
        answer: t.Tenant = await self._transport.call("TenantService.GetTenant", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTenantsRequest]) -> AsyncPages[t.Tenant]:
        """Lists tenants by id, oldest first. Deleted ones are listed only where `status` asks for them."""
        return AsyncPages(self._transport, "TenantService.ListTenants", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateTenantRequest]) -> t.Tenant:
        """Changes the named fields of a tenant. REST takes a merge patch instead of update_mask. A tenant's own administrator may change `name` and `settings`; the other fields are for the operator of the installation."""
        answer: t.Tenant = await self._transport.call("TenantService.UpdateTenant", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteTenantRequest]) -> t.DeleteTenantResponse:
        """Deletes a tenant: its callers are refused from then on, and its data is purged. The record stays, marked as deleted."""
        answer: t.DeleteTenantResponse = await self._transport.call("TenantService.DeleteTenant", options, dict(request))
        return answer

    async def quota(self, options: CallOptions | None = None, /, **request: Unpack[t.GetQuotaRequest]) -> t.Quota:
        """Returns what a tenant has used of one operation today (UTC), and what it may use."""
        answer: t.Quota = await self._transport.call("TenantService.GetQuota", options, dict(request))
        return answer


class Topics:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateTopicRequest]) -> t.Topic:
        """Creates a topic. Its key never changes."""
        answer: t.Topic = self._transport.call("TopicService.CreateTopic", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTopicsRequest]) -> Pages[t.Topic]:
        """Lists the tenant's topics by id, oldest first. The list may lag behind a change by a moment."""
        return Pages(self._transport, "TopicService.ListTopics", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTopicRequest]) -> t.Topic:
        """Returns one topic."""
        answer: t.Topic = self._transport.call("TopicService.GetTopic", options, dict(request))
        return answer

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateTopicRequest]) -> t.Topic:
        """Replaces name, description and metadata."""
        answer: t.Topic = self._transport.call("TopicService.UpdateTopic", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteTopicRequest]) -> t.DeleteTopicResponse:
        """Deletes a topic with its subscriptions. A broadcast that was accepted before goes on."""
        answer: t.DeleteTopicResponse = self._transport.call("TopicService.DeleteTopic", options, dict(request))
        return answer

    def add_members(self, options: CallOptions | None = None, /, **request: Unpack[t.AddMembersRequest]) -> t.AddMembersResponse:
        """Makes up to 1,000 subscribers members; of members it changes the context keys."""
        answer: t.AddMembersResponse = self._transport.call("TopicService.AddMembers", options, dict(request))
        return answer

    def list_members(self, options: CallOptions | None = None, /, **request: Unpack[t.ListMembersRequest]) -> Pages[t.TopicMember]:
        """Lists the members of a topic by the id of the subscriber."""
        return Pages(self._transport, "TopicService.ListMembers", options, dict(request))

    def remove_members(self, options: CallOptions | None = None, /, **request: Unpack[t.RemoveMembersRequest]) -> t.RemoveMembersResponse:
        """Takes up to 1,000 subscribers out of a topic; those that are no members are ignored."""
        answer: t.RemoveMembersResponse = self._transport.call("TopicService.RemoveMembers", options, dict(request))
        return answer


class AsyncTopics:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateTopicRequest]) -> t.Topic:
        """Creates a topic. Its key never changes."""
        answer: t.Topic = await self._transport.call("TopicService.CreateTopic", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTopicsRequest]) -> AsyncPages[t.Topic]:
        """Lists the tenant's topics by id, oldest first. The list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "TopicService.ListTopics", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTopicRequest]) -> t.Topic:
        """Returns one topic."""
        answer: t.Topic = await self._transport.call("TopicService.GetTopic", options, dict(request))
        return answer

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateTopicRequest]) -> t.Topic:
        """Replaces name, description and metadata."""
        answer: t.Topic = await self._transport.call("TopicService.UpdateTopic", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteTopicRequest]) -> t.DeleteTopicResponse:
        """Deletes a topic with its subscriptions. A broadcast that was accepted before goes on."""
        answer: t.DeleteTopicResponse = await self._transport.call("TopicService.DeleteTopic", options, dict(request))
        return answer

    async def add_members(self, options: CallOptions | None = None, /, **request: Unpack[t.AddMembersRequest]) -> t.AddMembersResponse:
        """Makes up to 1,000 subscribers members; of members it changes the context keys."""
        answer: t.AddMembersResponse = await self._transport.call("TopicService.AddMembers", options, dict(request))
        return answer

    def list_members(self, options: CallOptions | None = None, /, **request: Unpack[t.ListMembersRequest]) -> AsyncPages[t.TopicMember]:
        """Lists the members of a topic by the id of the subscriber."""
        return AsyncPages(self._transport, "TopicService.ListMembers", options, dict(request))

    async def remove_members(self, options: CallOptions | None = None, /, **request: Unpack[t.RemoveMembersRequest]) -> t.RemoveMembersResponse:
        """Takes up to 1,000 subscribers out of a topic; those that are no members are ignored."""
        answer: t.RemoveMembersResponse = await self._transport.call("TopicService.RemoveMembers", options, dict(request))
        return answer


class TriggerSubscriptions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateTriggerSubscriptionRequest]) -> t.TriggerSubscription:
        """Subscribes to a trigger over a connection. Of a webhook, the answer holds the secret, this once."""
        answer: t.TriggerSubscription = self._transport.call("TriggerSubscriptionService.CreateTriggerSubscription", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTriggerSubscriptionRequest]) -> t.TriggerSubscription:
        """Returns one subscription, without its secret."""
        answer: t.TriggerSubscription = self._transport.call("TriggerSubscriptionService.GetTriggerSubscription", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTriggerSubscriptionsRequest]) -> Pages[t.TriggerSubscription]:
        """Lists subscriptions by id, oldest first. The list may lag behind a change by a moment."""
        return Pages(self._transport, "TriggerSubscriptionService.ListTriggerSubscriptions", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateTriggerSubscriptionRequest]) -> t.TriggerSubscription:
        """Changes the named fields. REST takes a merge patch instead of update_mask."""
        answer: t.TriggerSubscription = self._transport.call("TriggerSubscriptionService.UpdateTriggerSubscription", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteTriggerSubscriptionRequest]) -> t.DeleteTriggerSubscriptionResponse:
        """Deletes a subscription. Its address is gone, and events that wait are dropped."""
        answer: t.DeleteTriggerSubscriptionResponse = self._transport.call("TriggerSubscriptionService.DeleteTriggerSubscription", options, dict(request))
        return answer


class AsyncTriggerSubscriptions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateTriggerSubscriptionRequest]) -> t.TriggerSubscription:
        """Subscribes to a trigger over a connection. Of a webhook, the answer holds the secret, this once."""
        answer: t.TriggerSubscription = await self._transport.call("TriggerSubscriptionService.CreateTriggerSubscription", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetTriggerSubscriptionRequest]) -> t.TriggerSubscription:
        """Returns one subscription, without its secret."""
        answer: t.TriggerSubscription = await self._transport.call("TriggerSubscriptionService.GetTriggerSubscription", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListTriggerSubscriptionsRequest]) -> AsyncPages[t.TriggerSubscription]:
        """Lists subscriptions by id, oldest first. The list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "TriggerSubscriptionService.ListTriggerSubscriptions", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateTriggerSubscriptionRequest]) -> t.TriggerSubscription:
        """Changes the named fields. REST takes a merge patch instead of update_mask."""
        answer: t.TriggerSubscription = await self._transport.call("TriggerSubscriptionService.UpdateTriggerSubscription", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteTriggerSubscriptionRequest]) -> t.DeleteTriggerSubscriptionResponse:
        """Deletes a subscription. Its address is gone, and events that wait are dropped."""
        answer: t.DeleteTriggerSubscriptionResponse = await self._transport.call("TriggerSubscriptionService.DeleteTriggerSubscription", options, dict(request))
        return answer


class Webhooks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateWebhookRequest]) -> t.Webhook:
        """Creates an endpoint: it gets the events from now on. The answer holds the secret, this once."""
        answer: t.Webhook = self._transport.call("WebhookService.CreateWebhook", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetWebhookRequest]) -> t.Webhook:
        """Returns one endpoint, without its secret."""
        answer: t.Webhook = self._transport.call("WebhookService.GetWebhook", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListWebhooksRequest]) -> Pages[t.Webhook]:
        """Lists the tenant's endpoints by id, oldest first. The list may lag behind a change by a moment."""
        return Pages(self._transport, "WebhookService.ListWebhooks", options, dict(request))

    def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateWebhookRequest]) -> t.Webhook:
        """Changes the named fields of an endpoint. REST takes a merge patch instead of update_mask. `status` disables and enables it: events that happen while it is disabled are not sent later."""
        answer: t.Webhook = self._transport.call("WebhookService.UpdateWebhook", options, dict(request))
        return answer

    def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteWebhookRequest]) -> t.DeleteWebhookResponse:
        """Deletes an endpoint with its deliveries."""
        answer: t.DeleteWebhookResponse = self._transport.call("WebhookService.DeleteWebhook", options, dict(request))
        return answer

    def rotate_secret(self, options: CallOptions | None = None, /, **request: Unpack[t.RotateSecretRequest]) -> t.Webhook:
        """Draws a new secret, which the answer holds, this once. Until the overlap is over both secrets sign."""
        answer: t.Webhook = self._transport.call("WebhookService.RotateSecret", options, dict(request))
        return answer

    def test(self, options: CallOptions | None = None, /, **request: Unpack[t.TestWebhookRequest]) -> t.WebhookDelivery:
        """Sends a delivery of kind webhook.test, and answers with it before it is sent."""
        answer: t.WebhookDelivery = self._transport.call("WebhookService.TestWebhook", options, dict(request))
        return answer


class AsyncWebhooks:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateWebhookRequest]) -> t.Webhook:
        """Creates an endpoint: it gets the events from now on. The answer holds the secret, this once."""
        answer: t.Webhook = await self._transport.call("WebhookService.CreateWebhook", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetWebhookRequest]) -> t.Webhook:
        """Returns one endpoint, without its secret."""
        answer: t.Webhook = await self._transport.call("WebhookService.GetWebhook", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListWebhooksRequest]) -> AsyncPages[t.Webhook]:
        """Lists the tenant's endpoints by id, oldest first. The list may lag behind a change by a moment."""
        return AsyncPages(self._transport, "WebhookService.ListWebhooks", options, dict(request))

    async def update(self, options: CallOptions | None = None, /, **request: Unpack[t.UpdateWebhookRequest]) -> t.Webhook:
        """Changes the named fields of an endpoint. REST takes a merge patch instead of update_mask. `status` disables and enables it: events that happen while it is disabled are not sent later."""
        answer: t.Webhook = await self._transport.call("WebhookService.UpdateWebhook", options, dict(request))
        return answer

    async def delete(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteWebhookRequest]) -> t.DeleteWebhookResponse:
        """Deletes an endpoint with its deliveries."""
        answer: t.DeleteWebhookResponse = await self._transport.call("WebhookService.DeleteWebhook", options, dict(request))
        return answer

    async def rotate_secret(self, options: CallOptions | None = None, /, **request: Unpack[t.RotateSecretRequest]) -> t.Webhook:
        """Draws a new secret, which the answer holds, this once. Until the overlap is over both secrets sign."""
        answer: t.Webhook = await self._transport.call("WebhookService.RotateSecret", options, dict(request))
        return answer

    async def test(self, options: CallOptions | None = None, /, **request: Unpack[t.TestWebhookRequest]) -> t.WebhookDelivery:
        """Sends a delivery of kind webhook.test, and answers with it before it is sent."""
        answer: t.WebhookDelivery = await self._transport.call("WebhookService.TestWebhook", options, dict(request))
        return answer


class WebhookDeliveries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.WebhookServiceListDeliveriesRequest]) -> Pages[t.WebhookDelivery]:
        """Lists the deliveries that are kept, the newest first."""
        return Pages(self._transport, "WebhookService.ListDeliveries", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.WebhookServiceGetDeliveryRequest]) -> t.WebhookDelivery:
        """Returns one delivery with its body."""
        answer: t.WebhookDelivery = self._transport.call("WebhookService.GetDelivery", options, dict(request))
        return answer

    def redeliver(self, options: CallOptions | None = None, /, **request: Unpack[t.RedeliverRequest]) -> t.WebhookDelivery:
        """Sends a delivery once more, whatever came of it, under the same webhook-id."""
        answer: t.WebhookDelivery = self._transport.call("WebhookService.Redeliver", options, dict(request))
        return answer

    def redeliver_all(self, options: CallOptions | None = None, /, **request: Unpack[t.RedeliverAllRequest]) -> t.Job:
        """Starts a job that sends the deliveries of a time once more, the oldest first."""
        answer: t.Job = self._transport.call("WebhookService.RedeliverAll", options, dict(request))
        return answer


class AsyncWebhookDeliveries:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.WebhookServiceListDeliveriesRequest]) -> AsyncPages[t.WebhookDelivery]:
        """Lists the deliveries that are kept, the newest first."""
        return AsyncPages(self._transport, "WebhookService.ListDeliveries", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.WebhookServiceGetDeliveryRequest]) -> t.WebhookDelivery:
        """Returns one delivery with its body."""
        answer: t.WebhookDelivery = await self._transport.call("WebhookService.GetDelivery", options, dict(request))
        return answer

    async def redeliver(self, options: CallOptions | None = None, /, **request: Unpack[t.RedeliverRequest]) -> t.WebhookDelivery:
        """Sends a delivery once more, whatever came of it, under the same webhook-id."""
        answer: t.WebhookDelivery = await self._transport.call("WebhookService.Redeliver", options, dict(request))
        return answer

    async def redeliver_all(self, options: CallOptions | None = None, /, **request: Unpack[t.RedeliverAllRequest]) -> t.Job:
        """Starts a job that sends the deliveries of a time once more, the oldest first."""
        answer: t.Job = await self._transport.call("WebhookService.RedeliverAll", options, dict(request))
        return answer


class WebhookJobs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListWebhookJobsRequest]) -> Pages[t.Job]:
        """Lists the jobs of an endpoint, the newest first: those that run, and the last 20 that have ended, for 7 days."""
        return Pages(self._transport, "WebhookService.ListWebhookJobs", options, dict(request))

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetWebhookJobRequest]) -> t.Job:
        """Says how far a job is."""
        answer: t.Job = self._transport.call("WebhookService.GetWebhookJob", options, dict(request))
        return answer

    def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelWebhookJobRequest]) -> t.Job:
        """Ends a job where it is; what it has changed stays so."""
        answer: t.Job = self._transport.call("WebhookService.CancelWebhookJob", options, dict(request))
        return answer


class AsyncWebhookJobs:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListWebhookJobsRequest]) -> AsyncPages[t.Job]:
        """Lists the jobs of an endpoint, the newest first: those that run, and the last 20 that have ended, for 7 days."""
        return AsyncPages(self._transport, "WebhookService.ListWebhookJobs", options, dict(request))

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetWebhookJobRequest]) -> t.Job:
        """Says how far a job is."""
        answer: t.Job = await self._transport.call("WebhookService.GetWebhookJob", options, dict(request))
        return answer

    async def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelWebhookJobRequest]) -> t.Job:
        """Ends a job where it is; what it has changed stays so."""
        answer: t.Job = await self._transport.call("WebhookService.CancelWebhookJob", options, dict(request))
        return answer


class Workflows:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateDefinitionRequest]) -> t.WorkflowDefinition:
        """Creates a definition in the environment that X-Environment names. A draft with problems is stored, and told with them."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.CreateDefinition", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDefinitionRequest]) -> t.WorkflowDefinition:
        """Returns one definition with its draft and the problems of that draft."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.GetDefinition", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListDefinitionsRequest]) -> Pages[t.WorkflowDefinition]:
        """Lists the tenant's definitions by id, oldest first, without their drafts and problems."""
        return Pages(self._transport, "WorkflowDefinitionService.ListDefinitions", options, dict(request))

    def patch_draft(self, options: CallOptions | None = None, /, **request: Unpack[t.PatchDraftRequest]) -> t.WorkflowDefinition:
        """Changes the draft, which is stored whether or not it has problems; the answer tells all of them. REST takes a merge patch instead of update_mask; `steps` is replaced as a whole."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.PatchDraft", options, dict(request))
        return answer

    def publish_draft(self, options: CallOptions | None = None, /, **request: Unpack[t.PublishDefinitionRequest]) -> t.WorkflowDefinition:
        """Makes the draft a version that never changes. An unchanged draft is the version that it was. Refused while the draft has problems, all of which are named, or where the caller lacks a permission that its steps need."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.PublishDefinition", options, dict(request))
        return answer

    def duplicate(self, options: CallOptions | None = None, /, **request: Unpack[t.DuplicateDefinitionRequest]) -> t.WorkflowDefinition:
        """Makes a new definition of the draft, with `_copy` after its key and ` (copy)` after its name. It has no versions."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.DuplicateDefinition", options, dict(request))
        return answer

    def archive(self, options: CallOptions | None = None, /, **request: Unpack[t.ArchiveDefinitionRequest]) -> t.WorkflowDefinition:
        """Archives a definition: no run begins, and those that are open go on."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.ArchiveDefinition", options, dict(request))
        return answer

    def restore(self, options: CallOptions | None = None, /, **request: Unpack[t.RestoreDefinitionRequest]) -> t.WorkflowDefinition:
        """Takes a definition out of the archive."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.RestoreDefinition", options, dict(request))
        return answer

    def activate(self, options: CallOptions | None = None, /, **request: Unpack[t.ActivateVersionRequest]) -> t.WorkflowDefinition:
        """Makes runs begin with another version."""
        answer: t.WorkflowDefinition = self._transport.call("WorkflowDefinitionService.ActivateVersion", options, dict(request))
        return answer

    def list_versions(self, options: CallOptions | None = None, /, **request: Unpack[t.ListVersionsRequest]) -> Pages[t.WorkflowVersion]:
        """Lists the versions of a definition, oldest first, without their bodies."""
        return Pages(self._transport, "WorkflowDefinitionService.ListVersions", options, dict(request))

    def get_version(self, options: CallOptions | None = None, /, **request: Unpack[t.GetVersionRequest]) -> t.WorkflowVersion:
        """Returns one version with its body."""
        answer: t.WorkflowVersion = self._transport.call("WorkflowDefinitionService.GetVersion", options, dict(request))
        return answer


class AsyncWorkflows:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateDefinitionRequest]) -> t.WorkflowDefinition:
        """Creates a definition in the environment that X-Environment names. A draft with problems is stored, and told with them."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.CreateDefinition", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetDefinitionRequest]) -> t.WorkflowDefinition:
        """Returns one definition with its draft and the problems of that draft."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.GetDefinition", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListDefinitionsRequest]) -> AsyncPages[t.WorkflowDefinition]:
        """Lists the tenant's definitions by id, oldest first, without their drafts and problems."""
        return AsyncPages(self._transport, "WorkflowDefinitionService.ListDefinitions", options, dict(request))

    async def patch_draft(self, options: CallOptions | None = None, /, **request: Unpack[t.PatchDraftRequest]) -> t.WorkflowDefinition:
        """Changes the draft, which is stored whether or not it has problems; the answer tells all of them. REST takes a merge patch instead of update_mask; `steps` is replaced as a whole."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.PatchDraft", options, dict(request))
        return answer

    async def publish_draft(self, options: CallOptions | None = None, /, **request: Unpack[t.PublishDefinitionRequest]) -> t.WorkflowDefinition:
        """Makes the draft a version that never changes. An unchanged draft is the version that it was. Refused while the draft has problems, all of which are named, or where the caller lacks a permission that its steps need."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.PublishDefinition", options, dict(request))
        return answer

    async def duplicate(self, options: CallOptions | None = None, /, **request: Unpack[t.DuplicateDefinitionRequest]) -> t.WorkflowDefinition:
        """Makes a new definition of the draft, with `_copy` after its key and ` (copy)` after its name. It has no versions."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.DuplicateDefinition", options, dict(request))
        return answer

    async def archive(self, options: CallOptions | None = None, /, **request: Unpack[t.ArchiveDefinitionRequest]) -> t.WorkflowDefinition:
        """Archives a definition: no run begins, and those that are open go on."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.ArchiveDefinition", options, dict(request))
        return answer

    async def restore(self, options: CallOptions | None = None, /, **request: Unpack[t.RestoreDefinitionRequest]) -> t.WorkflowDefinition:
        """Takes a definition out of the archive."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.RestoreDefinition", options, dict(request))
        return answer

    async def activate(self, options: CallOptions | None = None, /, **request: Unpack[t.ActivateVersionRequest]) -> t.WorkflowDefinition:
        """Makes runs begin with another version."""
        answer: t.WorkflowDefinition = await self._transport.call("WorkflowDefinitionService.ActivateVersion", options, dict(request))
        return answer

    def list_versions(self, options: CallOptions | None = None, /, **request: Unpack[t.ListVersionsRequest]) -> AsyncPages[t.WorkflowVersion]:
        """Lists the versions of a definition, oldest first, without their bodies."""
        return AsyncPages(self._transport, "WorkflowDefinitionService.ListVersions", options, dict(request))

    async def get_version(self, options: CallOptions | None = None, /, **request: Unpack[t.GetVersionRequest]) -> t.WorkflowVersion:
        """Returns one version with its body."""
        answer: t.WorkflowVersion = await self._transport.call("WorkflowDefinitionService.GetVersion", options, dict(request))
        return answer


class Runs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(self, options: CallOptions | None = None, /, **request: Unpack[t.StartRunRequest]) -> t.StartRunResponse:
        """Starts a run of a definition's active version, or of the one that is named. Where an open run of the definition has the same run_key, it is that one: `started` is false and REST says 200."""
        answer: t.StartRunResponse = self._transport.call("WorkflowRunService.StartRun", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRunRequest]) -> t.WorkflowRun:
        """Returns one run."""
        answer: t.WorkflowRun = self._transport.call("WorkflowRunService.GetRun", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListRunsRequest]) -> Pages[t.WorkflowRun]:
        """Lists the tenant's runs, newest first, without input, output and what they wait for. The list may lag behind a change by a moment; GetRun does not."""
        return Pages(self._transport, "WorkflowRunService.ListRuns", options, dict(request))

    def steps(self, options: CallOptions | None = None, /, **request: Unpack[t.ListStepsRequest]) -> Pages[t.WorkflowStep]:
        """Lists the steps of a run that have begun, in the order in which they began."""
        return Pages(self._transport, "WorkflowRunService.ListSteps", options, dict(request))

    def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelRunRequest]) -> t.WorkflowRun:
        """Cancels a run: waits end, items that its steps wait for are cancelled, and calls under way come to their answer first."""
        answer: t.WorkflowRun = self._transport.call("WorkflowRunService.CancelRun", options, dict(request))
        return answer

    def retry(self, options: CallOptions | None = None, /, **request: Unpack[t.RetryRunRequest]) -> t.WorkflowRun:
        """Runs the failed steps of a failed run again; what succeeded stays."""
        answer: t.WorkflowRun = self._transport.call("WorkflowRunService.RetryRun", options, dict(request))
        return answer

    def dismiss(self, options: CallOptions | None = None, /, **request: Unpack[t.DismissRunRequest]) -> t.WorkflowRun:
        """Says that a failed run needs no more attention: it is no dead letter any longer."""
        answer: t.WorkflowRun = self._transport.call("WorkflowRunService.DismissRun", options, dict(request))
        return answer

    def wait(self, options: CallOptions | None = None, /, **request: Unpack[t.WaitForEventRequest]) -> t.WaitForEventResponse:
        """Returns the next event of a key, or none when the wait is over."""
        answer: t.WaitForEventResponse = self._transport.call("WorkflowWaitService.WaitForEvent", options, dict(request))
        return answer

    def signal(self, options: CallOptions | None = None, /, **request: Unpack[t.SignalRunRequest]) -> t.SignalRunResponse:
        """Sends an event to a run: to its steps that wait for it, or will, and to who waits for it outside. An event with an id that is known already is the same event. A run of the workflow engine that has ended takes none."""
        answer: t.SignalRunResponse = self._transport.call("WorkflowWaitService.SignalRun", options, dict(request))
        return answer


class AsyncRuns:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def start(self, options: CallOptions | None = None, /, **request: Unpack[t.StartRunRequest]) -> t.StartRunResponse:
        """Starts a run of a definition's active version, or of the one that is named. Where an open run of the definition has the same run_key, it is that one: `started` is false and REST says 200."""
        answer: t.StartRunResponse = await self._transport.call("WorkflowRunService.StartRun", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetRunRequest]) -> t.WorkflowRun:
        """Returns one run."""
        answer: t.WorkflowRun = await self._transport.call("WorkflowRunService.GetRun", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListRunsRequest]) -> AsyncPages[t.WorkflowRun]:
        """Lists the tenant's runs, newest first, without input, output and what they wait for. The list may lag behind a change by a moment; GetRun does not."""
        return AsyncPages(self._transport, "WorkflowRunService.ListRuns", options, dict(request))

    def steps(self, options: CallOptions | None = None, /, **request: Unpack[t.ListStepsRequest]) -> AsyncPages[t.WorkflowStep]:
        """Lists the steps of a run that have begun, in the order in which they began."""
        return AsyncPages(self._transport, "WorkflowRunService.ListSteps", options, dict(request))

    async def cancel(self, options: CallOptions | None = None, /, **request: Unpack[t.CancelRunRequest]) -> t.WorkflowRun:
        """Cancels a run: waits end, items that its steps wait for are cancelled, and calls under way come to their answer first."""
        answer: t.WorkflowRun = await self._transport.call("WorkflowRunService.CancelRun", options, dict(request))
        return answer

    async def retry(self, options: CallOptions | None = None, /, **request: Unpack[t.RetryRunRequest]) -> t.WorkflowRun:
        """Runs the failed steps of a failed run again; what succeeded stays."""
        answer: t.WorkflowRun = await self._transport.call("WorkflowRunService.RetryRun", options, dict(request))
        return answer

    async def dismiss(self, options: CallOptions | None = None, /, **request: Unpack[t.DismissRunRequest]) -> t.WorkflowRun:
        """Says that a failed run needs no more attention: it is no dead letter any longer."""
        answer: t.WorkflowRun = await self._transport.call("WorkflowRunService.DismissRun", options, dict(request))
        return answer

    async def wait(self, options: CallOptions | None = None, /, **request: Unpack[t.WaitForEventRequest]) -> t.WaitForEventResponse:
        """Returns the next event of a key, or none when the wait is over."""
        answer: t.WaitForEventResponse = await self._transport.call("WorkflowWaitService.WaitForEvent", options, dict(request))
        return answer

    async def signal(self, options: CallOptions | None = None, /, **request: Unpack[t.SignalRunRequest]) -> t.SignalRunResponse:
        """Sends an event to a run: to its steps that wait for it, or will, and to who waits for it outside. An event with an id that is known already is the same event. A run of the workflow engine that has ended takes none."""
        answer: t.SignalRunResponse = await self._transport.call("WorkflowWaitService.SignalRun", options, dict(request))
        return answer


class Streams:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateStreamRequest]) -> t.WorkflowStream:
        """Creates a stream of a run. Its definition never changes: creating it again with the same body returns it, with another one is ALREADY_EXISTS."""
        answer: t.WorkflowStream = self._transport.call("WorkflowStreamService.CreateStream", options, dict(request))
        return answer

    def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetStreamRequest]) -> t.WorkflowStream:
        """Returns the definition of a stream and where it stands."""
        answer: t.WorkflowStream = self._transport.call("WorkflowStreamService.GetStream", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListStreamsRequest]) -> Pages[t.StreamEntry]:
        """Lists the streams of a run by id, oldest first. Positions are those of `GetStream`, and not told here."""
        return Pages(self._transport, "WorkflowStreamService.ListStreams", options, dict(request))

    def append(self, options: CallOptions | None = None, /, **request: Unpack[t.AppendRecordsRequest]) -> t.AppendRecordsResponse:
        """Appends 1 to 1,000 records in one commit, all or none. The answer comes when they are durable."""
        answer: t.AppendRecordsResponse = self._transport.call("WorkflowStreamService.AppendRecords", options, dict(request))
        return answer

    def read(self, options: CallOptions | None = None, /, **request: Unpack[t.ReadRecordsRequest]) -> t.ReadRecordsResponse:
        """Returns the records after a sequence, in order; waits for the next one where there is none."""
        answer: t.ReadRecordsResponse = self._transport.call("WorkflowStreamService.ReadRecords", options, dict(request))
        return answer

    def subscribe(self, options: CallOptions | None = None, /, **request: Unpack[t.WorkflowStreamServiceSubscribeRequest]) -> ServerEvents:
        """Sends the records after a sequence, then new ones as they become durable, each once and in order. Ends after `end`, when the stream is closed and all was sent, and after `gone`, when retention has passed the reader."""
        return ServerEvents(self._transport, "WorkflowStreamService.Subscribe", dict(request), options)

    def put_consumer(self, options: CallOptions | None = None, /, **request: Unpack[t.PutConsumerRequest]) -> t.StreamConsumer:
        """Registers a consumer: what it has not acknowledged counts against the stream's unread ceilings. Again: changes nothing."""
        answer: t.StreamConsumer = self._transport.call("WorkflowStreamService.PutConsumer", options, dict(request))
        return answer

    def delete_consumer(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteConsumerRequest]) -> t.DeleteConsumerResponse:
        """Takes a consumer away; what only it had not acknowledged is unread no more."""
        answer: t.DeleteConsumerResponse = self._transport.call("WorkflowStreamService.DeleteConsumer", options, dict(request))
        return answer

    def list_consumers(self, options: CallOptions | None = None, /, **request: Unpack[t.ListConsumersRequest]) -> Pages[t.StreamConsumer]:
        """Lists the consumers of a stream by id."""
        return Pages(self._transport, "WorkflowStreamService.ListConsumers", options, dict(request))

    def ack(self, options: CallOptions | None = None, /, **request: Unpack[t.AcknowledgeRequest]) -> t.StreamConsumer:
        """Moves a consumer's acknowledgement forward; the first one registers it. The same sequence again changes nothing, a lower one is STATE_CONFLICT."""
        answer: t.StreamConsumer = self._transport.call("WorkflowStreamService.Acknowledge", options, dict(request))
        return answer

    def close(self, options: CallOptions | None = None, /, **request: Unpack[t.CloseStreamRequest]) -> t.WorkflowStream:
        """Closes a stream for good: it takes no more records and can still be read. Again: changes nothing."""
        answer: t.WorkflowStream = self._transport.call("WorkflowStreamService.CloseStream", options, dict(request))
        return answer

    def prepare_object(self, options: CallOptions | None = None, /, **request: Unpack[t.PrepareObjectRequest]) -> t.StreamObject:
        """Announces an object of up to 32 MiB. The same key with the same digest and size returns the same object."""
        answer: t.StreamObject = self._transport.call("WorkflowStreamService.PrepareObject", options, dict(request))
        return answer

    def upload_object(self, options: CallOptions | None = None, /, **request: Unpack[t.UploadObjectRequest]) -> t.StreamObject:
        """Stores the bytes of an object. Over REST they are the body; else messages with `data` follow one that names the object. Needs the receipt of the prepare in `X-Object-Receipt`. Bytes that differ from what was announced are refused and not kept."""
        answer: t.StreamObject = self._transport.call("WorkflowStreamService.UploadObject", options, dict(request))
        return answer

    def commit_object(self, options: CallOptions | None = None, /, **request: Unpack[t.CommitObjectRequest]) -> t.StreamObject:
        """Appends the record that refers to an uploaded object, which can be read from then on. Again: the same sequence."""
        answer: t.StreamObject = self._transport.call("WorkflowStreamService.CommitObject", options, dict(request))
        return answer

    def abort_object(self, options: CallOptions | None = None, /, **request: Unpack[t.AbortObjectRequest]) -> t.StreamObject:
        """Gives an object up that is not committed; its bytes are deleted. Again: changes nothing."""
        answer: t.StreamObject = self._transport.call("WorkflowStreamService.AbortObject", options, dict(request))
        return answer

    def get_object(self, options: CallOptions | None = None, /, **request: Unpack[t.GetObjectRequest]) -> bytes:
        """Returns the bytes of a committed object. Over REST they are the body, and one `Range` of bytes is taken."""
        answer: bytes = self._transport.call("WorkflowStreamService.GetObject", options, dict(request))
        return answer

    def set_legal_hold(self, options: CallOptions | None = None, /, **request: Unpack[t.SetLegalHoldRequest]) -> t.WorkflowStream:
        """Sets or lifts the legal hold. While it is held nothing is pruned and no object is deleted; append, read and acknowledge go on."""
        answer: t.WorkflowStream = self._transport.call("WorkflowStreamService.SetLegalHold", options, dict(request))
        return answer


class AsyncStreams:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, options: CallOptions | None = None, /, **request: Unpack[t.CreateStreamRequest]) -> t.WorkflowStream:
        """Creates a stream of a run. Its definition never changes: creating it again with the same body returns it, with another one is ALREADY_EXISTS."""
        answer: t.WorkflowStream = await self._transport.call("WorkflowStreamService.CreateStream", options, dict(request))
        return answer

    async def get(self, options: CallOptions | None = None, /, **request: Unpack[t.GetStreamRequest]) -> t.WorkflowStream:
        """Returns the definition of a stream and where it stands."""
        answer: t.WorkflowStream = await self._transport.call("WorkflowStreamService.GetStream", options, dict(request))
        return answer

    def list(self, options: CallOptions | None = None, /, **request: Unpack[t.ListStreamsRequest]) -> AsyncPages[t.StreamEntry]:
        """Lists the streams of a run by id, oldest first. Positions are those of `GetStream`, and not told here."""
        return AsyncPages(self._transport, "WorkflowStreamService.ListStreams", options, dict(request))

    async def append(self, options: CallOptions | None = None, /, **request: Unpack[t.AppendRecordsRequest]) -> t.AppendRecordsResponse:
        """Appends 1 to 1,000 records in one commit, all or none. The answer comes when they are durable."""
        answer: t.AppendRecordsResponse = await self._transport.call("WorkflowStreamService.AppendRecords", options, dict(request))
        return answer

    async def read(self, options: CallOptions | None = None, /, **request: Unpack[t.ReadRecordsRequest]) -> t.ReadRecordsResponse:
        """Returns the records after a sequence, in order; waits for the next one where there is none."""
        answer: t.ReadRecordsResponse = await self._transport.call("WorkflowStreamService.ReadRecords", options, dict(request))
        return answer

    def subscribe(self, options: CallOptions | None = None, /, **request: Unpack[t.WorkflowStreamServiceSubscribeRequest]) -> AsyncServerEvents:
        """Sends the records after a sequence, then new ones as they become durable, each once and in order. Ends after `end`, when the stream is closed and all was sent, and after `gone`, when retention has passed the reader."""
        return AsyncServerEvents(self._transport, "WorkflowStreamService.Subscribe", dict(request), options)

    async def put_consumer(self, options: CallOptions | None = None, /, **request: Unpack[t.PutConsumerRequest]) -> t.StreamConsumer:
        """Registers a consumer: what it has not acknowledged counts against the stream's unread ceilings. Again: changes nothing."""
        answer: t.StreamConsumer = await self._transport.call("WorkflowStreamService.PutConsumer", options, dict(request))
        return answer

    async def delete_consumer(self, options: CallOptions | None = None, /, **request: Unpack[t.DeleteConsumerRequest]) -> t.DeleteConsumerResponse:
        """Takes a consumer away; what only it had not acknowledged is unread no more."""
        answer: t.DeleteConsumerResponse = await self._transport.call("WorkflowStreamService.DeleteConsumer", options, dict(request))
        return answer

    def list_consumers(self, options: CallOptions | None = None, /, **request: Unpack[t.ListConsumersRequest]) -> AsyncPages[t.StreamConsumer]:
        """Lists the consumers of a stream by id."""
        return AsyncPages(self._transport, "WorkflowStreamService.ListConsumers", options, dict(request))

    async def ack(self, options: CallOptions | None = None, /, **request: Unpack[t.AcknowledgeRequest]) -> t.StreamConsumer:
        """Moves a consumer's acknowledgement forward; the first one registers it. The same sequence again changes nothing, a lower one is STATE_CONFLICT."""
        answer: t.StreamConsumer = await self._transport.call("WorkflowStreamService.Acknowledge", options, dict(request))
        return answer

    async def close(self, options: CallOptions | None = None, /, **request: Unpack[t.CloseStreamRequest]) -> t.WorkflowStream:
        """Closes a stream for good: it takes no more records and can still be read. Again: changes nothing."""
        answer: t.WorkflowStream = await self._transport.call("WorkflowStreamService.CloseStream", options, dict(request))
        return answer

    async def prepare_object(self, options: CallOptions | None = None, /, **request: Unpack[t.PrepareObjectRequest]) -> t.StreamObject:
        """Announces an object of up to 32 MiB. The same key with the same digest and size returns the same object."""
        answer: t.StreamObject = await self._transport.call("WorkflowStreamService.PrepareObject", options, dict(request))
        return answer

    async def upload_object(self, options: CallOptions | None = None, /, **request: Unpack[t.UploadObjectRequest]) -> t.StreamObject:
        """Stores the bytes of an object. Over REST they are the body; else messages with `data` follow one that names the object. Needs the receipt of the prepare in `X-Object-Receipt`. Bytes that differ from what was announced are refused and not kept."""
        answer: t.StreamObject = await self._transport.call("WorkflowStreamService.UploadObject", options, dict(request))
        return answer

    async def commit_object(self, options: CallOptions | None = None, /, **request: Unpack[t.CommitObjectRequest]) -> t.StreamObject:
        """Appends the record that refers to an uploaded object, which can be read from then on. Again: the same sequence."""
        answer: t.StreamObject = await self._transport.call("WorkflowStreamService.CommitObject", options, dict(request))
        return answer

    async def abort_object(self, options: CallOptions | None = None, /, **request: Unpack[t.AbortObjectRequest]) -> t.StreamObject:
        """Gives an object up that is not committed; its bytes are deleted. Again: changes nothing."""
        answer: t.StreamObject = await self._transport.call("WorkflowStreamService.AbortObject", options, dict(request))
        return answer

    async def get_object(self, options: CallOptions | None = None, /, **request: Unpack[t.GetObjectRequest]) -> bytes:
        """Returns the bytes of a committed object. Over REST they are the body, and one `Range` of bytes is taken."""
        answer: bytes = await self._transport.call("WorkflowStreamService.GetObject", options, dict(request))
        return answer

    async def set_legal_hold(self, options: CallOptions | None = None, /, **request: Unpack[t.SetLegalHoldRequest]) -> t.WorkflowStream:
        """Sets or lifts the legal hold. While it is held nothing is pruned and no object is deleted; append, read and acknowledge go on."""
        answer: t.WorkflowStream = await self._transport.call("WorkflowStreamService.SetLegalHold", options, dict(request))
        return answer


class Modules:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.admission = Admission(transport)
        self.admission_groups = AdmissionGroups(transport)
        self.anomaly_monitors = AnomalyMonitors(transport)
        self.anomalies = Anomalies(transport)
        self.api_keys = ApiKeys(transport)
        self.capabilities = Capabilities(transport)
        self.config = Config(transport)
        self.conformance = Conformance(transport)
        self.connect_sessions = ConnectSessions(transport)
        self.connections = Connections(transport)
        self.providers = Providers(transport)
        self.actions = Actions(transport)
        self.triggers = Triggers(transport)
        self.executions = Executions(transport)
        self.dead_letters = DeadLetters(transport)
        self.events = Events(transport)
        self.evidence_packs = EvidencePacks(transport)
        self.evidence_artifacts = EvidenceArtifacts(transport)
        self.evidence_receipts = EvidenceReceipts(transport)
        self.evidence_runs = EvidenceRuns(transport)
        self.evidence = Evidence(transport)
        self.experiment_groups = ExperimentGroups(transport)
        self.experiments = Experiments(transport)
        self.inbox = Inbox(transport)
        self.integrations = Integrations(transport)
        self.layouts = Layouts(transport)
        self.pools = Pools(transport)
        self.services = Services(transport)
        self.notices = Notices(transport)
        self.user_preferences = UserPreferences(transport)
        self.notify = Notify(transport)
        self.report = Report(transport)
        self.outcomes = Outcomes(transport)
        self.promotions = Promotions(transport)
        self.provider_configs = ProviderConfigs(transport)
        self.queues = Queues(transport)
        self.jobs = Jobs(transport)
        self.items = Items(transport)
        self.recipients = Recipients(transport)
        self.routings = Routings(transport)
        self.rules = Rules(transport)
        self.subscribers = Subscribers(transport)
        self.endpoints = Endpoints(transport)
        self.subscriptions = Subscriptions(transport)
        self.preferences = Preferences(transport)
        self.tenants = Tenants(transport)
        self.topics = Topics(transport)
        self.trigger_subscriptions = TriggerSubscriptions(transport)
        self.webhooks = Webhooks(transport)
        self.webhook_deliveries = WebhookDeliveries(transport)
        self.webhook_jobs = WebhookJobs(transport)
        self.workflows = Workflows(transport)
        self.runs = Runs(transport)
        self.streams = Streams(transport)

    def whoami(self, options: CallOptions | None = None, /, **request: Unpack[t.WhoAmIRequest]) -> t.Identity:
        """Tells callers how this server knows them. Needs credentials and no permission."""
        answer: t.Identity = self._transport.call("MetaService.WhoAmI", options, dict(request))
        return answer


class AsyncModules:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.admission = AsyncAdmission(transport)
        self.admission_groups = AsyncAdmissionGroups(transport)
        self.anomaly_monitors = AsyncAnomalyMonitors(transport)
        self.anomalies = AsyncAnomalies(transport)
        self.api_keys = AsyncApiKeys(transport)
        self.capabilities = AsyncCapabilities(transport)
        self.config = AsyncConfig(transport)
        self.conformance = AsyncConformance(transport)
        self.connect_sessions = AsyncConnectSessions(transport)
        self.connections = AsyncConnections(transport)
        self.providers = AsyncProviders(transport)
        self.actions = AsyncActions(transport)
        self.triggers = AsyncTriggers(transport)
        self.executions = AsyncExecutions(transport)
        self.dead_letters = AsyncDeadLetters(transport)
        self.events = AsyncEvents(transport)
        self.evidence_packs = AsyncEvidencePacks(transport)
        self.evidence_artifacts = AsyncEvidenceArtifacts(transport)
        self.evidence_receipts = AsyncEvidenceReceipts(transport)
        self.evidence_runs = AsyncEvidenceRuns(transport)
        self.evidence = AsyncEvidence(transport)
        self.experiment_groups = AsyncExperimentGroups(transport)
        self.experiments = AsyncExperiments(transport)
        self.inbox = AsyncInbox(transport)
        self.integrations = AsyncIntegrations(transport)
        self.layouts = AsyncLayouts(transport)
        self.pools = AsyncPools(transport)
        self.services = AsyncServices(transport)
        self.notices = AsyncNotices(transport)
        self.user_preferences = AsyncUserPreferences(transport)
        self.notify = AsyncNotify(transport)
        self.report = AsyncReport(transport)
        self.outcomes = AsyncOutcomes(transport)
        self.promotions = AsyncPromotions(transport)
        self.provider_configs = AsyncProviderConfigs(transport)
        self.queues = AsyncQueues(transport)
        self.jobs = AsyncJobs(transport)
        self.items = AsyncItems(transport)
        self.recipients = AsyncRecipients(transport)
        self.routings = AsyncRoutings(transport)
        self.rules = AsyncRules(transport)
        self.subscribers = AsyncSubscribers(transport)
        self.endpoints = AsyncEndpoints(transport)
        self.subscriptions = AsyncSubscriptions(transport)
        self.preferences = AsyncPreferences(transport)
        self.tenants = AsyncTenants(transport)
        self.topics = AsyncTopics(transport)
        self.trigger_subscriptions = AsyncTriggerSubscriptions(transport)
        self.webhooks = AsyncWebhooks(transport)
        self.webhook_deliveries = AsyncWebhookDeliveries(transport)
        self.webhook_jobs = AsyncWebhookJobs(transport)
        self.workflows = AsyncWorkflows(transport)
        self.runs = AsyncRuns(transport)
        self.streams = AsyncStreams(transport)

    async def whoami(self, options: CallOptions | None = None, /, **request: Unpack[t.WhoAmIRequest]) -> t.Identity:
        """Tells callers how this server knows them. Needs credentials and no permission."""
        answer: t.Identity = await self._transport.call("MetaService.WhoAmI", options, dict(request))
        return answer
