// Drives crypto/tls: the kit's main function, with an endpoint written in Go.
//
// This file is the border to C: every call of the contract arrives here and goes on to a Go value. It holds no TLS.
package main

/*
#include "endpoint.h"
*/
import "C"

import (
	"crypto/tls"
	"os"
	"unsafe"
)

func main() {
	os.Exit(int(C.tlslab_driver_main(&C.go_endpoint)))
}

var (
	contexts    table[*settings]
	connections table[*connection]
	kept        table[*tls.ClientSessionState]
)

//export goIdentity
func goIdentity(identity *C.tlslab_identity) {
	reportIdentity(identity)
}

//export goContext
func goContext(side C.int, scenario *C.tlslab_scenario, material *C.tlslab_material, handle *unsafe.Pointer,
	reason *C.tlslab_error) C.int {
	context, err := newSettings(side, scenario, material)
	if err != nil {
		return refuse(reason, err)
	}
	contexts.put(handle, context)
	return C.TLSLAB_OK
}

//export goContextFree
func goContextFree(handle unsafe.Pointer) {
	contexts.take(handle)
}

//export goCreate
func goCreate(context unsafe.Pointer, handle *unsafe.Pointer, reason *C.tlslab_error) C.int {
	connections.put(handle, newConnection(contexts.at(context), nil))
	return C.TLSLAB_OK
}

//export goConnectionFree
func goConnectionFree(handle unsafe.Pointer) {
	connections.take(handle).abandon()
}

//export goHandshake
func goHandshake(handle unsafe.Pointer, input C.tlslab_bytes, output *C.tlslab_buffer, reason *C.tlslab_error) C.int {
	done, err := connections.at(handle).handshake(slice(input), output)
	switch {
	case err != nil:
		return refuse(reason, err)
	case done:
		return C.TLSLAB_OK
	default:
		return C.TLSLAB_CONTINUES
	}
}

//export goSend
func goSend(handle unsafe.Pointer, plaintext C.tlslab_bytes, output *C.tlslab_buffer, reason *C.tlslab_error) C.int {
	if err := connections.at(handle).send(slice(plaintext), output); err != nil {
		return refuse(reason, err)
	}
	return C.TLSLAB_OK
}

//export goReceive
func goReceive(handle unsafe.Pointer, input C.tlslab_bytes, plaintext *C.tlslab_buffer, reason *C.tlslab_error) C.int {
	if err := connections.at(handle).receive(slice(input), plaintext); err != nil {
		return refuse(reason, err)
	}
	return C.TLSLAB_OK
}

//export goFacts
func goFacts(handle unsafe.Pointer, facts *C.tlslab_facts) {
	connections.at(handle).report(facts)
}

//export goSession
func goSession(handle unsafe.Pointer, session *unsafe.Pointer, reason *C.tlslab_error) C.int {
	if state := connections.at(handle).session; state != nil {
		kept.put(session, state)
	}
	return C.TLSLAB_OK
}

//export goSessionFree
func goSessionFree(session unsafe.Pointer) {
	kept.take(session)
}

//export goSessionCopy
func goSessionCopy(session unsafe.Pointer, duplicate *unsafe.Pointer, reason *C.tlslab_error) C.int {
	// A connection that takes it up writes nothing into it.
	kept.put(duplicate, kept.at(session))
	return C.TLSLAB_OK
}

//export goResume
func goResume(context, session unsafe.Pointer, handle *unsafe.Pointer, reason *C.tlslab_error) C.int {
	connections.put(handle, newConnection(contexts.at(context), kept.take(session)))
	return C.TLSLAB_OK
}

// refuse gives the reason to the kit.
func refuse(reason *C.tlslab_error, err error) C.int {
	room := unsafe.Slice((*byte)(unsafe.Pointer(&reason.text)), len(reason.text))
	room[copy(room[:len(room)-1], err.Error())] = 0
	if _, ok := err.(unsupported); ok {
		return C.TLSLAB_UNSUPPORTED
	}
	return C.TLSLAB_FAILED
}

// slice is C's memory, not a copy.
func slice(bytes C.tlslab_bytes) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(bytes.data)), int(bytes.len))
}
