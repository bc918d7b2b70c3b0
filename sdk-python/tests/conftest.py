from __future__ import annotations

from collections.abc import Iterator

import pytest

from .server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    try:
        one.start()
        yield one
    finally:
        one.close()
