package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/peers/guest/ledger"
	"github.com/gyrvm/gyr/state"
)

const accounts = 1000

// A transfer is between two accounts. One in sixteen is refused: the payer has not as many coins.
type transfer struct {
	from, to string
	coins    int64
}

// transfers are the transfers of the ledger; it begins again after the last.
var transfers = func() (list []transfer) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 1 << 16 {
		t := transfer{accountName(rnd.IntN(accounts)), accountName(rnd.IntN(accounts)), 1 + rnd.Int64N(50)}
		if i%16 == 15 {
			t.coins = 1 << 40
		}
		list = append(list, t)
	}
	return list
}()

func accountName(i int) string { return fmt.Sprint("account", i) }

// A ledgerHost is an engine with a ledger.
type ledgerHost struct {
	name     string
	open     func(name string, coins int64) error
	transfer func(t *transfer) (receipt string, err error) // a refusal is a receipt
	in       *gyr.Instance                                 // nil: another engine
	close    func()

	next    int    // transfer
	answers uint64 // the sum of the hashes of all receipts
}

// again makes the next transfer.
func (h *ledgerHost) again() error {
	receipt, err := h.transfer(&transfers[h.next%len(transfers)])
	h.next++
	h.answers += answerHash(receipt)
	return err
}

// fill opens the accounts and makes n transfers.
func (h *ledgerHost) fill(n int) error {
	for i := range accounts {
		if err := h.open(accountName(i), 1_000_000); err != nil {
			return err
		}
	}
	for range n {
		if err := h.again(); err != nil {
			return err
		}
	}
	return nil
}

// A ledgerOp is a column: what is done with a ledger. Where prepare is set, its time does not count.
type ledgerOp struct {
	name        string
	times       int // in a sample
	prepare, do func(h *ledgerHost) error
}

// sample returns the processor time of doing it once, in nanoseconds.
func (o *ledgerOp) sample(h *ledgerHost) (float64, error) {
	var took time.Duration
	before := cpuTime()
	for range o.times {
		if o.prepare != nil {
			if err := o.prepare(h); err != nil {
				return 0, err
			}
			before = cpuTime()
		}
		if err := o.do(h); err != nil {
			return 0, err
		}
		if o.prepare != nil {
			took += cpuTime() - before
		}
	}
	if o.prepare == nil {
		took = cpuTime() - before
	}
	return float64(took) / float64(o.times), nil
}

// ledger is the ledger in all engines, and its states.
func (r *hostRun) ledger() error {
	program, err := r.compile("ledger", gyr.CompileOptions{State: true})
	if err != nil {
		return err
	}
	list, err := r.ledgerHosts(program)
	defer func() {
		for _, h := range list {
			h.close()
		}
	}()
	if err != nil {
		return err
	}
	for _, h := range list {
		if err := h.fill(r.transfers); err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
		if h.answers != list[0].answers {
			return fmt.Errorf("%s: receipts differ from native Go's", h.name)
		}
	}
	if err := r.ledgerCalls(list); err != nil {
		return err
	}
	return r.ledgerStates(program)
}

