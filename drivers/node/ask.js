// What the driver asks about Node.
"use strict";

const crypto = require("node:crypto");

const { hasKem } = require("./exchange");
const { canMake } = require("./settings");

const { node, openssl } = process.versions;

function makesKeys(type) {
  try {
    crypto.generateKeyPairSync(type);
    return true;
  } catch {
    return false;
  }
}

/** Whether tls has a value of an option, or node:crypto a kind of keys or any ML-KEM. */
function ask(what, name) {
  if (what === "kem") return hasKem;
  if (what === "keys") return makesKeys(name);
  return canMake({ minVersion: "TLSv1.2", [what]: name });
}

module.exports = { ask, version: `${node} with OpenSSL ${openssl}` };
