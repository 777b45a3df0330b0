package research

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/buildcache"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A box runs bubblewrap around the builds of a candidate and of its parent, and around their tests,
// benchmarks and function calls. It has no capability, no network and no socket of the machine. It
// sees only its own processes, and gets the environment variables that boxNames lists. It reads the
// system's programs, the go command's directories and the session's checkouts (bubblewrap.Root). It
// writes to the checkout, and to a layer of the build cache that is discarded with it.
//
// It reads two more layers of the build cache. Only commands that run nothing of what they build
// write to the session's layer. Only builds of the base write to the user's.
type box struct {
	args  []string // before the arguments of a single command
	how   bubblewrap.Isolation
	env   map[string]string
	base  string // the trusted tree
	cache string // the user's build cache
	layer string // the session's build cache
	self  string // this program
}

// Values of the key sandbox.
const (
	sandboxAuto    = "auto"
	sandboxOff     = "off"
	sandboxRequire = "require"
)

// openBox makes the box, or sets the reason why it cannot.
func (s *Session) openBox(ctx context.Context) error {
	s.box, s.boxReason = nil, ""
	if err := s.runner.findGo(ctx, s.repo.Top); err != nil {
		return err
	}
	switch {
	case s.config.Sandbox == sandboxOff:
		s.boxReason = "the config switches it off"
	case s.state.boxReason != "" && s.config.Sandbox == sandboxAuto:
		s.boxReason = s.state.boxReason
	default:
		how, err := sandboxWorks()
		if err == nil {
			s.box, err = s.newBox(ctx, how)
		}
		if err != nil && s.config.Sandbox == sandboxRequire {
			return err
		}
		if err != nil {
			s.boxReason = err.Error()
		}
	}
	for _, d := range []*side{s.parent, s.candidate} {
		d.box = s.box
	}
	return nil
}

// boxWord is the row's word for the sandbox.
func (s *Session) boxWord() string {
	if s.box != nil {
		return sandboxName
	}
	return "none: " + s.boxReason
}

// sandboxName is the sandbox's name in rows.
const sandboxName = "bubblewrap"

func (s *Session) newBox(ctx context.Context, how bubblewrap.Isolation) (*box, error) {
	g := &s.runner.golang
	base, err := s.repo.Tree(ctx, s.segment.Base)
	if err != nil {
		return nil, err
	}
	b := &box{how: how, base: base, cache: g.Cache, layer: filepath.Join(s.work, "go-build"), self: s.runner.self}
	home := bubblewrap.Home()
	b.env = map[string]string{"HOME": home, "TMPDIR": "/tmp", "GOPROXY": "off", "GOENV": "off", "GOMODCACHE": g.ModCache, "GOPATH": g.Path}
	root := bubblewrap.NewRoot(home)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		root.Show(dir)
	}
	for _, dir := range filepath.SplitList(g.Path) {
		root.Show(filepath.Join(dir, "bin"))
	}
	for _, name := range append([]string{g.Root, g.ModCache, g.Cache, s.runner.self, s.repo.Common, s.work}, s.config.programs()...) {
		root.Show(name)
	}
	for _, name := range s.config.Visible {
		root.Show(s.config.path(name))
	}
	// A repository's configuration may contain passwords, for example in a remote's address or in a
	// header.
	config := filepath.Join(s.work, "git-config")
	if err := errors.Join(os.MkdirAll(b.layer, 0o777), s.repo.WritePlainConfig(ctx, config)); err != nil {
		return nil, err
	}
	root.Put(config, filepath.Join(s.repo.Common, "config"))
	root.Hide(filepath.Join(s.repo.Common, "config.worktree"), filepath.Dir(s.dir), s.hiddenDir())
	args, err := root.Args()
	b.args = append(append(how.Args(true), args...), "--remount-ro", "/")
	return b, err
}

// programs are the files of the programs that the config names, wherever they are.
func (c *Config) programs() (files []string) {
	add := func(run []string) {
		if len(run) == 0 {
			return
		}
		if at, err := exec.LookPath(run[0]); err == nil && filepath.IsAbs(at) {
			files = append(files, gitx.Clean(at))
		}
	}
	for _, k := range c.Battery {
		add(k.Run)
	}
	for _, m := range c.Metrics {
		add(m.Run)
	}
	if c.Hidden != nil {
		add(c.Hidden.Run)
	}
	return files
}

