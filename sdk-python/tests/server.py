"""A real service in a process of its own, which can be killed and started again on its folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]


class Server:
    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="switchyard-python-")
        self.ports = free_ports(5)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports[0]}"

    def start(self) -> None:
        names = ("server.http_addr", "server.grpc_addr", "api.addr", "server.internal_addr", "server.metrics_addr")
        addresses = [f"{name}=127.0.0.1:{port}" for name, port in zip(names, self.ports, strict=True)]
        sets = [part for address in addresses for part in ("--set", address)]
        self.log = open(Path(self.folder.name) / "log", "ab")  # noqa: SIM115
        data = Path(self.folder.name) / "data"
        self.process = subprocess.Popen(
            ["node", str(ROOT / "dist/cli/service.js"), "dev", *sets, "--set", f"storage.dir={data}"],
            stdout=self.log,
            stderr=self.log,
            cwd=self.folder.name,
            env={name: value for name, value in os.environ.items() if not name.startswith("SWITCHYARD_")},
        )
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        end = time.monotonic() + 90
        while time.monotonic() < end:
            try:
                if httpx.get(f"{self.url}/ready", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            assert self.process is not None and self.process.poll() is None, Path(self.log.name).read_text()
            time.sleep(0.1)
        raise AssertionError(f"the service is not ready: {Path(self.log.name).read_text()}")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def terminate(self) -> int:
        """Tells it to finish; returns its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def pause(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.resume()
            self.kill()
        self.log.close()
        self.folder.cleanup()


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports
