package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// bank is a library with state: maps, interfaces, closures, strings, an order book of slices, and
// uses of the runtime: finalizers, cleanups, weak pointers, interned values, timers, pools.
const bank = `package bank

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"
	"weak"
)

type account interface{ add(n int) error }

type plain struct{ balance int }
type capped struct {
	plain
	limit int
}

var errLow = errors.New("not enough")

func (p *plain) add(n int) error {
	if p.balance+n < 0 {
		return errLow
	}
	p.balance += n
	return nil
}

func (c *capped) add(n int) error {
	if c.balance+n > c.limit {
		return fmt.Errorf("more than %d", c.limit)
	}
	return c.plain.add(n)
}

var (
	accounts = map[string]account{}
	orders   []string
	drawn    []uint64
	note     = func() string { return "" }
)

func Open(name string, limit int) {
	if limit > 0 {
		accounts[name] = &capped{limit: limit}
	} else {
		accounts[name] = &plain{}
	}
}

func Add(name string, n int) error {
	a := accounts[name]
	if a == nil {
		return fmt.Errorf("no account %q", name)
	}
	return a.add(n)
}

// Move leaves its first half done when the second fails.
func Move(from, to string, n int) error {
	if err := Add(from, -n); err != nil {
		return err
	}
	return Add(to, n)
}

func Order(text string) {
	orders = append(orders, text)
	slices.Sort(orders)
	last := text
	before := note
	if len(orders)%5 == 0 {
		before = func() string { return "" }
	}
	note = func() string { return before() + last[:1] }
}

func Draw() uint64 {
	drawn = append(drawn, rand.Uint64())
	return drawn[len(drawn)-1]
}

func File(text string) error { return os.WriteFile("/tmp/"+text, []byte(text), 0o666) }
func Garbage(n int) (sum int) {
	for i := range n {
		sum += len(make([]byte, 100+i%50))
	}
	return sum
}
func Spin()           { for {} }
func Panic()          { orders = nil; panic("no") }
func Exit()           { orders = nil; os.Exit(0) }
func Grow()           { for { orders = append(orders, strings.Repeat("x", 1<<16)) } }
func Deep(n int) int  { if n == 0 { return 0 }; return 1 + Deep(n-1) }
func Start()          { go func() { select {} }(); time.Sleep(1) }

type memo struct {
	text string
	next *memo
}

var (
	held  []*memo
	weaks = map[string]weak.Pointer[memo]{}
	names []unique.Handle[string]
	gone  []string
	pool  = sync.Pool{New: func() any { return &memo{text: "new"} }}
)

func said(text string) { gone = append(gone[max(0, len(gone)-40):], text) }

// Watch makes something that is gone some time, unless it is kept.
func Watch(name string, keep bool) {
	n := &memo{text: name}
	weaks[name] = weak.Make(n)
	names = append(names[max(0, len(names)-40):], unique.Make(name))
	runtime.AddCleanup(n, func(name string) {
		if w, ok := weaks[name]; ok && w.Value() == nil {
			delete(weaks, name)
		}
		said("cleanup " + name)
	}, name)
	runtime.SetFinalizer(&memo{next: n}, func(n *memo) { said("finalizer " + n.next.text) })
	if keep {
		held = append(held[max(0, len(held)-10):], n)
	}
	pool.Put(n)
	said(pool.Get().(*memo).text)
}

// Slow has a cleanup that takes longer than the quantum of a goroutine.
func Slow(n int) {
	runtime.AddCleanup(&memo{text: "slow"}, func(n int) {
		sum := 0
		for i := range n {
			sum += i
		}
		said(fmt.Sprint("slow ", sum))
	}, n)
	runtime.GC()
}

func Collect() { runtime.GC() }

// Leak opens a file that nobody closes but its cleanup.
func Leak(name string) error {
	_, err := os.Open("/tmp/" + name)
	runtime.GC()
	return err
}

func Later(minutes int) {
	time.AfterFunc(time.Duration(minutes)*time.Minute, func() { said(fmt.Sprint("timer ", minutes)) })
}

func Wait(minutes int)  { time.Sleep(time.Duration(minutes) * time.Minute) }
func Print(n int) error { _, err := os.Stdout.Write(make([]byte, n)); return err }

// Exhaust writes files until memory is full, and removes them.
func Exhaust() (err error) {
	for i := 0; err == nil; i++ {
		name := fmt.Sprint("/tmp/big", i)
		defer os.Remove(name)
		err = os.WriteFile(name, make([]byte, 1<<18), 0o666)
	}
	return err
}

// Conn is an object of the host.
type Conn struct{ n uint64 }

var conns []Conn

func Hold(c Conn) { conns = append(conns, c) }

// State is all that the guest can tell of itself.
func State() string {
	var b strings.Builder
	fmt.Fprint(&b, len(held), gone, conns, " ")
	for _, name := range names {
		w, ok := weaks[name.Value()]
		fmt.Fprint(&b, name.Value(), ok, ok && w.Value() != nil, " ")
	}
	names := make([]string, 0, len(accounts))
	for n := range accounts { // in the map's own order
		names = append(names, n)
	}
	fmt.Fprint(&b, names, orders, drawn, note(), time.Now().UnixNano())
	for _, n := range names {
		fmt.Fprintf(&b, " %s=%+v", n, accounts[n])
	}
	list, err := os.ReadDir("/tmp")
	fmt.Fprint(&b, list, err)
	for _, e := range list {
		text, err := os.ReadFile("/tmp/" + e.Name())
		fmt.Fprint(&b, string(text), err)
	}
	return b.String()
}
`

func compileBank(t testing.TB) *gyr.Program {
	t.Helper()
	return compileLibrary(t, bank)
}

