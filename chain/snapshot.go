package chain

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A snapshot is the states of a height, in chunks that a receiver checks one by one: first those of
// the table, whose root is the app hash, then code, then contracts, whose roots are in the table. So a
// receiver knows the root of a state when its first chunk arrives, and believes nobody.
//
// The files of a snapshot are in a directory with the height as its name, with a chunk a file. It
// gets this name when it is complete.
type snapshots struct {
	app *App

	mu      sync.Mutex
	list    []snapshot // complete ones, the oldest first
	writing int64      // the height that is being written; 0: none
	group   sync.WaitGroup
}

// snapshotFormat changes with the form of chunks and metadata.
const snapshotFormat = 1

// keepSnapshots is how many are kept: a node that has begun with one gets all of it, unless it takes
// longer than this many.
const keepSnapshots = 3

type snapshot struct {
	height int64
	hash   state.Hash // app hash
	parts  []part
}

// A part is a state, with the number of its chunks.
type part struct {
	Name   string `json:"name"` // in the store
	Seq    uint64 `json:"seq"`
	Chunks int    `json:"chunks"`
}

func (s *snapshot) chunks() (n int) {
	for _, p := range s.parts {
		n += p.Chunks
	}
	return n
}

const (
	headFile = "snapshot.json"
	partial  = "partial"
)

// A snapshotHead is the content of headFile.
type snapshotHead struct {
	Height  int64  `json:"height"`
	AppHash string `json:"app_hash"`
	Parts   []part `json:"parts"`
}

// open finds the snapshots of an earlier process.
func (s *snapshots) open() error {
	o := &s.app.options
	if o.SnapshotEvery == 0 {
		return nil
	}
	if o.SnapshotDir == "" {
		return errors.New("chain: snapshots need a directory")
	}
	if err := os.MkdirAll(o.SnapshotDir, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(o.SnapshotDir, partial)); err != nil {
		return err
	}
	entries, err := os.ReadDir(o.SnapshotDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(o.SnapshotDir, e.Name(), headFile))
		var head snapshotHead
		if err != nil || json.Unmarshal(text, &head) != nil || strconv.FormatInt(head.Height, 10) != e.Name() {
			continue // not ours
		}
		hash, err := state.ParseHash(head.AppHash)
		if err != nil || head.Height > s.app.height {
			continue
		}
		s.list = append(s.list, snapshot{head.Height, hash, head.Parts})
	}
	slices.SortFunc(s.list, func(a, b snapshot) int { return int(a.height - b.height) })
	return nil
}

// take begins to write a snapshot of a height that was just committed, if one is due and no other is
// being written. It goes on beside the next blocks, from the store.
func (s *snapshots) take(height int64) {
	every := s.app.options.SnapshotEvery
	s.mu.Lock()
	defer s.mu.Unlock()
	if every == 0 || uint64(height)%every != 0 || s.writing != 0 {
		return
	}
	s.writing = height
	s.group.Go(func() {
		snap, err := s.write(height)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.writing = 0
		if err != nil {
			os.RemoveAll(filepath.Join(s.app.options.SnapshotDir, partial))
			if !errors.Is(err, store.ErrClosed) { // blocks go on; the next snapshot may do better
				s.app.options.Logger.Error("no snapshot", "height", height, "err", err)
			}
			return
		}
		s.list = append(s.list, *snap)
		for len(s.list) > keepSnapshots {
			os.RemoveAll(s.dir(s.list[0].height))
			s.list = s.list[1:]
		}
	})
}

// wait waits for the snapshot that is being written.
func (s *snapshots) wait() { s.group.Wait() }

// oldest returns the oldest height that a snapshot is being written of, or the given one.
func (s *snapshots) oldest(height uint64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing != 0 {
		return min(height, uint64(s.writing))
	}
	return height
}

func (s *snapshots) dir(height int64) string {
	return filepath.Join(s.app.options.SnapshotDir, strconv.FormatInt(height, 10))
}

