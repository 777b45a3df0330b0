package rt

import "github.com/gyrvm/gyr/internal/wasi"

// A hostFunc is one line of the table below: the name, the machine signature
// as ir.Sig.Key spells it (w int32, l 64 bits, p pointer), the function.
type hostFunc struct {
	name, sig string
	fn        Func
}

var hostFuncs = []hostFunc{
	// stacks.go
	{"newstack", "p:l", hostNewstack},
	{"switch", "l:", hostSwitch},
	{"freestack", "l:", hostFreestack},
	{"curstack", ":l", hostCurstack},
	{"getg", ":p", hostGetg},
	{"setg", "p:", hostSetg},

	// init.go
	{"nextinit", ":p", hostNextinit},

	// traceback.go
	{"callers", "llpl:l", hostCallers},
	{"parentframe", "l:l", hostParentframe},
	{"pcname", "lpl:l", hostPcname},
	{"pcfile", "lpl:ll", hostPcfile},
	{"pcentry", "l:l", hostPcentry},
	{"pcparams", "l:l", hostPcparams},
	{"shapestub", "l:l", hostShapestub},

	// account.go
	{"wanttest", "pl:l", hostWanttest},
	{"begintest", "pl:l", hostBegintest},
	{"endtest", "l:", hostEndtest},
	{"account", "l:", hostAccount},
	{"testsover", ":", hostTestsover},

	// fuzz.go
	{"fuzzstep", "pl:l", hostFuzzstep},
	{"fuzzcover", ":l", hostFuzzcover},
	{"fuzzkeep", "pll:l", hostFuzzkeep},

	// malloc.go
	{"malloc", "lpl:p", hostMalloc},
	{"objectof", "p:pl", hostObjectof},
	{"follows", "p:l", hostFollows},
	{"memstats", "p:", hostMemstats},
	{"heapbytes", ":l", hostHeapbytes},
	{"keepalive", "p:", hostKeepalive},

	// collect.go
	{"gc", ":", hostGC},
	{"gcwork", ":l", hostGcwork},
	{"owed", ":llll", hostOwed},
	{"addspecial", "pll:l", hostAddspecial},
	{"removespecial", "pll:", hostRemovespecial},
	{"nextspecial", ":llp", hostNextspecial},

	// clock.go, random.go
	{"nanotime", ":l", hostNanotime},
	{"walltime", ":lw", hostWalltime},
	{"idle", "l:", hostIdle},
	{"rand", ":l", hostRand},
	{"maprand", ":l", hostRand},
	{"tracegas", ":l", hostTracegas},

	// call.go
	{"describe", "lpppp:", hostDescribe},
	{"nextcall", ":l", hostNextcall},

	// kernels.go
	{"sha256block", "ppl:", hostSHA256block},
	{"bigadd", "pppl:l", hostBigadd},
	{"bigsub", "pppl:l", hostBigsub},
	{"bigmul", "ppplll:l", hostBigmul},
	{"bigmuladd", "ppplll:l", hostBigmuladd},
	{"bigshl", "pppll:l", hostBigshl},
	{"bigshr", "pppll:l", hostBigshr},
	{"countbyte", "pll:l", hostCountbyte},
	{"crc32", "wlpl:w", hostCRC32},

	// system.go
	{"exit", "w:", hostExit},
	{"dying", ":", hostDying},
	{"fatal", "pl:", hostFatal},
	{"write", "lpw:w", hostWrite},
	{"args", "pl:l", hostArgs},
	{"environ", "pl:l", hostEnviron},
	{"askenv", "pl:", hostAskenv},
}

// wasiSigs are the signatures with which GOROOT imports package wasi's functions.
var wasiSigs = map[string]string{
	"args_get":                "pp:w",
	"args_sizes_get":          "pp:w",
	"environ_get":             "pp:w",
	"environ_sizes_get":       "pp:w",
	"clock_time_get":          "wlp:w",
	"poll_oneoff":             "ppwp:w",
	"sched_yield":             ":w",
	"proc_exit":               "w:",
	"random_get":              "pw:w",
	"fd_close":                "w:w",
	"fd_fdstat_get":           "wp:w",
	"fd_fdstat_set_flags":     "ww:w",
	"fd_fdstat_set_rights":    "wll:w",
	"fd_filestat_get":         "wp:w",
	"fd_filestat_set_size":    "wl:w",
	"fd_pread":                "wpwlp:w",
	"fd_prestat_dir_name":     "wpw:w",
	"fd_prestat_get":          "wp:w",
	"fd_pwrite":               "wpwlp:w",
	"fd_read":                 "wpwp:w",
	"fd_readdir":              "wpwlp:w",
	"fd_seek":                 "wlwp:w",
	"fd_sync":                 "w:w",
	"fd_write":                "wpwp:w",
	"path_create_directory":   "wpw:w",
	"path_filestat_get":       "wwpwp:w",
	"path_filestat_set_times": "wwpwllw:w",
	"path_link":               "wwpwwpw:w",
	"path_open":               "wwpwwllwp:w",
	"path_readlink":           "wpwpwp:w",
	"path_remove_directory":   "wpw:w",
	"path_rename":             "wpwwpw:w",
	"path_symlink":            "pwwpw:w",
	"path_unlink_file":        "wpw:w",
	"sock_accept":             "wwp:w",
	"sock_shutdown":           "ww:w",
}

// Host is the table of all host functions, by the name in Module.Hosts. Sigs
// has the key of each one's signature. Neither is written after initialisation.
var Host, Sigs = table()

func table() (map[string]Func, map[string]string) {
	host, sigs := map[string]Func{}, map[string]string{}
	for _, f := range hostFuncs {
		host[f.name], sigs[f.name] = f.fn, f.sig
	}
	for name, f := range wasi.Funcs {
		full := wasi.Module + "." + name
		host[full], sigs[full] = imported(name, f), wasiSigs[name]
	}
	return host, sigs
}

// hostTracegas returns the gas used so far.
func hostTracegas(vm *VM, a *[16]uint64) Status {
	a[0] = uint64(vm.Exec.GasUsed())
	return OK
}
