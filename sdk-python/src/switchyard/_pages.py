"""Lists: iterate over all items, or take pages one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from ._call import CallOptions
    from ._transport import AsyncTransport, Transport

Item = TypeVar("Item")


def _following(request: dict[str, Any], page: dict[str, Any]) -> dict[str, Any] | None:
    cursor = page.get("next_cursor")
    if not cursor:
        return None
    return {**{name: value for name, value in request.items() if name != "offset"}, "cursor": cursor}


class Pages(Generic[Item]):
    def __init__(self, transport: Transport, method: str, options: CallOptions | None, request: dict[str, Any]) -> None:
        self._call = (transport, method, options)
        self._request = request

    def page(self) -> dict[str, Any]:
        """The page that the request names."""
        return self._load(self._request)

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        transport, method, options = self._call
        page: dict[str, Any] = transport.call(method, options, request)
        return page

    def pages(self) -> Iterator[dict[str, Any]]:
        request: dict[str, Any] | None = self._request
        while request is not None:
            page = self._load(request)
            yield page
            request = _following(request, page)

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page["data"]


class AsyncPages(Generic[Item]):
    def __init__(
        self, transport: AsyncTransport, method: str, options: CallOptions | None, request: dict[str, Any]
    ) -> None:
        self._call = (transport, method, options)
        self._request = request

    async def page(self) -> dict[str, Any]:
        """The page that the request names."""
        return await self._load(self._request)

    async def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        transport, method, options = self._call
        page: dict[str, Any] = await transport.call(method, options, request)
        return page

    async def pages(self) -> AsyncIterator[dict[str, Any]]:
        request: dict[str, Any] | None = self._request
        while request is not None:
            page = await self._load(request)
            yield page
            request = _following(request, page)

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page["data"]:
                yield item
