// The library with its own defaults.

package main

// #include "tlslab_endpoint.h"
import "C"

import (
	"crypto/tls"
	"crypto/x509"
)

// newDefaults sets what the package's first examples set: the roots of Dial, the certificate of LoadX509KeyPair. A client also has
// the server's name, which Dial takes from the address.
func newDefaults(side C.int, scenario *C.tlslab_scenario, material *C.tlslab_material) (*settings, error) {
	s := &settings{client: side == C.TLSLAB_CLIENT, config: &tls.Config{}, roots: x509.NewCertPool()}
	if !s.client {
		return s, s.present(scenario, material)
	}
	s.config.RootCAs = s.roots
	s.config.ServerName = C.GoString(material.server_name)
	return s, s.trust(material)
}
