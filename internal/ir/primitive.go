package ir

import "strings"

// A Primitive is a function of the engine that the guest's runtime and library call, by OpHost. The
// functions of a host package are no primitives: primitives carry calls of them (rt.HostFunc).
type Primitive struct {
	Name string
	Sig  Sig
}

// MaxArgs is the largest number of arguments, or of results, that a primitive has.
const MaxArgs = 16

// Args are the arguments of a call of a primitive, one word each. Its results take their place.
type Args [MaxArgs]uint64

// Info returns the function's line in the table, or that of an unknown function if it has none.
func (h *Primitive) Info() *PrimitiveInfo {
	if i := PrimitiveNamed(h.Name); i != nil {
		return i
	}
	return &unknownPrimitive
}

// A PrimitiveInfo describes a primitive. Its line of the table below says everything about it; packages rt and wasi
// implement it.
type PrimitiveInfo struct {
	Name   string
	Sig    string // as Sig.Key spells it: w is an int32, l has 64 bits, p is a pointer
	Memory PrimitiveMemory
	Price  PrimitivePrice
	Work   PrimitiveWork
	Flags  PrimitiveFlags
}

// PrimitiveMemory says what a primitive does with the memory at the addresses that it gets.
type PrimitiveMemory uint8

const (
	UsesNoMemory  PrimitiveMemory = iota + 1 // it gets no address
	ReadsMemory                              // it reads the memory
	WritesMemory                             // it reads and writes the memory
	ReturnsMemory                            // it reads the memory, and a result may be the address of the object
	KeepsMemory                              // it may keep the address for as long as it likes
)

// PrimitivePrice is the class of a function's price; package gas has the units of each class. The
// prices of the functions of package runtime include the primitives that they call.
type PrimitivePrice uint8

const (
	FreePrice   PrimitivePrice = iota + 1 // the call costs no more than the operation
	CallPrice                             // it costs as much as a function of the runtime
	KernelPrice                           // it prepares a kernel over words or bytes
	BlockPrice                            // it prepares a kernel over blocks
	NumPrimitivePrices
)

