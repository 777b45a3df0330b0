// Package storetest tests what a [store.Backend] must do for a store on it to keep its promises. A
// backend calls [Run] in a test of its own.
package storetest

import (
	"testing"

	"github.com/gyrvm/gyr/store"
)

// A Database is an empty database that can be opened several times, one after the other.
type Database struct {
	Open func() (store.Backend, error)
}

// Run tests a backend. fresh makes an empty database, in a directory of the test for instance.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Database)
	}{
		{"Values", testValues},
		{"Scan", testScan},
		{"Large", testLarge},
		{"Atomic", testAtomic},
		{"Concurrent", testConcurrent},
		{"Closed", testClosed},
		{"Model", testModel},
		{"Portions", testPortions},
		{"Names", testNames},
		{"Refusals", testRefusals},
		{"WritesFail", testWritesFail},
		{"Damage", testDamage},
		{"Missing", testMissing},
		{"Pruned", testPruned},
		{"Parallel", testParallel},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh(t)) })
	}
}

func (d Database) open(t *testing.T) store.Backend {
	t.Helper()
	b, err := d.Open()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// store opens a store, which is closed at the end of the test unless it was closed before.
func (d Database) store(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.New(d.open(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
