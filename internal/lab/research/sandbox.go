package research

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// With -sandbox, or "sandbox" of the proposer, its command runs in bubblewrap. It sees the
// machine's files read-only. It writes to its worktree, to RESEARCH_OUT, to a build cache of its
// own and to the directories in "writable". It has an empty /tmp, an empty /run and no capability,
// and sees neither the hidden checks nor the session's log. Processes that it leaves end with it.
// The network and the environment are the user's, as most proposers need them. Git in the worktree
// is read-only.

// isolations are tried in order, the best one first.
var isolations = bubblewrap.Isolations()

// tried has the result for each bubblewrap, by its path.
var tried sync.Map

// sandboxWorks finds the best isolation that works. If the sandbox was asked for, a proposer never
// runs without it.
func sandboxWorks() (bubblewrap.Isolation, error) {
	tool, err := exec.LookPath(bubblewrap.Tool)
	if err != nil {
		return bubblewrap.Isolation{}, fmt.Errorf("%w: %w", bubblewrap.Err, err)
	}
	if i, ok := tried.Load(tool); ok {
		return i.(bubblewrap.Isolation), nil
	}
	var first error
	for _, i := range isolations {
		for _, i.Filtered = range []bool{true, false} {
			if i.Filtered && !bubblewrap.CanFilter() {
				continue
			}
			if err = i.Try(); err == nil {
				tried.Store(tool, i)
				return i, nil
			}
			if first == nil {
				first = err
			}
		}
	}
	return bubblewrap.Isolation{}, first
}

// Isolation describes the sandbox that sessions can use on this machine, or says why there is none.
func Isolation() (string, error) {
	i, err := sandboxWorks()
	if err != nil {
		return "", err
	}
	return i.String(), nil
}

// checkSandbox tries an empty sandbox, if the config asks for one.
func (c *Config) checkSandbox() error {
	if !c.Proposer.Sandbox {
		return nil
	}
	_, err := sandboxWorks()
	return err
}

// sandboxed puts the sandbox before a command of the proposer.
func (s *Session) sandboxed(d *desk, command []string) ([]string, error) {
	how, err := sandboxWorks()
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(s.work, "sandbox-cache")
	args := append([]string{bubblewrap.Tool}, how.Args(false)...)
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	for _, dir := range []string{"/run", "/var/run", os.TempDir()} {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
			args = append(args, "--tmpfs", dir)
		}
	}
	args = append(args, bubblewrap.KernelArgs()...)
	// The configuration of name resolution may be in /run.
	if at := gitx.Clean("/etc/resolv.conf"); strings.HasPrefix(at, "/run/") || strings.HasPrefix(at, "/var/run/") {
		args = append(args, "--ro-bind-try", at, at)
	}
	args = append(args, "--ro-bind", s.repo.Common, s.repo.Common, "--tmpfs", s.dir)
	if h := s.config.Hidden; h != nil {
		// If the temporary directory hides it already, this makes it empty once more.
		args = append(args, "--tmpfs", s.config.path(h.Dir))
	}
	writable := []string{d.Dir, d.out, cache}
	for _, w := range s.config.Proposer.Writable {
		writable = append(writable, s.config.path(w))
	}
	for _, w := range writable {
		if err := os.MkdirAll(w, 0o777); err != nil {
			return nil, err
		}
		args = append(args, "--bind", w, w)
	}
	args = append(args, "--setenv", "GOCACHE", cache, "--chdir", d.Dir, "--")
	return append(args, command...), nil
}
