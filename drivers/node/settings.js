// A scenario, its keys and its certificates as options of Node's tls.
"use strict";

const crypto = require("node:crypto");
const tls = require("node:tls");

const native = require("./addon.node");

// As in the contract.
const SERVER = 1;
const VERIFY_NONE = 0;
const VERIFY_CHAIN_AND_NAME = 2;

const BY_SESSION_ID = 1;

const AES_256_GCM = "TLS_AES_256_GCM_SHA384";
const TLS12 = "TLSv1.2";
const FFDHE2048 = "ffdhe2048";

/** Why a scenario is not to be had. */
class Unsupported extends Error {}

/** The pins of a scenario, for one side. */
class Settings {
  constructor(scenario) {
    const { side, verification, tickets, mutual } = scenario;
    // As the first examples of the documentation of tls.connect and tls.createServer.
    const keepsDefaults = scenario.defaults === 1;
    this.isServer = side === SERVER;
    this.countsTickets = !this.isServer && (tickets > 0 || keepsDefaults);
    this.asksForCertificate = this.isServer && mutual === 1;
    this.context = tls.createSecureContext({ ...(!keepsDefaults && pinned(scenario)), ...own(scenario) });
    // `_external` is the library's own context.
    const field = this.isServer && scenario.version === TLS12 && scenario.group === FFDHE2048;
    if (!keepsDefaults) native.pin(this.context.context._external, tickets, !this.isServer && verification === VERIFY_NONE, field);
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

/** A side's certificates, key and trusted roots. */
function own({ root, chain, key }) {
  return {
    ...(root.length > 0 && { ca: pem(root) }),
    ...(chain.length > 0 && { cert: chain.map(pem).join(""), key: privateKey(key) }),
  };
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

function pinned({ side, version, suite, group, scheme, tickets, mutual, retryGroup, curve }) {
  for (const [what, name] of Object.entries({ version, suite, group, "signature scheme": scheme })) {
    if (name === undefined) throw new Unsupported(`this driver has no name for the ${what}`);
  }
  const isServer = side === SERVER;
  // A side of TLS 1.2 that meets an ECDSA certificate has its curve in the list of groups as well.
  const groups = isServer ? [group, mutual === 1 ? curve : undefined] : [retryGroup, group, curve];
  const options = {
    minVersion: version,
    maxVersion: version,
    ciphers: suite,
    ecdhCurve: groups.filter((name) => name !== undefined).join(":"),
    ...(version === TLS12 && tickets === 0 && { secureOptions: crypto.constants.SSL_OP_NO_TICKET }),
    sigalgs: scheme,
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

module.exports = { Settings, Unsupported, canMake };
