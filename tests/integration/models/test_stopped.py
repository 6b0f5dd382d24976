"""A call of a model that nobody wants any more is let go of, wherever it is; one that is wanted loses nothing."""

import socket
import ssl
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agents.errors import ModelUnavailableError
from agents.models.base import Message, ModelRequest
from agents.models.openai_chat import stopping
from agents.models.openai_chat.registry import Models
from orchestrator.ports.clock import Deadline

Open = Callable[..., Models]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
BEGUN = b'data: {"choices": [{"index": 0, "delta": {"content": "half"}}]}\n\n'
DATA = bytes(range(256)) * 200


class Silent:
    """A server that reads a request, sends a beginning, and then says nothing until it is left."""

    def __init__(self, beginning: bytes) -> None:
        self._beginning = beginning
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.asked, self.left = threading.Event(), threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with closing(connection):
            connection.settimeout(120)
            connection.recv(65536)
            connection.sendall(self._beginning)
            self.asked.set()
            with suppress(ConnectionError):  # what the client leaves unread becomes a reset
                while connection.recv(65536):
                    pass
            self.left.set()

    def close(self) -> None:
        """Wait for the end."""
        self._thread.join(120)
        self._listener.close()


@pytest.mark.parametrize(
    "beginning", [b"", HEAD, HEAD + b"%x\r\n%b\r\n" % (len(BEGUN), BEGUN)], ids=["unanswered", "headed", "half"]
)
def test_a_call_in_flight_is_cut_off(models: Open, beginning: bytes) -> None:
    """Before the answer begins and in its middle: the connection is closed, nothing is tried again, and it is said."""
    unwanted = threading.Event()
    request = ModelRequest((Message("user", "?"),), (), 1, Deadline.after(600, unwanted.is_set))
    with closing(Silent(beginning)) as server, ThreadPoolExecutor(1) as pool:
        call = pool.submit(models(server.url).model().complete, request)
        assert server.asked.wait(60)
        unwanted.set()
        with pytest.raises(ModelUnavailableError, match="nobody wants the reply any more"):
            call.result(60)
        assert server.left.wait(60)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    path = tmp_path / "localhost.pem"
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(private + made.public_bytes(pem))
    return path


@pytest.fixture
def dripping(certificate: Path) -> Generator[int]:
    """The port of a TLS server that sends its data in small pieces, each after a pause, and then falls silent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with context.wrap_socket(connection, server_side=True) as secured:
            for start in range(0, len(DATA), 1000):
                secured.sendall(DATA[start : start + 1000])
                done.wait(0.005)
            done.wait(120)

    thread = threading.Thread(target=serve)
    thread.start()
    yield listener.getsockname()[1]
    done.set()
    thread.join(60)
    listener.close()


def test_looking_up_loses_nothing(certificate: Path, dripping: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the middle of TLS records; and when the time is over that is an end like any other."""
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 0.001)
    looks: list[Any] = []
    tcp = stopping.StoppableBackend().connect_tcp("127.0.0.1", dripping, 60)
    stream = tcp.start_tls(ssl.create_default_context(cafile=certificate), "localhost", 60)
    read = b""
    with closing(stream), stopping.stopped_by(lambda: bool(looks.append(None))):
        while len(read) < len(DATA):
            read += stream.read(777, 60)
        with pytest.raises(httpcore2.ReadTimeout):
            stream.read(777, 0.05)
    assert read == DATA
    assert len(looks) > len(DATA) // 777 + 1
