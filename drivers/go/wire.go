// The kit's buffers as the connection that the library reads from and writes to.

package main

// #include "tlslab_endpoint.h"
import "C"

import (
	"errors"
	"io"
	"net"
	"time"
	"unsafe"
)

// wire is the net.Conn under a connection. It has no buffer: it reads from the slice and writes to the buffer that the
// kit hands to a call. All of it is C's memory, which is valid until that call returns.
type wire struct {
	input  []byte
	output *C.tlslab_buffer // nil in a call that sends nothing
	unsent int              // bytes that the library wrote in such a call
	// await suspends the handshake until there is more input. It is nil outside of handshakes, and returns false when
	// the connection is abandoned.
	await func(struct{}) bool
}

func (w *wire) Read(p []byte) (int, error) {
	for len(w.input) == 0 {
		if w.await == nil {
			return 0, usedUp{}
		}
		if !w.await(struct{}{}) {
			return 0, io.ErrClosedPipe
		}
	}
	count := copy(p, w.input)
	w.input = w.input[count:]
	return count, nil
}

func (w *wire) Write(p []byte) (int, error) {
	output := w.output
	if output == nil {
		w.unsent += len(p)
		return len(p), nil
	}
	if len(p) > int(output.capacity-output.len) {
		return 0, errors.New("the library wrote more than the output buffer has room for")
	}
	copy(room(output), p)
	output.len += C.size_t(len(p))
	return len(p), nil
}

// room is what is left of a buffer of the kit's.
func room(buffer *C.tlslab_buffer) []byte {
	free := unsafe.Add(unsafe.Pointer(buffer.data), buffer.len)
	return unsafe.Slice((*byte)(free), int(buffer.capacity-buffer.len))
}

// usedUp ends a read that wants more input than there is. An error that calls itself temporary leaves a connection
// usable.
type usedUp struct{}

func (usedUp) Error() string   { return "the input is used up" }
func (usedUp) Timeout() bool   { return true }
func (usedUp) Temporary() bool { return true }

// Nothing that crypto/tls does with a connection that is never closed needs these.
func (*wire) Close() error                     { return nil }
func (*wire) LocalAddr() net.Addr              { return nil }
func (*wire) RemoteAddr() net.Addr             { return nil }
func (*wire) SetDeadline(time.Time) error      { return nil }
func (*wire) SetReadDeadline(time.Time) error  { return nil }
func (*wire) SetWriteDeadline(time.Time) error { return nil }
