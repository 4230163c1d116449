// Drives crypto/tls: the kit's main function, with an endpoint written in Go.
//
// This file is the border to C: every call of the contract arrives here, under C's name for it, and goes on to a Go value. It holds
// no TLS.
package main

// #include "tlslab_endpoint.h"
// extern const tlslab_endpoint go_endpoint;
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

//export context_new
func context_new(side C.int, scenario *C.tlslab_scenario, material *C.tlslab_material, handle *unsafe.Pointer,
	reason *C.tlslab_error) C.int {
	context, err := newSettings(side, scenario, material)
	if err == nil {
		contexts.put(handle, context)
	}
	return answer(reason, err)
}

//export context_free
func context_free(handle unsafe.Pointer) {
	contexts.take(handle)
}

//export connection_new
func connection_new(context unsafe.Pointer, handle *unsafe.Pointer, reason *C.tlslab_error) C.int {
	connections.put(handle, newConnection(contexts.at(context), nil))
	return C.TLSLAB_OK
}

//export connection_free
func connection_free(handle unsafe.Pointer) {
	connections.take(handle).abandon()
}

//export connection_handshake
func connection_handshake(handle unsafe.Pointer, input C.tlslab_bytes, output *C.tlslab_buffer, reason *C.tlslab_error) C.int {
	done, err := connections.at(handle).handshake(slice(input), output)
	if err == nil && !done {
		return C.TLSLAB_CONTINUES
	}
	return answer(reason, err)
}

//export connection_send
func connection_send(handle unsafe.Pointer, plaintext C.tlslab_bytes, output *C.tlslab_buffer, reason *C.tlslab_error) C.int {
	return answer(reason, connections.at(handle).send(slice(plaintext), output))
}

//export connection_receive
func connection_receive(handle unsafe.Pointer, input C.tlslab_bytes, plaintext *C.tlslab_buffer, reason *C.tlslab_error) C.int {
	return answer(reason, connections.at(handle).receive(slice(input), plaintext))
}

//export connection_facts
func connection_facts(handle unsafe.Pointer, facts *C.tlslab_facts) {
	connections.at(handle).report(facts)
}

//export connection_session
func connection_session(handle unsafe.Pointer, session *unsafe.Pointer, reason *C.tlslab_error) C.int {
	if state := connections.at(handle).session; state != nil {
		kept.put(session, state)
	}
	return C.TLSLAB_OK
}

//export session_free
func session_free(session unsafe.Pointer) {
	kept.take(session)
}

//export session_copy
func session_copy(session unsafe.Pointer, duplicate *unsafe.Pointer, reason *C.tlslab_error) C.int {
	// A connection that takes it up writes nothing into it.
	kept.put(duplicate, kept.at(session))
	return C.TLSLAB_OK
}

//export connection_resume
func connection_resume(context, session unsafe.Pointer, handle *unsafe.Pointer, reason *C.tlslab_error) C.int {
	connections.put(handle, newConnection(contexts.at(context), kept.take(session)))
	return C.TLSLAB_OK
}

// answer gives the reason to the kit where there is an error.
func answer(reason *C.tlslab_error, err error) C.int {
	if err == nil {
		return C.TLSLAB_OK
	}
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
