// Signatures and their check alone.

package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/tls"
	"io"
)

// The schemes of ML-DSA, which older versions of the library have no names for.
const (
	mldsa44 = tls.SignatureScheme(0x0904)
	mldsa65 = tls.SignatureScheme(0x0905)
)

// signer is a side's key that remembers what the library asked it to sign with. The library has no other way to say
// which scheme a connection used.
type signer struct {
	crypto.Signer
	asked crypto.SignerOpts
}

func (s *signer) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	s.asked = options
	return s.Signer.Sign(random, digest, options)
}

// scheme is the one last used, or 0.
func (s *signer) scheme() tls.SignatureScheme {
	if s == nil || s.asked == nil {
		return 0
	}
	hash := s.asked.HashFunc()
	switch key := s.Public().(type) {
	case *rsa.PublicKey:
		if hash != crypto.SHA256 {
			return 0
		}
		if _, pss := s.asked.(*rsa.PSSOptions); pss {
			return tls.PSSWithSHA256
		}
		return tls.PKCS1WithSHA256
	case *ecdsa.PublicKey:
		switch {
		case key.Curve == elliptic.P256() && hash == crypto.SHA256:
			return tls.ECDSAWithP256AndSHA256
		case key.Curve == elliptic.P384() && hash == crypto.SHA384:
			return tls.ECDSAWithP384AndSHA384
		}
	case ed25519.PublicKey:
		return tls.Ed25519
	}
	// A key of ML-DSA has but one scheme.
	return mldsaScheme(s.Public())
}
