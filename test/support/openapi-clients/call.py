"""Calls operations with the client that openapi-python-client made: a line of JSON for each, and one with what came of it.

The arguments are the folder of the client and the address of the service. What the client parsed is compared with what the service
sent, to the last field: a type that is wrong in the document loses or changes something."""

import base64
import enum
import importlib
import inspect
import io
import json
import sys
import typing
from datetime import datetime
from pathlib import Path

from openapi_python_client.strings import PythonIdentifier

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder.parent))
package = importlib.import_module(folder.name)
types = importlib.import_module(f"{folder.name}.types")
modules = {path.stem: path.parent.name for path in folder.glob("api/*/*.py") if path.stem != "__init__"}


def answer_of(call):
    name = PythonIdentifier(call["operation"], "field_")
    module = importlib.import_module(f"{package.__name__}.api.{modules[name]}.{name}")
    function = module.sync_detailed
    hints = typing.get_type_hints(function)
    arguments = {}
    for place in ("path", "query", "header"):
        for wire, value in call[place].items():
            parameter = PythonIdentifier(wire, "field_")
            if parameter not in hints:
                parameter = f"{parameter}_{place}"
            arguments[parameter] = typed(hints[parameter], value)
    if "bytes" in call:
        arguments["body"] = types.File(payload=io.BytesIO(base64.b64decode(call["bytes"])))
    elif "body" in call:
        arguments["body"] = typed(hints["body"], call["body"])
    missing = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is inspect.Parameter.empty and parameter.name not in [*arguments, "client"]
    ]
    if missing:
        raise TypeError(f"the document asks for {missing}")
    answer = function(client=client, **arguments)
    return {"status": answer.status_code.value, "problems": problems_of(answer)}


def typed(hint, value):
    """A value as the client's types have it."""
    for option in typing.get_args(hint) or (hint,):
        if hasattr(option, "from_dict") and isinstance(value, dict):
            return option.from_dict(value)
        if inspect.isclass(option) and issubclass(option, enum.Enum):
            return option(value)
        if option is datetime:
            return datetime.fromisoformat(value)
        if typing.get_origin(option) is list:
            return [typed(typing.get_args(option)[0], one) for one in value]
    return value


def problems_of(answer):
    if answer.status_code.value == 204:
        return []
    if answer.parsed is None:
        return [f"the document has no {answer.status_code.value} of {answer.headers['content-type']}"]
    if isinstance(answer.parsed, types.File):
        return [] if answer.parsed.payload.read() == answer.content else ["other bytes"]
    if isinstance(answer.parsed, str):
        return []
    parsed = answer.parsed.to_dict() if hasattr(answer.parsed, "to_dict") else answer.parsed
    return differences(json.loads(answer.content), parsed, "")


def differences(sent, parsed, path):
    if isinstance(sent, dict) and isinstance(parsed, dict):
        names = sorted(sent.keys() | parsed.keys())
        return [one for name in names for one in differences(sent.get(name), parsed.get(name), f"{path}.{name}")]
    if isinstance(sent, list) and isinstance(parsed, list) and len(sent) == len(parsed):
        return [one for index, (a, b) in enumerate(zip(sent, parsed)) for one in differences(a, b, f"{path}[{index}]")]
    if sent == parsed or (isinstance(sent, str) and is_same_time(sent, parsed)):
        return []
    return [f"{path}: {sent!r} was parsed as {parsed!r}"]


def is_same_time(sent, parsed):
    try:
        return datetime.fromisoformat(sent) == datetime.fromisoformat(parsed)
    except (TypeError, ValueError):
        return False


client = package.Client(base_url=sys.argv[2], timeout=60, raise_on_unexpected_status=True)
for line in sys.stdin:
    try:
        told = answer_of(json.loads(line))
    except Exception as error:  # pylint: disable=broad-except
        told = {"status": 0, "problems": [f"{type(error).__name__}: {error}"]}
    print(json.dumps(told), flush=True)
