package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A restoring is a snapshot that arrives. Only the app hash is trusted, which CometBFT's light client
// has verified. What peers say about the snapshot, its list of parts, decides only to which state a
// chunk is given; if that is wrong, the chunk does not have the state's root.
type restoring struct {
	height  uint64
	appHash state.Hash
	parts   []part // as the peer says
	wanted  []wanted
	at      int // part that is arriving
	end     int // the chunk after the last one of it
	chunks  *state.Chunks
	table   *state.File // kept when all others are
}

// maxParts bounds what the list of a peer takes.
const maxParts = 1 << 20

// OfferSnapshot implements [abci.Application].
func (a *App) OfferSnapshot(_ context.Context, req *abci.RequestOfferSnapshot) (*abci.ResponseOfferSnapshot, error) {
	answer := func(r abci.ResponseOfferSnapshot_Result) (*abci.ResponseOfferSnapshot, error) {
		return &abci.ResponseOfferSnapshot{Result: r}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.height > 0 || req.Snapshot == nil {
		return answer(abci.ResponseOfferSnapshot_ABORT)
	}
	s := req.Snapshot
	if s.Format != snapshotFormat {
		return answer(abci.ResponseOfferSnapshot_REJECT_FORMAT)
	}
	r := &restoring{height: s.Height}
	sum := 0
	if len(req.AppHash) != len(state.Hash{}) || len(s.Metadata) > 256*maxParts || json.Unmarshal(s.Metadata, &r.parts) != nil || len(r.parts) == 0 || len(r.parts) > maxParts {
		return answer(abci.ResponseOfferSnapshot_REJECT)
	}
	for _, p := range r.parts {
		if p.Chunks <= 0 || p.Chunks > int(s.Chunks)-sum {
			return answer(abci.ResponseOfferSnapshot_REJECT)
		}
		sum += p.Chunks
	}
	if sum != int(s.Chunks) || r.parts[0].Name != tableName || r.parts[0].Seq != s.Height {
		return answer(abci.ResponseOfferSnapshot_REJECT)
	}
	// What an earlier attempt has left is of no use.
	entries, err := a.store.Entries("")
	if err == nil && len(entries) > 0 {
		err = a.store.Prune(entries...)
	}
	if err != nil {
		return nil, err
	}
	r.appHash = state.Hash(req.AppHash)
	r.end = r.parts[0].Chunks
	r.chunks = state.NewChunks(r.appHash)
	a.sync = r
	return answer(abci.ResponseOfferSnapshot_ACCEPT)
}

// ApplySnapshotChunk implements [abci.Application]. A chunk that is not of the state is asked for
// again, from others than its sender.
func (a *App) ApplySnapshotChunk(ctx context.Context, req *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.sync
	if r == nil {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ABORT}, nil
	}
	if err := r.chunks.Add(req.Chunk); err != nil {
		if !errors.As(err, new(*state.FileError)) {
			return nil, err
		}
		return &abci.ResponseApplySnapshotChunk{
			Result: abci.ResponseApplySnapshotChunk_RETRY, RefetchChunks: []uint32{req.Index}, RejectSenders: []string{req.Sender},
		}, nil
	}
	accept := &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}
	if int(req.Index) != r.end-1 {
		return accept, nil
	}
	if _, _, more := r.chunks.Missing(); more { // the list of parts does not fit
		a.sync = nil
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT}, nil
	}
	switch err := a.arrived(ctx, r); {
	case errors.Is(err, errParts):
		a.sync = nil
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT}, nil
	case err != nil:
		return nil, a.halt(err)
	}
	return accept, nil
}

var errParts = errors.New("chain: the parts of the snapshot are not those of its table")

// arrived keeps a state all of whose chunks are there, and begins with the next one. The table is
// kept last: a store that has it has everything.
func (a *App) arrived(ctx context.Context, r *restoring) error {
	file, err := r.chunks.File()
	if err != nil {
		return err
	}
	if r.at == 0 {
		r.table = file
		sections, err := file.Sections()
		if err != nil {
			return err
		}
		info := new(Info)
		if len(sections) != 1 || json.Unmarshal(sections[0].Content, info) != nil {
			return errors.New("chain: the state of the app hash is that of another application")
		}
		if err := info.Rules.check(); err != nil {
			return err
		}
		if r.wanted, err = partsOf(newTable(file.Tree(), file.ReadPage)); err != nil {
			return err
		}
		if len(r.wanted) != len(r.parts)-1 {
			return errParts
		}
	} else {
		w := r.wanted[r.at-1]
		if err := keepFile(a.store, w.Name, w.Seq, file); err != nil {
			return err
		}
	}
	if r.at++; r.at < len(r.parts) {
		w := r.wanted[r.at-1]
		if p := r.parts[r.at]; p.Name != w.Name || p.Seq != w.Seq {
			return errParts
		}
		r.end += r.parts[r.at].Chunks
		r.chunks = state.NewChunks(w.root)
		return nil
	}
	if err := keepFile(a.store, tableName, r.height, r.table); err != nil {
		return err
	}
	a.sync = nil
	if a.world != nil {
		a.world.close()
		a.world = nil
	}
	if err := a.load(); err != nil {
		return err
	}
	if a.appHash != r.appHash {
		return fmt.Errorf("chain: the state has app hash %v, not %v", a.appHash, r.appHash)
	}
	return a.compileAll(ctx)
}

// compileAll compiles all contracts, before the first block needs them.
func (a *App) compileAll(ctx context.Context) error {
	w, err := a.openLocked()
	if err != nil {
		return err
	}
	return w.table.all(contractKey(""), func(key string, value []byte) error {
		name := strings.TrimPrefix(key, contractKey(""))
		record, err := w.record(name)
		if err == nil {
			_, err = w.program(ctx, name, record)
		}
		return nodeError(err)
	})
}

// keepFile commits a state that has arrived.
func keepFile(s *store.Store, name string, seq uint64, file *state.File) error {
	sections, err := file.Sections()
	if err != nil {
		return err
	}
	page := make([]byte, state.PageSize)
	_, err = s.Commit(store.Change{Name: name, Seq: seq, Tree: file.Tree(), Sections: sections, Page: func(n uint32) ([]byte, error) {
		return page, file.ReadPage(n, page)
	}})
	return err
}
