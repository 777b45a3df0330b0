package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/state"
)

// A State is what an instance is between two calls, as data that is the same on every machine, in every tier and with every subset of passes of phase B that came there by the same
// calls. Pages and sections are described by package state.
//
// Tree and Sections are the caller's. Page may be called until the instance begins a transaction, makes another State, is reset or closed.
type State struct {
	Root     state.Hash
	Tree     state.Tree
	Sections []state.Section // in ascending order of their names

	cp *memory.Checkpoint
}

// Page returns the content of a page, which is not to be changed; nil: zeros.
func (s *State) Page(number uint32) ([]byte, error) { return s.cp.StatePage(number), nil }

// identify computes what states say of the program: all that decides what its instances do, as phase A left it.
func (p *Program) identify() error {
	head := image.Header{Form: image.Optimised, Determinism: DeterminismVersion}
	if p.base != nil {
		head.Form = image.Continued
	}
	data, err := image.Encode(p.mod, head)
	if err != nil {
		return err
	}
	h := sha256.New()
	part(h, fmt.Sprint(DeterminismVersion), string(data))
	if p.base != nil {
		part(h, string(p.base.id))
	}
	p.identity = h.Sum(nil)
	if p.plan != nil {
		p.version = p.newVersion()
	}
	return nil
}

// hostState is what states say of the functions of the host: their names, and what becomes of their errors. Their prices are charges
// in the program.
func (p *Program) hostState() (b []byte) {
	for _, f := range p.hostFuncs {
		b = fmt.Appendf(b, "%s %s %d %d %t\n", f.Path, f.Name, f.OnError, f.OnPanic, f.Deterministic)
	}
	return b
}

// State returns what the instance is now. It initialises the program's packages if no call has done so. It takes time for the memory that was written to since the last State. It fails
// with a [*TransactionError] like [Instance.Begin], and where the program was compiled without Source.State.
func (in *Instance) State(ctx context.Context) (s *State, err error) {
	u, err := in.use()
	if err != nil {
		return nil, err
	}
	defer u.over(&err)
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	return u.state()
}

func (u *use) state() (*State, error) {
	refused := func(why string) error { return &TransactionError{Op: "State", Reason: why} }
	if u.prog.identity == nil {
		return nil, refused("the program was compiled without Source.State")
	}
	if h := u.past; h != nil && h.open {
		return nil, refused("a transaction is open")
	}
	if err := u.remember("State"); err != nil {
		return nil, err
	}
	h := u.past
	cp := h.moment.Memory()
	changed, err := cp.Changed()
	if err != nil {
		return nil, refused(err.Error())
	}
	h.pages = h.pages[:0]
	for _, n := range changed {
		h.pages = append(h.pages, state.Page{Number: n, Content: cp.StatePage(n)})
	}
	if err := h.tree.Update(h.pages); err != nil {
		return nil, err
	}
	sections, err := h.moment.Sections()
	if err != nil {
		return nil, refused(err.Error())
	}
	sections = append(sections, state.Section{Name: "host", Content: u.prog.hostState()}, state.Section{Name: "machine", Content: h.image.AppendState(nil)},
		state.Section{Name: "program", Content: u.prog.identity}, state.Section{Name: "types", Content: []byte(u.prog.mod.Described)})
	slices.SortFunc(sections, func(a, b state.Section) int { return strings.Compare(a.Name, b.Name) })
	hashes, err := state.HashSections(sections)
	if err != nil {
		return nil, err
	}
	return &State{Root: state.Root(h.tree.Hash(), hashes), Tree: h.tree, Sections: sections, cp: cp}, nil
}

// Saved is a state that somebody has kept, such as a version of a store. What it returns need not be trusted: the root says what it has to be.
type Saved interface {
	Tree() state.Tree
	Sections() ([]state.Section, error)
	// ReadPage reads a page into a slice of state.PageSize bytes.
	ReadPage(number uint32, into []byte) error
}

// A StateError says why no instance is made of a state: it is not the one with the root, it is damaged, or it is that of another program, of another
// determinism version, or of an instance with other limits.
type StateError struct {
	What string // what is wrong: "root", "program", "page 17", …
	Err  error
}

func (e *StateError) Error() string { return fmt.Sprintf("gyr: Restore: %s: %v", e.What, e.Err) }
func (e *StateError) Unwrap() error { return e.Err }

