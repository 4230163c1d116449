// One cryptographic operation alone.

package main

// #include "tlslab_endpoint.h"
import "C"

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"unsafe"
)

// primitive does the operations of one algorithm. The result is appended to room, which is large enough.
type primitive interface {
	run(operation C.int, sequence uint64, input, room []byte) ([]byte, error)
}

var errSignature = errors.New("the signature is wrong")

func newPrimitive(assignment *C.tlslab_assignment, material *C.tlslab_material) (primitive, error) {
	key := append([]byte(nil), slice(assignment.key)...)
	switch assignment.operation {
	case C.TLSLAB_HASH:
		return &digest{hasher(assignment.algorithm)()}, nil
	case C.TLSLAB_HMAC:
		return &code{hasher(assignment.algorithm), key}, nil
	case C.TLSLAB_AEAD_SEAL, C.TLSLAB_AEAD_OPEN:
		return newAEAD(assignment, key)
	case C.TLSLAB_SIGN, C.TLSLAB_VERIFY:
		return newSignature(assignment, material)
	default:
		return newExchange(uint16(assignment.algorithm))
	}
}

func hasher(algorithm C.uint16_t) func() hash.Hash {
	if algorithm == C.TLSLAB_SHA384 {
		return sha512.New384
	}
	return sha256.New
}

type digest struct{ hash.Hash }

func (d *digest) run(_ C.int, _ uint64, input, room []byte) ([]byte, error) {
	d.Reset()
	d.Write(input)
	return d.Sum(room), nil
}

// code takes its key in with each message: there is no way to give an old code a new key.
type code struct {
	hash func() hash.Hash
	key  []byte
}

func (c *code) run(_ C.int, _ uint64, input, room []byte) ([]byte, error) {
	mac := hmac.New(c.hash, c.key)
	mac.Write(input)
	return mac.Sum(room), nil
}

type aead struct {
	cipher.AEAD
	iv     [12]byte
	header []byte
}

func newAEAD(assignment *C.tlslab_assignment, key []byte) (primitive, error) {
	if assignment.algorithm == C.TLSLAB_CHACHA20_POLY1305 {
		return nil, unsupported(noChaCha)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	made := &aead{AEAD: gcm}
	for at := range made.iv {
		made.iv[at] = byte(assignment.iv[at])
	}
	for at := range int(assignment.header_len) {
		made.header = append(made.header, byte(assignment.header[at]))
	}
	return made, nil
}

func (a *aead) run(operation C.int, sequence uint64, input, room []byte) ([]byte, error) {
	nonce := a.iv
	binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])^sequence)
	if operation == C.TLSLAB_AEAD_SEAL {
		return a.Seal(room, nonce[:], input, a.header), nil
	}
	return a.Open(room, nonce[:], input, a.header)
}

type signature struct {
	own     crypto.Signer
	public  crypto.PublicKey
	options crypto.SignerOpts
	hash    func() hash.Hash // nil: the message is signed without hashing
	message []byte
}

func newSignature(assignment *C.tlslab_assignment, material *C.tlslab_material) (primitive, error) {
	made := &signature{options: crypto.SHA256, hash: sha256.New}
	made.message = append([]byte(nil), slice(assignment.message)...)
	switch assignment.algorithm {
	case C.TLSLAB_ECDSA_SECP256R1_SHA256:
	case C.TLSLAB_ECDSA_SECP384R1_SHA384:
		made.options, made.hash = crypto.SHA384, sha512.New384
	case C.TLSLAB_ED25519, C.TLSLAB_MLDSA44, C.TLSLAB_MLDSA65:
		made.options, made.hash = crypto.Hash(0), nil
	case C.TLSLAB_RSA_PSS_RSAE_SHA256:
		made.options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}
	default:
		return nil, unsupported(fmt.Sprintf("this driver knows no signature scheme 0x%04x", assignment.algorithm))
	}
	if material.chain_len == 0 {
		return nil, errors.New("there is no certificate")
	}
	key, err := x509.ParsePKCS8PrivateKey(slice(material.key))
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(slice(*material.chain))
	if err != nil {
		return nil, err
	}
	made.own, made.public = key.(crypto.Signer), leaf.PublicKey
	return made, nil
}

func (s *signature) run(operation C.int, _ uint64, input, room []byte) ([]byte, error) {
	if operation == C.TLSLAB_SIGN {
		made, err := s.own.Sign(rand.Reader, s.hashed(input), s.options)
		return append(room, made...), err
	}
	hashed := s.hashed(s.message)
	switch key := s.public.(type) {
	case *ecdsa.PublicKey:
		if ecdsa.VerifyASN1(key, hashed, input) {
			return room, nil
		}
	case *rsa.PublicKey:
		return room, rsa.VerifyPSS(key, crypto.SHA256, hashed, input, s.options.(*rsa.PSSOptions))
	case ed25519.PublicKey:
		if ed25519.Verify(key, hashed, input) {
			return room, nil
		}
	default:
		return room, mldsaVerify(key, hashed, input)
	}
	return nil, errSignature
}

func (s *signature) hashed(message []byte) []byte {
	if s.hash == nil {
		return message
	}
	hash := s.hash()
	hash.Write(message)
	return hash.Sum(nil)
}

var primitives table[primitive]

//export primitive_new
func primitive_new(assignment *C.tlslab_assignment, material *C.tlslab_material, handle *unsafe.Pointer,
	reason *C.tlslab_error) C.int {
	made, err := newPrimitive(assignment, material)
	if err == nil {
		primitives.put(handle, made)
	}
	return answer(reason, err)
}

//export primitive_run
func primitive_run(handle unsafe.Pointer, operation C.int, sequence C.uint64_t, input, output *C.tlslab_buffer,
	reason *C.tlslab_error) C.int {
	room := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(output.data), output.len)), output.capacity-output.len)
	given := unsafe.Slice((*byte)(input.data), input.len)
	made, err := primitives.at(handle).run(operation, uint64(sequence), given, room[:0])
	if err == nil {
		output.len += C.size_t(len(made))
	}
	return answer(reason, err)
}

//export primitive_free
func primitive_free(handle unsafe.Pointer) {
	primitives.take(handle)
}
