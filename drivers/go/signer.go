package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/tls"
	"io"
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
	if s == nil || s.asked == nil || s.asked.HashFunc() != crypto.SHA256 {
		return 0
	}
	switch key := s.Public().(type) {
	case *rsa.PublicKey:
		if _, pss := s.asked.(*rsa.PSSOptions); pss {
			return tls.PSSWithSHA256
		}
		return tls.PKCS1WithSHA256
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return tls.ECDSAWithP256AndSHA256
		}
	}
	return 0
}
