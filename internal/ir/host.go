package ir

import "strings"

// A HostFunc is a function that the host supplies, called by OpHost.
type HostFunc struct {
	Name string
	Sig  Sig
}

// MaxArgs is the largest number of arguments, or of results, that a function of the host has.
const MaxArgs = 16

// Args are the arguments of a call of a function of the host, one word each. Its results take their place.
type Args [MaxArgs]uint64

// Info returns the function's line of the table, that of no function if it has none.
func (h *HostFunc) Info() *HostInfo {
	if i := HostNamed(h.Name); i != nil {
		return i
	}
	return &unknownHost
}

// A HostInfo describes one function of the host. Everything about one stands in its line of the table
// below; the implementation stands in package rt.
type HostInfo struct {
	Name   string
	Sig    string // as Sig.Key spells it: w is an int32, l has 64 bits, p is a pointer
	Memory HostMemory
	Price  HostPrice
	Work   HostWork
	Flags  HostFlags
}

// HostMemory says what a function does with the memory behind the addresses that it is passed.
type HostMemory uint8

const (
	HostNone    HostMemory = iota + 1 // it is passed no address
	HostReads                         // it reads the memory
	HostWrites                        // it reads and writes the memory
	HostReturns                       // it reads the memory, and a result may be the address of the object
	HostKeeps                         // it may keep the address for as long as it likes
)

// HostPrice is the class of a function's price; package gas has the units of each class. What the
// functions of package runtime call is in their own prices.
type HostPrice uint8

const (
	HostFree   HostPrice = iota + 1 // the call costs no more than the operation
	HostCall                        // it costs what a function of the runtime does
	HostKernel                      // it prepares a kernel over words or bytes
	HostBlock                       // it prepares a kernel over blocks
	NumHostPrices
)

// HostWork says by which of its operands a function is charged beside its price. The zero value is no work.
type HostWork struct {
	How    HowCounted
	Arg    uint8 // the number of the operand
	Weight WorkWeight
}

// HowCounted says how an operand counts work.
type HowCounted uint8

const (
	NotCounted  HowCounted = iota
	CountedWork            // the I64 operand is the number of bytes or words
	BufferWork             // the I32 operand is the number of bytes
	VectorWork             // the operand is the address of one buffer's address and length; the next operand is 1
	numHowCounted
)

// WorkWeight is the kind of counted work; package gas has the weight of each kind.
type WorkWeight uint8

const (
	MoveWork   WorkWeight = iota + 1 // bytes are moved, cleared, compared or searched
	HashWork                         // bytes are hashed
	BlockWork                        // bytes are hashed by blocks
	WordWork                         // words of a vector are added or multiplied
	IOWork                           // bytes go to or come from the host's readers and writers
	RandomWork                       // random bytes are drawn
	NumWorkWeights
)

// HostFlags are further properties of a function.
type HostFlags uint16

const (
	// InSnapshot: the results and effects are the guest's memory and its module, nothing else, so
	// that a snapshot may hold them.
	InSnapshot HostFlags = 1 << iota
	// Yields: a call may end the run for a while, see rt.Yield. At most one function does.
	Yields
	// Switches: execution may go on with another stack, see rt.Switch.
	Switches
	// StartsInits: the module calls it at the end of the initialisation that is free.
	StartsInits
	// AllocatesType: it allocates what the type descriptor in its second operand says, with the
	// operands and result of malloc, so that a back end may do it in line.
	AllocatesType

	// What a function means for an initialisation from whose outcome other instances may start (rt.Start). One with none
	// of these flags, nor InSnapshot, does what no start can hold.

	// Kept: its effects are state that a start holds, and its results follow from that state, the gas used, and the limits.
	Kept
	// ReadsArgs, ReadsEnv, ReadsClock, DrawsRandom, ReadsGrants: besides, its results follow from what the
	// configuration says of this.
	ReadsArgs
	ReadsEnv
	ReadsClock
	DrawsRandom
	ReadsGrants // which directories there are, not what is in them

	allHostFlags = ReadsGrants<<1 - 1
)

// Is reports whether the function has any of the flags.
func (i *HostInfo) Is(f HostFlags) bool { return i.Flags&f != 0 }

