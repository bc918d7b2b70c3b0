"""Runs snippets, a line of JSON each, and answers with what each gave to print."""

import functools
import json
import sys
from typing import Any

import httpx
import switchyard
from switchyard import Switchyard, SwitchyardError

# Certificates are read for every client anew, and none of these needs them.
context = httpx.create_ssl_context()
httpx._transports.default.create_ssl_context = lambda *_given, **_named: context
# A refusal is told at once, as over REST.
switchyard.Switchyard = functools.partial(Switchyard, retries=0)  # type: ignore[misc]

for line in sys.stdin:
    logged: list[Any] = []
    answer: dict[str, Any] = {"logged": logged}
    try:
        exec(compile(json.loads(line), "snippet", "exec"), {"print": logged.append, "__name__": "__main__"})
    except SwitchyardError as error:
        answer["error"] = {"code": error.code, "detail": error.detail}
    except Exception as error:
        answer["error"] = {"code": type(error).__name__, "detail": str(error)}
    print(json.dumps(answer, default=lambda value: value.decode()), flush=True)
