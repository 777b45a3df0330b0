package bubblewrap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Tool is the name of bubblewrap's program.
const Tool = "bwrap"

// Err says that a required sandbox is not available.
var Err = errors.New("the sandbox needs bubblewrap (bwrap), which is not here or cannot make one")

// CanFilter reports whether this system can filter system calls.
func CanFilter() bool { return callFilter() != nil }

// An Isolation is what bubblewrap can do here.
type Isolation struct {
	user     []string // arguments for the user namespace
	says     string   // description of it
	Best     bool     // nothing is missing
	Filtered bool     // system calls are filtered
}

// Isolations lists the isolations to try, the best one first. The box has no capability, even if
// root starts it. In a user namespace of its own, no capability reaches what root owns outside,
// such as files of /proc.
func Isolations() []Isolation {
	return []Isolation{
		{user: []string{"--unshare-user", "--disable-userns"}, says: "a user namespace of its own, and none inside of it", Best: true},
		{user: []string{"--unshare-user"}, says: "a user namespace of its own"}, // bubblewrap before 0.8
		// Root where the kernel allows no user namespaces, and a setuid bubblewrap:
		{says: "no user namespace of its own"},
	}
}

// Args are the arguments for everything except the files.
func (i Isolation) Args(withoutNetwork bool) []string {
	args := append([]string{}, i.user...)
	args = append(args, "--cap-drop", "ALL", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "box",
		"--new-session", "--die-with-parent",
		// When the command ends, nothing remains, not even for a moment the process that would have
		// waited for others.
		"--as-pid-1")
	if withoutNetwork {
		args = append(args, "--unshare-net") // includes the abstract Unix sockets
		if i.Filtered {
			args = append(args, "--seccomp", "3")
		}
	}
	return args
}

// Filter is the file from which bubblewrap reads the filter of system calls; nil: none.
func (i Isolation) Filter() (*os.File, error) {
	if !i.Filtered {
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

func (i Isolation) String() string {
	if !i.Filtered {
		return i.says + "; system calls are not filtered"
	}
	return i.says
}

// OwnUsers reports whether the sandbox has a user namespace of its own.
func (i Isolation) OwnUsers() bool { return len(i.user) > 0 }

// Try runs an empty command in a sandbox.
func (i Isolation) Try() error {
	f, err := i.Filter()
	if err != nil {
		return err
	}
	cmd := exec.Command(Tool, append(i.Args(true), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true")...)
	if f != nil {
		defer f.Close()
		cmd.ExtraFiles = []*os.File{f}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %v: %s", Err, err, strings.TrimSpace(string(out)))
	}
	return nil
}
