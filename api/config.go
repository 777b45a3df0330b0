package api

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"time"
)

// A Config is what one instance of a program is given. The zero value gives nothing of the machine, virtual
// time, and the default limits.
type Config struct {
	Args []string // arguments after the program's name
	Name string   // the program's name, os.Args[0]; empty: "main"
	Env  []string // NAME=value
	Dirs []Dir    // directories of the host that the guest may use

	// Mounts are directories in the guest's memory, besides those that every guest has. Two that overlap, with
	// each other or with one of Dirs, are a ConfigError.
	Mounts []Mount

	// One read or write of the guest is one call of these; nothing is buffered. Nil: an empty input, output
	// that vanishes. A Writer that is a TimedWriter is told the time of each write.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Dial and Listen are the guest's network: what it dials and listens at, besides its own localhost,
	// goes to these, by name. Nil: there is none. The methods DialContext of a [net.Dialer] and Listen of a
	// [net.ListenConfig] give it all of the machine's; usually the host checks the address first. Both, and
	// the methods of what they return, are called on goroutines of their own, several at a time, and may
	// block. Their context has the values of that of the run, and ends when the guest gives up or the run
	// ends. What they return is closed by the instance. See docs/embedding.md, "A network".
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Listen func(ctx context.Context, network, address string) (net.Listener, error)

	// Roots are the certificates that the guest trusts, in PEM form: what crypto/x509 takes for the system's.
	// Empty: none, so that the guest trusts no server unless it brings a certificate for it. The bytes must not
	// change while the instance lives.
	Roots []byte

	Seed       uint64 // of map order, select, math/rand and crypto/rand
	RealRandom bool   // take randomness from the machine instead
	Realtime   bool   // the machine's clock; sleeping takes time

	Gas    int64  // units, without what was rolled back; 0: no limit
	Memory uint64 // bytes of everything that the guest can make grow; 0: 256 MiB
	Stack  uint64 // bytes of one goroutine's stack, in guest units; 0: half of Memory
	Output int64  // bytes written to Stdout and Stderr together, until Reset, without what was rolled back; 0: no limit

	// Log takes what the guest logs: its program begins as if it had called slog.SetDefault with this
	// Logger's handler, so that slog.Info, log.Print and their kin become records here, with the time of
	// the guest's clock, and nothing of them goes to Stderr. Nil: they go there. The handler is called as
	// Writers are, with the context of the run; what its Enabled answers decides what the guest does.
	// Records count against Output. Values of other types than slog has kinds for arrive as text, times in
	// UTC, and the source's position does not arrive. A record has at most 64 KiB of attributes and 16 KiB
	// in a text; the attribute "!DROPPED" says how many it has lost.
	Log *slog.Logger

	// Profiles says what is recorded for Instance.WriteProfile, for instance GasProfile|MemProfile. Recording
	// changes nothing that the guest does, nor any figure of Stats but Wall.
	Profiles Profile

	// Tier says what executes the code; empty: DefaultTier where that can be had, see Program.NativeError. An
	// instance stays in one tier, and the tier changes nothing but the time that a run takes.
	Tier Tier

	// Debug are settings for work on gyr itself, by name; they may change with every version:
	//
	//	gcstress  collect at every slow path of an allocation; with a number N before every N-th allocation, and when a stack grows
	//	poison    fill the memory of dead objects with a pattern
	//	count     count instructions of the interpreter, for Instance.Instructions
	//	opstats   count its operations, pairs and triples too, slowly, for Instance.WriteOpStats
	//	blocks    count instructions in machine code too
	//	perfmap, jitdump, gdbjit, irlines  as for the flag -d of the command ("gyr help run")
	//
	// gcstress changes when collections happen, and with it figures of memory; the others change nothing
	// that a program does. A setting that does not exist, or a value that it does not take, is a
	// ConfigError.
	Debug map[string]string
}

// A TimedWriter is a Config.Stdout or Config.Stderr that is told when its bytes are written: at is what the
// guest's clock shows, in UTC. While that is virtual the times of all writes are the same on every run, so that
// a page can replay them. WriteTimed takes the place of Write, with the same contract.
type TimedWriter interface {
	io.Writer
	WriteTimed(p []byte, at time.Time) (n int, err error)
}

// A Dir is a directory of the host that the guest may use. No ".." and no symbolic link leads out of it. Of the
// host's permissions the guest sees whether a file can be executed (0755, else 0644). What it makes there, and
// Chmod, have effect on the host, without setuid, setgid and sticky, always with the owner's permissions, and
// Chmod lets nobody but the owner write.
type Dir struct {
	Host     string // path on the host
	Guest    string // absolute path in the guest; empty means the host's path made absolute
	ReadOnly bool
	Copy     bool // what the guest changes it changes in its memory; the directory on the host stays as it is
}

// A Mount is a directory in the guest's memory that the host fills.
//
// FS is read when the guest first looks: a directory as a whole, a file when it is opened. What was read
// counts against Config.Memory. Nothing that FS says is believed: sizes are those of what it returned;
// endless files and directories meet the memory limit; an error, also in the middle of a file, is that
// error for the guest, or EIO; a panic ends the run with a HostError, as that of a Reader does. Unless
// instances run one at a time, FS has to be safe for concurrent use.
//
// Files have the permission bits of FS (0777), and the guest, their owner, can always read them, and write
// them if Write is set. Where FS has no permissions they are 0644 and 0755, without Write 0444 and 0555.
type Mount struct {
	Guest string // absolute path in the guest, not the root
	FS    fs.FS  // what is in it; nil: nothing
	Write bool   // the guest may change it, in its memory; FS stays as it is
}

// A Tier is a way to execute code.
type Tier string

const (
	TierAuto   Tier = ""       // DefaultTier if it can, the interpreter otherwise
	TierInterp Tier = "interp" // the interpreter, which runs everywhere
	TierNative Tier = "native" // machine code, on linux/amd64
)

// A Profile is a kind of profile, or a set of them.
//
// All are written in the format that go tool pprof reads, with the function, file and line of the guest's
// source; functions that were inlined are shown. docs/profiling.md tells what each is good for and what it
// costs.
type Profile uint8

const (
	// GasProfile is the gas that each line was charged, by call stack. The values add up to Stats.Gas; the
	// profile is the same bytes on every run.
	GasProfile Profile = 1 << iota
	// MemProfile is the objects and bytes that each line allocated, by call stack, and those of them that
	// no collection has freed. The first add up to Stats.Mallocs and Stats.AllocBytes; the profile is the
	// same bytes on every run.
	MemProfile
	// CPUProfile is the processor time of the thread in Run, sampled every millisecond, by call stack. The
	// label share says who used the time: guest, runtime, collector, compiler or kernel.
	CPUProfile
)
