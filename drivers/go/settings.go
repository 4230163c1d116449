package main

/*
#include "endpoint.h"
*/
import "C"

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"unsafe"
)

// unsupported is the reason why a scenario is not to be had.
type unsupported string

func (reason unsupported) Error() string { return string(reason) }

// settings are what a scenario pins, for one side.
type settings struct {
	config  *tls.Config
	client  bool
	tickets *ticketCounter // of a client that wants some
	signer  *signer        // of a server
}

// newSettings copies what it takes from the material: parsed certificates go on to refer to their bytes.
func newSettings(side C.int, scenario *C.tlslab_scenario, material *C.tlslab_material) (*settings, error) {
	if scenario.version != tls.VersionTLS13 {
		return nil, unsupported("this driver pins TLS 1.3 alone")
	}
	if scenario.tickets > mostTickets {
		return nil, unsupported(fmt.Sprintf("the server sends one ticket or none, not %d", scenario.tickets))
	}
	if err := pinSuite(uint16(scenario.suite)); err != nil {
		return nil, err
	}
	s := &settings{client: side == C.TLSLAB_CLIENT, config: &tls.Config{
		MinVersion:                  tls.VersionTLS13,
		MaxVersion:                  tls.VersionTLS13,
		CurvePreferences:            []tls.CurveID{tls.CurveID(scenario.group)},
		SessionTicketsDisabled:      scenario.tickets == 0,
		DynamicRecordSizingDisabled: true,
	}}
	if !canOffer(s.config) {
		return nil, unsupported(fmt.Sprintf("the library does not know group 0x%04x", scenario.group))
	}
	if s.client {
		return s, s.expect(scenario, material)
	}
	return s, s.present(scenario, material)
}

// expect makes a client verify what the scenario says.
func (s *settings) expect(scenario *C.tlslab_scenario, material *C.tlslab_material) error {
	root, err := x509.ParseCertificate(bytes.Clone(slice(material.root)))
	if err != nil {
		return err
	}
	s.config.RootCAs = x509.NewCertPool()
	s.config.RootCAs.AddCert(root)
	s.config.ServerName = C.GoString(material.server_name)
	switch scenario.verification {
	case C.TLSLAB_VERIFY_NONE:
		s.config.InsecureSkipVerify = true
	case C.TLSLAB_VERIFY_CHAIN:
		// The library's own verification minus the name.
		s.config.InsecureSkipVerify = true
		s.config.VerifyConnection = s.verifyChain
	}
	if scenario.tickets > 0 {
		s.tickets = &ticketCounter{}
		s.config.ClientSessionCache = s.tickets
	}
	return nil
}

func (s *settings) verifyChain(state tls.ConnectionState) error {
	options := x509.VerifyOptions{Roots: s.config.RootCAs, Intermediates: x509.NewCertPool()}
	for _, certificate := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// present gives a server its chain and key, and the one scheme to sign with.
func (s *settings) present(scenario *C.tlslab_scenario, material *C.tlslab_material) error {
	identity := tls.Certificate{
		SupportedSignatureAlgorithms: []tls.SignatureScheme{tls.SignatureScheme(scenario.signature_scheme)},
	}
	for _, link := range unsafe.Slice(material.chain, int(material.chain_len)) {
		identity.Certificate = append(identity.Certificate, bytes.Clone(slice(link)))
	}
	if len(identity.Certificate) == 0 {
		return errors.New("there is no certificate")
	}
	var err error
	if identity.Leaf, err = x509.ParseCertificate(identity.Certificate[0]); err != nil {
		return err
	}
	key, err := x509.ParsePKCS8PrivateKey(bytes.Clone(slice(material.key)))
	if err != nil {
		return err
	}
	able, ok := key.(crypto.Signer)
	if !ok {
		return fmt.Errorf("a key of type %T cannot sign", key)
	}
	s.signer = &signer{Signer: able}
	identity.PrivateKey = s.signer
	s.config.Certificates = []tls.Certificate{identity}
	return nil
}

// ticketCounter is a session cache that counts and never has a session.
type ticketCounter struct{ received int }

func (*ticketCounter) Get(string) (*tls.ClientSessionState, bool) { return nil, false }

func (c *ticketCounter) Put(_ string, state *tls.ClientSessionState) {
	if state != nil {
		c.received++
	}
}