// An openedState is a state that has a root, of which no page was read.
type openedState struct {
	saved    Saved
	tree     state.Tree
	sections []state.Section
}

// openState holds what a state consists of against its root.
func openState(root state.Hash, saved Saved) (*openedState, error) {
	sections, err := saved.Sections()
	if err != nil {
		return nil, &StateError{"sections", err}
	}
	hashes, err := state.HashSections(sections)
	if err != nil {
		return nil, &StateError{"sections", err}
	}
	s := &openedState{saved, saved.Tree(), sections}
	if got := state.Root(s.tree.Hash(), hashes); got != root {
		return nil, &StateError{"root", fmt.Errorf("it is %v, not %v", got, root)}
	}
	return s, nil
}

// section returns the content of a section, nil if there is none.
func (s *openedState) section(name string) []byte {
	for _, x := range s.sections {
		if x.Name == name {
			return x.Content
		}
	}
	return nil
}

// Restore makes an instance that goes on from a state, which has the root that the host knows. All of it is held against the root before anything of it runs. The
// configuration says again what the host gives the instance; its limits have to be those that the state was made with.
func (p *Program) Restore(ctx context.Context, cfg Config, root state.Hash, saved Saved) (*Instance, error) {
	if p == nil || p.identity == nil {
		return nil, &StateError{"program", fmt.Errorf("it was compiled without Source.State")}
	}
	s, err := openState(root, saved)
	if err != nil {
		return nil, err
	}
	if got := s.section("program"); string(got) != string(p.identity) {
		return nil, &StateError{"program", p.otherProgram(got, string(s.section("types")))}
	}
	return p.instanceOf(ctx, cfg, s, nil)
}

// otherProgram says how the program differs from that of a state, with an identity and a description.
func (p *Program) otherProgram(identity []byte, described string) error {
	if c := changeOf(described, p.mod.Described, true); c != nil {
		return c
	}
	return &ChangeError{What: "program", Why: fmt.Sprintf("the state is that of %x, this is %x: variables and types are the same, functions are not, see Upgrade", identity, p.identity)}
}

// instanceOf makes an instance of a state, which is one of the program or, with a transition, of the earlier version.
func (p *Program) instanceOf(ctx context.Context, cfg Config, s *openedState, t *transition) (_ *Instance, err error) {
	if got, want := s.section("host"), p.hostState(); string(got) != string(want) {
		return nil, &StateError{"host", fmt.Errorf("the state was made with the functions of the host\n%s\nthese are\n%s", got, want)}
	}
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			in.Close()
		}
	}()
	u, err := in.use()
	if err != nil {
		return nil, err
	}
	defer u.over(&err)
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	if err := u.restore(ctx, s, t); err != nil {
		return nil, err
	}
	return in, nil
}

// restore makes the instance, which waits for its first call, go on from a state.
func (u *use) restore(ctx context.Context, s *openedState, t *transition) error {
	u.next = stateFailed
	wrong := func(what string, err error) error { return &StateError{what, err} }
	image, ok := u.m.Image(nil)
	if !ok || u.m.Other() != 0 {
		return wrong("program", fmt.Errorf("its initialisation leaves goroutines"))
	}
	if err := u.vm.CheckLimits(s.section("limits")); err != nil {
		return wrong("state", err)
	}
	image, err := u.m.WithState(image, s.section("machine"))
	if err != nil {
		return wrong("machine", err)
	}
	buf := make([]byte, state.PageSize)
	page := func(number uint32) ([]byte, error) {
		if number%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hash, err := s.tree.Page(number)
		if err != nil || hash == state.ZeroHash(0) {
			return nil, err
		}
		if err := s.saved.ReadPage(number, buf); err != nil {
			return nil, err
		}
		if state.HashPage(buf) != hash {
			return nil, state.ErrDamaged
		}
		return buf, nil
	}
	if err := u.vm.SetSections(s.section, page); err != nil {
		return wrong("state", err)
	}
	u.vm.DropMachine()
	if u.m, _, err = u.prog.machine(u.vm, &u.cfg, nil); err != nil {
		return err
	}
	u.m.Resume(image)
	if t != nil {
		return u.upgrade(ctx, t)
	}
	if err := u.remember("Restore"); err != nil {
		return err
	}
	u.past.moment.Memory().Told()
	u.past.tree = s.tree
	u.next = stateReady
	return nil
}
