// Who the library is and what it can do. Suites and groups are tried on contexts that are thrown away.
'use strict';

const names = require('./names');
const { canMake, MOST_TICKETS } = require('./settings');

const notes = [];

const details = [];

function identity() {
  const { node, openssl } = process.versions;
  const limits = [];
  const tried = (axis, rows, option) =>
    rows
      .filter((row) => {
        const able = canMake({ minVersion: 'TLSv1.3', [option]: row.node });
        if (!able) limits.push([axis, row.scenario, `Node.js ${node} with OpenSSL ${openssl} refuses the ${axis}`]);
        return able;
      })
      .map((row) => row.point);
  return {
    driver: 'node',
    library: 'Node.js tls',
    version: `${node} with OpenSSL ${openssl}`,
    versions: names.versions.map((row) => row.point),
    suites: tried('suite', names.suites, 'ciphers'),
    groups: tried('group', names.groups, 'ecdhCurve'),
    signatures: ['ecdsa-p256', 'rsa-2048', 'rsa-4096'],
    mostTickets: MOST_TICKETS,
    limits,
    notes,
    details,
  };
}

module.exports = { identity };