// hiddenDir is the directory of the hidden checks, empty if there are none.
func (s *Session) hiddenDir() string {
	if s.config.Hidden == nil {
		return ""
	}
	return s.config.path(s.config.Hidden.Dir)
}

// wrap puts the box around a command that runs in a directory. Commands that run nothing of what
// they build write to the side's binaries. Others write to a layer of the build cache that those do
// not read. All may write to the checkout and to the directories in writable.
func (b *box) wrap(d *side, builds bool, writable []string, dir string, env map[string]string, name string, args []string) (map[string]string,
	[]string, error) {
	own := filepath.Join(d.bin, "go-build")
	writable = append([]string{d.wt.Dir, own}, writable...)
	layers := []string{own, b.layer, b.cache}
	if builds {
		writable[1], layers = d.bin, layers[1:]
		if d.tree == b.base {
			layers = layers[1:]
		}
		writable = append(writable, layers[0])
	}
	all := append([]string{}, b.args...)
	for _, w := range writable {
		if err := os.MkdirAll(w, 0o777); err != nil {
			return nil, nil, err
		}
		all = append(all, "--bind", w, w)
	}
	// Git in the checkout, including a reviewer's later git outside of the box, must use the
	// repository.
	link := filepath.Join(d.wt.Dir, ".git")
	all = append(all, "--ro-bind-try", link, link)
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, b.env)
	env["GOCACHE"] = layers[0]
	if len(layers) > 1 {
		// Go before 1.24 does not know layers, so there the first layer is everything.
		env["GOCACHEPROG"] = fmt.Sprintf("'%s' research %s '%s'", b.self, buildcache.Verb, strings.Join(layers, "' '"))
	}
	all = append(all, "--chdir", dir, "--", name)
	return env, append(all, args...), nil
}

// warm builds what a go test check will run, once in a session. It builds the base, so that the
// user's cache has its packages: the check itself cannot write to that cache.
func (s *Session) warm(ctx context.Context, k *Check, d *side) (err error) {
	if d.box == nil || len(k.Run) < 2 || k.Run[0] != "go" || k.Run[1] != "test" {
		return nil
	}
	env := maps.Clone(k.Env)
	if env == nil {
		env = map[string]string{}
	}
	key := fmt.Sprint(k.Run, env)
	if s.warmed[key] {
		return nil
	}
	if s.warmed == nil {
		s.warmed = map[string]bool{}
	}
	s.warmed[key] = true
	if p := s.parent; d != p && d.tree != d.box.base {
		was := p.tree
		if err := p.checkout(ctx, s.segment.Base, d.box.base); err != nil {
			return err
		}
		if d = p; was != "" && was != p.tree {
			defer func() { err = errors.Join(err, p.checkout(ctx, s.state.tip, was)) }()
		}
	}
	env[goFlags] = strings.TrimSpace(env[goFlags] + " -exec=true")
	_, err = s.runner.compile(ctx, d, filepath.Join(d.wt.Dir, k.Dir), env, s.config.limit(k), k.Run[0], k.Run[1:]...)
	return err
}

// baseChecks runs on the base the checks that candidates meet. If the base passes only without the
// box, this segment has none, and the log says why.
func (s *Session) baseChecks(ctx context.Context, c *subject) (done []ledger.Check, failed string, err error) {
	run := func() error {
		done, failed, err = s.battery(ctx, c, func(when string) bool { return when == "always" || when == "keep" })
		if err == nil && failed == "" && s.config.Hidden != nil {
			var k ledger.Check
			k, err = s.checkHidden(ctx, c)
			if done = append(done, k); k.Status != pass {
				failed = k.Name
			}
		}
		return err
	}
	if err := run(); err != nil || failed == "" || s.box == nil || s.config.Sandbox == sandboxRequire {
		return done, failed, err
	}
	name, detail := failed, done[len(done)-1].Detail
	s.parent.box, s.candidate.box = nil, nil
	if err := run(); err != nil || failed != "" {
		return done, failed, err
	}
	s.box, s.boxReason = nil, fmt.Sprintf("the base's check %s fails in it: %s", name, detail)
	s.printf("no sandbox around candidates: %s", s.boxReason)
	return done, "", s.event("sandbox", s.boxReason, nil)
}
