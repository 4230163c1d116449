// Drives Node's tls: answers the kit's calls, one at a time. The kit's main function runs next to the event loop (see
// bridge.h); this file is where its calls arrive. It holds no TLS.
"use strict";

const native = require("./addon.node");
const { ask, version } = require("./ask");
const { Connection } = require("./connection");
const { Settings, Unsupported } = require("./settings");
const { Table } = require("./table");

// As in bridge.h.
const OP = 0;
const HANDLE = 1;
const STATUS = 2;
const SESSION = 3;

// As in the contract.
const OK = 0;
const CONTINUES = 1;
const FAILED = -1;
const UNSUPPORTED = -2;

const contexts = new Table();
const connections = new Table();
const sessions = new Table();

/** Ends the call, at once or in a later turn of the event loop. */
function answer(status) {
  shared[STATUS] = status;
}

function refuse(error) {
  native.reason(error.code === undefined ? error.message : `${error.code}: ${error.message}`);
  answer(error instanceof Unsupported ? UNSUPPORTED : FAILED);
}

function settled(error, continues) {
  if (error) refuse(error);
  else answer(continues ? CONTINUES : OK);
}

/** The status of a call that is answered later. */
const LATER = undefined;

const done = () => OK;

const later = () => LATER;

/** Hands a number to C. */
const give = (place) => {
  shared[HANDLE] = place;
  return OK;
};

/** 0 is the contract's NULL, and no place in a table. */
function keep(session) {
  return give(session === undefined ? 0 : sessions.put(session));
}

// In the order of bridge.h: each answers with its status, or later.
const calls = [
  () => done(native.reason(version)),
  () => Number(ask(...native.question())),
  () => give(contexts.put(new Settings(native.scenario()))),
  (context) => done(contexts.take(context)),
  (context) => give(connections.put(new Connection(contexts.at(context)))),
  (connection) => later(connections.take(connection).free(settled)),
  (connection) => later(connections.at(connection).handshake(settled)),
  (connection) => later(connections.at(connection).send(settled)),
  (connection) => later(connections.at(connection).receive(settled)),
  (connection) => done(native.facts(connections.at(connection).facts())),
  (connection) => keep(connections.at(connection).session()),
  (session) => done(sessions.take(session)),
  (context) => give(connections.put(new Connection(contexts.at(context), sessions.take(shared[SESSION])))),
  (session) => give(sessions.put(sessions.at(session))), // bytes, which nothing writes into
];

const shared = native.begin(
  (handle) => {
    try {
      const status = calls[shared[OP]](handle);
      if (status !== LATER) answer(status);
    } catch (error) {
      refuse(error);
    }
  },
  (status) => {
    process.exitCode = status;
  },
);
