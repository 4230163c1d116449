// What each algorithm is called: on the wire, by Node and in scenario files.
"use strict";

const suites = [
  { point: 0x1301, node: "TLS_AES_128_GCM_SHA256", scenario: "aes-128-gcm" },
  { point: 0x1302, node: "TLS_AES_256_GCM_SHA384", scenario: "aes-256-gcm" },
  { point: 0x1303, node: "TLS_CHACHA20_POLY1305_SHA256", scenario: "chacha20-poly1305" },
  ...tls12("ECDSA", [0xc02b, 0xc02c, 0xcca9]),
  ...tls12("RSA", [0xc02f, 0xc030, 0xcca8]),
  ...tls12("RSA", [0x009e, 0x009f, 0xccaa], "DHE"),
];

function tls12(key, points, exchange = "ECDHE") {
  return [
    { node: "AES128-GCM-SHA256", standard: "AES_128_GCM_SHA256", scenario: "aes-128-gcm" },
    { node: "AES256-GCM-SHA384", standard: "AES_256_GCM_SHA384", scenario: "aes-256-gcm" },
    { node: "CHACHA20-POLY1305", standard: "CHACHA20_POLY1305_SHA256", scenario: "chacha20-poly1305" },
  ].map(({ node, standard, scenario }, at) => ({
    point: points[at],
    node: `${exchange}-${key}-${node}`,
    standard: `TLS_${exchange}_${key}_WITH_${standard}`,
    scenario: `${exchange.toLowerCase()}-${key.toLowerCase()}-${scenario}`,
  }));
}

const groups = [
  { point: 0x0017, node: "prime256v1", scenario: "p-256" },
  { point: 0x0018, node: "secp384r1", scenario: "p-384" },
  { point: 0x001d, node: "X25519", scenario: "x25519" },
  { point: 0x11ec, node: "X25519MLKEM768", scenario: "x25519mlkem768" },
  { point: 0x11eb, node: "SecP256r1MLKEM768", scenario: "p-256mlkem768" },
  { point: 0x0100, node: "ffdhe2048", scenario: "ffdhe2048" },
];

const schemes = [
  { point: 0x0403, node: "ecdsa_secp256r1_sha256" },
  { point: 0x0503, node: "ecdsa_secp384r1_sha384" },
  { point: 0x0807, node: "ed25519" },
  { point: 0x0904, node: "mldsa44" },
  { point: 0x0905, node: "mldsa65" },
  { point: 0x0804, node: "rsa_pss_rsae_sha256" },
  { point: 0x0401, node: "rsa_pkcs1_sha256" },
];

/** Key types by the scheme that they sign with in TLS 1.3. */
const keys = [
  { node: "ecdsa_secp256r1_sha256", scenario: "ecdsa-p256" },
  { node: "ecdsa_secp384r1_sha384", scenario: "ecdsa-p384" },
  { node: "ed25519", scenario: "ed25519" },
  { node: "rsa_pss_rsae_sha256", scenario: "rsa-2048" },
  { node: "rsa_pss_rsae_sha256", scenario: "rsa-3072" },
  { node: "rsa_pss_rsae_sha256", scenario: "rsa-4096" },
  { node: "mldsa44", scenario: "ml-dsa-44" },
  { node: "mldsa65", scenario: "ml-dsa-65" },
];

const versions = [
  { point: 0x0303, node: "TLSv1.2" },
  { point: 0x0304, node: "TLSv1.3" },
];

/** The row with this code point, or undefined. */
const byPoint = (rows, point) => rows.find((row) => row.point === point);

/** The code point of Node's name, or of IANA's where Node tells that, or undefined. */
const pointOf = (rows) => (name) => rows.find((row) => (row.standard ?? row.node) === name)?.point;

module.exports = {
  suites,
  groups,
  schemes,
  keys,
  versions,
  byPoint,
  version: pointOf(versions),
  suite: pointOf(suites),
  group: pointOf(groups),
};
