package main

/*
#include <stdlib.h>
#include "endpoint.h"
*/
import "C"

import (
	"crypto/tls"
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// mostTickets is what a server sends after a handshake without being told that it speaks QUIC.
const mostTickets = 1

var notes = []string{
	"Go collects garbage on its own, in the midst of calls: freeing a connection is left to the collector, and what it " +
		"does is in the figures of all phases.",
	"crypto/tls parses no certificate again that it has parsed since the last garbage collection; this cache cannot be " +
		"turned off.",
}

const noChaCha = "the standard library has ChaCha20-Poly1305 inside crypto/tls alone"

// operations can be done by themselves.
const operations = 1<<C.TLSLAB_HASH | 1<<C.TLSLAB_HMAC | 1<<C.TLSLAB_AEAD_SEAL | 1<<C.TLSLAB_AEAD_OPEN |
	1<<C.TLSLAB_SIGN | 1<<C.TLSLAB_VERIFY | 1<<C.TLSLAB_KEY_GENERATION | 1<<C.TLSLAB_KEY_AGREEMENT |
	1<<C.TLSLAB_ENCAPSULATE | 1<<C.TLSLAB_DECAPSULATE

const noSessionIds = "crypto/tls keeps no sessions on a server: it resumes by ticket alone"

var details = []string{
	"A call from C to Go costs some tens of nanoseconds; each phase of a handshake and each write has one or two.",
	"Handshakes of crypto/tls block in reads. Each runs in a coroutine (iter.Pull), which adds about half a microsecond " +
		"and is suspended while it waits.",
	"The connection below hands over as many bytes as a read has room for, as a socket does; a receive ends with a read " +
		"that finds nothing, which takes some 35 ns.",
	"TLS 1.3 suites cannot be set by the interface; both sides are held to one by the lists that the library keeps " +
		"open to linkname.",
	"Signature schemes cannot be set for a client, which offers all it knows; the server's certificate is held to one, " +
		"and its key remembers which was asked of it.",
	"A server of TLS 1.3 sends its ticket in its first flight, unless it asks for a certificate, so that a client reads " +
		"it in its handshake.",
	"At level chain+name a client checks the name, the validity and the root of a session's certificates before it " +
		"offers the session; at the other levels it looks at the leaf's expiry alone.",
	"After a pause of some 10 ms the runtime does other work for up to 20 ms, probably its monitor, which starts again at short intervals. " +
		"Warm-ups of this stack last 20 ms, which no figure contains.",
	"Dynamic record sizing is off. Everything else is the default of this version of Go, its GODEBUG settings included.",
}

var groups = []struct {
	id   tls.CurveID
	name string
}{
	{0x0017, "p-256"}, {0x0018, "p-384"}, {0x001d, "x25519"}, {0x11ec, "x25519mlkem768"}, {0x11eb, "p-256mlkem768"},
	{0x0100, "ffdhe2048"},
}

var versions = []struct {
	id   uint16
	name string
}{
	{tls.VersionTLS12, "1.2"}, {tls.VersionTLS13, "1.3"},
}

var suites = []struct {
	id   uint16
	name string
}{
	{tls.TLS_AES_128_GCM_SHA256, "aes-128-gcm"},
	{tls.TLS_AES_256_GCM_SHA384, "aes-256-gcm"},
	{tls.TLS_CHACHA20_POLY1305_SHA256, "chacha20-poly1305"},
	{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "ecdhe-ecdsa-aes-128-gcm"},
	{tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "ecdhe-ecdsa-aes-256-gcm"},
	{tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, "ecdhe-ecdsa-chacha20-poly1305"},
	{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, "ecdhe-rsa-aes-128-gcm"},
	{tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, "ecdhe-rsa-aes-256-gcm"},
	{tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, "ecdhe-rsa-chacha20-poly1305"},
	{0x009e, "dhe-rsa-aes-128-gcm"},
	{0x009f, "dhe-rsa-aes-256-gcm"},
	{0xccaa, "dhe-rsa-chacha20-poly1305"},
}

var keyTypes = []struct {
	scheme tls.SignatureScheme
	name   string
}{
	{tls.ECDSAWithP256AndSHA256, "ecdsa-p256"},
	{tls.ECDSAWithP384AndSHA384, "ecdsa-p384"},
	{tls.Ed25519, "ed25519"},
	{tls.PSSWithSHA256, "rsa-2048"},
	{tls.PSSWithSHA256, "rsa-3072"},
	{tls.PSSWithSHA256, "rsa-4096"},
	{mldsa44, "ml-dsa-44"},
	{mldsa65, "ml-dsa-65"},
}

// A collector of its own threads runs when it likes.
const noCount = "Go's runtime schedules threads of its own and collects garbage when it likes, so no two counts agree"

const noMalloc = "Go's runtime has a heap and stacks of its own, which no count of malloc sees"

// settles is how long, in ms, the runtime does other work after it was idle for some 10 ms. A handshake after such a pause took 3 to
// 14 % more for 6 to 12 ms, and no more than others after 20.
const settles = 20

// capabilities are what the library can do, and why it cannot do the rest.
type capabilities struct {
	versions, suites, groups []C.uint16_t
	keys                     []string
	limits                   []C.tlslab_limit
}

// limit adds what the library cannot do.
func (able *capabilities) limit(axis, value, reason string) {
	able.limits = append(able.limits, C.tlslab_limit{C.CString(axis), C.CString(value), C.CString(reason)})
}

// lacks adds a limit of this version of the library.
func (able *capabilities) lacks(axis, value, reason string) {
	able.limit(axis, value, fmt.Sprintf("Go crypto/tls %s %s", libraryVersion(), reason))
}

func libraryVersion() string {
	return strings.TrimPrefix(runtime.Version(), "go")
}

// probe finds out which versions, suites, groups and keys the library knows.
func (able *capabilities) probe() {
	for _, version := range versions {
		if canOffer(&tls.Config{MinVersion: version.id, MaxVersion: version.id}) {
			able.versions = append(able.versions, C.uint16_t(version.id))
		} else {
			able.lacks("version", version.name, "does not know the version")
		}
	}
	for _, suite := range suites {
		if pinSuite(suite.id) == nil {
			able.suites = append(able.suites, C.uint16_t(suite.id))
		} else {
			able.lacks("suite", suite.name, "does not know the suite")
		}
	}
	for _, group := range groups {
		config := &tls.Config{MinVersion: tls.VersionTLS13, CurvePreferences: []tls.CurveID{group.id}}
		if canOffer(config) {
			able.groups = append(able.groups, C.uint16_t(group.id))
		} else {
			able.lacks("group", group.name, "does not know the group")
		}
	}
	for _, key := range keyTypes {
		if hasScheme(key.scheme) {
			able.keys = append(able.keys, key.name)
		} else {
			able.lacks("signature", key.name, "does not know the signature scheme")
		}
	}
}

// limitAlways adds what no version of the library can do.
func (able *capabilities) limitAlways() {
	for _, tickets := range []string{"2", "4", "16"} {
		able.lacks("tickets", tickets, "sends one ticket or none")
	}
	for _, operation := range []string{"aead-seal", "aead-open"} {
		able.limit("primitive", operation+"/chacha20-poly1305", noChaCha)
	}
	able.limit("resumption", "1.2/session-id", noSessionIds)
	able.limit("metric", "heap", noMalloc)
	able.limit("metric", "count", noCount)
	able.lacks("resumption", "1.2/external-psk", "has no external PSKs")
	able.lacks("resumption", "1.2/external-psk-only", "has no external PSKs")
	able.lacks("resumption", "1.3/external-psk", "has no external PSKs")
	able.lacks("resumption", "1.3/external-psk-only", "has no external PSKs")
	able.lacks("early_data", "any", "has early data for QUIC alone")
	able.lacks("server_key_share", "any", "makes a server's key share in the handshake, and has no way to be given one")
}

// reportIdentity fills in who the library is. What it points to is C's and lives as long as the process.
func reportIdentity(identity *C.tlslab_identity) {
	var able capabilities
	able.probe()
	able.limitAlways()
	*identity = C.tlslab_identity{
		driver:              C.CString("go"),
		library:             C.CString("Go crypto/tls"),
		library_version:     C.CString(libraryVersion()),
		verification_levels: 1<<C.TLSLAB_VERIFY_NONE | 1<<C.TLSLAB_VERIFY_CHAIN | 1<<C.TLSLAB_VERIFY_CHAIN_AND_NAME,
		max_tickets:         mostTickets,
		resumptions:         C.TLSLAB_CAN_TICKET_12 | C.TLSLAB_CAN_TICKET_13 | C.TLSLAB_CAN_TICKET_REUSED_13,
		hello_retry:         1,
		mutual:              1,
		threads:             1,
		settles_ms:          settles,
		operations:          operations,
	}
	identity.versions, identity.versions_len = array(able.versions)
	identity.suites, identity.suites_len = array(able.suites)
	identity.groups, identity.groups_len = array(able.groups)
	identity.signatures, identity.signatures_len = array(texts(able.keys))
	identity.limits, identity.limits_len = array(able.limits)
	identity.notes, identity.notes_len = array(texts(notes))
	identity.details, identity.details_len = array(texts(details))
}

// array is a copy in C's memory.
func array[T any](rows []T) (*T, C.size_t) {
	copied := (*T)(C.calloc(C.size_t(len(rows)+1), C.size_t(unsafe.Sizeof(*new(T)))))
	copy(unsafe.Slice(copied, len(rows)), rows)
	return copied, C.size_t(len(rows))
}

func texts(lines []string) []*C.char {
	var copied []*C.char
	for _, line := range lines {
		copied = append(copied, C.CString(line))
	}
	return copied
}
