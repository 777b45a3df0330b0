package api

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"time"
)

// A Config describes what one instance of a program may use. The zero value gives no access to the
// machine, virtual time, and the default limits.
type Config struct {
	Args []string // arguments after the program's name
	Name string   // the program's name, os.Args[0]; empty: "main"
	Env  []string // NAME=value
	Dirs []Dir    // directories of the host that the guest may use

	// Mounts are directories in the guest's memory, in addition to those that every guest has. A
	// mount that overlaps another mount or one of Dirs is a ConfigError.
	Mounts []Mount

	// Each read or write of the guest is one call of these; nothing is buffered. Nil means an empty
	// input or a discarded output. A Writer that is a TimedWriter also gets the time of each write.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Dial and Listen are the guest's network, apart from its own localhost. They get addresses by
	// name. Nil: no network. The method DialContext of a [net.Dialer] and the method Listen of a
	// [net.ListenConfig] give access to the whole network of the machine; usually the host checks
	// the address first. Both functions, and the methods of their results, are called on goroutines
	// of their own, several at a time, and may block. Their context has the values of the run's
	// context, and ends when the guest gives up or the run ends. The instance closes what they
	// return. See docs/embedding.md, "A network".
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Listen func(ctx context.Context, network, address string) (net.Listener, error)

	// Programs are programs that the guest may start with os/exec, besides itself, by name. They are
	// files in /bin, and start each other. A program with a main function runs in the guest's world, as
	// part of its run: see docs/guest.md, "Programs that start programs". The map must not change while
	// the instance lives.
	Programs map[string]Executable

	// Roots are the certificates that the guest trusts, in PEM form. The guest's crypto/x509 uses
	// them as the system's. Empty: none, so that the guest trusts no server unless it brings a
	// certificate for it. The bytes must not change while the instance lives.
	Roots []byte

	Seed       uint64 // seed of map order, select, math/rand and crypto/rand
	RealRandom bool   // take randomness from the machine instead
	Realtime   bool   // the machine's clock; sleeping takes time

	Gas    int64  // units, not counting what was rolled back; 0: no limit
	Memory uint64 // bytes of everything that the guest can make grow; 0: 256 MiB
	Stack  uint64 // bytes of one goroutine's stack, in guest units; 0: half of Memory
	Output int64  // bytes written to Stdout and Stderr together until Reset, not counting what was rolled back; 0: no limit

	// Log receives the guest's log. The guest's program begins as if it had called slog.SetDefault
	// with this Logger's handler. Records of slog.Info, log.Print and the like arrive here with the
	// time of the guest's clock, and none of them goes to Stderr. Nil: they go to Stderr. The
	// handler is called as Writers are, with the context of the run. The answer of its Enabled
	// decides what the guest does. Records count against Output. Values of a type without a slog
	// kind arrive as text and times in UTC; source positions do not arrive. A record has at most 64
	// KiB of attributes and 16 KiB in a text. The attribute "!DROPPED" counts the attributes that
	// were lost.
	Log *slog.Logger

	// Profiles says what is recorded for Instance.WriteProfile, for instance GasProfile|MemProfile.
	// Recording changes neither what the guest does nor any figure of Stats except Wall.
	Profiles Profile

	// Tier selects what executes the code; empty: DefaultTier where it is available, see
	// Program.NativeError. An instance stays in one tier. The tier changes only the time of a run.
	Tier Tier

	// Hooks are told what the instance does; nil: nobody is.
	Hooks *Hooks
	// Labels are labels of the host's CPU profile (package runtime/pprof) on the time that the guest
	// takes. The label gyr.func, the name of the called function, is added. Nil: none, which saves a
	// microsecond for each call.
	Labels map[string]string

	// Debug holds settings for work on gyr itself, by name. They may change with every version:
	//
	//	gcstress  collect at every slow path of an allocation; with a number N before every N-th allocation, and when a stack grows
	//	poison    fill the memory of dead objects with a pattern
	//	count     count instructions of the interpreter, for Instance.Instructions
	//	opstats   count its operations, pairs and triples too, slowly, for Instance.WriteOpStats
	//	blocks    count instructions in machine code too
	//	perfmap, jitdump, gdbjit, irlines  as for the flag -d of the command ("gyr help run")
	//
	// gcstress changes when collections happen, and therefore memory figures. The others change
	// nothing that a program does. An unknown setting or an invalid value is a ConfigError.
	Debug map[string]string
}

// An Executable is a program that a guest may start: a *gyr.Program.
type Executable interface {
	// GuestProgram returns the program in the engine's form.
	GuestProgram() any
}

// A TimedWriter is a Config.Stdout or Config.Stderr that is told when its bytes are written: at is
// the time of the guest's clock, in UTC. With a virtual clock the times of all writes are the same
// on every run, so that a page can replay them. WriteTimed replaces Write and has the same
// contract.
type TimedWriter interface {
	io.Writer
	WriteTimed(p []byte, at time.Time) (n int, err error)
}

// A Dir is a directory of the host that the guest may use. Neither ".." nor a symbolic link leads
// out of it. The guest sees whether a file is executable (0755, else 0644), and no other permission
// of the host. New files and Chmod take effect on the host, without setuid, setgid and sticky bits
// and always with the owner's permissions. Chmod gives write permission only to the owner.
type Dir struct {
	Host     string // path on the host
	Guest    string // absolute path in the guest; empty means the host's path made absolute
	ReadOnly bool
	Copy     bool // the guest's changes stay in its memory; the directory on the host stays as it is
}

// A Mount is a directory in the guest's memory that the host fills.
//
// FS is read on demand: a directory as a whole when the guest first looks, a file when the guest
// opens it. What was read counts against Config.Memory. FS is not trusted. Sizes are those of the
// bytes that it returned. Endless files and directories meet the memory limit. The guest gets an
// error of FS, even in the middle of a file, as that error or as EIO. A panic ends the run with a
// HostError, like the panic of a Reader. FS must be safe for concurrent use unless instances run
// one at a time.
//
// Files have the permission bits of FS (0777). The guest owns them: it can always read them, and
// write them if Write is set. Where FS has no permissions they are 0644 and 0755, without Write
// 0444 and 0555.
type Mount struct {
	Guest string // absolute path in the guest, not the root
	FS    fs.FS  // its content; nil: empty
	Write bool   // the guest may change it in its memory; FS stays as it is
}

// A Tier is a way to execute code.
type Tier string

const (
	TierAuto   Tier = ""       // DefaultTier if it can, the interpreter otherwise
	TierInterp Tier = "interp" // the interpreter, which runs everywhere
	TierNative Tier = "native" // machine code, on linux/amd64, linux/arm64 and darwin/arm64
)

// A Profile is a kind of profile, or a set of them.
//
// All profiles have the format that go tool pprof reads, with the function, file and line of the
// guest's source. They show inlined functions. docs/profiling.md tells what each is good for and
// what it costs.
type Profile uint8

const (
	// GasProfile is the gas charged to each line, by call stack. The values add up to Stats.Gas.
	// The profile is the same bytes on every run.
	GasProfile Profile = 1 << iota
	// MemProfile is the objects and bytes that each line allocated, by call stack, and those of
	// them that no collection has freed. The allocated ones add up to Stats.Mallocs and
	// Stats.AllocBytes. The profile is the same bytes on every run.
	MemProfile
	// CPUProfile is the processor time of the thread in Run, sampled every millisecond, by call
	// stack. The label share says what used the time: guest, runtime, collector, compiler or
	// kernel.
	CPUProfile
)