// ledgerCalls prints the costs of calls.
func (r *hostRun) ledgerCalls(list []*ledgerHost) error {
	committed := func(h *ledgerHost) error {
		return errors.Join(h.in.Begin(r.ctx), h.again(), h.in.Commit())
	}
	ops := []ledgerOp{
		{name: "call", times: 4000, do: (*ledgerHost).again},
		{name: "Begin, call, Rollback", times: 1000, do: func(h *ledgerHost) error {
			return errors.Join(h.in.Begin(r.ctx), h.again(), h.in.Rollback())
		}},
		{name: "Begin, call, Commit", times: 1000, do: committed},
		{name: "the same and State", times: 300, do: func(h *ledgerHost) error {
			if err := committed(h); err != nil {
				return err
			}
			_, err := h.in.State(r.ctx)
			return err
		}},
		{name: "Fork and Close", times: 200, prepare: (*ledgerHost).again, do: func(h *ledgerHost) error {
			f, err := h.in.Fork(r.ctx, gyr.ForkConfig{})
			if err != nil {
				return err
			}
			return f.Close()
		}},
		{name: "read-only call", times: 1000, do: func(h *ledgerHost) error {
			t := &transfers[h.next%len(transfers)]
			h.next++
			_, _, err := h.in.CallWith(r.ctx, gyr.CallOptions{ReadOnly: true}, "Coins", t.from)
			return err
		}},
	}
	head := []string{fmt.Sprintf("ledger: %d accounts, after %s transfers", accounts, thousands(r.transfers))}
	for _, op := range ops {
		head = append(head, op.name)
	}
	took := make([][][]float64, len(list))
	for i := range list {
		took[i] = make([][]float64, len(ops))
	}
	for range r.rounds {
		for k := range ops {
			for i, h := range list {
				if k > 0 && h.in == nil {
					continue
				}
				ns, err := ops[k].sample(h)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", h.name, ops[k].name, err)
				}
				took[i][k] = append(took[i][k], ns)
			}
		}
	}
	r.header(head...)
	for i, h := range list {
		row := []string{h.name}
		for _, samples := range took[i] {
			cell := "–"
			if samples != nil {
				cell = span(measure.Median(samples))
			}
			row = append(row, cell)
		}
		r.row(row...)
	}
	fmt.Fprintln(r.out)
	return nil
}

// ledgerStates prints sizes of states, and what it takes to restore them: that of accounts alone,
// that after transfers, and that after Compact. A version is restored a first time, which reads and
// checks it, and again.
func (r *hostRun) ledgerStates(p *gyr.Program) error {
	type stage struct {
		*ledgerHost
		name         string
		pages        int
		file         countingWriter
		compact      time.Duration
		first, again []float64
	}
	stages := []*stage{
		{name: fmt.Sprintf("%d accounts", accounts)},
		{name: fmt.Sprintf("after %s transfers", thousands(r.transfers))},
		{name: "the same after Compact"},
	}
	for i, s := range stages {
		in, err := p.NewInstance(r.ctx, ledgerConfig)
		if err != nil {
			return err
		}
		defer in.Close()
		if s.ledgerHost, err = r.gyrLedger(in); err != nil {
			return err
		}
		n := r.transfers
		if i == 0 {
			n = 0
		}
		if err := s.fill(n); err != nil {
			return err
		}
		if i == 2 {
			before := cpuTime()
			if _, err := in.Compact(r.ctx); err != nil {
				return err
			}
			s.compact = cpuTime() - before
		}
		st, err := in.State(r.ctx)
		if err != nil {
			return err
		}
		var none state.Tree
		err = state.Diff(&none, &st.Tree, func(uint32) bool { s.pages++; return true })
		if err == nil {
			err = state.Write(&s.file, nil, &st.Tree, st.Sections, st.Page)
		}
		if err != nil {
			return err
		}
	}
	for range r.rounds {
		for _, s := range stages {
			var version *gyr.State
			restore := func(*ledgerHost) error {
				in, err := p.Restore(r.ctx, ledgerConfig, version.Root, version.Saved())
				if err != nil {
					return err
				}
				return in.Close()
			}
			first := ledgerOp{times: 4, do: restore, prepare: func(h *ledgerHost) error {
				err := h.again()
				if err == nil {
					version, err = h.in.State(r.ctx)
				}
				return err
			}}
			again := ledgerOp{times: 40, do: restore}
			a, err1 := first.sample(s.ledgerHost)
			b, err2 := again.sample(s.ledgerHost)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			s.first, s.again = append(s.first, a), append(s.again, b)
		}
	}
	r.header("ledger: states", "pages that are not zeros", "their KiB", "file, KiB", "Restore, a new version", "a version seen before", "Compact")
	for _, s := range stages {
		compact := "–"
		if s.compact > 0 {
			compact = span(float64(s.compact))
		}
		r.row(s.name, thousands(s.pages), thousands(s.pages*state.PageSize>>10), thousands(int(s.file)>>10),
			span(measure.Median(s.first)), span(measure.Median(s.again)), compact)
	}
	fmt.Fprintln(r.out)
	return nil
}

