"""Runs snippets, a line of JSON each, and answers with what each gave to print; one that goes on ends after `take` of them."""

import base64
import functools
import json
import sys
from typing import Any

import httpx
import switchyard
from switchyard import ServerEvent, Switchyard, SwitchyardError

# Certificates are read for every client anew, and none of these needs them.
context = httpx.create_ssl_context()
httpx._transports.default.create_ssl_context = lambda *_given, **_named: context
# A refusal is told at once, as over REST.
switchyard.Switchyard = functools.partial(Switchyard, retries=0)  # type: ignore[misc]


class Enough(Exception):
    pass


def plain(value: Any) -> Any:
    if isinstance(value, ServerEvent):
        return {"event": value.event, "id": value.id, "data": value.data}
    return base64.b64encode(value).decode()


for line in sys.stdin:
    asked = json.loads(line)
    logged: list[Any] = []
    answer: dict[str, Any] = {"logged": logged}

    def note(value: Any, into: list[Any] = logged, take: int | None = asked.get("take")) -> None:
        into.append(value)
        if len(into) == take:
            raise Enough

    try:
        exec(compile(asked["source"], "snippet", "exec"), {"print": note, "__name__": "__main__"})
    except Enough:
        pass
    except SwitchyardError as error:
        answer["error"] = {"code": error.code, "detail": error.detail}
    except Exception as error:
        answer["error"] = {"code": type(error).__name__, "detail": str(error)}
    print(json.dumps(answer, default=plain), flush=True)