// step makes a random call. It returns the result.
func step(in *gyr.Instance, r *rand.Rand, fatal bool) (text string, err error) {
	ctx := context.Background()
	name := func() string { return string(rune('a' + r.IntN(20))) }
	var out []any
	opts := gyr.CallOptions{Gas: 3_000_000, Memory: 4 << 20}
	call := func(f string, args ...any) { out, _, err = in.CallWith(ctx, opts, f, args...) }
	roomy := func(f string, args ...any) {
		opts = gyr.CallOptions{Gas: 400_000_000}
		call(f, args...)
	}
	const safe = 26
	n := safe
	if fatal {
		n += 12
	}
	switch r.IntN(n) {
	case 0, 1:
		call("Open", name(), r.IntN(3)*100)
	case 2, 3, 4:
		call("Add", name(), r.IntN(100))
	case 5, 6, 7:
		call("Move", name(), name(), r.IntN(50))
	case 8:
		call("Order", strings.Repeat(name(), 1+r.IntN(300)))
	case 9:
		call("Draw")
	case 10:
		call("File", name())
	case 11:
		call("Garbage", r.IntN(2000))
	case 12, 13, 14, 15, 16:
		call("Watch", name(), r.IntN(4) == 0)
	case 17, 18:
		roomy("Collect")
	case 19:
		roomy("Leak", name())
	case 20:
		call("Later", 1+r.IntN(300))
	case 21:
		call("Wait", r.IntN(100))
	case 22, 23:
		roomy("Garbage", 2000+r.IntN(60_000))
	case 24:
		roomy("Deep", r.IntN(20_000))
	case 25:
		if r.IntN(8) == 0 {
			roomy("Slow", 4_000_000+r.IntN(8_000_000))
		}
	case safe:
		call("Spin")
	case safe + 1:
		call("Panic")
	case safe + 2:
		call("Exit")
	case safe + 3:
		call("Grow")
	case safe + 4:
		call("Deep", 1<<30)
	case safe + 5, safe + 6, safe + 7:
		call("Print", r.IntN(4000))
	case safe + 8:
		roomy("Exhaust")
	case safe + 9:
		roomy("Deep", r.IntN(40_000))
	case safe + 10:
		opts = gyr.CallOptions{} // the instance's limits apply
		call("Garbage", r.IntN(4000))
	case safe + 11:
		opts = gyr.CallOptions{Memory: 1 << 20, Gas: 400_000_000}
		call("Grow")
	}
	text = fmt.Sprint(out, err)
	if i := strings.Index(text, "goroutine"); i >= 0 {
		text = text[:i] // the frames of a trace have figures that depend on the tier
	}
	return text, err
}

// TestTransactions makes random calls in transactions in one instance. Some are rolled back or end
// the program. The calls that are kept are also made in another instance without transactions.
// After each transaction both instances report the same about themselves and have the same figures.
func TestTransactions(t *testing.T) {
	daily.Turn(t, 3, false)
	p := compileBank(t)
	rounds := 150
	if testing.Short() {
		rounds = 40
	}
	cfg := gyr.Config{Gas: 1 << 50, Memory: 64 << 20, Seed: 5}
	eachTier(t, p, cfg, func(t *testing.T, in *gyr.Instance) {
		ctx := context.Background()
		cfg.Tier = gyr.Tier(in.Tier())
		other := newInstance(t, p, cfg)
		r := rand.New(rand.NewPCG(1, 2))
		ends := map[string]int{}
		burned := int64(0)
		for round := range rounds {
			if err := in.Begin(ctx); err != nil {
				t.Fatal(err)
			}
			gas, seed, fatal := in.Stats().Gas, r.Uint64(), r.IntN(3) == 0
			var texts []string
			var end error
			calls := rand.New(rand.NewPCG(seed, 1))
			for range 1 + r.IntN(8) {
				text, err := step(in, calls, fatal)
				texts = append(texts, text)
				if err != nil && !errors.As(err, new(*gyr.GuestError)) {
					end = err
					break
				}
			}
			switch {
			case end != nil:
				ends[fmt.Sprintf("%T", end)]++
				var refused *gyr.TransactionError
				if err := in.Commit(); !errors.As(err, &refused) || refused.Op != "Commit" || refused.Err == nil {
					t.Fatalf("round %d: Commit behind %v: %v", round, end, err)
				}
				burned += in.Stats().Gas - gas
			case r.IntN(3) == 0:
				if err := in.Rollback(); err != nil {
					t.Fatal(err)
				}
				burned += in.Stats().Gas - gas
			default:
				if err := errors.Join(in.Quiescent(ctx), in.Commit()); err != nil {
					t.Fatal(err)
				}
				calls := rand.New(rand.NewPCG(seed, 1))
				for i, want := range texts {
					if text, _ := step(other, calls, fatal); text != want {
						t.Fatalf("round %d, call %d: %s\nin a transaction: %s", round, i, text, want)
					}
				}
			}
			got, want := mustCall(t, in, "State"), mustCall(t, other, "State")
			if got != want {
				t.Fatalf("round %d (%v): the state is\n%s\nwant\n%s", round, end, got, want)
			}
			a, b := in.Stats(), other.Stats()
			a.Gas -= burned
			a, b = a.Repeatable(), b.Repeatable()
			if a != b {
				t.Fatalf("round %d (%v): figures\n%+v\nwant\n%+v", round, end, a, b)
			}
		}
		t.Log(ends)
		if len(ends) < 4 {
			t.Errorf("few kinds of ends")
		}
	})
}

func mustCall(t *testing.T, in *gyr.Instance, name string, args ...any) any {
	t.Helper()
	out, err := in.Call(context.Background(), name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out[0]
}
