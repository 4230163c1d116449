// Drives Node's tls: answers the kit's calls, one at a time. The kit's main function runs beside the event loop (see
// bridge.h); this file is where its calls arrive. It holds no TLS.
"use strict";

const native = require("./addon.node");
const { Connection } = require("./connection");
const { identity } = require("./identity");
const { primitive } = require("./primitive");
const { Settings, Unsupported } = require("./settings");
const { Table } = require("./table");

// As in bridge.h.
const OP = 0;
const HANDLE = 1;
const STATUS = 2;
const SESSION = 3;
const OPERATION = 4;
const SEQUENCE = 5;

// As in the contract.
const OK = 0;
const CONTINUES = 1;
const FAILED = -1;
const UNSUPPORTED = -2;

const contexts = new Table();
const connections = new Table();
const sessions = new Table();
const primitives = new Table();

/** What the last primitive gave. */
let given = [];

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

// In the order of bridge.h.
const calls = [
  function reportIdentity() {
    native.identity(identity());
    answer(OK);
  },
  function newContext() {
    shared[HANDLE] = contexts.put(new Settings(native.scenario()));
    answer(OK);
  },
  function freeContext(handle) {
    contexts.take(handle);
    answer(OK);
  },
  function create(handle) {
    shared[HANDLE] = connections.put(new Connection(contexts.at(handle)));
    answer(OK);
  },
  function free(handle) {
    connections.take(handle).free(settled);
  },
  function handshake(handle) {
    connections.at(handle).handshake(settled);
  },
  function send(handle) {
    connections.at(handle).send(settled);
  },
  function receive(handle) {
    connections.at(handle).receive(settled);
  },
  function reportFacts(handle) {
    native.facts(connections.at(handle).facts());
    answer(OK);
  },
  function session(handle) {
    const session = connections.at(handle).session();
    // 0 is the contract's NULL, and no place in a table.
    shared[HANDLE] = session === undefined ? 0 : sessions.put(session);
    answer(OK);
  },
  function freeSession(handle) {
    sessions.take(handle);
    answer(OK);
  },
  function resume(handle) {
    const session = sessions.take(shared[SESSION]);
    shared[HANDLE] = connections.put(new Connection(contexts.at(handle), session));
    answer(OK);
  },
  function copySession(handle) {
    // Bytes, which nothing writes into.
    shared[HANDLE] = sessions.put(sessions.at(handle));
    answer(OK);
  },
  function newPrimitive() {
    shared[HANDLE] = primitives.put(primitive(native.assignment()));
    answer(OK);
  },
  function runPrimitive(handle) {
    given = primitives.at(handle).run(shared[OPERATION], shared[SEQUENCE], native.message());
    answer(OK);
  },
  function collect() {
    given.forEach(native.output);
    given = [];
    answer(OK);
  },
  function freePrimitive(handle) {
    primitives.take(handle);
    answer(OK);
  },
];

const shared = native.begin(
  (handle) => {
    try {
      calls[shared[OP]](handle);
    } catch (error) {
      refuse(error);
    }
  },
  (status) => {
    process.exitCode = status;
  },
);
