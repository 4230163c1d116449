// This stack's identity and capabilities.

package main

// #include "tlslab_endpoint.h"
import "C"

import (
	"crypto/tls"
	"fmt"
	"runtime"
	"strings"
)

// mostTickets is what a server sends after a handshake without being told that it speaks QUIC.
const mostTickets = 1

var notes = []string{
	"Go collects garbage on its own, in the midst of calls: freeing a connection is left to the collector, and what it " +
		"does is in the figures of all phases.",
	"crypto/tls parses no certificate again that it has parsed since the last garbage collection; this cache cannot be " +
		"turned off.",
}

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

// settles is how long, in ms, the runtime does other work after it was idle for some 10 ms. A handshake after such a pause took 3 to
// 14 % more for 6 to 12 ms, and no more than others after 20.
const settles = 20

const (
	noChaCha     = "the standard library has ChaCha20-Poly1305 inside crypto/tls alone"
	noSessionIds = "crypto/tls keeps no sessions on a server: it resumes by ticket alone"
	noMalloc     = "Go's runtime has a heap and stacks of its own, which no count of malloc sees"
	noKernel     = "Go's runtime handles signals itself and moves work between its threads, so its calls belong to no side"
	noCount      = "Go's scheduler and garbage collector make instruction counts vary from run to run"
)

func libraryVersion() string {
	return strings.TrimPrefix(runtime.Version(), "go")
}

// library_identity fills in who the library is. What it points to is C's and lives as long as the process.
//
//export library_identity
func library_identity(identity *C.tlslab_identity) {
	*identity = C.tlslab_identity{
		driver:          C.CString("go"),
		library:         C.CString("Go crypto/tls"),
		library_version: C.CString(libraryVersion()),
		max_tickets:     mostTickets,
		threads:         1,
		settles_ms:      settles,
		leaves_defaults: 1,
	}
	for at, line := range notes {
		identity.notes[at] = C.CString(line)
	}
	for at, line := range details {
		identity.details[at] = C.CString(line)
	}
}

// library_can answers whether the library can do something: 1 or, with the reason, 0.
//
//export library_can
func library_can(axis C.int, value *C.tlslab_value, why *C.tlslab_error) C.int {
	able, reason := can(axis, value)
	if able {
		return 1
	}
	answer(why, unsupported(reason))
	return 0
}

// can returns what lacks where it is a no; nothing where there is no more to say.
func can(axis C.int, value *C.tlslab_value) (able bool, reason string) {
	lacks := func(what string) string { return fmt.Sprintf("Go crypto/tls %s %s", libraryVersion(), what) }
	point := uint16(value.point)
	switch axis {
	case C.TLSLAB_VERSION:
		return canOffer(&tls.Config{MinVersion: point, MaxVersion: point}), lacks("does not know the version")
	case C.TLSLAB_SUITE:
		return pinSuite(point) == nil, lacks("does not know the suite")
	case C.TLSLAB_GROUP:
		config := &tls.Config{MinVersion: tls.VersionTLS13, CurvePreferences: []tls.CurveID{tls.CurveID(point)}}
		return canOffer(config), lacks("does not know the group")
	case C.TLSLAB_SIGNATURE:
		return hasScheme(tls.SignatureScheme(point)), lacks("does not know the signature scheme")
	case C.TLSLAB_RESUMPTION:
		if point == C.TLSLAB_CAN_SESSION_ID_12 {
			return false, noSessionIds
		}
		byTicket := point == C.TLSLAB_CAN_TICKET_12 || point == C.TLSLAB_CAN_TICKET_13 || point == C.TLSLAB_CAN_TICKET_REUSED_13
		return byTicket, lacks("has no external PSKs")
	case C.TLSLAB_TICKETS:
		return false, lacks("sends one ticket or none")
	case C.TLSLAB_EARLY_DATA:
		return false, lacks("has early data for QUIC alone")
	case C.TLSLAB_SERVER_KEY_SHARE:
		return false, lacks("makes a server's key share in the handshake, and has no way to be given one")
	case C.TLSLAB_PRIMITIVE:
		if point == C.TLSLAB_CHACHA20_POLY1305 {
			return false, noChaCha
		}
		return value.is_claimed == 1 && value.operation <= C.TLSLAB_DECAPSULATE, ""
	case C.TLSLAB_METRIC:
		reason := map[string]string{"heap": noMalloc, "count": noCount, "kernel": noKernel}[C.GoString(value.name)]
		return reason == "", reason
	}
	return true, ""
}
