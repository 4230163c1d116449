"use strict";

const crypto = require("node:crypto");
const tls = require("node:tls");

const native = require("./addon.node");
const names = require("./names");

// As in the contract.
const SERVER = 1;
const VERIFY_NONE = 0;
const VERIFY_CHAIN_AND_NAME = 2;

/** More can be set, but no scenario wants them. */
const MOST_TICKETS = 16;

/** Why a scenario is not to be had. */
class Unsupported extends Error {}

/** What a scenario pins, for one side. */
class Settings {
  constructor(scenario) {
    const { side, verification, tickets } = scenario;
    if (tickets > MOST_TICKETS) throw new Unsupported(`this driver sets at most ${MOST_TICKETS} tickets`);
    this.isServer = side === SERVER;
    this.countsTickets = !this.isServer && tickets > 0;
    this.context = tls.createSecureContext({
      ...pinned(scenario),
      ...(this.isServer
        ? { cert: scenario.chain.map(pem).join(""), key: privateKey(scenario.key) }
        : { ca: pem(scenario.root) }),
    });
    // `_external` is the library's own context.
    native.pin(this.context.context._external, tickets, !this.isServer && verification === VERIFY_NONE);
    this.options = {
      secureContext: this.context,
      servername: scenario.serverName,
      rejectUnauthorized: verification !== VERIFY_NONE,
      ...(verification !== VERIFY_CHAIN_AND_NAME && { checkServerIdentity: () => undefined }),
    };
  }
}

function pinned({ version, suite, group, scheme }) {
  const name = (what, rows, point) => {
    const row = names.byPoint(rows, point);
    if (row === undefined) throw new Unsupported(`this driver has no name for ${what} 0x${point.toString(16)}`);
    return row.node;
  };
  const pinnedVersion = name("version", names.versions, version);
  const options = {
    minVersion: pinnedVersion,
    maxVersion: pinnedVersion,
    ciphers: name("suite", names.suites, suite),
    ecdhCurve: name("group", names.groups, group),
    sigalgs: name("signature scheme", names.schemes, scheme),
  };
  if (!canMake(options)) throw new Unsupported("the library refuses the combination");
  return options;
}

/** Whether Node takes these options. */
function canMake(options) {
  try {
    tls.createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}

function pem(der) {
  return new crypto.X509Certificate(der).toString();
}

function privateKey(der) {
  return crypto.createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ format: "pem", type: "pkcs8" });
}

module.exports = { Settings, Unsupported, canMake, MOST_TICKETS };
