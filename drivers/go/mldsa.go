//go:build go1.27

package main

import (
	"crypto"
	"crypto/mldsa"
	"crypto/tls"
)

// hasScheme tells whether the library knows a signature scheme: since Go 1.27 it knows all of the driver's.
func hasScheme(tls.SignatureScheme) bool { return true }

func mldsaScheme(key crypto.PublicKey) tls.SignatureScheme {
	public, ok := key.(*mldsa.PublicKey)
	if !ok {
		return 0
	}
	switch public.Parameters() {
	case mldsa.MLDSA44():
		return mldsa44
	case mldsa.MLDSA65():
		return mldsa65
	}
	return 0
}

func mldsaVerify(key crypto.PublicKey, message, signature []byte) error {
	public, ok := key.(*mldsa.PublicKey)
	if !ok {
		return errSignature
	}
	return mldsa.Verify(public, message, signature, nil)
}
