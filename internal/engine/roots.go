package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/state"
)

// A State is an instance between two calls, as data. It is the same on every machine, in every tier
// and with every subset of passes of phase B for all instances that have made the same calls.
// Package state describes pages and sections.
//
// The caller owns Tree and Sections. Page may be called until the instance begins a transaction,
// makes another State, is reset or closed.
type State struct {
	Root     state.Hash
	Tree     state.Tree
	Sections []state.Section // in ascending order of their names

	cp *memory.Checkpoint
}

// Page returns the content of a page, which must not be changed; nil: zeros.
func (s *State) Page(number uint32) ([]byte, error) { return s.cp.StatePage(number), nil }

// identify computes the program's identity in states: everything that decides what its instances
// do, as phase A left it.
func (p *Program) identify() error {
	data, err := p.encoded(DeterminismVersion)
	if err != nil {
		return err
	}
	h := sha256.New()
	part(h, fmt.Sprint(DeterminismVersion), string(data))
	if p.base != nil {
		part(h, string(p.base.id))
	}
	p.identity = append(h.Sum(nil), release.OfModule(p.mod.Go).InStates...)
	if p.plan != nil {
		p.version = p.newVersion(p.mod)
	}
	return nil
}

// hostState returns the text about host functions in states: their names, the outcomes of errors
// and panics, and whether they are deterministic. Their prices are charges in the program.
func (p *Program) hostState() (b []byte) {
	for _, f := range p.hostFuncs {
		b = fmt.Appendf(b, "%s %s %d %d %t\n", f.Path, f.Name, f.OnError, f.OnPanic, f.Deterministic)
	}
	return b
}

