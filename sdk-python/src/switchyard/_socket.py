"""One call of a streaming method over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from ._errors import SwitchyardError, connection_lost, error_of
from ._settings import Settings

PROTOCOL = Subprotocol("service.v1.json")
OPEN_WITHIN = 3.0
#: The server pings every 20 s; a connection on which nothing comes for two of them is dead.
PING_EVERY = 20.0
#: Of one message: a claim of items, each with a payload of 256 KiB.
MESSAGE_BYTES_MAX = 64 * 1_024 * 1_024


class _Connect(connect):
    """The first message holds the credential: it goes to the address that was given, and to no other."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class NoUpgrade(SwitchyardError):
    """What is between here and the server does not let WebSockets through."""

    def __init__(self, cause: object) -> None:
        super().__init__("UNAVAILABLE", f"no WebSocket: {cause}", reason="NO_UPGRADE", retryable=True)


class Link:
    """Messages both ways. What there is no credit for waits here."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._credit = 0
        self._more = asyncio.Event()
        self._sending = asyncio.Lock()
        self._lost: SwitchyardError | None = None

    @classmethod
    async def open(cls, settings: Settings, method: str, own: Mapping[str, str] | None = None) -> Link:
        """Opens `/api/streams/{method}`, such as `QueueService/Work`."""
        url = f"ws{settings.url.removeprefix('http')}/api/streams/{method}"
        context = None if settings.ca_file is None else ssl.create_default_context(cafile=settings.ca_file)
        try:
            connection = await _Connect(
                url,
                subprotocols=[PROTOCOL],
                ssl=context,
                open_timeout=OPEN_WITHIN,
                ping_interval=PING_EVERY,
                ping_timeout=PING_EVERY,
                max_size=MESSAGE_BYTES_MAX,
            )
            await connection.send(json.dumps({"headers": {**settings.headers(), **(own or {})}}))
            return cls(connection)
        except (InvalidHandshake, TimeoutError) as error:
            raise NoUpgrade(error) from error
        except (OSError, ConnectionClosed) as error:
            raise connection_lost(error) from error

    async def send(self, message: Mapping[str, Any]) -> None:
        async with self._sending:
            while self._credit == 0:
                if self._lost is not None:
                    raise self._lost
                self._more.clear()
                await self._more.wait()
            self._credit -= 1
            try:
                await self._connection.send(json.dumps({"message": message}, allow_nan=False))
            except ConnectionClosed as error:
                raise connection_lost(error) from error

    async def end(self) -> None:
        """Nothing more is sent; answers still come."""
        async with self._sending:
            try:
                await self._connection.send('{"end": true}')
            except ConnectionClosed as error:
                raise connection_lost(error) from error

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None where the server was done."""
        while True:
            try:
                frame = json.loads(await self._connection.recv())
            except (ConnectionClosed, ValueError) as error:
                raise self._end(connection_lost(error)) from error
            if "credit" in frame:
                self._credit += int(frame["credit"])
                self._more.set()
            elif "error" in frame:
                raise self._end(error_of(frame["error"]))
            elif "end" in frame:
                self._end(connection_lost("the server has ended the stream"))
                return None
            else:
                message: dict[str, Any] = frame["message"]
                return message

    def _end(self, error: SwitchyardError) -> SwitchyardError:
        """No credit comes any more: who waits for it is told."""
        self._lost = error
        self._more.set()
        return error

    async def close(self) -> None:
        await self._connection.close()
