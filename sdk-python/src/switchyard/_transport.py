"""Requests to one server: the only place that calls httpx, once for threads and once for a loop."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx

from ._call import Answer, CallOptions, Request, Steps, encode, result_of, steps_of
from ._errors import SwitchyardError, connection_lost, error_of, timed_out
from ._methods import CONTRACT_SHA256, METHODS
from ._settings import Settings

#: A stream in which nothing comes for so long is dead: comments come every 15 s.
SILENCE = 45.0


CONTRACT = CONTRACT_SHA256[:12]


class _Contract:
    """The server names its contract where it is another one. Said once."""

    def __init__(self) -> None:
        self._warned = False

    def compare(self, headers: httpx.Headers) -> None:
        served = headers.get("x-contract")
        if served is None or self._warned:
            return
        self._warned = True
        warnings.warn(
            f"the server has the contract {served}, this client was made from {CONTRACT}; fields and methods may differ",
            stacklevel=2,
        )


def _head(settings: Settings) -> dict[str, str]:
    return {**settings.headers(), "x-contract": CONTRACT}


def _verify(settings: Settings) -> Any:
    return True if settings.ca_file is None else httpx.create_ssl_context(verify=settings.ca_file)


class Transport:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._contract = _Contract()
        self._http = httpx.Client(base_url=settings.url, verify=_verify(settings))

    def call(self, method_id: str, options: CallOptions | None, request: dict[str, Any]) -> Any:
        steps = _begin(method_id, request, options, self.settings)
        try:
            step = next(steps)
            while True:
                if step[0] == "pause":
                    time.sleep(step[1])
                    step = next(steps)
                else:
                    step = steps.send(self._attempt(step[1]))
        except StopIteration as done:
            return result_of(method_id, done.value)

    def _attempt(self, request: Request) -> Answer | SwitchyardError:
        try:
            response = self._http.request(
                request.verb,
                request.path,
                headers={**_head(self.settings), **request.headers},
                content=request.content,
                timeout=request.timeout,
            )
            self._contract.compare(response.headers)
            return Answer(response.status_code, response.content)
        except httpx.TimeoutException:
            return timed_out(request.timeout)
        except httpx.TransportError as error:
            return connection_lost(error)

    @contextmanager
    def stream(self, method_id: str, request: dict[str, Any], headers: dict[str, str]) -> Iterator[Iterator[bytes]]:
        """The bytes of an answer that goes on."""
        path, own, _ = encode(METHODS[method_id], request)
        sent = {**_head(self.settings), **own, **headers, "accept": "text/event-stream"}
        timeout = httpx.Timeout(self.settings.timeout, read=SILENCE)
        try:
            with self._http.stream("GET", path, headers=sent, timeout=timeout) as response:
                self._contract.compare(response.headers)
                if response.status_code != 200:
                    response.read()
                    raise _refused(response)
                yield response.iter_bytes()
        except httpx.TransportError as error:
            raise connection_lost(error) from error

    def close(self) -> None:
        self._http.close()


class AsyncTransport:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._contract = _Contract()
        self._http = httpx.AsyncClient(base_url=settings.url, verify=_verify(settings))

    async def call(self, method_id: str, options: CallOptions | None, request: dict[str, Any]) -> Any:
        steps = _begin(method_id, request, options, self.settings)
        try:
            step = next(steps)
            while True:
                if step[0] == "pause":
                    await asyncio.sleep(step[1])
                    step = next(steps)
                else:
                    step = steps.send(await self._attempt(step[1]))
        except StopIteration as done:
            return result_of(method_id, done.value)

    async def _attempt(self, request: Request) -> Answer | SwitchyardError:
        try:
            response = await self._http.request(
                request.verb,
                request.path,
                headers={**_head(self.settings), **request.headers},
                content=request.content,
                timeout=request.timeout,
            )
            self._contract.compare(response.headers)
            return Answer(response.status_code, response.content)
        except httpx.TimeoutException:
            return timed_out(request.timeout)
        except httpx.TransportError as error:
            return connection_lost(error)

    @asynccontextmanager
    async def stream(
        self, method_id: str, request: dict[str, Any], headers: dict[str, str]
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        path, own, _ = encode(METHODS[method_id], request)
        sent = {**_head(self.settings), **own, **headers, "accept": "text/event-stream"}
        timeout = httpx.Timeout(self.settings.timeout, read=SILENCE)
        try:
            async with self._http.stream("GET", path, headers=sent, timeout=timeout) as response:
                self._contract.compare(response.headers)
                if response.status_code != 200:
                    await response.aread()
                    raise _refused(response)
                yield response.aiter_bytes()
        except httpx.TransportError as error:
            raise connection_lost(error) from error

    async def close(self) -> None:
        await self._http.aclose()


def _begin(method_id: str, request: dict[str, Any], options: CallOptions | None, settings: Settings) -> Steps:
    return steps_of(method_id, request, options, timeout=settings.timeout, retries=settings.retries)


def _refused(response: httpx.Response) -> SwitchyardError:
    try:
        return error_of(response.json(), response.status_code)
    except ValueError:
        return error_of(None, response.status_code)