// State returns the present state of the instance. It initialises the program's packages if no call
// has done so. It takes time for the memory that was written to since the last State. It fails with
// a [*api.TransactionError] for the reasons of [Instance.Begin], and if the program was compiled
// without Source.State.
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
	refused := func(why string) error { return &api.TransactionError{Op: "State", Reason: why} }
	if u.prog.identity == nil {
		return nil, refused("the program was compiled without CompileOptions.State")
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

// An openedState is a state with a known root, whose pages are not read yet. Nothing is known of
// its parts except that they have this root: the host may have been deceived about the root, or may
// have taken it from the state. So everything that is read here is checked before it is used.
type openedState struct {
	saved    api.Saved
	tree     state.Tree
	sections []state.Section

	pages []uint64        // a bit for each page that is not zeros and was not read yet
	left  int             // of them
	bad   *api.StateError // a page that could not be read
	share bool            // the instance will not run, and forks share its memory

	now, then *batch // pages that are being used, and those that follow
}

// list finds the pages of the state. The instance has at most so many bytes of memory.
func (s *openedState) list(memory uint64, stop func() error) error {
	s.pages = make([]uint64, state.Pages/64)
	var none state.Tree
	var stopped error
	most := int(min(state.Pages, memory/state.PageSize+tablePages))
	err := state.Diff(&none, &s.tree, func(n uint32) bool {
		s.pages[n/64] |= 1 << (n % 64)
		if s.left++; s.left%pagesAtOnce == 0 {
			stopped = stop()
		}
		if s.left > most && stopped == nil {
			stopped = &api.StateError{What: "tree", Err: fmt.Errorf("there are more pages than the %d that the limit allows", most)}
		}
		return stopped == nil
	})
	if stopped == nil && err != nil {
		return &api.StateError{What: "tree", Err: err}
	}
	return stopped
}

// tablePages is the largest number of pages of a state in addition to the guest's memory.
const tablePages = 1 << 16

// pagesAtOnce is the number of pages between two checks of the context.
const pagesAtOnce = 16

// page reads a page, nil for zeros, and checks it against the tree.
func (s *openedState) page(number uint32, stop func() error) ([]byte, error) {
	if s.pages[number/64]>>(number%64)&1 == 0 {
		return nil, nil
	}
	if s.left--; s.left%pagesAtOnce == 0 {
		if err := stop(); err != nil {
			return nil, err
		}
	}
	b, err := s.read(number)
	s.pages[number/64] &^= 1 << (number % 64)
	if err != nil {
		s.bad = &api.StateError{What: fmt.Sprint("page ", number), Err: err}
		return nil, err
	}
	return b, nil
}

// sectionNames are the sections that a state has, in their order.
var sectionNames = []string{"files", "heap", "host", "limits", "machine", "program", "runtime", "types"}

// openSaved checks the parts of a state against its root.
func openSaved(ctx context.Context, root state.Hash, saved api.Saved) (*openedState, error) {
	if err := notEnded(ctx); err != nil {
		return nil, err
	}
	sections, err := saved.Sections()
	if err != nil {
		return nil, &api.StateError{What: "sections", Err: err}
	}
	hashes, err := state.HashSectionsContext(ctx, sections)
	if err != nil {
		return nil, cmp.Or(notEnded(ctx), error(&api.StateError{What: "sections", Err: err}))
	}
	s := &openedState{saved: saved, tree: saved.Tree(), sections: sections}
	if got := state.Root(s.tree.Hash(), hashes); got != root {
		return nil, &api.StateError{What: "root", Err: fmt.Errorf("it is %v, not %v", got, root)}
	}
	if !slices.EqualFunc(sections, sectionNames, func(s state.Section, name string) bool { return s.Name == name }) {
		return nil, &api.StateError{What: "sections", Err: fmt.Errorf("there are other ones than %s", strings.Join(sectionNames, ", "))}
	}
	return s, nil
}

// section returns the content of a section, nil if the state has none of the name.
func (s *openedState) section(name string) []byte {
	for _, x := range s.sections {
		if x.Name == name {
			return x.Content
		}
	}
	return nil
}

// Restore makes an instance that goes on from a state whose root the host knows. All of it is
// checked against the root before anything of it runs. The configuration again gives the instance
// what the host provides; its limits must be those of the state's instance.
func (p *Program) Restore(ctx context.Context, cfg Config, root state.Hash, saved api.Saved) (*Instance, error) {
	if p == nil || p.identity == nil {
		return nil, &api.StateError{What: "program", Err: fmt.Errorf("it was compiled without CompileOptions.State")}
	}
	began := time.Now()
	if in, err := p.reopen(ctx, &cfg, root); in != nil || err != nil {
		return in, err
	}
	s, err := openSaved(ctx, root, saved)
	if err != nil {
		return nil, err
	}
	if got := s.section("program"); string(got) != string(p.identity) {
		return nil, &api.StateError{What: "program", Err: p.otherProgram(got, string(s.section("types")))}
	}
	if !cfg.sharable() {
		return p.instanceOf(ctx, cfg, s, nil)
	}
	if err := cfg.check(p); err != nil {
		return nil, err
	}
	s.share = true
	in, err := p.instanceOf(ctx, cfg.shared(), s, nil)
	if err != nil {
		return nil, err
	}
	return p.keepOpen(&cfg, root, in, began)
}

// maxDescribed is the greatest length of a program's description that is compared with another one.
const maxDescribed = 16 << 20

// otherRelease returns the error for a state with the standard library of one release, and a
// program with another.
func otherRelease(was, is *release.Release) error {
	return &api.ChangeError{What: "the standard library", Why: fmt.Sprintf("was that of %s, is that of %s, with which memory looks different: run the program with %s, or take the state along by Migrate",
		was.Name(), is.Name(), was.Name())}
}

// otherProgram returns the difference between the program and that of a state, which has an
// identity and a description.
func (p *Program) otherProgram(identity []byte, described string) error {
	if len(identity) >= sha256.Size {
		if was, is := release.OfState(string(identity[sha256.Size:])), release.OfModule(p.mod.Go); was != nil && was != is {
			return otherRelease(was, is)
		}
	}
	if len(described) <= maxDescribed {
		if c := changeOf(described, p.mod.Described, true); c != nil {
			return c
		}
	}
	return &api.ChangeError{What: "program", Why: fmt.Sprintf("the state is that of %.32x, this is %.32x: variables and types are the same, functions are not, see Upgrade", identity, p.identity)}
}

// instanceOf makes an instance from a state of the program or, with a transition, of the earlier
// version.
func (p *Program) instanceOf(ctx context.Context, cfg Config, s *openedState, t *transition) (_ *Instance, err error) {
	if got, want := s.section("host"), p.hostState(); string(got) != string(want) {
		return nil, &api.StateError{What: "host", Err: fmt.Errorf("the state was made with the functions of the host\n%s\nthese are\n%s", printable.Short(string(got)), want)}
	}
	described := p.mod.Described
	if t != nil {
		described = t.before.described
	}
	if string(s.section("types")) != described {
		return nil, &api.StateError{What: "types", Err: errors.New("it does not describe the program")}
	}
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch {
		case err == nil:
		case ctx.Err() != nil:
			go in.Close() // the caller may not want to wait while the system releases a gigabyte
		default:
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
	wrong := func(what string, err error) error { return &api.StateError{What: what, Err: err} }
	stop := func() error { return notEnded(ctx) }
	image, ok := u.m.Image(nil)
	if !ok || u.m.Other() != 0 {
		return wrong("program", fmt.Errorf("its initialisation leaves goroutines"))
	}
	if err := u.vm.CheckLimits(s.section("limits")); err != nil {
		return wrong("limits", err)
	}
	image, err := u.m.WithState(image, s.section("machine"))
	if err != nil {
		return wrong("machine", err)
	}
	if err := s.list(u.vm.Heap.Stats().Limit, stop); err != nil {
		return err
	}
	chunks, charged := image.Holds()
	src := &rt.Source{Section: s.section, Stop: stop, Earlier: t != nil, Share: s.share, Page: func(number uint32) ([]byte, error) { return s.page(number, stop) }}
	if err := u.vm.SetSections(src, chunks, charged); err != nil {
		if s.bad != nil {
			return s.bad
		}
		if section := (*rt.SectionError)(nil); errors.As(err, &section) {
			return wrong(section.Section, section.Err)
		}
		return err
	}
	if s.left > 0 {
		return wrong("tree", fmt.Errorf("there are %d pages that are in no use", s.left))
	}
	u.vm.DropMachine()
	if u.m, _, err = u.prog.machine(u.vm, &u.cfg, nil); err != nil {
		return err
	}
	u.m.Resume(image)
	if t != nil {
		return u.upgrade(ctx, t)
	}
	if err := u.rememberWithin("Restore", &s.tree, stop); err != nil {
		return err
	}
	u.next = stateReady
	return nil
}

// rememberWithin is remember for an instance that has just been restored, until stop returns an
// error. tree is that of the state; nil: unknown.
func (u *use) rememberWithin(op string, tree *state.Tree, stop func() error) error {
	h, err := u.history()
	if err != nil {
		return err
	}
	cp := h.moment.Memory()
	cp.Stop = stop
	err = u.rememberWhole(op)
	if err == nil && tree != nil {
		cp.Told()
		u.past.tree = *tree
		err = stop()
	}
	cp.Stop = nil
	return err
}
