// A connection: the contract's calls as events of a TLS socket over the kit's buffers.
"use strict";

const tls = require("node:tls");

const native = require("./addon.node");
const { Wire } = require("./wire");

/** One side of one connection. What takes its time calls `settled(error, continues)` when it is done. */
class Connection {
  #settings;
  #wire = new Wire();
  #socket;
  #secure = false;
  #error;
  #tickets = 0;
  #session;

  constructor(settings, session) {
    this.#settings = settings;
    this.#socket = settings.isServer
      ? new tls.TLSSocket(this.#wire, settings.options)
      : tls.connect({ ...settings.options, socket: this.#wire, session });
    const fail = (error) => {
      this.#error ??= error;
    };
    // A server's socket that belongs to no tls.Server tells errors after its handshake by the second of these.
    this.#socket.on("error", fail).on("_tlsError", fail);
    this.#socket.once(settings.isServer ? "secure" : "secureConnect", () => {
      this.#secure = true;
      // A tls.Server looks at this itself; the socket alone lets every chain pass.
      if (settings.asksForCertificate) this.#error ??= this.#socket._handle.verifyError() ?? undefined;
    });
    this.#socket.on("data", native.output);
    if (settings.countsTickets) {
      this.#socket.on("session", (session) => {
        this.#tickets++;
        this.#session = session;
      });
    }
  }

  handshake(settled) {
    this.#wire.open(true);
    this.#wire.feed();
    this.#settle(() => settled(this.#failure(), !this.#secure));
  }

  send(settled) {
    this.#wire.open(true);
    this.#socket.write(native.plaintext());
    this.#settle(() => settled(this.#failure()));
  }

  receive(settled) {
    this.#wire.open(false);
    this.#wire.feed();
    if (this.#wire.unsent > 0) {
      this.#error ??= new Error(`the library answered unasked with ${this.#wire.unsent} bytes, which would be lost`);
    }
    settled(this.#failure());
  }

  free(settled) {
    this.#wire.open(false);
    // The native parts are freed in the turn of the loop after this event, which a failed connection has behind it.
    const closed = () => setImmediate(settled);
    if (this.#socket.closed) return closed();
    this.#socket.once("close", closed);
    this.#socket.destroy();
  }

  /** The session for the next connection: the latest ticket, or in TLS 1.2 the session. */
  session() {
    const isOlder = this.#socket.getProtocol() === "TLSv1.2";
    return isOlder ? this.#socket.getSession() : this.#session;
  }

  facts() {
    const socket = this.#socket;
    const certificate = socket.getPeerX509Certificate();
    return {
      version: socket.getProtocol(),
      suite: socket.getCipher().standardName,
      // Of clients alone.
      group: socket.getEphemeralKeyInfo()?.name,
      resumed: socket.isSessionReused() ? 1 : 0,
      tickets: this.#settings.countsTickets ? this.#tickets : undefined,
      certificate: certificate?.raw,
    };
  }

  #failure() {
    return this.#error ?? this.#socket.errored ?? (this.#socket.destroyed ? new Error("Node closed it") : undefined);
  }

  // Calls `done` when Node has heard that all writes are complete, which it does in a later turn of its event loop and
  // may answer with further writes.
  #settle(done) {
    const turn = () => {
      if (!this.#wire.wrote) return done();
      this.#wire.wrote = false;
      // After what the stream itself has put off.
      process.nextTick(setImmediate, turn);
    };
    turn();
  }
}

module.exports = { Connection };
