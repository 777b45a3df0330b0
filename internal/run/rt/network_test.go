package rt

import (
	"context"
	"errors"

	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// TestHostileNetwork: whatever a guest passes to the functions of a granted network, they return a
// status, and what they have made can be closed.
func TestHostileNetwork(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var names []string
	for name := range networkHosts {
		if strings.HasPrefix(name, "gyr_net.") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	dial := func(context.Context, string, string) (net.Conn, error) {
		a, b := net.Pipe()
		go b.Write(make([]byte, 10000))
		return a, nil
	}
	listen := func(context.Context, string, string) (net.Listener, error) { return nil, errors.New("no") }
	vm, _ := newVM(t, Config{Config: api.Config{Memory: 32 << 20, Dial: dial, Listen: listen}})
	values := []uint64{0, 1, 2, 3, 7, 16, 255, 4096, scratchAt, scratchAt + 8, dataEnd - 8, dataEnd, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, ^uint64(0)}
	for range 20000 {
		var a ir.Args
		for i := range a {
			a[i] = values[rng.IntN(len(values))]
		}
		if rng.IntN(2) == 0 {
			a[0] = uint64(rng.IntN(50))
		}
		name := names[rng.IntN(len(names))]
		if st := Host[name](vm, &a); st < OK || st > Failed || st == Failed && vm.Err == nil {
			t.Fatalf("%s: status %d, %v", name, st, vm.Err)
		}
		vm.Err = nil
		a = ir.Args{0}
		if st := hostNetpoll(vm, &a); st != OK {
			t.Fatal(st)
		}
	}
	if err := vm.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-vm.NetworkDone():
	case <-time.After(30 * time.Second):
		t.Error("goroutines of the network are left")
	}
}

// TestNetpoll: during a wait for the network, a virtual clock advances only by the time that
// passes, and by the whole timeout if nothing comes.
func TestNetpoll(t *testing.T) {
	news := make(chan net.Conn)
	vm, _ := newVM(t, Config{Config: api.Config{Dial: func(context.Context, string, string) (net.Conn, error) { return <-news, errors.New("no") }}})
	begin := vm.Nanotime()
	a := ir.Args{uint64(begin + int64(20*time.Millisecond))}
	if st := hostNetpoll(vm, &a); st != OK || a[0] != 0 {
		t.Fatal(st, a[0])
	}
	if got := vm.Nanotime() - begin; got != int64(20*time.Millisecond) {
		t.Errorf("nothing came in 20 ms: the clock shows %v more", time.Duration(got))
	}
	b, _ := vm.Space.Bytes(scratchAt, 6)
	copy(b, "tcpx:1")
	a = ir.Args{77, scratchAt, 3, scratchAt + 3, 3}
	if st := hostNetDial(vm, &a); st != OK || a[0] != 1 {
		t.Fatal(st, a[0])
	}
	go func() { time.Sleep(5 * time.Millisecond); news <- nil }()
	began := time.Now()
	begin = vm.Nanotime()
	a = ir.Args{1 << 62}
	if st := hostNetpoll(vm, &a); st != OK || a[0] != 77 || a[1] != 'w' {
		t.Fatal(st, a)
	}
	if got, most := time.Duration(vm.Nanotime()-begin), time.Since(began); got <= 0 || got > most {
		t.Errorf("the clock advanced by %v in %v", got, most)
	}
	vm.Close()
}
