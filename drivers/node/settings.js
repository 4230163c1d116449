"use strict";

const crypto = require("node:crypto");
const tls = require("node:tls");

const native = require("./addon.node");
const names = require("./names");

// As in the contract.
const SERVER = 1;
const VERIFY_NONE = 0;
const VERIFY_CHAIN_AND_NAME = 2;

const BY_SESSION_ID = 1;
const AES_256_GCM = 0x1302;
const TLS12 = 0x0303;

/** The curve of ECDSA certificates. */
const CURVE = "prime256v1";

/** More can be set, but no scenario wants them. */
const MOST_TICKETS = 16;

/** Why a scenario is not to be had. */
class Unsupported extends Error {}

/** What a scenario pins, for one side. */
class Settings {
  constructor(scenario) {
    const { side, verification, tickets, mutual } = scenario;
    if (tickets > MOST_TICKETS) throw new Unsupported(`this driver sets at most ${MOST_TICKETS} tickets`);
    this.isServer = side === SERVER;
    this.countsTickets = !this.isServer && tickets > 0;
    this.asksForCertificate = this.isServer && mutual === 1;
    this.context = tls.createSecureContext({ ...pinned(scenario), ...(this.isServer ? server : client)(scenario) });
    // `_external` is the library's own context.
    native.pin(this.context.context._external, tickets, !this.isServer && verification === VERIFY_NONE);
    this.options = this.isServer ? this.#serverOptions(scenario) : this.#clientOptions(scenario);
  }

  #serverOptions(scenario) {
    const { resumption } = scenario;
    return {
      isServer: true,
      secureContext: this.context,
      ...pskOf(scenario),
      ...(this.asksForCertificate && { requestCert: true, rejectUnauthorized: true }),
      ...(resumption === BY_SESSION_ID && { server: keepsSessions() }),
    };
  }

  #clientOptions(scenario) {
    const { serverName, verification } = scenario;
    return {
      ...pskOf(scenario),
      secureContext: this.context,
      servername: serverName,
      rejectUnauthorized: verification !== VERIFY_NONE,
      ...(verification !== VERIFY_CHAIN_AND_NAME && { checkServerIdentity: () => undefined }),
    };
  }
}

/** The key that both sides were given, if they were. The library takes one from Node for SHA-256 alone. */
function pskOf({ psk, pskIdentity, suite, side }) {
  if (pskIdentity === undefined) return {};
  if (suite === AES_256_GCM) throw new Unsupported("Node's callback gives a pre-shared key for SHA-256 alone");
  const give = (_, identity) => (identity === pskIdentity ? psk : null);
  return { pskCallback: side === SERVER ? give : () => ({ psk, identity: pskIdentity }) };
}

/** What a server shows, and whom it trusts. */
function server({ chain, key, mutual, clientRoot }) {
  return { ...(chain.length > 0 && shown(chain, key)), ...(mutual === 1 && { ca: pem(clientRoot) }) };
}

/** Whom a client trusts, and what it shows. */
function client({ root, clientChain, clientKey }) {
  return { ca: pem(root), ...(clientChain.length > 0 && shown(clientChain, clientKey)) };
}

function shown(chain, key) {
  return { cert: chain.map(pem).join(""), key: privateKey(key) };
}

/** A server that remembers sessions by their id and never listens. */
function keepsSessions() {
  const sessions = new Map();
  return tls
    .createServer()
    .on("newSession", (id, session, done) => {
      sessions.set(id.toString("hex"), session);
      done();
    })
    .on("resumeSession", (id, done) => done(null, sessions.get(id.toString("hex")) ?? null));
}

function pinned({ side, version, suite, group, scheme, tickets, mutual, bits, retryGroup }) {
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
    ecdhCurve:
      side !== SERVER && retryGroup !== 0
        ? `${name("group", names.groups, retryGroup)}:${name("group", names.groups, group)}`
        : groups(name("group", names.groups, group), { side, version, mutual, bits }),
    ...(version === TLS12 && tickets === 0 && { secureOptions: crypto.constants.SSL_OP_NO_TICKET }),
    sigalgs: name("signature scheme", names.schemes, scheme),
  };
  if (!canMake(options)) throw new Unsupported("the library refuses the combination");
  return options;
}

/** A side of TLS 1.2 that meets an ECDSA certificate has its curve in the list of groups as well. */
function groups(group, { side, version, mutual, bits }) {
  const meetsCertificate = side !== SERVER || mutual === 1;
  const namesCurve = version === TLS12 && meetsCertificate && bits === 256 && group !== CURVE;
  return namesCurve ? `${group}:${CURVE}` : group;
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
