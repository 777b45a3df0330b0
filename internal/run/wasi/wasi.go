// Package wasi is the guest's operating system: the functions of WASI preview 1 that the standard
// library of Go calls under GOOS=wasip1, and no others.
//
// A [System] is the state of one instance: a table of file descriptors. Descriptors 0, 1 and 2 are
// an [io.Reader] and two [io.Writer]s. The next ones ("preopens") are the directories that the host
// grants, and last the tree in memory that every guest has (world.go). A guest opens files of the
// host below granted directories, through [os.Root], so that neither ".." nor a symbolic link leads
// outside.
//
// # Calling convention
//
// A [Func] takes its arguments in a[0], a[1], … one scalar each: pointers are offsets into linear
// memory, narrow integers arrive sign-extended. It returns an [Errno], which the caller passes to
// the guest as the result. Structures in guest memory have the layout of the specification, with
// 32-bit pointers, as GOROOT's package syscall declares them.
//
// # Invariants
//
//   - Guest memory is hostile. Every address and length goes through Memory.Bytes; what it refuses
//     gives EFAULT. No combination of arguments panics (FuzzCalls).
//   - Nothing of the machine shows: no owner, no inode or device number (files are numbered in the
//     order in which the guest meets them), no change time. While the clock is virtual, a file that
//     the guest changed carries the guest's time.
//   - What the host keeps for a guest (listings, file numbers) is charged to the guest's memory
//     limit; the table of descriptors is bounded.
//   - Reading and writing descriptors 0 to 2 makes no Go allocation.
//
// # Errors
//
// A path outside the grants gives ENOENT if the guest's own tree does not have it either, and EPERM
// if it leaves a granted directory. A change to a read-only directory, or to a fixed part of the
// tree, gives EROFS. Each also leaves a hint for the user that names the flag that would grant it.
//
// # Where things are
//
//   - wasi.go has the system and the table of functions, errno.go and rights.go the numbers,
//     fdtable.go the descriptors, iovec.go lists of pieces of guest memory.
//   - Descriptors: stdio.go, file.go, dir.go, filestat.go with stat_*.go; poll.go waits.
//   - Paths: path.go for granted directories, treepath.go for the guest's own tree.
//   - The tree: node.go, content.go (contents of files), mode.go (permissions), world.go (what
//     every guest has), roots.go (certificates), backing.go (file systems of the host), mark.go and
//     portable.go (a state of it).
//   - Around: grant.go checks the grants, hint.go has the hints, hostcall.go and crash.go call the
//     host's code, work.go charges, process.go has the rest of the interface, describe.go prints
//     calls.
//
// The specification: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
package wasi

