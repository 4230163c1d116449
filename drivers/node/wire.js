// The stream between a TLS socket and the kit's buffers.
"use strict";

const { Duplex } = require("node:stream");

const native = require("./addon.node");

/** As much as Node reads from a socket at once. */
const READ_BYTES = 64 * 1024;

let stage = Buffer.allocUnsafeSlow(READ_BYTES);

/** The stream under a connection. What is written to it goes to the call that the kit waits for, or waits for one. */
class Wire extends Duplex {
  /** Whether something was written whose completion Node has yet to hear of. */
  wrote = false;
  /** Bytes that were written in a call that sends nothing. */
  unsent = 0;
  #sends = false;
  /** Data written before there was a call for it. */
  #early = [];
  #opened = false;

  /** From here on, writes belong to the call, or to none. */
  open(sends) {
    this.#sends = sends;
    if (this.#opened) return;
    this.#opened = true;
    if (sends) this.#early.forEach((chunk) => native.output(chunk));
    this.#early = [];
  }

  /** Hands over all of the call's input. */
  feed() {
    for (let count = native.input(stage); count > 0; count = native.input(stage)) {
      this.push(stage.subarray(0, count));
      // A caller that has postponed it needs it longer.
      if (this.readableLength > 0) stage = Buffer.allocUnsafeSlow(READ_BYTES);
    }
  }

  _read() {}

  _write(chunk, encoding, done) {
    this.#put(chunk);
    done();
  }

  _writev(chunks, done) {
    for (const { chunk } of chunks) this.#put(chunk);
    done();
  }

  #put(chunk) {
    this.wrote = true;
    if (this.#sends) native.output(chunk);
    else if (!this.#opened) this.#early.push(Buffer.from(chunk));
    else this.unsent += chunk.length;
  }
}

module.exports = { Wire };
