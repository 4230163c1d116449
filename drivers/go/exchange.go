// Key generation and agreement alone.

package main

// #include "tlslab_endpoint.h"
import "C"

import (
	"crypto/ecdh"
	"crypto/mlkem"
	"crypto/rand"
	"errors"
	"fmt"
)

// exchange is a curve, alone or together with ML-KEM-768. In a share and in a secret, ML-KEM comes before X25519 and
// behind P-256.
type exchange struct {
	curve        ecdh.Curve
	curveFirst   bool
	encapsulates bool
	own          *ecdh.PrivateKey
	kem          *mlkem.DecapsulationKey768
}

func newExchange(group uint16) (primitive, error) {
	switch group {
	case C.TLSLAB_SECP256R1:
		return &exchange{curve: ecdh.P256()}, nil
	case C.TLSLAB_SECP384R1:
		return &exchange{curve: ecdh.P384()}, nil
	case C.TLSLAB_X25519:
		return &exchange{curve: ecdh.X25519()}, nil
	case C.TLSLAB_X25519MLKEM768:
		return &exchange{curve: ecdh.X25519(), encapsulates: true}, nil
	case C.TLSLAB_SECP256R1MLKEM768:
		return &exchange{curve: ecdh.P256(), encapsulates: true, curveFirst: true}, nil
	default:
		return nil, unsupported(fmt.Sprintf("this driver knows no group 0x%04x", group))
	}
}

func (e *exchange) run(operation C.int, _ uint64, input, room []byte) ([]byte, error) {
	switch operation {
	case C.TLSLAB_KEY_GENERATION:
		return e.generate(room)
	case C.TLSLAB_KEY_AGREEMENT:
		secret, err := agree(e.own, input)
		return append(room, secret...), err
	case C.TLSLAB_ENCAPSULATE:
		return e.encapsulate(input, room)
	default:
		return e.decapsulate(input, room)
	}
}

func (e *exchange) generate(room []byte) ([]byte, error) {
	var err error
	if e.own, err = e.curve.GenerateKey(rand.Reader); err != nil {
		return nil, err
	}
	if !e.encapsulates {
		return append(room, e.own.PublicKey().Bytes()...), nil
	}
	if e.kem, err = mlkem.GenerateKey768(); err != nil {
		return nil, err
	}
	return e.join(room, e.kem.EncapsulationKey().Bytes(), e.own.PublicKey().Bytes()), nil
}

func (e *exchange) encapsulate(share, room []byte) ([]byte, error) {
	public, peer, err := e.split(share, mlkem.EncapsulationKeySize768)
	if err != nil {
		return nil, err
	}
	key, err := mlkem.NewEncapsulationKey768(public)
	if err != nil {
		return nil, err
	}
	own, err := e.curve.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	agreed, err := agree(own, peer)
	if err != nil {
		return nil, err
	}
	secret, ciphertext := key.Encapsulate()
	room = e.join(room, ciphertext, own.PublicKey().Bytes())
	return e.join(room, secret, agreed), nil
}

func (e *exchange) decapsulate(share, room []byte) ([]byte, error) {
	ciphertext, peer, err := e.split(share, mlkem.CiphertextSize768)
	if err != nil {
		return nil, err
	}
	secret, err := e.kem.Decapsulate(ciphertext)
	if err != nil {
		return nil, err
	}
	agreed, err := agree(e.own, peer)
	return e.join(room, secret, agreed), err
}

func agree(own *ecdh.PrivateKey, share []byte) ([]byte, error) {
	peer, err := own.Curve().NewPublicKey(share)
	if err != nil {
		return nil, err
	}
	return own.ECDH(peer)
}

func (e *exchange) join(room, ofKEM, ofCurve []byte) []byte {
	if e.curveFirst {
		return append(append(room, ofCurve...), ofKEM...)
	}
	return append(append(room, ofKEM...), ofCurve...)
}

// split takes a share apart: ML-KEM's part has a known length.
func (e *exchange) split(share []byte, kemBytes int) (ofKEM, ofCurve []byte, err error) {
	if len(share) < kemBytes {
		return nil, nil, errors.New("a share that is too short")
	}
	if e.curveFirst {
		at := len(share) - kemBytes
		return share[at:], share[:at], nil
	}
	return share[:kemBytes], share[kemBytes:], nil
}