// write writes a snapshot from the store.
func (s *snapshots) write(height int64) (*snapshot, error) {
	dir := filepath.Join(s.app.options.SnapshotDir, partial)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	table, err := s.app.store.Open(tableName, uint64(height))
	if err != nil {
		return nil, err
	}
	snap := &snapshot{height: height, hash: table.Entry().Root}
	number := 0
	add := func(v *store.Version) error {
		p := part{Name: v.Entry().Name, Seq: v.Entry().Seq}
		tree := v.Tree()
		sections, err := v.Sections()
		if err != nil {
			return err
		}
		page := make([]byte, state.PageSize)
		err = state.WriteChunks(&tree, sections, s.app.options.ChunkSize, func(n uint32) ([]byte, error) {
			return page, v.ReadPage(n, page)
		}, func(chunk []byte) error {
			p.Chunks++
			number++
			return os.WriteFile(filepath.Join(dir, strconv.Itoa(number-1)), chunk, 0o644)
		})
		snap.parts = append(snap.parts, p)
		return err
	}
	if err := add(table); err != nil {
		return nil, err
	}
	parts, err := partsOf(newTable(table.Tree(), table.ReadPage))
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		v, err := s.app.store.Open(p.Name, p.Seq)
		if err != nil {
			return nil, err
		}
		if err := add(v); err != nil {
			return nil, err
		}
	}
	head, err := json.Marshal(snapshotHead{height, snap.hash.String(), snap.parts})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, headFile), head, 0o644); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(s.dir(height)); err != nil {
		return nil, err
	}
	return snap, os.Rename(dir, s.dir(height))
}

// A wanted state is one that the table names.
type wanted struct {
	part
	root state.Hash
}

// partsOf returns the states that a table names, in the order of a snapshot: code, then contracts.
func partsOf(t *table) (parts []wanted, err error) {
	seen := map[state.Hash]bool{}
	err = t.all(codeKey("", 0)[:2], func(key string, value []byte) error {
		if len(value) != len(state.Hash{}) {
			return errTable
		}
		if h := state.Hash(value); !seen[h] {
			seen[h] = true
			parts = append(parts, wanted{part{Name: codePrefix + h.String(), Seq: 1}, h})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = t.all(contractKey(""), func(key string, value []byte) error {
		var r ContractRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return errTable
		}
		parts = append(parts, wanted{part{Name: contractPrefix + strings.TrimPrefix(key, contractKey("")), Seq: r.Seq}, r.Root})
		return nil
	})
	slices.SortFunc(parts, func(a, b wanted) int { return strings.Compare(a.Name, b.Name) })
	return parts, err
}

// ListSnapshots implements [abci.Application].
func (a *App) ListSnapshots(context.Context, *abci.RequestListSnapshots) (*abci.ResponseListSnapshots, error) {
	a.snaps.mu.Lock()
	defer a.snaps.mu.Unlock()
	r := &abci.ResponseListSnapshots{}
	for _, s := range a.snaps.list {
		meta, err := json.Marshal(s.parts)
		if err != nil {
			return nil, err
		}
		r.Snapshots = append(r.Snapshots, &abci.Snapshot{Height: uint64(s.height), Format: snapshotFormat, Chunks: uint32(s.chunks()), Hash: s.hash[:], Metadata: meta})
	}
	return r, nil
}

// LoadSnapshotChunk implements [abci.Application]. A chunk that does not exist any more is empty.
func (a *App) LoadSnapshotChunk(_ context.Context, req *abci.RequestLoadSnapshotChunk) (*abci.ResponseLoadSnapshotChunk, error) {
	r := &abci.ResponseLoadSnapshotChunk{}
	if req.Format != snapshotFormat || a.options.SnapshotEvery == 0 {
		return r, nil
	}
	chunk, err := os.ReadFile(filepath.Join(a.snaps.dir(int64(req.Height)), strconv.Itoa(int(req.Chunk))))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	r.Chunk = chunk
	return r, nil
}
