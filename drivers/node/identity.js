// Who the library is and what it can do. Suites and groups are tried on contexts that are thrown away.
"use strict";

const crypto = require("node:crypto");

const { hasKem } = require("./exchange");
const names = require("./names");
const { canMake, MOST_TICKETS } = require("./settings");

const notes = [
  "Measured as a program in JavaScript meets it, over a Duplex. Each flight and each write waits for one turn of the " +
    "event loop, about 1 µs: less than 1 % of a handshake, a tenth to a fifth of a 16 KiB send, nothing of a receive.",
  "At every verification level a client turns the chain into JavaScript objects before it is connected " +
    "(getPeerCertificate): about half of its handshake with ECDSA keys.",
  "A server that takes up a ticket of TLS 1.3 sends no new one, which others do: the callback that Node gives the library " +
    "answers that the ticket is still good.",
  "V8 compiles and collects garbage while it runs, in threads of its own, and is slower in the first thousand " +
    "handshakes.",
];

const details = [
  "A call from the kit to JavaScript takes about half a microsecond.",
  "Node wraps a Duplex once more to have a native stream (JSStreamSocket), which it does not do for a socket of the " +
    "operating system.",
  "tls.connect makes the first message of a client at once, so that it lies in the phase create. The phase free ends " +
    "when the native parts are freed, a turn of the event loop after the event close.",
  "A server is a TLSSocket without a tls.Server.",
  "Version, suite, group and signature scheme are set by tls.createSecureContext. It has no option for the number of " +
    "tickets, which is set on the OpenSSL context inside.",
  "Where sessions have ids, the server's socket belongs to a tls.Server that never listens, whose events newSession and " +
    "resumeSession keep them in a Map; a client hands its session to tls.connect as bytes, which are parsed on the clock.",
  "By itself, an operation is a call of node:crypto, with keys as KeyObjects. On its clock are also the call from the kit, " +
    "a new object for each hash, code and message of an AEAD, whose key is scheduled each time, as Node begins none anew, " +
    "and the Buffers that the results are in; shares are encoded and decoded as SubjectPublicKeyInfo. Its TLS goes another " +
    "way, inside of OpenSSL: what these operations add up to is no lower bound of what a handshake spends on cryptography.",
  "A hybrid's two halves are done by themselves one after the other, as node:crypto has no hybrid groups.",
  "At verification level `none` a callback in C takes the place of building a chain, which the library would " +
    "otherwise do and then ignore.",
];

// Bits as in the contract, from hash to decapsulate.
const ALL_OPERATIONS = 0x7fe;

/** Which operations with algorithms of its TLS this version of node:crypto does not have. */
function missingPrimitives(groups, keys, version) {
  const missing = [];
  const note = (operations, algorithm, what) => {
    for (const operation of operations) {
      missing.push(["primitive", `${operation}/${algorithm}`, `node:crypto of Node.js ${version} has no ${what}`]);
    }
  };
  for (const { scenario } of groups) {
    if (scenario.endsWith("mlkem768") && !hasKem) {
      note(["key-generation", "encapsulate", "decapsulate"], scenario, "ML-KEM");
    }
  }
  for (const { scenario } of keys) {
    if (scenario.startsWith("ml-dsa") && !makesKeys(scenario)) note(["sign", "verify"], scenario, "ML-DSA");
  }
  return missing;
}

function makesKeys(type) {
  try {
    crypto.generateKeyPairSync(type);
    return true;
  } catch {
    return false;
  }
}

function identity() {
  const { node, openssl } = process.versions;
  const limits = [
    ["metric", "heap", "half of a connection are objects of V8, on a heap of its own, which no count of malloc sees"],
    ["metric", "count", "V8 compiles code while it runs and collects garbage in threads of its own, so no two counts agree"],
  ];
  const tried = (axis, rows, option) =>
    rows.filter((row) => {
      const able = canMake({ minVersion: "TLSv1.2", [option]: row.node });
      if (!able) limits.push([axis, row.scenario, `Node.js ${node} with OpenSSL ${openssl} refuses the ${axis}`]);
      return able;
    });
  const points = (rows) => rows.map((row) => row.point);
  limits.push(
    ["resumption", "1.2/external-psk", "this driver gives Node pre-shared keys in TLS 1.3 alone"],
    ["resumption", "1.2/external-psk-only", "this driver gives Node pre-shared keys in TLS 1.3 alone"],
    ["resumption", "1.3/external-psk-only", "Node has no option to use a pre-shared key without a key exchange"],
    ["early_data", "any", "Node has no early data"],
    ["server_key_share", "any", "Node has no way to be given a server's key share"],
  );
  const groups = tried("group", names.groups, "ecdhCurve");
  const keys = tried("signature", names.keys, "sigalgs");
  limits.push(...missingPrimitives(groups, keys, node));
  return {
    driver: "node",
    library: "Node.js tls",
    version: `${node} with OpenSSL ${openssl}`,
    versions: names.versions.map((row) => row.point),
    suites: points(tried("suite", names.suites, "ciphers")),
    groups: points(groups),
    signatures: keys.map((row) => row.scenario),
    operations: ALL_OPERATIONS,
    mostTickets: MOST_TICKETS,
    limits,
    notes,
    details,
  };
}

module.exports = { identity };
