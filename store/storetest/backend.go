package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/store"
)

func write(t *testing.T, b store.Backend, durable bool, writes ...store.Write) {
	t.Helper()
	if err := b.Write(writes, durable); err != nil {
		t.Fatal(err)
	}
}

// holds compares the value of a key; nil: the key has none.
func holds(t *testing.T, b store.Backend, key string, want []byte) {
	t.Helper()
	got, ok, err := b.Get([]byte(key))
	if err != nil || ok != (want != nil) || !bytes.Equal(got, want) {
		t.Errorf("key %q: %.40q, %v, %v; want %.40q", key, got, ok, err, want)
	}
	if ok, err := b.Has([]byte(key)); ok != (want != nil) || err != nil {
		t.Errorf("Has %q: %v, %v", key, ok, err)
	}
}

// keys returns the keys that begin with a prefix.
func keys(t *testing.T, b store.Backend, prefix string, reverse bool) (list []string) {
	t.Helper()
	err := b.Scan([]byte(prefix), reverse, func(key, value []byte) bool {
		list = append(list, string(key))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// testValues: written values can be read, even after the database is opened again.
func testValues(t *testing.T, d Database) {
	b := d.open(t)
	key, value := []byte("k"), []byte("v")
	write(t, b, true, store.Write{Key: key, Value: value})
	key[0], value[0] = 'x', 'x'
	holds(t, b, "k", []byte("v"))
	got, _, err := b.Get([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	got[0] = 'x'
	holds(t, b, "k", []byte("v"))
	holds(t, b, "x", nil)
	write(t, b, false, store.Write{Key: []byte("k"), Value: []byte("w")}, store.Write{Key: []byte("empty"), Value: []byte{}},
		store.Write{Key: []byte{1, 0}, Value: []byte{0}}, store.Write{Key: []byte{0xff, 0xff}, Value: []byte{0xff}})
	write(t, b, true, store.Write{Key: []byte("absent")})
	for range 2 {
		holds(t, b, "k", []byte("w"))
		holds(t, b, "empty", []byte{})
		holds(t, b, "\x01\x00", []byte{0})
		holds(t, b, "\xff\xff", []byte{0xff})
		holds(t, b, "absent", nil)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = d.open(t)
	}
	write(t, b, true, store.Write{Key: []byte("k")}, store.Write{Key: []byte("empty")})
	holds(t, b, "k", nil)
	holds(t, b, "empty", nil)
	// Of two writes of one key in a call, the last holds.
	write(t, b, true, store.Write{Key: []byte("k"), Value: []byte("1")}, store.Write{Key: []byte("k")}, store.Write{Key: []byte("k"), Value: []byte("2")})
	holds(t, b, "k", []byte("2"))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// testScan: keys come in the order of their bytes.
func testScan(t *testing.T, d Database) {
	b := d.open(t)
	defer b.Close()
	all := []string{"a", "a\x00", "a\x00b", "ab", "a\xff", "a\xff\x00", "a\xff\xff", "b", "\xff", "\xff\xff", "\xff\xff\x01"}
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(all)) {
		write(t, b, i == 0, store.Write{Key: []byte(all[i]), Value: []byte(all[i] + "!")})
	}
	for prefix, want := range map[string][]string{
		"a": all[:7], "a\xff": all[4:7], "a\x00": all[1:3], "ab": all[3:4], "b": all[7:8], "\xff": all[8:], "\xff\xff": all[9:], "c": nil,
	} {
		if got := keys(t, b, prefix, false); !slices.Equal(got, want) {
			t.Errorf("keys below %q: %q, want %q", prefix, got, want)
		}
		want = slices.Clone(want)
		slices.Reverse(want)
		if got := keys(t, b, prefix, true); !slices.Equal(got, want) {
			t.Errorf("keys below %q, in reverse: %q, want %q", prefix, got, want)
		}
	}
	calls := 0
	err := b.Scan([]byte("a"), true, func(key, value []byte) bool {
		calls++
		if string(value) != string(key)+"!" {
			t.Errorf("key %q has value %q", key, value)
		}
		return calls < 2
	})
	if err != nil || calls != 2 {
		t.Error("a scan that was told to stop:", calls, err)
	}
}

// testLarge: values and numbers of writes have no bound that a store could reach.
func testLarge(t *testing.T, d Database) {
	b := d.open(t)
	large := make([]byte, 16<<20)
	for i := range large {
		large[i] = byte(i * i >> 8)
	}
	writes := []store.Write{{Key: bytes.Repeat([]byte("k"), 300), Value: large}}
	for i := range 20000 {
		writes = append(writes, store.Write{Key: fmt.Append(nil, "n", i), Value: fmt.Append(nil, i)})
	}
	write(t, b, true, writes...)
	for range 2 {
		holds(t, b, string(writes[0].Key), large)
		holds(t, b, "n0", []byte("0"))
		holds(t, b, "n19999", []byte("19999"))
		for i := range 200 {
			holds(t, b, fmt.Sprint("n", 19900+i), map[bool][]byte{true: fmt.Append(nil, 19900+i)}[i < 100])
		}
		if n := len(keys(t, b, "n", false)); n != 20000 {
			t.Errorf("%d keys", n)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = d.open(t)
	}
	b.Close()
}

// testAtomic: a reader sees all of a Write or nothing.
func testAtomic(t *testing.T, d Database) {
	b := d.open(t)
	defer b.Close()
	var wg sync.WaitGroup
	stop := make(chan bool)
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				var values []string
				if err := b.Scan([]byte("k"), false, func(_, value []byte) bool { values = append(values, string(value)); return true }); err != nil {
					t.Error(err)
					return
				}
				if len(slices.Compact(slices.Clone(values))) > 1 || len(values) != 0 && len(values) != 10 {
					t.Errorf("half a write: %q", values)
					return
				}
			}
		})
	}
	for i := range 200 {
		var writes []store.Write
		for k := range 10 {
			w := store.Write{Key: fmt.Append(nil, "k", k)}
			if i%3 != 0 {
				w.Value = fmt.Append(nil, i)
			}
			writes = append(writes, w)
		}
		write(t, b, i%20 == 0, writes...)
	}
	close(stop)
	wg.Wait()
}

// testConcurrent: values are read while others are written.
func testConcurrent(t *testing.T, d Database) {
	b := d.open(t)
	defer b.Close()
	var wg sync.WaitGroup
	write(t, b, true, store.Write{Key: []byte("fixed"), Value: []byte("value")})
	for range 4 {
		wg.Go(func() {
			for range 500 {
				if v, ok, err := b.Get([]byte("fixed")); string(v) != "value" || !ok || err != nil {
					t.Error(v, ok, err)
					return
				}
			}
		})
	}
	for i := range 200 {
		write(t, b, false, store.Write{Key: fmt.Append(nil, i), Value: make([]byte, 1000)})
	}
	wg.Wait()
}

// testClosed: a closed backend says so.
func testClosed(t *testing.T, d Database) {
	b := d.open(t)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err := b.Get([]byte("k"))
	_, has := b.Has([]byte("k"))
	for op, err := range map[string]error{
		"Get":   err,
		"Has":   has,
		"Scan":  b.Scan([]byte("k"), false, func(_, _ []byte) bool { return true }),
		"Write": b.Write([]store.Write{{Key: []byte("k"), Value: []byte("v")}}, true),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := b.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
}
