package research

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/tools/research/ledger"
)

// A box is bubblewrap around what is built of a candidate and of its parent, and around what that does: its
// tests, its benchmark, the calls of its functions. It has no network, a home and a temporary directory that are
// empty and its own, and neither the hidden checks nor the session's log. The machine is there
// to be read; what is written to is the checkout, with what is built of it. The user's build cache is read, and is
// written to only by commands of the go command that run nothing of what they build.
type box struct {
	args  []string // before what a single command adds
	cache string   // of builds
	self  string   // this program
}

// Values of sandbox.
const (
	sandboxAuto    = "auto"
	sandboxOff     = "off"
	sandboxRequire = "require"
)

// sandboxWorks tries an empty sandbox.
func sandboxWorks() error {
	out, err := exec.Command(sandboxTool, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid",
		"--unshare-net", "true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %v: %s", ErrNoSandbox, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// openBox makes the box, or sets the reason why there is none.
func (s *Session) openBox(ctx context.Context) error {
	s.box, s.boxReason = nil, ""
	switch {
	case s.config.Sandbox == sandboxOff:
		s.boxReason = "the config switches it off"
	case s.state.boxReason != "" && s.config.Sandbox == sandboxAuto:
		s.boxReason = s.state.boxReason
	default:
		err := sandboxWorks()
		if err == nil {
			s.box, err = s.newBox(ctx)
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

// boxWord is what a row says of the sandbox.
func (s *Session) boxWord() string {
	if s.box != nil {
		return sandboxName
	}
	return "none: " + s.boxReason
}

// sandboxName is that of the sandbox in rows.
const sandboxName = "bubblewrap"

func (s *Session) newBox(ctx context.Context) (*box, error) {
	o, err := s.runner.exec(ctx, s.repo.Top, nil, checkTimeout, "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOROOT", "GOPATH")
	if err != nil {
		return nil, err
	}
	var env struct{ GOCACHE, GOMODCACHE, GOROOT, GOPATH string }
	if o.Err() != nil || json.Unmarshal(o.Stdout, &env) != nil {
		return nil, fmt.Errorf("go env: %s", tail(o))
	}
	b := &box{cache: env.GOCACHE, self: s.runner.self}
	b.args = []string{"--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-net",
		// Nothing is left when the command ends, not even for a moment the process that would have waited for others.
		"--as-pid-1", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	empty := []string{os.TempDir()}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		empty = append(empty, home)
	}
	for _, dir := range empty {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			b.args = append(b.args, "--tmpfs", dir)
		}
	}
	// What is needed of the directories that are empty now.
	again := append(filepath.SplitList(os.Getenv("PATH")), filepath.SplitList(env.GOPATH)...)
	again = append(again, env.GOROOT, env.GOMODCACHE, env.GOCACHE, s.runner.self, s.repo.Common, s.work)
	for _, name := range again {
		for _, dir := range empty {
			if rel, err := filepath.Rel(dir, name); err == nil && rel != "." && !strings.HasPrefix(rel, "..") {
				b.args = append(b.args, "--ro-bind-try", name, name)
				break
			}
		}
	}
	for _, dir := range []string{s.dir, s.hiddenDir()} {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			b.args = append(b.args, "--tmpfs", dir)
		}
	}
	return b, nil
}

// hiddenDir is where the hidden checks are, empty if there are none.
func (s *Session) hiddenDir() string {
	if s.config.Hidden == nil {
		return ""
	}
	return s.config.path(s.config.Hidden.Dir)
}

// wrap puts the box around a command that runs in a directory. The command writes to the side's files and to what
// else is named.
func (b *box) wrap(d *side, writable []string, dir string, env map[string]string, name string, args []string) (map[string]string,
	string, []string, error) {
	all := append([]string{}, b.args...)
	for _, w := range append([]string{d.wt.Dir, d.bin}, writable...) {
		if err := os.MkdirAll(w, 0o777); err != nil {
			return nil, "", nil, err
		}
		all = append(all, "--bind", w, w)
	}
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	env["GOPROXY"], env["GOCACHE"] = "off", b.cache
	if !slices.Contains(writable, b.cache) {
		// A cache of its own above the user's, for as long as the tree is checked out. Before Go 1.24, which does
		// not know of layers, it is all.
		own := filepath.Join(d.bin, "go-build")
		if err := os.MkdirAll(own, 0o777); err != nil {
			return nil, "", nil, err
		}
		env["GOCACHE"], env["GOCACHEPROG"] = own, fmt.Sprintf("'%s' research %s '%s' '%s'", b.self, CacheVerb, b.cache, own)
	}
	all = append(all, "--chdir", dir, "--", name)
	return env, sandboxTool, append(all, args...), nil
}

// warm builds what a check of go test will run, the first time in a session, so that the user's cache has what it
// is built of: the check itself cannot write to it.
func (s *Session) warm(ctx context.Context, k *Check, d *side) error {
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
	env[goFlags] = strings.TrimSpace(env[goFlags] + " -exec=true")
	_, err := s.runner.compile(ctx, d, filepath.Join(d.wt.Dir, k.Dir), env, s.config.limit(k), k.Run[0], k.Run[1:]...)
	return err
}

// baseChecks runs on the base what candidates meet. Where it passes only without the box there is none for this
// segment, and the log says why.
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
