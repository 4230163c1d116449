package main

/*
#include <stdlib.h>
#include "endpoint.h"
*/
import "C"

// report fills in what the library knows about a finished connection.
func (c *connection) report(facts *C.tlslab_facts) {
	state := c.tls.ConnectionState()
	facts.version = C.uint16_t(state.Version)
	facts.suite = C.uint16_t(state.CipherSuite)
	facts.group = C.uint16_t(group(&state))
	facts.resumed = 0
	if state.DidResume {
		facts.resumed = 1
	} else {
		facts.signature_scheme = C.uint16_t(c.settings.signer.scheme())
	}
	if c.settings.sessions != nil {
		facts.tickets_received = C.int32_t(c.tickets)
	}
	if len(state.PeerCertificates) > 0 {
		leaf := state.PeerCertificates[0].Raw
		facts.peer_certificate = (*C.uint8_t)(C.CBytes(leaf))
		facts.peer_certificate_len = C.size_t(len(leaf))
	}
}
