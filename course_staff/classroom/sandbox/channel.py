"""Messages of plain data between two processes."""

import json
import socket
import struct
import time
from typing import Any

__all__ = ["LARGEST_MESSAGE", "BadMessage", "Channel", "Closed", "TooLate"]

LARGEST_MESSAGE = 16_000_000  # bytes

_LENGTH = struct.Struct("!Q")


class Closed(Exception):
    """The other side has closed the channel, or died."""


class TooLate(Exception):
    """No whole message arrived in time."""


class BadMessage(Exception):
    """What arrived is not a message: too long, not JSON, or not an object."""


class Channel:
    """JSON objects over a connected socket, each after its length in eight bytes.

    Parameters
    ----------
    connection : socket.socket
        One end of a stream socket; the channel closes it.
    largest : int
        The longest message that is accepted, in bytes.
    """

    def __init__(self, connection: socket.socket, largest: int = LARGEST_MESSAGE):
        self.connection = connection
        self.largest = largest
        self.received = 0  # bytes, of all messages

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises
        ------
        Closed
            If nobody reads any more.
        """
        self.send_bytes(json.dumps(message).encode("ascii"))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, for `receive_bytes` on the other side."""
        try:
            self.connection.sendall(_LENGTH.pack(len(data)))
            self.connection.sendall(data)
        except TimeoutError as error:
            raise TooLate from error
        except OSError as error:
            raise Closed from error

    def receive(self, seconds: float | None = None) -> dict[str, Any]:
        """Return the next message.

        Raises
        ------
        Closed, TooLate, BadMessage
            If there is none; after a bad message the channel is of no more use.
        """
        data = self.receive_bytes(seconds)
        try:
            message = json.loads(data)
        except (ValueError, RecursionError, MemoryError) as error:
            raise BadMessage("not JSON") from error
        if not isinstance(message, dict):
            raise BadMessage("not an object")
        return message

    def receive_bytes(self, seconds: float | None = None) -> bytes:
        """Return the bytes of the next message; ``seconds`` is for all of it."""
        end = None if seconds is None else time.monotonic() + seconds
        (length,) = _LENGTH.unpack(self._receive_exactly(_LENGTH.size, end))
        if length > self.largest:
            raise BadMessage(f"{length} bytes, but the limit is {self.largest}")
        self.received += length
        return self._receive_exactly(length, end)

    def close(self) -> None:
        """Close this end."""
        self.connection.close()

    def _receive_exactly(self, count: int, end: float | None) -> bytes:
        parts: list[bytes] = []
        while count:
            if end is not None:
                left = end - time.monotonic()
                if left <= 0:
                    raise TooLate
                self.connection.settimeout(left)
            try:
                part = self.connection.recv(min(count, 1 << 20))
            except TimeoutError as error:
                raise TooLate from error
            except OSError as error:
                raise Closed from error
            if not part:
                raise Closed
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
