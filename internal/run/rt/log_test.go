package rt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
)

// aRecord is a record with an item of each kind.
func aRecord() []byte {
	text := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b := []byte{8}          // level 4
	b = append(b, 1, 20, 5) // 10 s and 5 ns
	b = text(b, "hello")    //
	item := func(kind byte, key string, value ...byte) { b = append(text(append(b, kind), key), value...) }
	item(logNil, "nil")
	item(logBool, "bool", 1)
	item(logInt, "int", 3)
	item(logUint, "uint", 0x80, 1)
	item(logFloat, "float", binary.AppendUvarint(nil, 0x3ff8000000000000)...)
	item(logDuration, "duration", 4)
	item(logTime, "time", 0, 0)
	item(logText, "text", 2, 'h', 'i')
	item(logGroup, "group")
	item(logGroup, "inner")
	item(logText, "", 0)
	return append(b, logEnd, logEnd, logEnd, 7)
}

func TestReadLogRecord(t *testing.T) {
	data := aRecord()
	r, ok := readLogRecord(data)
	if !ok || r.Level != slog.LevelWarn || !r.Time.Equal(time.Unix(10, 5)) || r.Message != "hello" {
		t.Errorf("%v, %v", r, ok)
	}
	var list []string
	r.Attrs(func(a slog.Attr) bool { list = append(list, a.String()); return true })
	want := "nil=<nil> bool=true int=-2 uint=128 float=1.5 duration=2ns time=1970-01-01 00:00:00 +0000 UTC text=hi " +
		"group=[inner=[=]] !DROPPED=7"
	if got := strings.Join(list, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n := range len(data) {
		if _, ok := readLogRecord(data[:n]); ok {
			t.Errorf("%d of %d bytes are a record", n, len(data))
		}
	}
	if _, ok := readLogRecord(append(data, 0)); ok {
		t.Error("a record with more behind it")
	}
	if _, ok := readLogRecord(make([]byte, maxLogRecord+1)); ok {
		t.Error("a record that is too long")
	}
	if _, ok := readLogRecord(append([]byte{0, 0, 0}, strings.Repeat(string([]byte{logGroup, 0}), 60<<10)...)); ok {
		t.Error("groups in groups without an end")
	}
	// Any other input is read or refused.
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		b := append([]byte(nil), data...)
		for range 1 + rng.IntN(3) {
			b[rng.IntN(len(b))] = byte(rng.IntN(256))
		}
		readLogRecord(b)
	}
}

// notes is a handler that records what arrives.
type notes struct{ list []string }

func (n *notes) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }
func (n *notes) Handle(_ context.Context, r slog.Record) error {
	n.list = append(n.list, fmt.Sprint(r.Level, " ", r.Message))
	return nil
}
func (n *notes) WithAttrs([]slog.Attr) slog.Handler { panic("WithAttrs") }
func (n *notes) WithGroup(string) slog.Handler      { panic("WithGroup") }

// TestLogHosts calls the functions with arguments that a guest may pass and package slog does not.
func TestLogHosts(t *testing.T) {
	data := aRecord()
	vm, _ := newVM(t, Config{})
	copy(mem(t, vm, scratchAt, uint64(len(data))), data)
	for _, name := range []string{"gyr.log_text", "gyr.log_record"} {
		if a, st := call(vm, name, scratchAt, uint64(len(data))); st != OK || a[0] != 1 {
			t.Errorf("%s without a handler: status %d, %d", name, st, a[0])
		}
	}
	if a, st := call(vm, "gyr.logs", 0); st != OK || a[0] != 0 {
		t.Errorf("status %d, %d", st, a[0])
	}
	n := &notes{}
	vm, _ = newVM(t, Config{Config: api.Config{Log: slog.New(n), Output: int64(len(data)) + 3}})
	vm.inits.free = false // before, packages of std ask whether there is a log
	minus := int64(-4)
	for level, want := range map[uint64]uint64{uint64(minus): 1, 0: 2, 8: 2} {
		if a, st := call(vm, "gyr.logs", level); st != OK || a[0] != want {
			t.Errorf("level %d: status %d, %d", level, st, a[0])
		}
	}
	copy(mem(t, vm, scratchAt, uint64(len(data))), data)
	if a, st := call(vm, "gyr.log_record", scratchAt, uint64(len(data))); st != OK || a[0] != 0 {
		t.Errorf("status %d, %d", st, a[0])
	}
	if a, st := call(vm, "gyr.log_text", scratchAt+5, 3); st != OK || a[0] != 0 {
		t.Errorf("status %d, %d", st, a[0])
	}
	if _, st := call(vm, "gyr.log_text", scratchAt+5, 1); st != OutputLimit {
		t.Errorf("status %d, want that of the output limit", st)
	}
	if got := strings.Join(n.list, "|"); got != "WARN hello|INFO hel" {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"gyr.log_text", "gyr.log_record"} {
		for _, c := range []struct{ addr, n uint64 }{{0, 1}, {scratchAt, 1 << 40}, {1 << 31, 5}, {scratchAt, ^uint64(0)}} {
			vm, _ := newVM(t, Config{Config: api.Config{Log: slog.New(n)}})
			_, st := call(vm, name, c.addr, c.n)
			if err := vm.Finish(st); !IsAddress(err) {
				t.Errorf("%s(%#x, %d): %v", name, c.addr, c.n, err)
			}
		}
	}
	vm, _ = newVM(t, Config{Config: api.Config{Log: slog.New(n)}})
	_, st := call(vm, "gyr.log_record", scratchAt, 6)
	if err := vm.Finish(st); !errors.Is(err, ErrValue) {
		t.Errorf("no record: %v", err)
	}
}
