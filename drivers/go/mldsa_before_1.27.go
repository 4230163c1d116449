//go:build !go1.27

package main

import (
	"crypto"
	"crypto/tls"
)

// hasScheme tells whether the library knows a signature scheme: it has no ML-DSA before Go 1.27.
func hasScheme(scheme tls.SignatureScheme) bool { return scheme != mldsa44 && scheme != mldsa65 }

func mldsaScheme(crypto.PublicKey) tls.SignatureScheme { return 0 }

func mldsaVerify(crypto.PublicKey, []byte, []byte) error { return errSignature }
