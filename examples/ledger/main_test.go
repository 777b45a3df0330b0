package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/examples/internal/leaks"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
	"github.com/gyrvm/gyr/store"
)

var compiled = sync.OnceValues(func() (map[int]contract, error) { return compile(context.Background()) })

// newNodes returns two nodes with one store. The second runs machine code if it is available.
func newNodes(t *testing.T) []*node {
	t.Helper()
	contracts, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := store.New(store.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	var nodes []*node
	for i := range 2 {
		n := &node{name: fmt.Sprint("node", i), contracts: contracts, version: 1, store: kept}
		t.Cleanup(n.close)
		if err := n.open(t.Context(), tierOf(i, contracts)); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// call is a transaction of Go values.
func call(t *testing.T, gas int64, name string, args ...any) transaction {
	t.Helper()
	x := transaction{Func: name, Gas: gas}
	for _, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		x.Args = append(x.Args, text)
	}
	return x
}

// TestModel: two nodes in different tiers agree with the model over random blocks. They have equal
// roots and outcomes after each block, whatever runs out of gas. They also do so when one is closed
// and continues from the store in another tier, and with later versions of the contract.
func TestModel(t *testing.T) {
	nodes := newNodes(t)
	r := rand.New(rand.NewPCG(20, 6))
	m := newModel()
	ends := map[string]int{}
	blocks, upgrades := 90, map[int]int{60: 2, 75: 3}
	if testing.Short() {
		blocks, upgrades = 45, map[int]int{30: 2, 38: 3}
	}
	for height := 1; height <= blocks; height++ {
		b := block{Contract: upgrades[height]}
		var names []string
		var args [][]any
		for range r.IntN(12) {
			name, a := randomCall(r, m.last)
			gas := int64(0)
			if r.IntN(4) == 0 {
				gas = 1 + r.Int64N(1500)
			}
			names, args = append(names, name), append(args, a)
			b.Transactions = append(b.Transactions, call(t, gas, name, a...))
		}
		tells := nodes[0].version > 1 // reports events
		var results []result
		for _, n := range nodes {
			res, err := n.apply(t.Context(), b)
			if err != nil {
				t.Fatalf("%s: %v", n.name, err)
			}
			results = append(results, res)
		}
		if !slices.Equal(results[0].events, results[1].events) {
			t.Fatalf("block %d: events %q and %q", height, results[0].events, results[1].events)
		}
		if results[0].root != results[1].root || fmt.Sprint(results[0].outcomes) != fmt.Sprint(results[1].outcomes) {
			t.Fatalf("block %d, %v:\n%v\n%v", height, b, results[0], results[1])
		}
		m.events = 0
		for i, o := range results[0].outcomes {
			next := m.clone()
			want, ok := next.do(names[i], args[i])
			switch {
			case errors.As(o.err, new(*gyr.OutOfGasError)) && b.Transactions[i].Gas > 0:
				ends["out of gas"]++
				continue
			case o.err == nil && ok && fmt.Sprint(o.results) == want:
				ends["kept"]++
				m = next
			case errors.As(o.err, new(*gyr.GuestError)) && !ok:
				ends["refused"]++
			default:
				t.Fatalf("block %d, %v: %v, the model says %s, %v", height, b.Transactions[i], o, want, ok)
			}
		}
		if got := len(results[0].events); tells && got != m.events || !tells && got > 0 {
			t.Fatalf("block %d, %v: %d events, the model has %d: %q", height, results[0].outcomes, got, m.events, results[0].events)
		}
		for _, n := range nodes {
			compare(t, n, m)
		}
		if i := r.IntN(6); i < len(nodes) {
			ends["restarted"]++
			n := nodes[i]
			n.close()
			if err := n.open(t.Context(), tierOf(r.IntN(2), n.contracts)); err != nil {
				t.Fatal(err)
			}
			if n.height != uint64(height) {
				t.Fatalf("behind block %d: %s goes on from block %d", height, n.name, n.height)
			}
			compare(t, n, m)
		}
	}
	t.Log(ends)
	for _, end := range []string{"kept", "refused", "out of gas", "restarted"} {
		if ends[end] < 10 {
			t.Errorf("%d were %s", ends[end], end)
		}
	}
}

// export returns the contract's data, and leaves the instance as it was.
func (n *node) export(ctx context.Context) ([]byte, error) {
	if err := n.instance.Begin(ctx); err != nil {
		return nil, err
	}
	results, err := n.instance.Call(ctx, "Export")
	if err != nil {
		n.instance.Rollback() // an error if the call has rolled back already
		return nil, err
	}
	return results[0].([]byte), n.instance.Rollback()
}

// compare fails the test if a node's contract does not have the data of the model, or not as many
// coins as were issued.
func compare(t *testing.T, n *node, m model) {
	t.Helper()
	data, err := n.export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := modelOf(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.text() != m.text() {
		t.Fatalf("%s behind block %d has\n%s\nwant\n%s", n.name, n.height, got.text(), m.text())
	}
	sum := int64(0)
	for _, coins := range got.coins {
		sum += coins
	}
	if sum != got.issued {
		t.Fatalf("%s behind block %d: %d coins were issued, there are %d", n.name, n.height, got.issued, sum)
	}
}

// outcomes prints the results of transactions, without their gas.
func outcomes(r result) string {
	var texts []string
	for _, o := range r.outcomes {
		texts = append(texts, fmt.Sprint(o.results, o.err))
	}
	return strings.Join(texts, ", ")
}

// TestUpgrade: nodes that upgrade at the same height agree: from the first version to the second,
// which has other types, and from there to the third, which has other functions. A node that does
// not upgrade has another root, and its error names the difference when it is given the others'
// state. A version that cannot take over changes nothing.
func TestUpgrade(t *testing.T) {
	nodes := newNodes(t)
	ctx := t.Context()
	late := &node{name: "late", contracts: nodes[0].contracts, version: 1, store: nodes[0].store}
	t.Cleanup(late.close)
	if err := late.open(ctx, gyr.TierInterp); err != nil {
		t.Fatal(err)
	}
	// apply applies a block on both nodes, and without an upgrade on the late one. It reports
	// whether the late node still agrees.
	apply := func(b block, want string) (agrees bool) {
		t.Helper()
		a, err := nodes[0].apply(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcomes(a); want != "" && got != want {
			t.Fatalf("%v: %s\nwant %s", b, got, want)
		}
		other, err := nodes[1].apply(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if other.root != a.root || outcomes(other) != outcomes(a) {
			t.Fatalf("%v: the nodes have roots %v and %v", b, a.root, other.root)
		}
		c, err := late.apply(ctx, block{Transactions: b.Transactions})
		if err != nil {
			t.Fatal(err)
		}
		return c.root == a.root
	}
	// told returns the late node's error about the others' state.
	told := func() *gyr.ChangeError {
		t.Helper()
		entry, err := nodes[0].store.Latest(nodes[0].name)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := nodes[0].store.Open(nodes[0].name, entry.Seq)
		if err != nil {
			t.Fatal(err)
		}
		var wrong *gyr.ChangeError
		if _, err := late.contracts[late.version].Restore(ctx, config(""), entry.Root, kept); !errors.As(err, &wrong) {
			t.Fatalf("the state of the others: %v", err)
		}
		return wrong
	}
	if !apply(block{Transactions: []transaction{call(t, 0, "Open", "ada", 0), call(t, 0, "Issue", "ada", 70), call(t, 0, "Open", "bob", 9), call(t, 0, "Received", "ada")}},
		`[] <nil>, [] <nil>, [] <nil>, [] no function "Received" for transactions`) {
		t.Fatal("the late node does not agree before an upgrade")
	}
	for _, version := range []int{4, -1} {
		before, err := nodes[0].instance.State(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nodes[0].apply(ctx, block{Contract: version}); err == nil || nodes[0].height != 1 || nodes[0].version != 1 {
			t.Fatalf("version %d: %v, then block %d, version %d", version, err, nodes[0].height, nodes[0].version)
		}
		if s, err := nodes[0].instance.State(ctx); err != nil || s.Root != before.Root {
			t.Fatalf("an upgrade that failed has changed the root: %v", err)
		}
	}
	if apply(block{Contract: 2}, "") {
		t.Error("the late node agrees with version 2")
	}
	if e := told(); e.What != "type ledger.Holding" || e.Field != "Received" || e.Is != "" {
		t.Errorf("the late node is told: %v", e)
	}
	apply(block{Transactions: []transaction{call(t, 0, "Received", "ada"), call(t, 0, "Balance", "ada"), call(t, 0, "Issue", "bob", 10), call(t, 0, "Issue", "ada", 5),
		call(t, 0, "Received", "ada"), call(t, 0, "Audit"), call(t, 0, "Richest")}},
		`[0] <nil>, [70] <nil>, [] more than 9 coins, [] <nil>, [5] <nil>, [75] <nil>, [] no function "Richest" for transactions`)

	// The late node upgrades to version 2, but not to 3.
	late.close()
	late.name, late.version = nodes[0].name, 0
	if err := late.open(ctx, gyr.TierInterp); err != nil || late.version != 2 {
		t.Fatalf("it goes on with version %d: %v", late.version, err)
	}
	late.name = "late"
	if apply(block{Contract: 3}, "") {
		t.Error("the late node agrees with version 3")
	}
	if e := told(); e.What != "program" || !strings.Contains(e.Why, "variables and types are the same") {
		t.Errorf("the late node is told: %v", e)
	}
	apply(block{Transactions: []transaction{call(t, 0, "Richest"), call(t, 0, "Received", "ada"), call(t, 0, "Issue", "bob", 10), call(t, 0, "Audit")}},
		"[ada 75] <nil>, [5] <nil>, [] more than 9 coins, [75] <nil>")
	for _, n := range nodes {
		n.close()
		if err := n.open(ctx, tierOf(1, n.contracts)); err != nil || n.version != 3 {
			t.Errorf("%s goes on with version %d: %v", n.name, n.version, err)
		}
	}
	if !errors.As(gyrUpgrade(nodes[0], late), new(*gyr.StateError)) {
		t.Error("version 3 goes on from a state of version 3 as from one of version 2")
	}
}

// gyrUpgrade tries to upgrade a state of the third version to that version.
func gyrUpgrade(n, late *node) error {
	s, err := n.instance.State(context.Background())
	if err != nil {
		return err
	}
	in, err := late.contracts[3].Upgrade(context.Background(), config(""), s.Root, s.Saved())
	if err == nil {
		in.Close()
	}
	return err
}

// TestBadTransactions: a transaction that is no valid call of the contract is rolled back like one
// that fails, and changes no root.
func TestBadTransactions(t *testing.T) {
	nodes := newNodes(t)
	first, err := nodes[0].apply(t.Context(), block{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []transaction{
		call(t, 0, "Nothing"), call(t, 0, "Open", "ada"), call(t, 0, "Open", 1, 2), call(t, 0, "Open", "ada", "bob"), call(t, 0, "find", "ada"),
		call(t, 0, "Import", []byte("{}")), call(t, 0, "Export"), call(t, 0, "Open", "ada", 0.5),
	} {
		r, err := nodes[0].apply(t.Context(), block{Transactions: []transaction{x}})
		if err != nil || r.outcomes[0].err == nil || r.root != first.root {
			t.Errorf("%v: %v, %v", x, r, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := nodes[0].apply(ended, block{Transactions: []transaction{call(t, 0, "Open", "ada", 0)}}); !errors.As(err, new(*gyr.DeadlineError)) {
		t.Errorf("with an ended context: %v", err)
	}
}

// TestCommand: the command prints the blocks of its log, with equal roots in all nodes, and leaves
// no goroutine running.
func TestCommand(t *testing.T) {
	leaks.Check(t)
	log, err := os.ReadFile("testdata/log.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var plain, restarted strings.Builder
	if err := run(t.Context(), &plain, log, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &restarted, log, 3, 4); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(restarted.String()) {
		if !strings.HasPrefix(line, "node ") {
			lines = append(lines, line)
		}
	}
	if got := strings.Join(lines, ""); got != plain.String() {
		t.Errorf("three nodes print\n%s\none\n%s", got, &plain)
	}
	if n := strings.Count(restarted.String(), "goes on from block 4"); n != 3 {
		t.Errorf("%d nodes go on:\n%s", n, &restarted)
	}
	for _, part := range []string{`"bob" 30]: rolled back: more than 100 coins`, "rolled back: out of gas", "2 pieces of tea are missing", "block 5: root ",
		`Balance["eve"]: [100]`, "Audit[]: [1000]",
		"gas)\n  event: a purse of 815 coins has 810\n  event: a purse of 95 coins has 100\nblock 6"} {
		if !strings.Contains(plain.String(), part) {
			t.Errorf("no %q in\n%s", part, &plain)
		}
	}
	for _, bad := range []string{"{", `{"transactions": 1}`, `{"contract": 7}`} {
		if err := run(t.Context(), &plain, []byte(bad), 1, 0); err == nil {
			t.Errorf("no error for the log %s", bad)
		}
	}
}
