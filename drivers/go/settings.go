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
	config   *tls.Config
	client   bool
	sessions *sessions // of a client that wants tickets
	signer   *signer   // of a server
}

// newSettings copies what it takes from the material: parsed certificates go on to refer to their bytes.
func newSettings(side C.int, scenario *C.tlslab_scenario, material *C.tlslab_material) (*settings, error) {
	if scenario.resumption == C.TLSLAB_RESUME_SESSION_ID {
		return nil, unsupported(noSessionIds)
	}
	if scenario.tickets > mostTickets {
		return nil, unsupported(fmt.Sprintf("the server sends one ticket or none, not %d", scenario.tickets))
	}
	groups := []tls.CurveID{tls.CurveID(scenario.group)}
	if scenario.retry_group != 0 {
		if scenario.group != C.uint16_t(tls.CurveP256) && scenario.group != C.uint16_t(tls.CurveP384) {
			return nil, unsupported("crypto/tls orders groups by itself: a client that has this one and another among " +
				"them makes a key share for this one at once")
		}
		if side == C.TLSLAB_CLIENT {
			groups = append([]tls.CurveID{tls.CurveID(scenario.retry_group)}, groups...)
		}
	}
	if err := pinSuite(uint16(scenario.suite)); err != nil {
		return nil, err
	}
	s := &settings{client: side == C.TLSLAB_CLIENT, config: &tls.Config{
		MinVersion:                  uint16(scenario.version),
		MaxVersion:                  uint16(scenario.version),
		CipherSuites:                []uint16{uint16(scenario.suite)}, // of TLS 1.2
		CurvePreferences:            groups,
		SessionTicketsDisabled:      scenario.tickets == 0,
		DynamicRecordSizingDisabled: true,
	}}
	if !canOffer(s.config) {
		return nil, unsupported(fmt.Sprintf("the library does not know version 0x%04x with group 0x%04x",
			scenario.version, scenario.group))
	}
	if s.client {
		return s, s.expect(scenario, material)
	}
	return s, s.serve(scenario, material)
}

// serve gives a server its own certificate, and makes it ask for the client's where both sides show one.
func (s *settings) serve(scenario *C.tlslab_scenario, material *C.tlslab_material) error {
	signer, err := s.present(scenario, material.chain, material.chain_len, material.key)
	if err != nil {
		return err
	}
	s.signer = signer
	if scenario.mutual == 1 {
		s.config.ClientAuth = tls.RequireAndVerifyClientCert
		s.config.ClientCAs, err = pool(material.client_root)
	}
	return err
}

func pool(root C.tlslab_bytes) (*x509.CertPool, error) {
	certificate, err := x509.ParseCertificate(bytes.Clone(slice(root)))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return pool, nil
}

// expect makes a client verify what the scenario says.
func (s *settings) expect(scenario *C.tlslab_scenario, material *C.tlslab_material) error {
	var err error
	if s.config.RootCAs, err = pool(material.root); err != nil {
		return err
	}
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
		s.sessions = &sessions{}
		s.config.ClientSessionCache = s.sessions
	}
	if material.client_chain_len > 0 {
		_, err = s.present(scenario, material.client_chain, material.client_chain_len, material.client_key)
	}
	return err
}

func (s *settings) verifyChain(state tls.ConnectionState) error {
	if state.DidResume {
		return nil
	}
	options := x509.VerifyOptions{Roots: s.config.RootCAs, Intermediates: x509.NewCertPool()}
	for _, certificate := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// present gives a side its chain and key, and the one scheme to sign with.
func (s *settings) present(scenario *C.tlslab_scenario, chain *C.tlslab_bytes, chainLen C.size_t,
	pkcs8 C.tlslab_bytes) (*signer, error) {
	identity := tls.Certificate{
		SupportedSignatureAlgorithms: []tls.SignatureScheme{tls.SignatureScheme(scenario.signature_scheme)},
	}
	for _, link := range unsafe.Slice(chain, int(chainLen)) {
		identity.Certificate = append(identity.Certificate, bytes.Clone(slice(link)))
	}
	if len(identity.Certificate) == 0 {
		return nil, errors.New("there is no certificate")
	}
	var err error
	if identity.Leaf, err = x509.ParseCertificate(identity.Certificate[0]); err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(bytes.Clone(slice(pkcs8)))
	if err != nil {
		return nil, err
	}
	able, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a key of type %T cannot sign", key)
	}
	signs := &signer{Signer: able}
	identity.PrivateKey = signs
	s.config.Certificates = []tls.Certificate{identity}
	return signs, nil
}