// PrimitiveWork says by which operand a function is charged beside its price. The zero value is no
// work.
type PrimitiveWork struct {
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

// PrimitiveFlags are further properties of a function.
type PrimitiveFlags uint16

const (
	// InSnapshot: the results and effects are only the guest's memory and its module, so a
	// snapshot may hold them.
	InSnapshot PrimitiveFlags = 1 << iota
	// Yields: a call may end the run for a while, see rt.Yield. At most one function has it.
	Yields
	// Switches: execution may continue on another stack, see rt.Switch.
	Switches
	// StartsInits: the module calls it at the end of the free initialisation.
	StartsInits
	// AllocatesType: it allocates an object of the type whose descriptor is its second operand,
	// with the operands and result of malloc, so that a back end may do it inline.
	AllocatesType

	// The flags below say what a function means for an initialisation from whose result other
	// instances may start (rt.Start). A function with none of these flags, nor InSnapshot, does
	// what no start can hold.

	// Kept: its effects are state that a start holds, and its results follow from that state, the gas used, and the limits.
	Kept
	// ReadsArgs, ReadsEnv, ReadsClock, DrawsRandom, ReadsGrants, ReadsLog: its results also follow
	// from that part of the configuration.
	ReadsArgs
	ReadsEnv
	ReadsClock
	DrawsRandom
	ReadsGrants // the list of directories, not their content
	ReadsLog    // whether there is a log, and what it takes
	// CallsHost: it is a part of a call of a function of a host package, which a start may hold if
	// that function is deterministic.
	CallsHost

	allPrimitiveFlags = CallsHost<<1 - 1
)

// Is reports whether the function has any of the flags.
func (i *PrimitiveInfo) Is(f PrimitiveFlags) bool { return i.Flags&f != 0 }

// Signature returns the signature that Sig spells.
func (i *PrimitiveInfo) Signature() Sig {
	params, results, _ := strings.Cut(i.Sig, ":")
	return Sig{Params: typesOf(params), Results: typesOf(results)}
}

func typesOf(letters string) (types []Type) {
	for i := range len(letters) {
		types = append(types, Type(strings.IndexByte(typeLetters, letters[i])))
	}
	return types
}

// PrimitiveNamed returns the line of the function with a name, nil if there is none.
func PrimitiveNamed(name string) *PrimitiveInfo { return primitiveByName[name] }

var primitiveByName = func() map[string]*PrimitiveInfo {
	m := make(map[string]*PrimitiveInfo, len(Primitives))
	for i := range Primitives {
		m[Primitives[i].Name] = &Primitives[i]
	}
	return m
}()

// unknownPrimitive describes a function that a module names and no host has: such a module does not
// run.
var unknownPrimitive = PrimitiveInfo{Memory: KeepsMemory, Price: CallPrice}

// wasi is the prefix of the functions that GOROOT imports.
const wasi = "wasi_snapshot_preview1."

// network is the prefix of the functions that our part of package net imports.
const network = "gyr_net."

// processes is the prefix of the functions that our part of package syscall starts programs with.
const processes = "gyr_proc."

// files is the prefix of the functions that our part of package syscall imports.
const files = "gyr_fs."

var noWork PrimitiveWork

// Primitives is the table of all functions of the host, by the name in Module.Primitives. It is
// never written.
//
// No function calls the guest: the guest asks for its work (nextcall, nextinit).
var Primitives = []PrimitiveInfo{
	// stacks.go
	{"newstack", "p:l", KeepsMemory, CallPrice, noWork, Kept},
	{"switch", "l:", UsesNoMemory, CallPrice, noWork, Switches | Kept},
	{"freestack", "l:", UsesNoMemory, CallPrice, noWork, Kept},
	{"curstack", ":l", UsesNoMemory, CallPrice, noWork, InSnapshot},
	{"getg", ":p", UsesNoMemory, CallPrice, noWork, InSnapshot},
	{"setg", "p:", KeepsMemory, CallPrice, noWork, InSnapshot},

	// init.go
	{"nextinit", ":p", UsesNoMemory, CallPrice, noWork, InSnapshot | StartsInits},

	// traceback.go
	{"callers", "llpl:l", WritesMemory, CallPrice, noWork, InSnapshot},
	{"parentframe", "l:l", UsesNoMemory, CallPrice, noWork, InSnapshot},
	{"pcname", "lpl:l", WritesMemory, CallPrice, noWork, InSnapshot},
	{"pcfile", "lpl:ll", WritesMemory, CallPrice, noWork, InSnapshot},
	{"pcentry", "l:l", UsesNoMemory, CallPrice, noWork, InSnapshot},
	{"pcparams", "l:l", UsesNoMemory, CallPrice, noWork, InSnapshot},
	{"shapestub", "l:l", UsesNoMemory, CallPrice, noWork, InSnapshot},

	// account.go
	{"wanttest", "pl:l", KeepsMemory, CallPrice, noWork, 0},
	{"begintest", "pl:l", KeepsMemory, CallPrice, noWork, 0},
	{"endtest", "l:", UsesNoMemory, CallPrice, noWork, 0},
	{"account", "l:", UsesNoMemory, CallPrice, noWork, 0},
	{"testsover", ":", UsesNoMemory, CallPrice, noWork, 0},

	// fuzz.go
	{"fuzzstep", "pl:l", KeepsMemory, CallPrice, noWork, 0},
	{"fuzzcover", ":l", UsesNoMemory, CallPrice, noWork, 0},
	{"fuzzkeep", "pll:l", KeepsMemory, CallPrice, noWork, 0},

	// malloc.go
	{"malloc", "lpl:p", ReadsMemory, CallPrice, noWork, InSnapshot | AllocatesType},
	{"objectof", "p:pl", ReturnsMemory, CallPrice, noWork, InSnapshot},
	{"follows", "p:l", ReadsMemory, CallPrice, noWork, InSnapshot},
	{"memstats", "p:", WritesMemory, CallPrice, noWork, Kept},
	{"heapbytes", ":l", UsesNoMemory, FreePrice, noWork, Kept},
	{"keepalive", "p:", ReadsMemory, FreePrice, noWork, InSnapshot},

	// collect.go
	{"gc", ":", UsesNoMemory, CallPrice, noWork, Kept},
	{"gcwork", ":l", UsesNoMemory, CallPrice, noWork, Kept},
	{"owed", ":llll", UsesNoMemory, CallPrice, noWork, Kept},
	{"addspecial", "pll:l", KeepsMemory, CallPrice, noWork, Kept},
	{"removespecial", "pll:", ReadsMemory, CallPrice, noWork, Kept},
	{"nextspecial", ":llp", UsesNoMemory, CallPrice, noWork, Kept},

	// clock.go, random.go
	{"nanotime", ":l", UsesNoMemory, CallPrice, noWork, ReadsClock},
	{"walltime", ":lwl", UsesNoMemory, CallPrice, noWork, ReadsClock},
	{"idle", "l:", UsesNoMemory, CallPrice, noWork, ReadsClock},
	{"rand", ":l", UsesNoMemory, CallPrice, noWork, DrawsRandom},
	{"maprand", ":l", UsesNoMemory, CallPrice, noWork, InSnapshot | DrawsRandom},
	{"tracegas", ":l", UsesNoMemory, CallPrice, noWork, Kept},

	// call.go
	{"describe", "lpppp:l", KeepsMemory, CallPrice, noWork, Kept},
	{"values", "p:", KeepsMemory, CallPrice, noWork, Kept},
	{"nextcall", ":ll", UsesNoMemory, CallPrice, noWork, Yields | Kept},
	{"outweigh", ":l", UsesNoMemory, CallPrice, noWork, 0},

	// hostcall.go
	{"hostsize", "llpp:l", ReadsMemory, CallPrice, noWork, CallsHost},
	{"hostcall", "lpp:lll", WritesMemory, CallPrice, noWork, CallsHost},
	{"hostpending", "lp:ll", ReadsMemory, CallPrice, noWork, 0},
	{"hosttake", "lpp:", WritesMemory, CallPrice, noWork, CallsHost},
	{"hostbacksize", "llpp:l", ReadsMemory, CallPrice, noWork, 0},
	{"hostresume", "lpp:lll", ReadsMemory, CallPrice, noWork, 0},
	{"hostabandon", "l:", UsesNoMemory, CallPrice, noWork, 0},
	{"hosttext", "lpl:l", WritesMemory, CallPrice, noWork, CallsHost},

	// kernels.go
	{"sha256block", "ppl:", WritesMemory, BlockPrice, PrimitiveWork{CountedWork, 2, BlockWork}, InSnapshot},
	{"bigadd", "pppl:l", WritesMemory, KernelPrice, PrimitiveWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigsub", "pppl:l", WritesMemory, KernelPrice, PrimitiveWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigmul", "ppplll:l", WritesMemory, KernelPrice, PrimitiveWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigmuladd", "ppplll:l", WritesMemory, KernelPrice, PrimitiveWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigshl", "pppll:l", WritesMemory, KernelPrice, PrimitiveWork{CountedWork, 3, WordWork}, InSnapshot},
	{"bigshr", "pppll:l", WritesMemory, KernelPrice, PrimitiveWork{CountedWork, 3, WordWork}, InSnapshot},
	{"countbyte", "pll:l", ReadsMemory, KernelPrice, PrimitiveWork{CountedWork, 1, MoveWork}, InSnapshot},
	{"crc32", "wlpl:w", ReadsMemory, KernelPrice, PrimitiveWork{CountedWork, 3, HashWork}, InSnapshot},
	{"validutf8", "pl:l", ReadsMemory, KernelPrice, PrimitiveWork{CountedWork, 1, MoveWork}, InSnapshot},

	// system.go
	{"exit", "w:", UsesNoMemory, CallPrice, noWork, 0},
	{"dying", "pl:", ReadsMemory, CallPrice, noWork, 0},
	{"fatal", ":", UsesNoMemory, CallPrice, noWork, 0},
	{"write", "lpw:w", ReadsMemory, CallPrice, noWork, 0},
	{"args", "pl:l", WritesMemory, CallPrice, noWork, ReadsArgs},
	{"environ", "pl:l", WritesMemory, CallPrice, noWork, ReadsEnv},
	{"askenv", "pl:", ReadsMemory, FreePrice, noWork, ReadsEnv},

	// log.go
	{"gyr.logs", "l:w", UsesNoMemory, CallPrice, noWork, ReadsLog},
	{"gyr.log_text", "pl:w", ReadsMemory, CallPrice, PrimitiveWork{CountedWork, 1, IOWork}, 0},
	{"gyr.log_record", "pl:w", ReadsMemory, CallPrice, PrimitiveWork{CountedWork, 1, IOWork}, 0},

	// network.go: connections of the host
	{"netpoll", "l:ll", UsesNoMemory, CallPrice, noWork, 0},
	{network + "granted", ":w", UsesNoMemory, CallPrice, noWork, 0},
	{network + "dial", "wplpl:w", ReadsMemory, CallPrice, noWork, 0},
	{network + "listen", "wplpl:w", ReadsMemory, CallPrice, noWork, 0},
	{network + "outcome", "wpw:ww", WritesMemory, CallPrice, noWork, 0},
	{network + "accept", "ww:w", UsesNoMemory, CallPrice, noWork, 0},
	{network + "readable", "w:w", UsesNoMemory, CallPrice, noWork, 0},
	{network + "read", "wpw:w", WritesMemory, CallPrice, PrimitiveWork{BufferWork, 2, IOWork}, 0},
	{network + "writable", "w:w", UsesNoMemory, CallPrice, noWork, 0},
	{network + "write", "wpw:w", ReadsMemory, CallPrice, PrimitiveWork{BufferWork, 2, IOWork}, 0},
	{network + "shutdown", "ww:w", UsesNoMemory, CallPrice, noWork, 0},
	{network + "close", "ww:w", UsesNoMemory, CallPrice, noWork, 0},

	// processhost.go: programs that the guest starts
	{"child", ":l", UsesNoMemory, CallPrice, noWork, InSnapshot},
	{"sigmask", "l:", UsesNoMemory, CallPrice, noWork, 0},
	{processes + "find", "pl:w", ReadsMemory, CallPrice, noWork, 0},
	{processes + "start", "plp:w", WritesMemory, CallPrice, PrimitiveWork{CountedWork, 1, IOWork}, 0},
	{processes + "wait", "w:ww", UsesNoMemory, CallPrice, noWork, 0},
	{processes + "kill", "ww:w", UsesNoMemory, CallPrice, noWork, 0},
	{processes + "read", "wpw:w", WritesMemory, CallPrice, PrimitiveWork{BufferWork, 2, IOWork}, 0},
	{processes + "write", "wpw:w", ReadsMemory, CallPrice, PrimitiveWork{BufferWork, 2, IOWork}, 0},
	{processes + "close", "ww:w", UsesNoMemory, CallPrice, noWork, 0},
	{processes + "await", ":", UsesNoMemory, CallPrice, noWork, 0},

	// package wasi
	{wasi + "args_get", "pp:w", WritesMemory, CallPrice, noWork, ReadsArgs},
	{wasi + "args_sizes_get", "pp:w", WritesMemory, CallPrice, noWork, ReadsArgs},
	{wasi + "environ_get", "pp:w", WritesMemory, CallPrice, noWork, ReadsEnv},
	{wasi + "environ_sizes_get", "pp:w", WritesMemory, CallPrice, noWork, ReadsEnv},
	{wasi + "clock_time_get", "wlp:w", WritesMemory, CallPrice, noWork, ReadsClock},
	{wasi + "poll_oneoff", "ppwp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "sched_yield", ":w", UsesNoMemory, CallPrice, noWork, 0},
	{wasi + "proc_exit", "w:", UsesNoMemory, CallPrice, noWork, 0},
	{wasi + "random_get", "pw:w", WritesMemory, CallPrice, PrimitiveWork{BufferWork, 1, RandomWork}, DrawsRandom},
	{wasi + "fd_close", "w:w", UsesNoMemory, CallPrice, noWork, 0},
	{wasi + "fd_fdstat_get", "wp:w", WritesMemory, CallPrice, noWork, ReadsGrants},
	{wasi + "fd_fdstat_set_flags", "ww:w", UsesNoMemory, CallPrice, noWork, ReadsGrants},
	{wasi + "fd_fdstat_set_rights", "wll:w", UsesNoMemory, CallPrice, noWork, 0},
	{wasi + "fd_filestat_get", "wp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "fd_filestat_set_size", "wl:w", UsesNoMemory, CallPrice, noWork, 0},
	{wasi + "fd_pread", "wpwlp:w", WritesMemory, CallPrice, PrimitiveWork{VectorWork, 1, IOWork}, 0},
	{wasi + "fd_prestat_dir_name", "wpw:w", WritesMemory, CallPrice, noWork, ReadsGrants},
	{wasi + "fd_prestat_get", "wp:w", WritesMemory, CallPrice, noWork, ReadsGrants},
	{wasi + "fd_pwrite", "wpwlp:w", WritesMemory, CallPrice, PrimitiveWork{VectorWork, 1, IOWork}, 0},
	{wasi + "fd_read", "wpwp:w", WritesMemory, CallPrice, PrimitiveWork{VectorWork, 1, IOWork}, 0},
	{wasi + "fd_readdir", "wpwlp:w", WritesMemory, CallPrice, PrimitiveWork{BufferWork, 2, IOWork}, 0},
	{wasi + "fd_seek", "wlwp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "fd_sync", "w:w", UsesNoMemory, CallPrice, noWork, 0},
	{wasi + "fd_write", "wpwp:w", WritesMemory, CallPrice, PrimitiveWork{VectorWork, 1, IOWork}, 0},
	{wasi + "path_create_directory", "wpw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_filestat_get", "wwpwp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_filestat_set_times", "wwpwllw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_link", "wwpwwpw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_open", "wwpwwllwp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_readlink", "wpwpwp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_remove_directory", "wpw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_rename", "wpwwpw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_symlink", "pwwpw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "path_unlink_file", "wpw:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "sock_accept", "wwp:w", WritesMemory, CallPrice, noWork, 0},
	{wasi + "sock_shutdown", "ww:w", UsesNoMemory, CallPrice, noWork, 0},

	// package wasi, for what WASI preview 1 lacks: permissions
	{files + "open", "wwpwwllwwp:w", WritesMemory, CallPrice, noWork, 0},
	{files + "mkdir", "wpww:w", ReadsMemory, CallPrice, noWork, 0},
	{files + "chmod", "wwpww:w", ReadsMemory, CallPrice, noWork, 0},
	{files + "fchmod", "ww:w", UsesNoMemory, CallPrice, noWork, 0},
	{files + "flock", "ww:w", UsesNoMemory, CallPrice, noWork, 0},
}
