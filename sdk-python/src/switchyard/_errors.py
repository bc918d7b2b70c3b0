"""Every failure of a call is one class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SwitchyardError(Exception):
    """What the server refused, or that it did not answer. Branch on `code`: it never changes."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        reason: str | None = None,
        retryable: bool = False,
        fields: tuple[Mapping[str, str], ...] = (),
        request_id: str | None = None,
        retry_after_ms: int | None = None,
        status: int = 0,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.reason = reason
        self.retryable = retryable
        #: Each a mapping with `field` and `reason`.
        self.fields = fields
        self.request_id = request_id
        self.retry_after_ms = retry_after_ms
        #: The HTTP status; 0 where there was no answer.
        self.status = status


class ItemFailed(SwitchyardError):
    """An item that was waited for ended without being completed. `item` says how."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        state = str(item.get("state"))
        why = (item.get("last_error") or {}).get("message")
        detail = f"item {item.get('id')} is {state}" + (f": {why}" if why else "")
        super().__init__("STATE_CONFLICT", detail, reason=state.upper(), status=409)
        self.item = item


class Gone(SwitchyardError):
    """Records that a consumer has not had were removed by retention."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        detail = (
            f"record {data.get('requested_sequence')} is not kept any more; "
            f"the first one that is has the sequence {data.get('earliest_sequence')}"
        )
        super().__init__("CURSOR_EXPIRED", detail, reason=data.get("resync_reason"), status=410)
        self.data = data


_BY_STATUS: dict[int, tuple[str, bool]] = {
    400: ("INVALID_ARGUMENT", False),
    401: ("UNAUTHENTICATED", False),
    403: ("PERMISSION_DENIED", False),
    404: ("NOT_FOUND", False),
    413: ("PAYLOAD_TOO_LARGE", False),
    429: ("RATE_LIMITED", True),
    502: ("UNAVAILABLE", True),
    503: ("UNAVAILABLE", True),
    504: ("TIMEOUT", True),
}


def error_of(problem: object, status: int = 0) -> SwitchyardError:
    """The error of a problem (RFC 9457) or of an entry of a batch; of a proxy's answer, what its status stands for."""
    given: Mapping[str, Any] = problem if isinstance(problem, dict) else {}
    code, retryable = _BY_STATUS.get(status, ("INTERNAL", False))
    fields = given.get("errors")
    return SwitchyardError(
        given.get("errorCode") or given.get("error_code") or code,
        given.get("detail") or f"the server answered {status} without saying why",
        reason=given.get("reason") or None,
        retryable=bool(given.get("retryable", retryable)),
        fields=tuple(fields) if isinstance(fields, list) else (),
        request_id=given.get("request_id"),
        retry_after_ms=given.get("retry_after_ms"),
        status=int(given.get("status") or status),
    )


def connection_lost(cause: object) -> SwitchyardError:
    """No answer came: whether the request was done is not known."""
    why = str(cause) or type(cause).__name__
    return SwitchyardError(
        "UNAVAILABLE", f"no answer from the server: {why}", reason="CONNECTION_LOST", retryable=True
    )


def timed_out(seconds: float) -> SwitchyardError:
    detail = f"no answer within {seconds * 1000:.0f} ms; whether it was done is not known"
    return SwitchyardError("TIMEOUT", detail, retryable=True)
