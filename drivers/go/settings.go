// A scenario, its keys and its certificates as the library's configuration.

package main

// #include "tlslab_endpoint.h"
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
	sessions *sessions      // of a client that wants tickets
	signer   *signer        // of a server
	roots    *x509.CertPool // that the side trusts
}

// newSettings copies what it takes from the material: parsed certificates go on to refer to their bytes.
func newSettings(side C.int, scenario *C.tlslab_scenario, material *C.tlslab_material) (*settings, error) {
	if scenario.defaults == 1 {
		return newDefaults(side, scenario, material)
	}
	if scenario.resumption == C.TLSLAB_RESUME_SESSION_ID {
		return nil, unsupported(noSessionIds)
	}
	if scenario.tickets > mostTickets {
		return nil, unsupported(fmt.Sprintf("the server sends one ticket or none, not %d", scenario.tickets))
	}
	if !hasScheme(tls.SignatureScheme(scenario.signature_scheme)) {
		return nil, unsupported(fmt.Sprintf("the library does not know signature scheme 0x%04x", scenario.signature_scheme))
	}
	groups := []tls.CurveID{tls.CurveID(scenario.group)}
	if scenario.retry_group != 0 {
		if scenario.group != C.uint16_t(tls.CurveP256) && scenario.group != C.uint16_t(tls.CurveP384) {
			return nil, unsupported("crypto/tls decides the order of groups: a client that has this group and another one " +
				"makes a key share for this one at once")
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
	}, roots: x509.NewCertPool()}
	s.config.RootCAs, s.config.ClientCAs = s.roots, s.roots
	if !canOffer(s.config) {
		return nil, unsupported(fmt.Sprintf("the library does not know version 0x%04x with group 0x%04x",
			scenario.version, scenario.group))
	}
	if s.client {
		s.expect(scenario, material)
	} else if scenario.mutual == 1 {
		s.config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if err := s.trust(material); err != nil {
		return nil, err
	}
	if s.client && material.chain_len == 0 {
		return s, nil
	}
	return s, s.present(scenario, material)
}

// trust adds the root, where there is one.
func (s *settings) trust(material *C.tlslab_material) error {
	if material.root.len == 0 {
		return nil
	}
	certificate, err := x509.ParseCertificate(bytes.Clone(slice(material.root)))
	if err == nil {
		s.roots.AddCert(certificate)
	}
	return err
}

// expect makes a client verify what the scenario says.
func (s *settings) expect(scenario *C.tlslab_scenario, material *C.tlslab_material) {
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
}

func (s *settings) verifyChain(state tls.ConnectionState) error {
	if state.DidResume {
		return nil
	}
	options := x509.VerifyOptions{Roots: s.roots, Intermediates: x509.NewCertPool()}
	for _, certificate := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// present gives a side its chain and key, and the one scheme to sign with, unless the library keeps its defaults.
func (s *settings) present(scenario *C.tlslab_scenario, material *C.tlslab_material) error {
	identity := tls.Certificate{}
	if scenario.defaults == 0 {
		identity.SupportedSignatureAlgorithms = []tls.SignatureScheme{tls.SignatureScheme(scenario.signature_scheme)}
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
	signs := &signer{Signer: able}
	if !s.client {
		s.signer = signs
	}
	identity.PrivateKey = signs
	s.config.Certificates = []tls.Certificate{identity}
	return nil
}
