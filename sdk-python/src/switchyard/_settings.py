"""How a client finds its server, and who it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ._errors import SwitchyardError

DEFAULT_URL = "http://127.0.0.1:8080"


@dataclass(frozen=True)
class Settings:
    #: Without a slash at its end.
    url: str
    api_key: str | None = field(repr=False)
    #: Asked before every request and connection, so that it may renew what it returns.
    token: Callable[[], str] | None
    tenant: str | None
    environment: str | None
    #: Of a whole call with its retries.
    timeout: float
    retries: int
    ca_file: str | None

    def headers(self) -> dict[str, str]:
        """Credential, tenant and environment."""
        headers: dict[str, str] = {}
        if self.api_key is not None:
            headers["x-api-key"] = self.api_key
        elif self.token is not None:
            token = self.token().strip()
            if not _is_sendable(token):
                raise SwitchyardError("UNAUTHENTICATED", f"what token() returned {_UNSENDABLE}")
            headers["authorization"] = f"Bearer {token}"
        if self.tenant is not None:
            headers["x-tenant-id"] = self.tenant
        if self.environment is not None:
            headers["x-environment"] = self.environment
        return headers


def settings_of(
    url: str | None = None,
    *,
    api_key: str | None = None,
    token: Callable[[], str] | None = None,
    tenant: str | None = None,
    environment: str | None = None,
    context: str | None = None,
    timeout_ms: int = 30_000,
    retries: int = 5,
    variables: Mapping[str, str] | None = None,
) -> Settings:
    """What is not given comes from the environment (`SWITCHYARD_URL`, …), then from the context.

    A context that is named here goes before the environment. Its key is sent to its own service only.
    """
    if api_key is not None and token is not None:
        raise TypeError("give api_key or token, not both")
    known = os.environ if variables is None else variables

    def variable(name: str) -> str | None:
        return known.get(f"SWITCHYARD_{name}") or None

    name = context or variable("CONTEXT")
    stored = {} if name is None else _context(name, known)

    def first(given: str | None, name: str) -> str | None:
        own = variable(name.upper())
        return given or ((stored.get(name) or own) if context else (own or stored.get(name)))

    address = (first(url, "url") or DEFAULT_URL).rstrip("/")
    # A credential that is given replaces those that are not, whatever their kind.
    if api_key is None and token is None and not context:
        api_key = variable("API_KEY")
        fixed = variable("TOKEN")
        if api_key is None and fixed is not None:
            token = _always(fixed)
    # A key of a context is sent to the service of that context only.
    if api_key is None and token is None and _same(address, stored.get("url") or DEFAULT_URL):
        api_key = _key_of(stored)
    if api_key is not None and not _is_sendable(api_key := api_key.strip()):
        raise TypeError(f"api_key {_UNSENDABLE}")
    return Settings(
        url=address,
        api_key=api_key,
        token=token,
        tenant=first(tenant, "tenant"),
        environment=first(environment, "environment"),
        timeout=timeout_ms / 1000,
        retries=retries,
        ca_file=stored.get("ca_file"),
    )


_UNSENDABLE = "is empty, or has a character that no header may have"


def _is_sendable(credential: str) -> bool:
    """What is not would be in the message of the error that the HTTP library has for it."""
    return credential != "" and all("!" <= character <= "~" for character in credential)


def _same(url: str, other: str) -> bool:
    """Whether both are at the same place, however they are written."""
    one, two = urlsplit(url), urlsplit(other.rstrip("/"))
    return (one.scheme, one.netloc.lower(), one.path) == (two.scheme, two.netloc.lower(), two.path)


def _always(token: str) -> Callable[[], str]:
    return lambda: token


def _context(name: str, variables: Mapping[str, str]) -> dict[str, str]:
    """One of the contexts that `service contexts` keeps."""
    home = variables.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    file = Path(home) / "switchyard" / "contexts.yaml"
    try:
        import yaml
    except ImportError:
        raise TypeError("contexts need PyYAML: pip install 'switchyard-client[contexts]'") from None
    # Every value is a text, as it stands there.
    stored = yaml.load(file.read_text("utf8"), yaml.BaseLoader) if file.exists() else {}
    contexts = (stored or {}).get("contexts") or {}
    if name not in contexts:
        raise TypeError(f'there is no context "{name}" in {file}; there are: {", ".join(sorted(contexts))}')
    return {key: value for key, value in contexts[name].items() if value}


def _key_of(context: Mapping[str, str]) -> str | None:
    if "api_key" in context:
        return context["api_key"]
    if "api_key_command" in context:
        command = context["api_key_command"]
        return subprocess.run(command, shell=True, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return Path(context["key_file"]).expanduser().read_text("utf8").strip() if "key_file" in context else None
