// Go values that C holds on to, by number.

package main

import (
	"sync"
	"unsafe"
)

// table keeps Go values that C holds on to: C gets their place, never their address. Several threads may use it at once.
type table[T any] struct {
	lock sync.Mutex
	rows []T
	free []uintptr
}

// put keeps a value and writes its place, counted from one, to handle.
func (t *table[T]) put(handle *unsafe.Pointer, value T) {
	t.lock.Lock()
	defer t.lock.Unlock()
	var place uintptr
	if last := len(t.free) - 1; last >= 0 {
		place, t.free = t.free[last], t.free[:last]
		t.rows[place-1] = value
	} else {
		t.rows = append(t.rows, value)
		place = uintptr(len(t.rows))
	}
	// C's memory, and a number in it: nothing for the garbage collector to see.
	*(*uintptr)(unsafe.Pointer(handle)) = place
}

func (t *table[T]) at(handle unsafe.Pointer) T {
	t.lock.Lock()
	value := t.rows[uintptr(handle)-1]
	t.lock.Unlock()
	return value
}

// take forgets a value and returns it.
func (t *table[T]) take(handle unsafe.Pointer) T {
	t.lock.Lock()
	defer t.lock.Unlock()
	place := uintptr(handle)
	var none T
	value := t.rows[place-1]
	t.rows[place-1] = none
	t.free = append(t.free, place)
	return value
}