// Signature returns what Sig spells.
func (i *HostInfo) Signature() Sig {
	params, results, _ := strings.Cut(i.Sig, ":")
	return Sig{Params: typesOf(params), Results: typesOf(results)}
}

func typesOf(letters string) (types []Type) {
	for i := range len(letters) {
		types = append(types, Type(strings.IndexByte(typeLetters, letters[i])))
	}
	return types
}

// HostNamed returns the line of the function with a name, nil if there is none.
func HostNamed(name string) *HostInfo { return hostByName[name] }

var hostByName = func() map[string]*HostInfo {
	m := make(map[string]*HostInfo, len(Hosts))
	for i := range Hosts {
		m[Hosts[i].Name] = &Hosts[i]
	}
	return m
}()

// unknownHost is what is known of a function that a module names and no host has: such a module does not run.
var unknownHost = HostInfo{Memory: HostKeeps, Price: HostCall}

// wasi is how the names of the functions begin that GOROOT imports.
const wasi = "wasi_snapshot_preview1."

// network is how the names of the functions begin that our part of package net imports.
const network = "gyr_net."

// files is how the names of the functions begin that our part of package syscall imports.
const files = "gyr_fs."

var noWork HostWork

// Hosts is the table of all functions of the host, by the name in Module.Hosts. It is never written.
//
// No function calls the guest: what the guest has to do for the host, it asks for (nextcall, nextinit).
var Hosts = []HostInfo{
	// stacks.go
	{"newstack", "p:l", HostKeeps, HostCall, noWork, Kept},
	{"switch", "l:", HostNone, HostCall, noWork, Switches | Kept},
	{"freestack", "l:", HostNone, HostCall, noWork, Kept},
	{"curstack", ":l", HostNone, HostCall, noWork, InSnapshot},
	{"getg", ":p", HostNone, HostCall, noWork, InSnapshot},
	{"setg", "p:", HostKeeps, HostCall, noWork, InSnapshot},

	// init.go
	{"nextinit", ":p", HostNone, HostCall, noWork, InSnapshot | StartsInits},

	// traceback.go
	{"callers", "llpl:l", HostWrites, HostCall, noWork, InSnapshot},
	{"parentframe", "l:l", HostNone, HostCall, noWork, InSnapshot},
	{"pcname", "lpl:l", HostWrites, HostCall, noWork, InSnapshot},
	{"pcfile", "lpl:ll", HostWrites, HostCall, noWork, InSnapshot},
	{"pcentry", "l:l", HostNone, HostCall, noWork, InSnapshot},
	{"pcparams", "l:l", HostNone, HostCall, noWork, InSnapshot},
	{"shapestub", "l:l", HostNone, HostCall, noWork, InSnapshot},

	// account.go
	{"wanttest", "pl:l", HostKeeps, HostCall, noWork, 0},
	{"begintest", "pl:l", HostKeeps, HostCall, noWork, 0},
	{"endtest", "l:", HostNone, HostCall, noWork, 0},
	{"account", "l:", HostNone, HostCall, noWork, 0},
	{"testsover", ":", HostNone, HostCall, noWork, 0},

	// fuzz.go
	{"fuzzstep", "pl:l", HostKeeps, HostCall, noWork, 0},
	{"fuzzcover", ":l", HostNone, HostCall, noWork, 0},
	{"fuzzkeep", "pll:l", HostKeeps, HostCall, noWork, 0},

	// malloc.go
	{"malloc", "lpl:p", HostReads, HostCall, noWork, InSnapshot | AllocatesType},
	{"objectof", "p:pl", HostReturns, HostCall, noWork, InSnapshot},
	{"follows", "p:l", HostReads, HostCall, noWork, InSnapshot},
	{"memstats", "p:", HostWrites, HostCall, noWork, Kept},
	{"heapbytes", ":l", HostNone, HostFree, noWork, Kept},
	{"keepalive", "p:", HostReads, HostFree, noWork, InSnapshot},

	// collect.go
	{"gc", ":", HostNone, HostCall, noWork, Kept},
	{"gcwork", ":l", HostNone, HostCall, noWork, Kept},
	{"owed", ":llll", HostNone, HostCall, noWork, Kept},
	{"addspecial", "pll:l", HostKeeps, HostCall, noWork, Kept},
	{"removespecial", "pll:", HostReads, HostCall, noWork, Kept},
	{"nextspecial", ":llp", HostNone, HostCall, noWork, Kept},

	// clock.go, random.go
	{"nanotime", ":l", HostNone, HostCall, noWork, ReadsClock},
	{"walltime", ":lw", HostNone, HostCall, noWork, ReadsClock},
	{"idle", "l:", HostNone, HostCall, noWork, ReadsClock},
	{"rand", ":l", HostNone, HostCall, noWork, DrawsRandom},
	{"maprand", ":l", HostNone, HostCall, noWork, InSnapshot | DrawsRandom},
	{"tracegas", ":l", HostNone, HostCall, noWork, Kept},

	// call.go
	{"describe", "lpppp:l", HostKeeps, HostCall, noWork, Kept},
	{"values", "p:", HostKeeps, HostCall, noWork, Kept},
	{"nextcall", ":ll", HostNone, HostCall, noWork, Yields | Kept},
	{"outweigh", ":l", HostNone, HostCall, noWork, 0},

	// hostcall.go
	{"hostsize", "llpp:l", HostReads, HostCall, noWork, 0},
	{"hostcall", "lpp:lll", HostWrites, HostCall, noWork, 0},
	{"hostpending", "lp:ll", HostReads, HostCall, noWork, 0},
	{"hosttake", "lpp:", HostWrites, HostCall, noWork, 0},
	{"hostbacksize", "llpp:l", HostReads, HostCall, noWork, 0},
	{"hostresume", "lpp:lll", HostReads, HostCall, noWork, 0},
	{"hostabandon", "l:", HostNone, HostCall, noWork, 0},
	{"hosttext", "lpl:l", HostWrites, HostCall, noWork, 0},

	// kernels.go
	{"sha256block", "ppl:", HostWrites, HostBlock, HostWork{CountedWork, 2, BlockWork}, InSnapshot},
	{"bigadd", "pppl:l", HostWrites, HostKernel, HostWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigsub", "pppl:l", HostWrites, HostKernel, HostWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigmul", "ppplll:l", HostWrites, HostKernel, HostWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigmuladd", "ppplll:l", HostWrites, HostKernel, HostWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigshl", "pppll:l", HostWrites, HostKernel, HostWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigshr", "pppll:l", HostWrites, HostKernel, HostWork{CountedWork, 3, WordWork}, InSnapshot},
	{"countbyte", "pll:l", HostReads, HostKernel, HostWork{CountedWork, 1, MoveWork}, InSnapshot},
	{"crc32", "wlpl:w", HostReads, HostKernel, HostWork{CountedWork, 3, HashWork}, InSnapshot},

	// system.go
	{"exit", "w:", HostNone, HostCall, noWork, 0},
	{"dying", "pl:", HostReads, HostCall, noWork, 0},
	{"fatal", ":", HostNone, HostCall, noWork, 0},
	{"write", "lpw:w", HostReads, HostCall, noWork, 0},
	{"args", "pl:l", HostWrites, HostCall, noWork, ReadsArgs},
	{"environ", "pl:l", HostWrites, HostCall, noWork, ReadsEnv},
	{"askenv", "pl:", HostReads, HostFree, noWork, ReadsEnv},

	// log.go
	{"gyr.logs", "l:w", HostNone, HostCall, noWork, Kept},
	{"gyr.log_text", "pl:w", HostReads, HostCall, HostWork{CountedWork, 1, IOWork}, 0},
	{"gyr.log_record", "pl:w", HostReads, HostCall, HostWork{CountedWork, 1, IOWork}, 0},

	// network.go: connections of the host
	{"netpoll", "l:ll", HostNone, HostCall, noWork, 0},
	{network + "granted", ":w", HostNone, HostCall, noWork, 0},
	{network + "dial", "wplpl:w", HostReads, HostCall, noWork, 0},
	{network + "listen", "wplpl:w", HostReads, HostCall, noWork, 0},
	{network + "outcome", "wpw:ww", HostWrites, HostCall, noWork, 0},
	{network + "accept", "ww:w", HostNone, HostCall, noWork, 0},
	{network + "readable", "w:w", HostNone, HostCall, noWork, 0},
	{network + "read", "wpw:w", HostWrites, HostCall, HostWork{BufferWork, 2, IOWork}, 0},
	{network + "writable", "w:w", HostNone, HostCall, noWork, 0},
	{network + "write", "wpw:w", HostReads, HostCall, HostWork{BufferWork, 2, IOWork}, 0},
	{network + "shutdown", "ww:w", HostNone, HostCall, noWork, 0},
	{network + "close", "ww:w", HostNone, HostCall, noWork, 0},

	// package wasi
	{wasi + "args_get", "pp:w", HostWrites, HostCall, noWork, ReadsArgs},
	{wasi + "args_sizes_get", "pp:w", HostWrites, HostCall, noWork, ReadsArgs},
	{wasi + "environ_get", "pp:w", HostWrites, HostCall, noWork, ReadsEnv},
	{wasi + "environ_sizes_get", "pp:w", HostWrites, HostCall, noWork, ReadsEnv},
	{wasi + "clock_time_get", "wlp:w", HostWrites, HostCall, noWork, ReadsClock},
	{wasi + "poll_oneoff", "ppwp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "sched_yield", ":w", HostNone, HostCall, noWork, 0},
	{wasi + "proc_exit", "w:", HostNone, HostCall, noWork, 0},
	{wasi + "random_get", "pw:w", HostWrites, HostCall, HostWork{BufferWork, 1, RandomWork}, DrawsRandom},
	{wasi + "fd_close", "w:w", HostNone, HostCall, noWork, 0},
	{wasi + "fd_fdstat_get", "wp:w", HostWrites, HostCall, noWork, ReadsGrants},
	{wasi + "fd_fdstat_set_flags", "ww:w", HostNone, HostCall, noWork, ReadsGrants},
	{wasi + "fd_fdstat_set_rights", "wll:w", HostNone, HostCall, noWork, 0},
	{wasi + "fd_filestat_get", "wp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "fd_filestat_set_size", "wl:w", HostNone, HostCall, noWork, 0},
	{wasi + "fd_pread", "wpwlp:w", HostWrites, HostCall, HostWork{VectorWork, 1, IOWork}, 0},
	{wasi + "fd_prestat_dir_name", "wpw:w", HostWrites, HostCall, noWork, ReadsGrants},
	{wasi + "fd_prestat_get", "wp:w", HostWrites, HostCall, noWork, ReadsGrants},
	{wasi + "fd_pwrite", "wpwlp:w", HostWrites, HostCall, HostWork{VectorWork, 1, IOWork}, 0},
	{wasi + "fd_read", "wpwp:w", HostWrites, HostCall, HostWork{VectorWork, 1, IOWork}, 0},
	{wasi + "fd_readdir", "wpwlp:w", HostWrites, HostCall, HostWork{BufferWork, 2, IOWork}, 0},
	{wasi + "fd_seek", "wlwp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "fd_sync", "w:w", HostNone, HostCall, noWork, 0},
	{wasi + "fd_write", "wpwp:w", HostWrites, HostCall, HostWork{VectorWork, 1, IOWork}, 0},
	{wasi + "path_create_directory", "wpw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_filestat_get", "wwpwp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_filestat_set_times", "wwpwllw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_link", "wwpwwpw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_open", "wwpwwllwp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_readlink", "wpwpwp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_remove_directory", "wpw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_rename", "wpwwpw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_symlink", "pwwpw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "path_unlink_file", "wpw:w", HostWrites, HostCall, noWork, 0},
	{wasi + "sock_accept", "wwp:w", HostWrites, HostCall, noWork, 0},
	{wasi + "sock_shutdown", "ww:w", HostNone, HostCall, noWork, 0},

	// package wasi, for what WASI preview 1 has no functions: permissions
	{files + "open", "wwpwwllwwp:w", HostWrites, HostCall, noWork, 0},
	{files + "mkdir", "wpww:w", HostReads, HostCall, noWork, 0},
	{files + "chmod", "wwpww:w", HostReads, HostCall, noWork, 0},
	{files + "fchmod", "ww:w", HostNone, HostCall, noWork, 0},
}
