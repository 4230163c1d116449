package main

import "unsafe"

// table keeps Go values that C holds on to: C gets their place, never their address.
type table[T any] struct {
	rows []T
	free []uintptr
}

// put keeps a value and writes its place, counted from one, to handle.
func (t *table[T]) put(handle *unsafe.Pointer, value T) {
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
	return t.rows[uintptr(handle)-1]
}

// take forgets a value and returns it.
func (t *table[T]) take(handle unsafe.Pointer) T {
	place := uintptr(handle)
	var none T
	value := t.rows[place-1]
	t.rows[place-1] = none
	t.free = append(t.free, place)
	return value
}
