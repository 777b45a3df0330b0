package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Debug holds the settings of the flag -d and of api.Config.Debug.
type Debug struct {
	rt.Debug

	// These settings concern the execution of code.
	Count   bool // count instructions
	Blocks  bool // count them in machine code too, by blocks: see Instance.Executed
	OpStats bool // count operations, pairs and triples too, slowly
	PerfMap bool // announce machine code to perf
	JITDump bool
	GDBJIT  bool // announce machine code to gdb
	IRLines bool

	// These settings concern the compilation. Only the command has them here; Source has fields for
	// them, and gyr.CompileDebug some.
	Verify bool
	NoBase bool
	NoGas  bool
	NoPass []string
}

// A debugSetting describes one setting.
type debugSetting struct {
	name string
	form string // form of the value: "[=N]"; empty: it takes none
	help string // lines of help; empty: the command does not have it
	of   debugOf

	flag  func(*Debug) *bool         // of a setting that takes no value
	parse func(*Debug, string) error // of a setting that may have a value
}

// debugOf is the subject of a setting.
type debugOf uint8

const (
	ofRuns debugOf = iota
	ofCode         // announces machine code to other programs
	ofCompiling
)

// debugSettings is the table of settings: parsing, help and checks use it.
var debugSettings = []debugSetting{
	{"gcstress", "[=N]",
		"collect at every slow path of an allocation, or before every N-th allocation,\nand when a stack grows", ofRuns,
		nil, setStress},
	{"poison", "", "fill the memory of dead objects with a pattern", ofRuns, func(d *Debug) *bool { return &d.Poison },
		nil},
	{"count", "", "", ofRuns, func(d *Debug) *bool { return &d.Count }, nil},
	{"blocks", "", "", ofRuns, func(d *Debug) *bool { return &d.Blocks }, nil},
	{"opstats", "", "print the most frequent instructions of the interpreter, pairs and triples", ofRuns,
		func(d *Debug) *bool { return &d.OpStats }, nil},
	{"verify", "", "check the IR after every pass", ofCompiling, func(d *Debug) *bool { return &d.Verify }, nil},
	{"perfmap", "", "write the names of machine code to /tmp/perf-PID.map, for perf", ofCode,
		func(d *Debug) *bool { return &d.PerfMap }, nil},
	{"jitdump", "",
		"write machine code with lines to jit-PID.dump in the directory for\ntemporary files, for perf record -k mono and perf inject --jit", ofCode, func(d *Debug) *bool { return &d.JITDump }, nil},
	{"gdbjit", "", "tell gdb the names, lines and frames of machine code", ofCode,
		func(d *Debug) *bool { return &d.GDBJIT }, nil},
	{"irlines", "", "with these two: lines are those of files with the IR", ofRuns,
		func(d *Debug) *bool { return &d.IRLines }, nil},
	{"nobase", "", "compile programs whole, with what they need of std, not on the precompiled one", ofCompiling,
		func(d *Debug) *bool { return &d.NoBase }, nil},
	{"nogas", "", "charge nothing, to measure what charging costs; needs -realtime", ofCompiling,
		func(d *Debug) *bool { return &d.NoGas }, nil},
	{"nopass", "=NAME[:NAME...]", "leave out passes of the optimiser, or the groups phasea, phaseb, all", ofCompiling,
		nil, setNoPass},
}

func setStress(d *Debug, value string) error {
	d.GCStress = rt.StressSlowPaths
	if value == "" {
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 {
		return fmt.Errorf("gcstress=%s: want the number of allocations between collections", value)
	}
	d.GCStress = n
	return nil
}

// setNoPass adds to the passes that are left out.
func setNoPass(d *Debug, value string) error {
	names, groups := Passes()
	list := strings.Split(value, ":")
	for _, name := range list {
		if !slices.Contains(names, name) && !slices.Contains(groups, name) {
			return fmt.Errorf("nopass: no pass %q; the passes are %s, the groups %s", name, strings.Join(names, ", "),
				strings.Join(groups, ", "))
		}
	}
	d.NoPass = append(d.NoPass, list...)
	return nil
}

// findSetting returns the setting with a name, among those for which has reports true.
func findSetting(name string, has func(*debugSetting) bool) (*debugSetting, error) {
	var names []string
	for i := range debugSettings {
		s := &debugSettings[i]
		if !has(s) {
			continue
		}
		if s.name == name {
			return s, nil
		}
		names = append(names, s.name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no debug setting %q; there are %s", name, strings.Join(names, ", "))
}

func (s *debugSetting) apply(d *Debug, value string) error {
	if s.parse != nil {
		return s.parse(d, value)
	}
	if value != "" {
		return fmt.Errorf("%s=%s: %s takes no value", s.name, value, s.name)
	}
	*s.flag(d) = true
	return nil
}

// DebugOf reads the settings of api.Config.Debug, all of them about runs.
func DebugOf(settings map[string]string) (d Debug, err error) {
	for name, value := range settings {
		s, err := findSetting(name, func(s *debugSetting) bool { return s.of != ofCompiling })
		if err == nil {
			err = s.apply(&d, value)
		}
		if err != nil {
			return Debug{}, configError("Debug", err)
		}
	}
	return d, nil
}

// Set parses name[=value],..., the form of the command's flag -d. Commas may also separate names of
// passes: after nopass, a name that is not a setting is a pass.
func (d *Debug) Set(text string) error {
	last := ""
	for _, part := range strings.Split(text, ",") {
		name, value, has := strings.Cut(part, "=")
		s, err := findSetting(name, func(s *debugSetting) bool { return s.help != "" })
		switch {
		case err == nil:
			if err := s.apply(d, value); err != nil {
				return err
			}
			last = name
		case !has && last == "nopass":
			if err := setNoPass(d, name); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// String makes *Debug a flag.Value. It is empty, because the settings have no default.
func (d *Debug) String() string { return "" }

// DebugHelp returns the help text of the command's flag -d: one or more lines for each setting.
func DebugHelp() string {
	const column = 14
	var b strings.Builder
	for i := range debugSettings {
		s := &debugSettings[i]
		if s.help == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		head := s.name + s.form
		fmt.Fprintf(&b, "%-*s", column, head)
		if len(head) >= column {
			b.WriteString("  ")
		}
		b.WriteString(strings.ReplaceAll(s.help, "\n", "\n"+strings.Repeat(" ", column)))
	}
	return b.String()
}

// tells returns the names of those settings that announce machine code to other programs.
func (d *Debug) tells() (kinds []string) {
	for i := range debugSettings {
		if s := &debugSettings[i]; s.of == ofCode && *s.flag(d) {
			kinds = append(kinds, s.name)
		}
	}
	return kinds
}
