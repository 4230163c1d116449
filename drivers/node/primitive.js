// One cryptographic operation by itself, through the documented functions of node:crypto. What it gives stays in a
// Buffer, as it would for a program, and is fetched off the clock.
"use strict";

const crypto = require("node:crypto");

const { Exchange } = require("./exchange");

// As in the contract.
const HASH = 1;
const HMAC = 2;
const AEAD_SEAL = 3;
const AEAD_OPEN = 4;
const SIGN = 5;
const VERIFY = 6;
const SHA384 = 5;

const TAG = 16;
const CIPHERS = { 0x1301: "aes-128-gcm", 0x1302: "aes-256-gcm", 0x1303: "chacha20-poly1305" };
const PSS = { padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

/** Hashes by signature scheme; null where the algorithm has its own. */
const HASHES = { 0x0403: "sha256", 0x0503: "sha384", 0x0804: "sha256", 0x0807: null, 0x0904: null, 0x0905: null };

const hashName = (algorithm) => (algorithm === SHA384 ? "sha384" : "sha256");

/** Every message has an object of its own: Node lets nobody begin one anew. */
class Digest {
  constructor({ algorithm }) {
    this.name = hashName(algorithm);
  }

  run(operation, sequence, input) {
    return [crypto.createHash(this.name).update(input).digest()];
  }
}

class Code {
  constructor({ algorithm, key }) {
    this.name = hashName(algorithm);
    this.key = crypto.createSecretKey(key);
  }

  run(operation, sequence, input) {
    return [crypto.createHmac(this.name, this.key).update(input).digest()];
  }
}

/** Every message has an object of its own, which schedules the key: Node lets nobody give one another nonce. */
class Aead {
  constructor({ algorithm, key, iv, header }) {
    this.name = CIPHERS[algorithm];
    this.key = crypto.createSecretKey(key);
    this.end = iv.readInt32BE(8);
    this.nonce = Buffer.from(iv);
    this.header = header;
    this.options = { authTagLength: TAG };
  }

  run(operation, sequence, input) {
    this.nonce.writeInt32BE(this.end ^ sequence, 8);
    return operation === AEAD_SEAL ? this.#seal(input) : this.#open(input);
  }

  #seal(input) {
    const cipher = crypto.createCipheriv(this.name, this.key, this.nonce, this.options).setAAD(this.header);
    return [cipher.update(input), cipher.final(), cipher.getAuthTag()];
  }

  #open(input) {
    const end = input.length - TAG;
    const cipher = crypto.createDecipheriv(this.name, this.key, this.nonce, this.options).setAAD(this.header);
    cipher.setAuthTag(input.subarray(end));
    return [cipher.update(input.subarray(0, end)), cipher.final()];
  }
}

/** With keys that are loaded. */
class Signer {
  constructor({ algorithm, message, chain, leafKey }) {
    const options = algorithm === 0x0804 ? PSS : {};
    this.hash = HASHES[algorithm];
    this.own = { key: crypto.createPrivateKey({ key: leafKey, format: "der", type: "pkcs8" }), ...options };
    this.public = { key: new crypto.X509Certificate(chain[0]).publicKey, ...options };
    this.message = message;
  }

  run(operation, sequence, input) {
    if (operation === SIGN) return [crypto.sign(this.hash, input, this.own)];
    if (!crypto.verify(this.hash, this.message, this.public, input)) throw new Error("the signature is wrong");
    return [];
  }
}

/** The object for an assignment. */
function primitive(assignment) {
  switch (assignment.operation) {
    case HASH:
      return new Digest(assignment);
    case HMAC:
      return new Code(assignment);
    case AEAD_SEAL:
    case AEAD_OPEN:
      return new Aead(assignment);
    case SIGN:
    case VERIFY:
      return new Signer(assignment);
    default:
      return new Exchange(assignment);
  }
}

module.exports = { primitive };