import (
	"encoding/binary"
	"slices"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Func is one function of the system interface.
type Func func(s *System, a *ir.Args) Errno

// Module is the name under which GOROOT imports the functions.
const Module = "wasi_snapshot_preview1"

// Funcs is the table of all functions. It is not written after initialisation.
var Funcs = map[string]Func{
	"args_get":          argsGet,
	"args_sizes_get":    argsSizesGet,
	"environ_get":       environGet,
	"environ_sizes_get": environSizesGet,

	"clock_time_get": clockTimeGet,
	"poll_oneoff":    pollOneoff,
	"sched_yield":    schedYield,
	"proc_exit":      procExit,
	"random_get":     randomGet,

	"fd_close":             fdClose,
	"fd_fdstat_get":        fdFdstatGet,
	"fd_fdstat_set_flags":  fdFdstatSetFlags,
	"fd_fdstat_set_rights": fdFdstatSetRights,
	"fd_filestat_get":      fdFilestatGet,
	"fd_filestat_set_size": fdFilestatSetSize,
	"fd_pread":             fdPread,
	"fd_prestat_dir_name":  fdPrestatDirName,
	"fd_prestat_get":       fdPrestatGet,
	"fd_pwrite":            fdPwrite,
	"fd_read":              fdRead,
	"fd_readdir":           fdReaddir,
	"fd_seek":              fdSeek,
	"fd_sync":              fdSync,
	"fd_write":             fdWrite,

	"path_create_directory":   pathCreateDirectory,
	"path_filestat_get":       pathFilestatGet,
	"path_filestat_set_times": pathFilestatSetTimes,
	"path_link":               pathLink,
	"path_open":               pathOpen,
	"path_readlink":           pathReadlink,
	"path_remove_directory":   pathRemoveDirectory,
	"path_rename":             pathRename,
	"path_symlink":            pathSymlink,
	"path_unlink_file":        pathUnlinkFile,

	"sock_accept":   sockAccept,
	"sock_shutdown": sockShutdown,
}

// Memory is the guest's memory. Bytes returns the n bytes at off, or false
// unless all of them may be read and written.
type Memory interface {
	Bytes(off, n uint64) ([]byte, bool)
	// Overlaps reports whether some of the n bytes at off are read-only: the host has lent them to
	// the guest.
	Overlaps(off, n uint64) bool
}

// Host is the virtual machine around a System.
type Host interface {
	// Monotonic and Realtime are the clock, in nanoseconds; Realtime since 1970.
	Monotonic() int64
	Realtime() uint64
	// VirtualTime reports whether the clock is not the machine's.
	VirtualTime() bool
	// Idle waits until the clock shows until (monotonic). It returns false if the run was
	// interrupted.
	Idle(until int64) bool
	// Random fills p.
	Random(p []byte)
	// Charge counts n bytes of host memory against the guest's limit, or returns them if n is
	// negative. It reports whether there is room.
	Charge(n int64) bool
	// Spend counts n units of gas for work that the price of the call does not cover. If fewer
	// units are left, the run ends after the call.
	Spend(n int64)
	// Block makes a call of a Reader, a Writer or a file, which may block for ever, perhaps on
	// another goroutine. It returns false if the run was interrupted, before the call or while it
	// blocks. The call may then still run, and its data must not be touched. Block may also never
	// return.
	Block(call Blocking) bool
	// Fail ends the run with an error of the operation op. The result of the function does not
	// matter then.
	Fail(op string, err error)
	// Poll returns false if the run was interrupted.
	Poll() bool
	// Unlocked says that a lock of a file was given up.
	Unlocked()
	// Hint leaves a hint for the user.
	Hint(h Hint)
	// Exit sets the exit code of proc_exit.
	Exit(code int)
}

// A Setup is what a system gets in addition to the settings of its instance.
type Setup struct {
	MaxFiles int // descriptors open at once; 0 means DefaultMaxFiles

	// World makes the system a child's. Nil: it is the first one of its run.
	World *World

	// Seen, if not nil, is called with each path of the host that the guest asks for, before the
	// path is looked up.
	Seen func(name string)
}

// argsOf returns the guest's name and arguments, or nothing if the configuration has neither.
func argsOf(c *api.Config) []string {
	if c.Name == "" && c.Args == nil {
		return nil
	}
	return append([]string{c.Name}, c.Args...)
}

// DefaultMaxFiles is the default limit of the descriptor table, the hard limit of many Linux
// systems.
const DefaultMaxFiles = 4096

// A System is the operating system of one instance. It is not safe for
// concurrent use.
type System struct {
	mem  Memory
	host Host

	args, env []string

	fds      []*file // by descriptor; nil: free
	maxFiles int
	open     int      // descriptors in use
	hostOpen int      // files of the host among them: see hostRoom
	mounts   []*mount // open directories of the host

	name string // of the program, in /bin
	// programNames are those of other programs there.
	programNames map[string]bool
	grants       []*grant
	world        *tree  // the guest's /; nil: not used yet
	began        uint64 // time of its beginning, by its clock

	parent   *System   // of a child: inherit.go
	kids     []*System // of the first program: its descendants
	stdin    *input
	out      [3]output // descriptors 1 and 2
	outLimit int64     // Config.Output
	written  int64     // bytes of output that count against outLimit, without those that were rolled back
	gather   []byte    // for writes of several pieces
	crash    error     // of a Reader or Writer: see crash.go
	call     hostCall  // see hostcall.go

	mayBlock answer // of MayBlock

	files fileNumbers
	seen  func(name string) // Setup.Seen
	hints int               // number of hints, suppressed ones included

	touched bool // a descriptor other than a stream was used since the last Mark or Back
}

// An answer is computed on the first question.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// New makes a system over a guest's memory. It fails if a directory cannot be opened or two have
// the same path in the guest.
func New(mem Memory, host Host, c api.Config, setup Setup) (s *System, err error) {
	s = &System{mem: mem, host: host, args: argsOf(&c), env: c.Env, maxFiles: setup.MaxFiles, stdin: &input{r: c.Stdin},
		seen: setup.Seen}
	if s.maxFiles <= 0 {
		s.maxFiles = DefaultMaxFiles
	}
	if len(c.Programs) > 0 {
		s.programNames = map[string]bool{}
		for name := range c.Programs {
			s.programNames[name] = true
		}
	}
	if setup.World != nil {
		s.name = programName(c.Name)
		s.Start()
		s.inherit(setup.World)
		return s, nil
	}
	s.out[1].init(c.Stdout)
	s.out[2].init(c.Stderr)
	s.outLimit = c.Output
	for fd := range int32(3) {
		s.install(stdioFile(fd))
	}
	s.name = programName(c.Name)
	s.Start()
	if s.grants, err = readGrants(&c); err == nil {
		err = s.preopen()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Start says that the run begins now, by the clock of the host. It matters for a system that was
// made before.
func (s *System) Start() { s.began = s.host.Realtime() }

// Close closes every descriptor. Standard input and output stay the host's.
func (s *System) Close() {
	if s.parent != nil {
		first := s.first()
		first.kids = slices.DeleteFunc(first.kids, func(k *System) bool { return k == s })
	}
	for fd, f := range s.fds {
		if f != nil {
			s.fds[fd] = nil
			s.release(f)
		}
	}
	s.open = 0
	for _, m := range s.mounts {
		m.root.Close()
	}
	s.mounts = nil
}

var le = binary.LittleEndian

// u32 reads an argument declared as a 32-bit integer.
func u32(v uint64) uint64 { return uint64(uint32(v)) }

// fdArg reads an argument that is a file descriptor.
func fdArg(v uint64) int32 { return int32(uint32(v)) }
