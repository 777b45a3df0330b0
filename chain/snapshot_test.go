package chain

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr/store"
)

// TestSnapshot: a new node gets a state by chunks, in spite of peers that send damaged chunks, chunks
// of another state, and lists that do not fit. It then goes on with equal app hashes.
func TestSnapshot(t *testing.T) {
	options := func() Options {
		return Options{SnapshotEvery: 4, SnapshotDir: t.TempDir(), ChunkSize: 32 << 10}
	}
	make_ := func(posts int) *solo {
		s := newSolo(t, testGenesis(t), options(), nil)
		s.do(CodeOK, 0, deployTx("token", example(t, "token"), callOf("", "Init")))
		s.do(CodeOK, 0, deployTx("board", example(t, "board"), callOf("", "Init", "token", 0)))
		s.do(CodeOK, 0, Tx{Gas: 900_000_000, Upgrade: &Upgrade{Name: "token", Program: func() Program {
			p := example(t, "token")
			p.Files["more.go"] = []byte("package token\n\nfunc Holders() int64 { return int64(len(balances)) }\n")
			return p
		}()}})
		var txs [][]byte
		for i := range posts {
			txs = append(txs, s.sign(i%8, Tx{Gas: 5_000_000, Call: callOf("board", "Post", "news", fmt.Sprint("post ", i, " ", bytes.Repeat([]byte("x"), 500)))}))
		}
		s.block(txs...)
		s.snaps.wait()
		return s
	}
	from, other := make_(60), make_(61)
	list := func(s *solo) *abci.Snapshot {
		r, err := s.ListSnapshots(t.Context(), nil)
		if err != nil || len(r.Snapshots) != 1 || r.Snapshots[0].Height != 4 {
			t.Fatalf("snapshots %v, %v", r, err)
		}
		return r.Snapshots[0]
	}
	snap := list(from)
	chunk := func(s *solo, i int) []byte {
		r, err := s.LoadSnapshotChunk(t.Context(), &abci.RequestLoadSnapshotChunk{Height: 4, Format: snapshotFormat, Chunk: uint32(i)})
		if err != nil || len(r.Chunk) == 0 {
			t.Fatalf("chunk %d: %d bytes, %v", i, len(r.Chunk), err)
		}
		return r.Chunk
	}
	backend := keepOpen{store.NewMemory()}
	kept, err := store.New(backend)
	if err != nil {
		t.Fatal(err)
	}
	to, err := New(kept, Options{Cache: cacheDir(), Tier: tierOf(1)})
	if err != nil {
		t.Fatal(err)
	}
	offer := func(s *abci.Snapshot) abci.ResponseOfferSnapshot_Result {
		r, err := to.OfferSnapshot(t.Context(), &abci.RequestOfferSnapshot{Snapshot: s, AppHash: from.appHash[:]})
		if err != nil {
			t.Fatal(err)
		}
		return r.Result
	}
	apply := func(i int, chunk []byte) abci.ResponseApplySnapshotChunk_Result {
		r, err := to.ApplySnapshotChunk(t.Context(), &abci.RequestApplySnapshotChunk{Index: uint32(i), Chunk: chunk, Sender: "peer"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Result == abci.ResponseApplySnapshotChunk_RETRY && (len(r.RejectSenders) != 1 || r.RejectSenders[0] != "peer") {
			t.Errorf("chunk %d: the sender is not rejected", i)
		}
		return r.Result
	}
	changed := func(change func(*abci.Snapshot)) *abci.Snapshot {
		c := *snap
		change(&c)
		return &c
	}
	for _, c := range []struct {
		name string
		s    *abci.Snapshot
		want abci.ResponseOfferSnapshot_Result
	}{
		{"another format", changed(func(s *abci.Snapshot) { s.Format = 9 }), abci.ResponseOfferSnapshot_REJECT_FORMAT},
		{"no list", changed(func(s *abci.Snapshot) { s.Metadata = []byte("{") }), abci.ResponseOfferSnapshot_REJECT},
		{"too many chunks", changed(func(s *abci.Snapshot) { s.Chunks++ }), abci.ResponseOfferSnapshot_REJECT},
		{"another height", changed(func(s *abci.Snapshot) { s.Height++ }), abci.ResponseOfferSnapshot_REJECT},
	} {
		if got := offer(c.s); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	// The list of the other chain has other parts: it is refused when the table is there.
	if got := offer(changed(func(s *abci.Snapshot) {
		s.Metadata = bytes.ReplaceAll(s.Metadata, []byte("contract/board"), []byte("contract/bored"))
	})); got != abci.ResponseOfferSnapshot_ACCEPT {
		t.Fatal(got)
	}
	var result abci.ResponseApplySnapshotChunk_Result
	for i := 0; i < int(snap.Chunks) && result <= abci.ResponseApplySnapshotChunk_ACCEPT; i++ {
		result = apply(i, chunk(from, i))
	}
	if result != abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT {
		t.Errorf("a list with another contract: %v", result)
	}
	if offer(snap) != abci.ResponseOfferSnapshot_ACCEPT {
		t.Fatal("the snapshot is refused")
	}
	wrong := 0
	for i := range int(snap.Chunks) {
		good := chunk(from, i)
		for k := range 8 {
			bad := bytes.Clone(good)
			bad[len(bad)*k/8] ^= 0x20
			if got := apply(i, bad); got != abci.ResponseApplySnapshotChunk_RETRY {
				t.Errorf("chunk %d with a flipped bit: %v", i, got)
			}
			wrong++
		}
		for _, bad := range [][]byte{nil, []byte("garbage"), good[:len(good)/2], append(bytes.Clone(good), 0)} {
			if got := apply(i, bad); got != abci.ResponseApplySnapshotChunk_RETRY {
				t.Errorf("chunk %d as %d bytes: %v", i, len(bad), got)
			}
			wrong++
		}
		if b := chunk(other, min(i, int(list(other).Chunks)-1)); !bytes.Equal(b, good) {
			if got := apply(i, b); got != abci.ResponseApplySnapshotChunk_RETRY {
				t.Errorf("chunk %d of another state: %v", i, got)
			}
			wrong++
		}
		if got := apply(i, good); got != abci.ResponseApplySnapshotChunk_ACCEPT {
			t.Fatalf("chunk %d: %v", i, got)
		}
	}
	info, err := to.Info(t.Context(), nil)
	if err != nil || info.LastBlockHeight != 4 || !bytes.Equal(info.LastBlockAppHash, from.appHash[:]) {
		t.Fatalf("%v, %v", info, err)
	}
	if got, err := to.OfferSnapshot(t.Context(), &abci.RequestOfferSnapshot{Snapshot: snap, AppHash: from.appHash[:]}); err != nil || got.Result != abci.ResponseOfferSnapshot_ABORT {
		t.Errorf("a node with a state is offered one: %v, %v", got, err)
	}
	next := &solo{App: to, last: &to, t: t, store: kept, nonces: map[int]uint64{}, height: 4, price: 1}
	for range 3 {
		raw := from.sign(1, Tx{Call: callOf("board", "Post", "news", "after")})
		a, b := from.block(raw)[0], next.block(raw)[0]
		if a.Code != 0 || a.String() != b.String() || from.appHash != to.appHash {
			t.Fatalf("after the snapshot: %v and %v", a, b)
		}
	}
	if got := next.ask(0, "token", "Holders"); got != "[0]" {
		t.Error(got)
	}
	if err := kept.Check(func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	next.Close()
	again := reopen(t, next, backend, Options{})
	if again.appHash != from.appHash {
		t.Error("the node has another state when it is opened again")
	}
	if _, err := again.throwaway(2); !errors.As(err, new(*store.NotFoundError)) {
		t.Errorf("a height before the snapshot: %v", err)
	}
	t.Logf("%d chunks, %d wrong ones refused", snap.Chunks, wrong)
}
