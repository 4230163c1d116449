//go:build go1.25

package main

import "crypto/tls"

func group(state *tls.ConnectionState) uint16 { return uint16(state.CurveID) }
