package research

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// An isolation is what bubblewrap can do here.
type isolation struct {
	user     []string // arguments for the user namespace
	says     string   // what that is
	best     bool
	filtered bool // system calls are filtered
}

// isolations are what is tried, the best one first. Whoever starts it, root too, has no capability inside. Of a user namespace of its own
// the box has nothing more to lose: what root owns, such as files of /proc, is not root's there for any capability.
var isolations = []isolation{
	{user: []string{"--unshare-user", "--disable-userns"}, says: "a user namespace of its own, and none inside of it", best: true},
	{user: []string{"--unshare-user"}, says: "a user namespace of its own"}, // bubblewrap before 0.8
	// Root where the kernel allows none, and a bubblewrap that is setuid:
	{says: "no user namespace of its own"},
}

// args are the arguments for all but the files.
func (i isolation) args(withoutNetwork bool) []string {
	args := append([]string{}, i.user...)
	args = append(args, "--cap-drop", "ALL", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "box",
		"--new-session", "--die-with-parent",
		// Nothing is left when the command ends, not even for a moment the process that would have waited for others.
		"--as-pid-1")
	if withoutNetwork {
		args = append(args, "--unshare-net") // with the abstract Unix sockets
		if i.filtered {
			args = append(args, "--seccomp", "3")
		}
	}
	return args
}

// filter is the file from which bubblewrap takes the filter of system calls; nil: there is none.
func (i isolation) filter() (*os.File, error) {
	if !i.filtered {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(callFilter()); err != nil { // a pipe holds all of it
		return nil, errors.Join(err, w.Close(), r.Close())
	}
	return r, w.Close()
}

func (i isolation) String() string {
	if !i.filtered {
		return i.says + "; system calls are not filtered"
	}
	return i.says
}

// try runs nothing in a sandbox.
func (i isolation) try() error {
	f, err := i.filter()
	if err != nil {
		return err
	}
	cmd := exec.Command(sandboxTool, append(i.args(true), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true")...)
	if f != nil {
		defer f.Close()
		cmd.ExtraFiles = []*os.File{f}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %v: %s", ErrNoSandbox, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// tried is what was found for a bubblewrap, by its path.
var tried sync.Map

// sandboxWorks finds the best isolation that there is.
func sandboxWorks() (isolation, error) {
	tool, err := exec.LookPath(sandboxTool)
	if err != nil {
		return isolation{}, fmt.Errorf("%w: %v", ErrNoSandbox, err)
	}
	if i, ok := tried.Load(tool); ok {
		return i.(isolation), nil
	}
	var first error
	for _, i := range isolations {
		for _, i.filtered = range []bool{true, false} {
			if i.filtered && callFilter() == nil {
				continue
			}
			if err = i.try(); err == nil {
				tried.Store(tool, i)
				return i, nil
			}
			if first == nil {
				first = err
			}
		}
	}
	return isolation{}, first
}
