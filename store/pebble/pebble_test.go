package pebble_test

import (
	"testing"

	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
	"github.com/gyrvm/gyr/store/storetest"
)

func TestBackend(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Database {
		dir := t.TempDir()
		return storetest.Database{Open: func() (store.Backend, error) { return pebble.Open(dir, nil) }}
	})
}