// A countingWriter counts bytes.
type countingWriter int64

func (w *countingWriter) Write(p []byte) (int, error) {
	*w += countingWriter(len(p))
	return len(p), nil
}

// ledgerConfig is the configuration of the ledger's instances, apart from the tier.
var ledgerConfig = gyr.Config{Memory: 64 << 20, Gas: 1 << 60}

// ledgerHosts makes all rows, native Go first.
func (r *hostRun) ledgerHosts(p *gyr.Program) (list []*ledgerHost, err error) {
	book := ledger.Book{}
	list = append(list, &ledgerHost{name: "native Go", close: func() {}, open: book.Open, transfer: func(t *transfer) (string, error) {
		receipt, err := book.Transfer(t.from, t.to, t.coins)
		if err != nil {
			receipt = err.Error()
		}
		return receipt, nil
	}})
	for _, tier := range []gyr.Tier{gyr.TierNative, gyr.TierInterp} {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		cfg := ledgerConfig
		cfg.Tier = tier
		in, err := p.NewInstance(r.ctx, cfg)
		if err != nil {
			return list, err
		}
		h, err := r.gyrLedger(in)
		if err != nil {
			return list, errors.Join(err, in.Close())
		}
		list = append(list, h)
	}
	h, err := r.wazeroLedger()
	if err == nil {
		list = append(list, h)
	}
	return list, err
}

type (
	openArgs struct {
		Name  string
		Coins int64
	}
	transferArgs struct {
		From, To string
		Coins    int64
	}
)

// gyrLedger is a ledger in an instance.
func (r *hostRun) gyrLedger(in *gyr.Instance) (*ledgerHost, error) {
	open, err1 := gyr.FuncOf[openArgs, none](r.ctx, in, "Open")
	move, err2 := gyr.FuncOf[transferArgs, text](r.ctx, in, "Transfer")
	return &ledgerHost{
		name: "gyr, " + in.Tier(), in: in, close: func() { in.Close() },
		open: func(name string, coins int64) error {
			_, err := open.Call(r.ctx, openArgs{name, coins})
			return err
		},
		transfer: func(t *transfer) (string, error) {
			receipt, err := move.Call(r.ctx, transferArgs{t.from, t.to, t.coins})
			if refused := (*gyr.GuestError)(nil); errors.As(err, &refused) {
				return refused.Error(), nil
			}
			return receipt.Text, err
		},
	}, errors.Join(err1, err2)
}

// wazeroLedger is a ledger in wazero, which has no transactions and no states.
func (r *hostRun) wazeroLedger() (*ledgerHost, error) {
	m, err := r.guest()
	if err != nil {
		return nil, err
	}
	open, move := m.ExportedFunction("open"), m.ExportedFunction("transfer")
	at, err := m.ExportedFunction("buffer").Call(r.wazero.ctx)
	if err != nil {
		return nil, errors.Join(err, m.Close(r.ctx))
	}
	write := func(texts ...string) error {
		to := uint32(at[0])
		for _, s := range texts {
			if !m.Memory().WriteString(to, s) {
				return errors.New("out of memory's bounds")
			}
			to += uint32(len(s))
		}
		return nil
	}
	return &ledgerHost{
		name: "wazero", close: func() { m.Close(r.ctx) },
		open: func(name string, coins int64) error {
			if err := write(name); err != nil {
				return err
			}
			out, err := open.Call(r.wazero.ctx, uint64(len(name)), uint64(coins))
			if err == nil && out[0] != 0 {
				err = errors.New("the account was not opened")
			}
			return err
		},
		transfer: func(t *transfer) (string, error) {
			if err := write(t.from, t.to); err != nil {
				return "", err
			}
			out, err := move.Call(r.wazero.ctx, uint64(len(t.from)), uint64(len(t.to)), uint64(t.coins))
			if err != nil {
				return "", err
			}
			return readText(m, out[0])
		},
	}, nil
}
