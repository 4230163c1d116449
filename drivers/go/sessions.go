package main

import "crypto/tls"

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
