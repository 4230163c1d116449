// The driver's queries about Node.
"use strict";

const { canMake } = require("./settings");

const { node, openssl } = process.versions;

/** Whether tls has a value of an option. */
function ask(option, name) {
  return canMake({ minVersion: "TLSv1.2", [option]: name });
}

module.exports = { ask, version: `${node} with OpenSSL ${openssl}` };
