"""TLS over memory as an asynchronous framework drives it, hashes alone, and the loops of programs that others
have published. This is on the clock, and so is the interpreter."""

import os
import ssl


def load(context, chain, key):
    # Certificates and key are taken from files alone; this one exists in memory.
    with open(os.memfd_create("chain"), "w+") as file:
        file.writelines(map(ssl.DER_cert_to_PEM_cert, chain))
        file.write(ssl.DER_cert_to_PEM_cert(key).replace("CERTIFICATE", "PRIVATE KEY"))
        file.flush()
        context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")


class Context:
    """State shared by the connections of one side, as far as Python's interface can pin it."""

    def __init__(self, server_side, server_name, version, root=b""):
        self.server_side = server_side
        self.server_name = None if server_side else server_name
        # Version 0 leaves the defaults, as the first examples of the module's documentation.
        if version == 0 and not server_side:
            self.ssl = ssl.create_default_context(cadata=root)
            return
        self.ssl = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT)
        if version == 0:
            return
        self.ssl.minimum_version = self.ssl.maximum_version = ssl.TLSVersion(version)

    def trust(self, root, verifies, checks_name):
        self.ssl.check_hostname = checks_name
        self.ssl.verify_mode = ssl.CERT_REQUIRED if verifies else ssl.CERT_NONE
        self.ssl.load_verify_locations(cadata=root)

    def present(self, chain, key):
        load(self.ssl, chain, key)

    def share(self, identity, key):
        """A key that both sides were given, which Python takes for TLS 1.3 with SHA-256 as well as for older suites."""
        if self.server_side:
            self.ssl.set_psk_server_callback(lambda name: key if name == identity else b"")
        else:
            self.ssl.set_psk_client_callback(lambda hint: (identity, key))

    def remember(self, tickets):
        """Tickets, and none of the older kind where there are to be none."""
        if self.server_side:
            self.ssl.num_tickets = tickets
        if tickets == 0 and self.ssl.maximum_version == ssl.TLSVersion.TLSv1_2:
            self.ssl.options |= ssl.OP_NO_TICKET


class Connection:
    __slots__ = ("_incoming", "_outgoing", "_ssl")

    def __init__(self, context, session=None):
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._ssl = context.ssl.wrap_bio(
            self._incoming, self._outgoing, context.server_side, context.server_name, session
        )

    def handshake(self, data):
        """Takes what the peer sent; whether this side is done, and what is to be sent."""
        self._incoming.write(data)
        try:
            self._ssl.do_handshake()
        except ssl.SSLWantReadError:
            return False, self._outgoing.read()
        if self._incoming.pending:
            raise ValueError(f"{self._incoming.pending} bytes follow the handshake's end")
        return True, self._outgoing.read()

    def send(self, data):
        """Encrypts all of `data`; the records."""
        written = self._ssl.write(data)
        if written != len(data):
            raise ValueError(f"{written} of {len(data)} bytes were written")
        return self._outgoing.read()

    def receive(self, data, plaintext):
        """Takes whole records and fills `plaintext` from its start; how much there was."""
        self._incoming.write(data)
        count = 0
        try:
            # One more read, which could only say that there is nothing more, would raise.
            while self._incoming.pending or self._ssl.pending():
                got = self._ssl.read(len(plaintext) - count, plaintext[count:])
                if got == 0:
                    raise EOFError("the peer closed the connection, or there is more plaintext than room for it")
                count += got
        except ssl.SSLWantReadError:
            pass
        if self._outgoing.pending:
            raise ValueError(f"the library answered unasked with {self._outgoing.pending} bytes")
        return count

    def session(self):
        """The session for the next connection, or None."""
        return self._ssl.session

    def library(self):
        """The interpreter's own object for the connection."""
        return self._ssl._sslobj


class Hash:
    """Every message has a new object: hashlib cannot reset one."""

    def __init__(self, name):
        # Programs that open connections alone need not pay for it.
        import hashlib

        self._new = getattr(hashlib, name)

    def run(self, message):
        return self._new(message).digest()


class Code:
    """By the one call that there is for a message in memory."""

    def __init__(self, name, key):
        import hmac

        self._digest = hmac.digest
        self._name = name
        self._key = key

    def run(self, message):
        return self._digest(self._key, message, self._name)


class HashObject:
    """An object by the function's name, a message made and taken in, the digest."""

    def __init__(self, name):
        import hashlib

        self._new = hashlib.new
        self._name = name

    def run(self, message):
        digest = self._new(self._name)
        digest.update(bytes(message))
        return digest.digest()


class Client:
    """Connections over loopback, one at a time, to a server in another process."""

    def __init__(self, root, chain, key):
        import select
        import socket

        self._socket = socket.socket
        listener = socket.create_server(("127.0.0.1", 0))
        self._address = listener.getsockname()
        self._control, control = socket.socketpair()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        load(context, chain, key)
        # A socket that is closed with tickets unread is reset, and the end of what was sent on it can be lost.
        context.num_tickets = 0
        self._server = os.fork()
        if self._server == 0:
            try:
                self._control.close()
                # This process must not keep the driver's output open.
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, 0)
                os.dup2(nowhere, 1)
                serve(select.select, listener, control, context)
            finally:
                os._exit(0)
        listener.close()
        control.close()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._context.check_hostname = False
        self._context.load_verify_locations(cadata=root)

    def run(self, message):
        stream = self._context.wrap_socket(self._socket())
        stream.connect(self._address)
        stream.sendall(bytes(message))
        stream.close()

    def received(self):
        """The data that the server received on the last connection."""
        self._control.sendall(b"?")
        with self._control.makefile("rb", buffering=0) as answer:
            length = int.from_bytes(read(answer, 8))
            return read(answer, length)

    def agreed(self):
        """Version and suite of one more connection, and the interpreter's object for it."""
        with self._context.wrap_socket(self._socket()) as stream:
            stream.connect(self._address)
            return stream.version(), stream.cipher()[0], stream._sslobj

    def close(self):
        self._control.close()
        os.waitpid(self._server, 0)


def read(file, length):
    parts = []
    while length > 0:
        part = file.read(length)
        if not part:
            raise EOFError("the server is gone")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def serve(select, listener, control, context):
    """Reads 1,024 bytes at a time, as long as the client is there."""
    received = []
    while True:
        ready, _, _ = select([listener, control], [], [])
        if listener in ready:
            received = []
            connection, _ = listener.accept()
            try:
                with context.wrap_socket(connection, server_side=True) as stream:
                    while part := stream.recv(1024):
                        received.append(part)
            except OSError:
                # The client fails, too, and says so; or it has gone without a word.
                pass
        elif not control.recv(1):
            return
        else:
            data = b"".join(received)
            control.sendall(len(data).to_bytes(8) + data)
