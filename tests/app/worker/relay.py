"""A network that can be cut: a relay on loopback between a worker and the server of the ledger."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress
from pathlib import Path


class Relay:
    """Carries bytes from a port of its own (`address`) to a server's socket file. While it is cut, what is sent gets
    lost, and nobody is told; when it is healed all connections of before are closed.
    """

    def __init__(self, server: Path) -> None:
        self._server = str(server)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._is_cut = threading.Event()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._is_cut.set()

    def heal(self) -> None:
        self._is_cut.clear()
        self._drop()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # it ends an accept that waits
        self._listener.close()
        self._drop()

    def _drop(self) -> None:
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for one in (end for pair in pairs for end in pair):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            try:
                far.connect(self._server)
            except OSError:
                near.close()
                far.close()
                continue
            with self._lock:
                self._pairs.append((near, far))
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        with near, far, suppress(OSError):
            while True:
                for one in select.select([near, far], [], [])[0]:
                    data = one.recv(1 << 16)
                    if not data:
                        return
                    if not self._is_cut.is_set():
                        (far if one is near else near).sendall(data)
