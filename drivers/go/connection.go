// A connection: the contract's calls as calls of the library, and what is known of it afterwards.

package main

// #include <stdlib.h>
// #include "tlslab_endpoint.h"
import "C"

import (
	"crypto/tls"
	"fmt"
	"iter"
)

// connection is one side of one connection.
type connection struct {
	wire     wire
	tls      *tls.Conn
	settings *settings
	// resume runs the handshake until it waits for its peer; it returns false once the handshake is over.
	resume func() (struct{}, bool)
	// abandon ends a handshake that was not carried to its end, if there is one.
	abandon func()
	tickets int // that a client has received, in scenarios that have some
	// session is what a client takes up, and later what it was left.
	session *tls.ClientSessionState
	err     error
}

func newConnection(s *settings, session *tls.ClientSessionState) *connection {
	c := &connection{settings: s, session: session, abandon: func() {}}
	if s.client {
		c.tls = tls.Client(&c.wire, s.config)
	} else {
		c.tls = tls.Server(&c.wire, s.config)
	}
	return c
}

// handshake returns whether this side is done.
func (c *connection) handshake(input []byte, output *C.tlslab_buffer) (bool, error) {
	c.wire.input, c.wire.output = input, output
	if c.resume == nil {
		if c.settings.sessions != nil {
			c.settings.sessions.of = c
		}
		c.resume, c.abandon = iter.Pull(c.steps)
	}
	if _, waits := c.resume(); waits {
		return false, nil
	}
	if c.err == nil && c.settings.sessions != nil && c.settings.config.MaxVersion == tls.VersionTLS13 {
		c.err = c.readTickets()
	}
	if c.err == nil && len(c.wire.input) > 0 {
		c.err = fmt.Errorf("%d bytes follow the handshake's end", len(c.wire.input))
	}
	return true, c.err
}

// readTickets takes what follows the handshake. A server of TLS 1.3 that asks for no certificate sends its tickets with
// its first flight, and they are read only by a read of data.
func (c *connection) readTickets() error {
	if _, err := c.tls.Read(make([]byte, 1)); err != error(usedUp{}) {
		return fmt.Errorf("not only tickets follow the handshake: %v", err)
	}
	return nil
}

// steps is the handshake as a sequence that has an element whenever it waits. Handshake blocks in Read, so it runs in
// its own coroutine.
func (c *connection) steps(yield func(struct{}) bool) {
	c.wire.await = yield
	c.err = c.tls.Handshake()
	c.wire.await = nil
}

func (c *connection) send(plaintext []byte, output *C.tlslab_buffer) error {
	c.wire.output = output
	_, err := c.tls.Write(plaintext)
	return err
}

func (c *connection) receive(input []byte, plaintext *C.tlslab_buffer) error {
	c.wire.input, c.wire.output = input, nil
	for {
		free := room(plaintext)
		if len(free) == 0 {
			return fmt.Errorf("more plaintext than the buffer of %d bytes has room for", plaintext.capacity)
		}
		count, err := c.tls.Read(free)
		plaintext.len += C.size_t(count)
		if err == nil {
			continue
		}
		if err != error(usedUp{}) {
			return err
		}
		break
	}
	if c.wire.unsent > 0 {
		return fmt.Errorf("the library answered unasked with %d bytes, which would be lost", c.wire.unsent)
	}
	return nil
}

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

// sessions is a client's cache that keeps nothing itself: a session goes from the connection that it was left to the
// one that is made to take it up.
type sessions struct {
	of *connection // the latest whose handshake has begun
}

// Get takes the session out: servers of the library leave a new one with every connection.
func (s *sessions) Get(string) (*tls.ClientSessionState, bool) {
	session := s.of.session
	s.of.session = nil
	return session, session != nil
}

func (s *sessions) Put(_ string, session *tls.ClientSessionState) {
	if session != nil {
		s.of.tickets++
		s.of.session = session
	}
}
