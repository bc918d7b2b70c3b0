"""The client of Switchyard. `Switchyard` is for threads, `AsyncSwitchyard` for a loop; both have the same calls."""

from ._call import CallOptions
from ._client import AsyncSwitchyard, Switchyard
from ._errors import Gone, ItemFailed, SwitchyardError
from ._methods import CONTRACT_SHA256
from ._socket import Link
from ._sse import ServerEvent
from ._outcome import PermanentError, Reject, RetryLater
from ._worker import Context

__version__ = "0.1.0"

__all__ = [
    "CONTRACT_SHA256",
    "AsyncSwitchyard",
    "CallOptions",
    "Context",
    "Gone",
    "ItemFailed",
    "Link",
    "PermanentError",
    "Reject",
    "RetryLater",
    "ServerEvent",
    "Switchyard",
    "SwitchyardError",
]
