"""A client with the signatures of Gymnasium, in Python 3.8's standard library. It plays what this serves:
    world_llm_agent_demo serve --openenv TASK
"""
import base64
import json
import os
import socket
import struct
from urllib.parse import urlsplit


class AgentWorldEnv:
    """One session: reset begins an episode, step makes a move of your agent, close leaves."""

    def __init__(self, url, timeout=60):
        at = urlsplit(url)
        self._socket = socket.create_connection((at.hostname, at.port or 80), timeout)
        self._file = self._socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            (
                f"GET {at.path.rstrip('/')}/ws HTTP/1.1\r\nHost: {at.netloc}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
            ).encode()
        )
        status = self._file.readline().decode()
        while self._file.readline().strip():
            pass
        if " 101 " not in status:
            self.close()
            raise ConnectionError(f"{url} answered {status.strip()}")

    def reset(self, *, seed=None, options=None):
        """Begins an episode. options may have split, index and episode_id."""
        answer = self._ask("reset", {"seed": seed, **(options or {})})
        return answer["observation"], self._ask("state")

    def step(self, action):
        """Makes a move, a dict or JSON text. Returns observation, reward, terminated, truncated, info."""
        if isinstance(action, str):
            try:
                action = json.loads(action)
            except ValueError:
                pass  # the server says what is wrong, and no time passes
        answer = self._ask("step", action)
        return answer["observation"], answer["reward"], answer["done"], False, {}

    def state(self):
        """Says which instance is played, the tick, the score and how far the episode is."""
        return self._ask("state")

    def close(self):
        try:
            self._send(8, b"")
        except OSError:
            pass  # the server was faster
        self._file.close()
        self._socket.close()

    def _ask(self, kind, data=None):
        message = {"type": kind} if data is None else {"type": kind, "data": data}
        self._send(1, json.dumps(message).encode())
        answer = self._receive()
        if answer["type"] == "error":
            raise RuntimeError(f"{answer['data']['code']}: {answer['data']['message']}")
        return answer["data"]

    def _send(self, kind, data):
        size, mask = len(data), os.urandom(4)
        head = struct.pack(">BBQ", 0x80 | kind, 0xFF, size)
        if size < 126:
            head = struct.pack(">BB", 0x80 | kind, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack(">BBH", 0x80 | kind, 0xFE, size)
        self._socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def _receive(self):
        text = b""
        while True:
            first, size = self._read(2)
            if size > 125:
                size = int.from_bytes(self._read(2 if size == 126 else 8), "big")
            data = self._read(size)
            kind = first & 15
            if kind == 8:
                raise ConnectionError("the server ended the session")
            if kind == 9:
                self._send(10, data)  # a ping
            elif kind < 2:
                text += data
                if first & 0x80:
                    return json.loads(text)

    def _read(self, size):
        data = self._file.read(size)
        if len(data) < size:
            raise ConnectionError("the connection is gone")
        return data
