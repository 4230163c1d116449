// Leaves one suite of TLS 1.3, for which the library has no setter.

package main

import (
	"crypto/tls"
	"fmt"
	_ "unsafe" // for the linknames
)

// The library has no setter for TLS 1.3 suites. It has two lists, one for processors that are fast at AES, whose names
// and types it promises to those who set them like this.
//
//go:linkname suitesWithAES crypto/tls.defaultCipherSuitesTLS13
var suitesWithAES []uint16

//go:linkname suitesWithoutAES crypto/tls.defaultCipherSuitesTLS13NoAES
var suitesWithoutAES []uint16

// pinSuite makes both sides know but one suite of TLS 1.3. It holds for the process, which has one scenario at a time.
// A suite of TLS 1.2 is the configuration's to set; it is only looked up.
func pinSuite(suite uint16) error {
	for _, known := range tls.CipherSuites() {
		if known.ID == suite {
			if known.SupportedVersions[0] == tls.VersionTLS13 {
				suitesWithAES, suitesWithoutAES = []uint16{suite}, []uint16{suite}
			}
			return nil
		}
	}
	return unsupported(fmt.Sprintf("the library does not know suite 0x%04x", suite))
}

// canOffer says whether a client can begin a handshake with what is pinned.
func canOffer(config *tls.Config) bool {
	trial := config.Clone()
	trial.InsecureSkipVerify = true
	return tls.Client(&trialWire{}, trial).Handshake() == error(usedUp{})
}

// trialWire takes what is sent and answers nothing.
type trialWire struct{ wire }

func (*trialWire) Write(p []byte) (int, error) { return len(p), nil }
