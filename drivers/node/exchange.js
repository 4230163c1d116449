// Key exchange by itself. Node knows keys in whole encodings alone (SubjectPublicKeyInfo), so that a share is the end of
// one, and has no hybrid groups: their two halves are done one after the other, as the library's TLS does.
"use strict";

const crypto = require("node:crypto");

// As in the contract.
const KEY_GENERATION = 7;
const KEY_AGREEMENT = 8;
const ENCAPSULATE = 9;

const P256 = { type: "ec", options: { namedCurve: "prime256v1" }, bytes: 65 };
const P384 = { type: "ec", options: { namedCurve: "secp384r1" }, bytes: 97 };
const X25519 = { type: "x25519", options: {}, bytes: 32 };
const ML_KEM = { type: "ml-kem-768", options: {}, bytes: 1184 };
const CIPHERTEXT_BYTES = 1088;

/** `curveFirst`: in a hybrid's shares and secrets. */
const GROUPS = {
  0x0017: { curve: P256 },
  0x0018: { curve: P384 },
  0x001d: { curve: X25519 },
  0x11ec: { curve: X25519, curveFirst: false },
  0x11eb: { curve: P256, curveFirst: true },
};

const hasKem = typeof crypto.encapsulate === "function";

const generate = ({ type, options }) => crypto.generateKeyPairSync(type, options);

/** Turns shares of one kind into keys, and back. */
class Shares {
  constructor(kind) {
    this.kind = kind;
    const model = generate(kind).publicKey.export({ format: "der", type: "spki" });
    this.prefix = model.subarray(0, model.length - kind.bytes);
  }

  encode(key) {
    return key.export({ format: "der", type: "spki" }).subarray(this.prefix.length);
  }

  decode(share) {
    return crypto.createPublicKey({ key: Buffer.concat([this.prefix, share]), format: "der", type: "spki" });
  }
}

class Exchange {
  constructor({ algorithm }) {
    const { curve, curveFirst } = GROUPS[algorithm];
    this.curve = new Shares(curve);
    this.kem = curveFirst === undefined ? undefined : new Shares(ML_KEM);
    this.curveFirst = curveFirst;
  }

  run(operation, sequence, input) {
    switch (operation) {
      case KEY_GENERATION:
        return this.#generate();
      case KEY_AGREEMENT:
        return [this.#secret(this.own, input)];
      case ENCAPSULATE:
        return this.#encapsulate(input);
      default:
        return this.#decapsulate(input);
    }
  }

  #generate() {
    this.own = generate(this.curve.kind);
    const share = this.curve.encode(this.own.publicKey);
    if (this.kem === undefined) return [share];
    this.ownKem = generate(this.kem.kind);
    return this.#inOrder(share, this.kem.encode(this.ownKem.publicKey));
  }

  #secret({ privateKey }, share) {
    return crypto.diffieHellman({ privateKey, publicKey: this.curve.decode(share) });
  }

  #encapsulate(input) {
    const [share, kemShare] = this.#split(input, this.kem.kind.bytes);
    const fresh = generate(this.curve.kind);
    const secret = this.#secret(fresh, share);
    const { sharedKey, ciphertext } = crypto.encapsulate(this.kem.decode(kemShare));
    return [
      ...this.#inOrder(this.curve.encode(fresh.publicKey), ciphertext),
      ...this.#inOrder(secret, sharedKey),
    ];
  }

  #decapsulate(input) {
    const [share, ciphertext] = this.#split(input, CIPHERTEXT_BYTES);
    const sharedKey = crypto.decapsulate(this.ownKem.privateKey, ciphertext);
    return this.#inOrder(this.#secret(this.own, share), sharedKey);
  }

  #inOrder(ofCurve, ofKem) {
    return this.curveFirst ? [ofCurve, ofKem] : [ofKem, ofCurve];
  }

  /** The curve's part and ML-KEM's. */
  #split(input, kemBytes) {
    const at = this.curveFirst ? input.length - kemBytes : kemBytes;
    const parts = [input.subarray(0, at), input.subarray(at)];
    return this.curveFirst ? parts : parts.reverse();
  }
}

module.exports = { Exchange, hasKem };
