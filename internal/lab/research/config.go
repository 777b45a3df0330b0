package research

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/mutate"
	"github.com/gyrvm/gyr/internal/tools/spelling"
)

//go:generate go test . -run ^TestConfigDocs$ -update

// A Config is the content of research.json. A missing key has the default that its field names.
type Config struct {
	Schema     string     `json:"$schema"`    // address of the schema, for editors; not read
	Name       string     `json:"name"`       // of the session, in words
	Session    string     `json:"session"`    // name in refs and directories; default: made from name
	Base       string     `json:"base"`       // revision; default HEAD
	Scope      Scope      `json:"scope"`      // what a candidate may change
	Metrics    []Metric   `json:"metrics"`    // what is measured; at least one has a goal
	Battery    []Check    `json:"battery"`    // default: build, vet and test all packages
	Hidden     *Hidden    `json:"hidden"`     // checks that no proposer sees; default: none
	Risk       Risk       `json:"risk"`       // what the risk lint's findings do
	Evaluator  []string   `json:"evaluator"`  // patterns of additional files that judge; nobody may change them
	Proposer   Proposer   `json:"proposer"`   // what makes candidates
	Statistics Statistics `json:"statistics"` // how noisy metrics are compared
	Stop       Stop       `json:"stop"`       // when the session ends
	Parallel   Parallel   `json:"parallel"`   // how many work at once
	Limits     Limits     `json:"limits"`     // time limits of checks
	Mirror     string     `json:"mirror"`     // file that gets the log in pi's form, such as .auto/log.jsonl; default: none
	Visible    []string   `json:"visible"`    // additional files and directories that the sandbox around candidates shows read-only
	Sandbox    string     `json:"sandbox"`    // bubblewrap around candidates: auto (default: if it works), off, require

	File string `json:"-"` // its name
	Dir  string `json:"-"` // directory of the file; this machine's paths are relative to it
	Text []byte `json:"-"`

	effort string
	replay *ReplayOptions // nil: no replay; a replay's segments begin at the base, not where the last one ended
}

// A Scope says which files a candidate may change. Patterns are paths from the top, with * for a
// part of a name and ** for any number of directories.
type Scope struct {
	Allow        []string `json:"allow"`        // default: all
	Deny         []string `json:"deny"`         // default: tests and their data, modules, vendored code, git's own files
	MaxDiffLines int      `json:"maxDiffLines"` // largest number of lines that a candidate adds and removes; default: no limit
}

// A Metric is one figure. It is an objective if it has a goal, a guard if it has one, and otherwise
// for information.
type Metric struct {
	Name       string            `json:"name"`       // of the figure: letters, digits and _ . / µ -
	From       string            `json:"from"`       // where it comes from: a benchmark's line, gyr run -stats=json, METRIC lines of a command, a file's size, or the kernel's account of a process
	Bench      string            `json:"bench"`      // gobench, rusage: the benchmark; default: the previous metric's
	Subs       []string          `json:"subs"`       // gobench, rusage: sub-benchmarks of the benchmark; the metric is the geometric mean of their values, and a guard's maxRegression holds for each
	Pkg        string            `json:"pkg"`        // gobench, rusage: its package; default: the previous metric's; engine: the test's package
	Iterations int               `json:"iterations"` // of one sample of a benchmark; default: as many as take 100 ms
	Run        []string          `json:"run"`        // command, rusage: the command
	Env        map[string]string `json:"env"`        // command, rusage: variables of its environment
	Program    string            `json:"program"`    // engine: the package of the program whose figure gyr run -stats=json gives; default: program or test of the previous metric
	Test       string            `json:"test"`       // engine: a test of pkg; gyr test -gasreport gives its gas, allocations, bytes or peak; "all" is the whole package
	Args       []string          `json:"args"`       // engine: arguments of the program
	Path       string            `json:"path"`       // file: its path from the top
	// of the benchmark's line or the METRIC line; the engine's figure; cpu-ns, peak-bytes, wall-ns
	// of rusage, and cpu-ns/op of a benchmark's process
	Unit      string   `json:"unit"`
	Goal      string   `json:"goal"`          // makes it an objective: less or more is better
	Class     string   `json:"class"`         // how it is compared; auto (default): as the calibration finds
	MinEffect Amount   `json:"minEffect"`     // the least gain that counts, and the least loss of an exact metric; default: any
	Guard     *Guard   `json:"guard"`         // bounds that the candidate must keep; default: none
	Timeout   Duration `json:"timeout"`       // of one sample; default 5m
	Suspect   float64  `json:"suspectFactor"` // a larger gain goes to a human; default: that of statistics

	of   []string // names of the metrics whose geometric mean it is; nil: it is measured itself
	part string   // goal of the metric that it is a part of
}

// A Guard bounds a metric.
type Guard struct {
	MaxRegression *Amount  `json:"maxRegression"` // against the parent; "auto": the least that can be held under the noise of the calibration, or of the candidate's pairs
	Max           *float64 `json:"max"`           // largest value that the candidate may have
	Min           *float64 `json:"min"`           // smallest value that the candidate may have

	auto bool // the calibration set MaxRegression, and the noise of a candidate's pairs may raise it
}

// A Check is one check of the battery.
type Check struct {
	Name      string            `json:"name"`      // of the check, for verdicts
	Kind      string            `json:"kind"`      // a command (default), coverage of changed lines, unchanged API, gofmt, or a reviewer's command
	Run       []string          `json:"run"`       // command, review: the command
	Dir       string            `json:"dir"`       // its directory, from the top
	Env       map[string]string `json:"env"`       // variables of its environment
	When      string            `json:"when"`      // always (default), keep, risk:LABEL
	TestsFrom string            `json:"testsFrom"` // base (default) or candidate
	Golden    string            `json:"golden"`    // file of the base that standard output must equal
	Compare   string            `json:"compare"`   // parent: standard output must equal the parent's
	Packages  []string          `json:"packages"`  // diffcover: packages whose tests count; default ./...
	Max       *int              `json:"max"`       // diffcover: changed lines that need not be run by a test; default: any number
	Advisory  bool              `json:"advisory"`  // a failure is noted and does not refuse
	Timeout   Duration          `json:"timeout"`   // default: that of limits
}

// Hidden sets checks that no proposer sees: files that are laid over the checkout.
type Hidden struct {
	Dir     string   `json:"dir"`     // of the files
	Run     []string `json:"run"`     // the command that fails if one of the checks does
	Timeout Duration `json:"timeout"` // default 10m
}

// Risk sets the effect of the risk lint's findings, by rule or label.
type Risk struct {
	Off    []string `json:"off"`    // not looked for; may also name differential and mutation, which any change of Go code meets
	Allow  []string `json:"allow"`  // noted, without effect
	Reject []string `json:"reject"` // refused, whatever the checks say
	// effect on a gain if a check that was asked for did not run: refuse (default) or keep
	Unchecked string `json:"unchecked"`
}

// A Proposer makes candidates.
type Proposer struct {
	Kind    string   `json:"kind"`    // default manual
	Run     []string `json:"run"`     // command, agent: {brief}, {prompt}, {out} and {worktree} are replaced
	Dir     string   `json:"dir"`     // patches: a directory, with a file series or in the order of names
	Range   string   `json:"range"`   // range: A..B
	Params  []Param  `json:"params"`  // sweep: its axes
	Shuffle *uint64  `json:"shuffle"` // seed of a random order of patches, commits or points
	OnBase  bool     `json:"onBase"`  // patches, range: each is judged on the base, not on what was kept, and the branch does not move
	Ideas   string   `json:"ideas"`   // file whose text goes into the brief and the prompt
	Profile *bool    `json:"profile"` // profiles and hot functions of the first benchmark go into the brief; default true
	Timeout Duration `json:"timeout"` // of one proposal; default 20m

	URL       string  `json:"url"`       // http: address of an endpoint of the chat-completions kind
	Model     string  `json:"model"`     // http: the model's name there
	KeyEnv    string  `json:"keyEnv"`    // http: environment variable with the key, which no other process of the session gets; default: no key
	MaxTokens int64   `json:"maxTokens"` // http: of one answer; default 8000
	InPrice   float64 `json:"inPrice"`   // http: dollars for a million tokens of the question
	OutPrice  float64 `json:"outPrice"`  // http: dollars for a million tokens of the answer

	Mutations []string `json:"mutations"` // mutate: rewrites by name; default: all
	Combine   bool     `json:"combine"`   // when there are no more ideas, propose pairs of candidates that gained too little alone

	Sandbox  bool     `json:"sandbox"`  // command, agent: run it in bubblewrap
	Writable []string `json:"writable"` // additional directories that it may write to in the sandbox
}

// A Param is an axis of a sweep. In the source, its place is a line that ends in the comment
// "//research:param NAME"; the text between = and the comment is replaced. Otherwise it is an
// environment variable of checks and benchmarks, or a string variable that the linker sets:
// import/path.name.
type Param struct {
	Name   string   `json:"name"`   // of the mark, the environment variable or the linker's variable
	Values []string `json:"values"` // values to try
	In     string   `json:"in"`     // where it is set; default source
}

// Statistics sets how noisy metrics are compared.
type Statistics struct {
	Alpha       float64 `json:"alpha"`         // one-sided level at which a gain is accepted; default 0.01
	Pairs       []int   `json:"pairs"`         // numbers of pairs after which the trial looks; default 8, 16, 32
	Confirm     *bool   `json:"confirm"`       // a gain must show again in fresh pairs; default true
	AAEvery     int     `json:"aaEvery"`       // candidates between canaries; default 10, -1: none
	Calibrate   int     `json:"calibrate"`     // pairs of the calibration; default 10
	Plant       *Amount `json:"plant"`         // slow-down that the calibration must see; default 5%, 0: none
	KeepSimpler bool    `json:"keepSimpler"`   // keep a candidate that has no effect and removes lines
	Suspect     float64 `json:"suspectFactor"` // a larger gain goes to a human; default 20
}

// Stop bounds a session.
type Stop struct {
	Experiments int                `json:"experiments"` // candidates; default 25
	Wall        Duration           `json:"wall"`        // time of the driver; default 2h
	Plateau     int                `json:"plateau"`     // measured candidates without a keep; default 12
	Failures    int                `json:"failures"`    // consecutive candidates that were not measured; default 10
	Cost        Money              `json:"cost"`        // of proposals; default: no limit
	Tokens      int64              `json:"tokens"`      // of proposals; default: no limit
	Disk        int64              `json:"disk"`        // bytes that must stay free; default 200 MB
	Target      map[string]float64 `json:"target"`      // metric -> value at which the goal is reached
}

// Parallel sets how many work at once.
type Parallel struct {
	Propose int    `json:"propose"` // commands of the proposer, or candidates for workers, on the same tip; default 1
	Measure int    `json:"measure"` // must be one
	CPUs    string `json:"cpus"`    // auto: all
}

// Limits are the time limits of checks without one of their own.
type Limits struct {
	Build Duration `json:"build"` // go build, go vet, and a benchmark's test binary; default 10m
	Test  Duration `json:"test"`  // all other checks; default 10m
	Race  Duration `json:"race"`  // the tests with the flags of a risk's check, such as -race; default 20m
	// on Linux: a candidate's test binary is ended after this many times the parent's processor
	// time or waiting time, and extra; default 10, -1: never
	Times float64  `json:"times"`
	Extra Duration `json:"extra"` // additional processor time or waiting time; default 30s
}

// limit is the time limit of a check.
func (c *Config) limit(k *Check) time.Duration {
	def := c.Limits.Test.or(checkTimeout)
	if k.builds() {
		def = c.Limits.Build.or(checkTimeout)
	}
	if slices.Contains(k.Run, "-race") {
		def = c.Limits.Race.or(raceTimeout)
	}
	return k.Timeout.or(def)
}

// builds reports whether a check runs none of the code.
func (k *Check) builds() bool {
	return len(k.Run) > 1 && k.Run[0] == "go" && (k.Run[1] == "build" || k.Run[1] == "vet")
}

// An Amount is a number or a percentage: 1, "1", "2%". A guard's may be "auto", until the
// calibration sets it.
type Amount struct {
	Value   float64
	Percent bool
	Auto    bool
}

// UnmarshalJSON reads a number or a string.
func (a *Amount) UnmarshalJSON(text []byte) error {
	s := strings.Trim(string(text), `"`)
	if s == "auto" {
		*a = Amount{Auto: true}
		return nil
	}
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || v < 0 {
		return fmt.Errorf("%s is no amount; want a number or a percentage", text)
	}
	*a = Amount{Value: v, Percent: percent}
	return nil
}

func (a Amount) String() string {
	if a.Auto {
		return "what noise hides"
	}
	s := strconv.FormatFloat(a.Value, 'g', -1, 64)
	if a.Percent {
		s += "%"
	}
	return s
}

// of is the amount in the unit of a value.
func (a Amount) of(value float64) float64 {
	if a.Percent {
		return a.Value / 100 * max(value, -value)
	}
	return a.Value
}

// part is the amount as a part of a value.
func (a Amount) part(value float64) float64 {
	switch {
	case a.Percent:
		return a.Value / 100
	case value == 0:
		return 0
	}
	return a.Value / max(value, -value)
}

// A Duration is written as in Go: "90s", "2h".
type Duration time.Duration

// UnmarshalJSON reads a string.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s is no duration; want a string such as \"90s\"", text)
	}
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is no duration; want one such as \"90s\"", s)
	}
	*d = Duration(v)
	return nil
}

func (d Duration) or(def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return time.Duration(d)
}

// Money is a number of US dollars: "5 USD".
type Money float64

// UnmarshalJSON reads a number or a string.
func (m *Money) UnmarshalJSON(text []byte) error {
	s := strings.TrimSpace(strings.TrimSuffix(strings.Trim(string(text), `"`), "USD"))
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 0 {
		return fmt.Errorf("%s is no cost; want one such as \"5 USD\"", text)
	}
	*m = Money(v)
	return nil
}

// A ConfigError is a mistake in research.json.
type ConfigError struct {
	File string
	Path string // of the value: metrics[1].goal
	Msg  string
}

func (e *ConfigError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s: %s: %s", e.File, e.Path, e.Msg)
}

// LoadConfig reads a file and checks it.
func LoadConfig(file string) (*Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := ParseConfig(file, text)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	c.Dir, c.File = filepath.Split(abs)
	c.Dir = filepath.Clean(c.Dir)
	return c, nil
}

// ParseConfig reads the text of a file and checks it. Unknown keys, and keys that
// appear twice, are errors.
func ParseConfig(file string, text []byte) (*Config, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if err := checkKeys(d, reflect.TypeFor[Config](), ""); err != nil {
		return nil, configError(file, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &ConfigError{file, "", "text behind the object"}
	}
	c := &Config{Text: text}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, configError(file, err)
	}
	c.setDefaults()
	if err := c.check(); err != nil {
		return nil, configError(file, err)
	}
	if err := c.expand(); err != nil {
		return nil, configError(file, err)
	}
	return c, nil
}

// configError puts the file's name before an error.
func configError(file string, err error) error {
	var e *ConfigError
	if errors.As(err, &e) {
		e.File = file
		return e
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return &ConfigError{file, kind.Field, "a " + kind.Value + " is no " + kind.Type.String()}
	}
	return &ConfigError{file, "", err.Error()}
}

// checkKeys reads one value and reports a key that the type does not have. Maps, and types that
// read themselves, take any key.
func checkKeys(d *json.Decoder, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			elem := reflect.TypeFor[any]()
			if t.Kind() == reflect.Slice {
				elem = t.Elem()
			}
			if err := checkKeys(d, elem, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		seen := map[string]bool{}
		fields := fieldTypes(t)
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return err
			}
			key := token.(string)
			at := strings.TrimPrefix(path+"."+key, ".")
			if seen[key] {
				return &ConfigError{Path: at, Msg: "appears twice"}
			}
			seen[key] = true
			field, ok := fields[key]
			switch {
			case ok:
			case t.Kind() == reflect.Map:
				field = t.Elem()
			case t.Kind() == reflect.Struct:
				var names []string
				for name := range fields {
					names = append(names, name)
				}
				slices.Sort(names)
				msg := "unknown key"
				if near := spelling.Nearest(key, names); near != "" {
					msg += "; did you mean " + near + "?"
				}
				return &ConfigError{Path: at, Msg: msg}
			default:
				field = reflect.TypeFor[any]()
			}
			if err := checkKeys(d, field, at); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, err = d.Token()
	return err
}

// fieldTypes are the fields of a struct by their keys.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "" && key != "-" {
				fields[key] = t.Field(i).Type
			}
		}
	}
	return fields
}

// defaultDeny are the files that no candidate changes unless the scope says so.
var defaultDeny = []string{"**/*_test.go", "**/testdata/**", "go.mod", "go.sum", "go.work", "go.work.sum",
	"**/vendor/**", "**/.git*", ".github/**"}

// Values of risk.unchecked.
const (
	uncheckedRefuse = "refuse"
	uncheckedKeep   = "keep"
)

const (
	sampleTimeout   = 5 * time.Minute
	checkTimeout    = 10 * time.Minute
	raceTimeout     = 20 * time.Minute
	proposerTimeout = 20 * time.Minute
)

func (c *Config) setDefaults() {
	setDefault(&c.Base, "HEAD")
	setDefault(&c.effort, effortNormal)
	setDefault(&c.Session, slug(c.Name))
	if c.Scope.Allow == nil {
		c.Scope.Allow = []string{"**"}
	}
	if c.Scope.Deny == nil {
		c.Scope.Deny = defaultDeny
	}
	if c.Battery == nil {
		c.Battery = []Check{
			{Name: "build", Run: []string{"go", "build", "./..."}},
			{Name: "vet", Run: []string{"go", "vet", "./..."}},
			{Name: "test", Run: []string{"go", "test", "./..."}},
		}
	}
	for i := range c.Battery {
		k := &c.Battery[i]
		setDefault(&k.Kind, "command")
		setDefault(&k.When, "always")
		setDefault(&k.TestsFrom, "base")
		if k.Packages == nil {
			k.Packages = []string{"./..."}
		}
	}
	var last, engine Metric
	for i := range c.Metrics {
		m := &c.Metrics[i]
		setDefault(&m.Class, "auto")
		if m.From == "engine" {
			if m.Program == "" && m.Test == "" {
				m.Program, m.Args, m.Test, m.Pkg = engine.Program, engine.Args, engine.Test, engine.Pkg
			}
			if m.Test != "" {
				setDefault(&m.Pkg, ".")
				setDefault(&m.Unit, m.Name)
			}
			engine = *m
		}
		if m.From == "gobench" || m.From == "rusage" && m.Run == nil {
			if m.Bench == "" && m.Subs == nil {
				m.Subs = last.Subs
			}
			setDefault(&m.Bench, last.Bench)
			setDefault(&m.Pkg, last.Pkg)
			setDefault(&m.Pkg, ".")
			if m.Bench == last.Bench && m.Pkg == last.Pkg && slices.Equal(m.Subs, last.Subs) {
				setDefault(&m.Iterations, last.Iterations)
			}
			last = *m
		}
	}
	setDefault(&c.Risk.Unchecked, uncheckedRefuse)
	setDefault(&c.Sandbox, sandboxAuto)
	setDefault(&c.Proposer.Kind, "manual")
	for i := range c.Proposer.Params {
		setDefault(&c.Proposer.Params[i].In, "source")
	}
	s := &c.Statistics
	setDefault(&s.Alpha, 0.01)
	setDefault(&s.AAEvery, 10)
	setDefault(&s.Calibrate, 10)
	setDefault(&s.Suspect, 20)
	if s.Plant == nil {
		s.Plant = &Amount{Value: 5, Percent: true}
	}
	if s.Pairs == nil {
		s.Pairs = measure.DefaultPlan(s.Alpha).Looks
	}
	if s.Confirm == nil {
		s.Confirm = new(bool)
		*s.Confirm = true
	}
	setDefault(&c.Stop.Experiments, 25)
	setDefault(&c.Stop.Wall, Duration(2*time.Hour))
	setDefault(&c.Stop.Plateau, 12)
	setDefault(&c.Stop.Failures, 10)
	setDefault(&c.Stop.Disk, 200<<20)
	setDefault(&c.Parallel.Propose, 1)
	setDefault(&c.Parallel.Measure, 1)
}

func setDefault[T comparable](p *T, def T) {
	var zero T
	if *p == zero {
		*p = def
	}
}

// slug makes a name for a directory and a ref: small letters, digits and dashes.
func slug(name string) string {
	s := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return ' '
	}, name)
	return strings.Join(strings.Fields(s), "-")
}

// oneOf is the error for a value that is not among the allowed ones.
func oneOf(path, value string, names ...string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return &ConfigError{Path: path, Msg: fmt.Sprintf("%q is none of %s", value, strings.Join(names, ", "))}
}

func (c *Config) check() error {
	bad := func(path, format string, args ...any) error {
		return &ConfigError{Path: path, Msg: fmt.Sprintf(format, args...)}
	}
	if c.Name == "" {
		return bad("name", "missing")
	}
	if c.Session == "" || c.Session != slug(c.Session) {
		return bad("session", "%q is no name of small letters, digits and dashes", c.Session)
	}
	names, objectives := map[string]bool{}, 0
	for i := range c.Metrics {
		m, at := &c.Metrics[i], fmt.Sprintf("metrics[%d].", i)
		if !measure.MetricName(m.Name) {
			return bad(at+"name", "%q is no name of a metric: letters, digits and _ . / µ -", m.Name)
		}
		if names[m.Name] {
			return bad(at+"name", "%s appears twice", m.Name)
		}
		names[m.Name] = true
		if err := errors.Join(oneOf(at+"from", m.From, "gobench", "engine", "command", "file", "rusage"),
			oneOf(at+"goal", m.Goal, "", "min", "max"),
			oneOf(at+"class", m.Class, "auto", "exact", "near-exact", "noisy")); err != nil {
			return err
		}
		if m.Goal != "" {
			objectives++
		}
		switch {
		case m.From == "gobench" && m.Bench == "":
			return bad(at+"bench", "missing")
		case m.From == "gobench" && m.Unit == "":
			return bad(at+"unit", "missing: such as allocs/op or ns/op")
		case m.From == "command" && len(m.Run) == 0:
			return bad(at+"run", "missing")
		case m.From == "engine" && (m.Program == "") == (m.Test == ""):
			return bad(at+"program", "the engine runs a program or a test, one of them")
		case m.From == "engine" && m.Test != "" && !slices.Contains(reportFigures, m.Unit):
			return bad(at+"unit", "%q is none of %s", m.Unit, strings.Join(reportFigures, ", "))
		case m.From == "file" && m.Path == "":
			return bad(at+"path", "missing")
		case m.From == "rusage" && len(m.Run) == 0 && m.Bench == "":
			return bad(at+"run", "missing, and there is no benchmark before")
		case m.Iterations < 0:
			return bad(at+"iterations", "negative")
		case m.Suspect != 0 && m.Suspect <= 1:
			return bad(at+"suspectFactor", "%v is not above 1", m.Suspect)
		}
		if m.From == "rusage" {
			if err := oneOf(at+"unit", m.Unit, "cpu-ns", cpuPerOp, "wall-ns", "peak-bytes"); err != nil {
				return err
			}
		}
		if m.From == "rusage" && m.Unit == cpuPerOp && m.Bench == "" {
			return bad(at+"unit", "%s is of a benchmark", cpuPerOp)
		}
		if m.Goal != "" && m.From == "rusage" && m.Unit == "cpu-ns" && m.Bench != "" {
			return bad(at+"unit", "the processor time of a benchmark's process includes its start; an objective is per operation: %s", cpuPerOp)
		}
		if m.MinEffect.Auto {
			return bad(at+"minEffect", "only a guard can be auto")
		}
		if m.Guard != nil && m.Guard.MaxRegression == nil && m.Guard.Max == nil && m.Guard.Min == nil {
			return bad(at+"guard", "bounds nothing")
		}
	}
	if objectives == 0 {
		return bad("metrics", "no metric has a goal")
	}
	checks := map[string]bool{"hidden": true, "scope": true}
	for i := range c.Battery {
		k, at := &c.Battery[i], fmt.Sprintf("battery[%d].", i)
		if k.Name == "" || checks[k.Name] {
			return bad(at+"name", "%q is missing, taken or there twice", k.Name)
		}
		checks[k.Name] = true
		if err := errors.Join(oneOf(at+"kind", k.Kind, "command", "diffcover", "api", "format", "review"),
			oneOf(at+"testsFrom", k.TestsFrom, "base", "candidate"), oneOf(at+"compare", k.Compare, "", "parent")); err != nil {
			return err
		}
		if k.When != "always" && k.When != "keep" && !strings.HasPrefix(k.When, "risk:") {
			return bad(at+"when", "%q is none of always, keep, risk:LABEL", k.When)
		}
		if (k.Kind == "command" || k.Kind == "review") != (len(k.Run) > 0) {
			return bad(at+"run", "a check of kind command or review has a command, and no other")
		}
	}
	if c.Hidden != nil && (c.Hidden.Dir == "" || len(c.Hidden.Run) == 0) {
		return bad("hidden", "needs dir and run")
	}
	if err := errors.Join(oneOf("risk.unchecked", c.Risk.Unchecked, uncheckedRefuse, uncheckedKeep),
		oneOf("sandbox", c.Sandbox, sandboxAuto, sandboxOff, sandboxRequire)); err != nil {
		return err
	}
	p := &c.Proposer
	if err := oneOf("proposer.kind", p.Kind, "command", "agent", "http", "patches", "range", "sweep", "mutate", "manual"); err != nil {
		return err
	}
	switch {
	case p.Kind == "http" && (p.URL == "" || p.Model == ""):
		return bad("proposer.url", "an endpoint needs url and model")
	case p.InPrice < 0 || p.OutPrice < 0 || p.MaxTokens < 0:
		return bad("proposer.inPrice", "negative prices or tokens")
	case c.Stop.Cost > 0 && p.Kind == "http" && p.InPrice+p.OutPrice == 0:
		return bad("stop.cost", "the prices of the endpoint's tokens are not known: inPrice and outPrice")
	case (p.Kind == "command" || p.Kind == "agent") && len(p.Run) == 0:
		return bad("proposer.run", "missing")
	case p.Kind == "patches" && p.Dir == "":
		return bad("proposer.dir", "missing")
	case p.Kind == "range" && p.Range == "":
		return bad("proposer.range", "missing")
	case p.Kind == "sweep" && len(p.Params) == 0:
		return bad("proposer.params", "missing")
	}
	for i, name := range p.Mutations {
		if err := oneOf(fmt.Sprintf("proposer.mutations[%d]", i), name, mutate.Names()...); err != nil {
			return err
		}
	}
	for i, param := range p.Params {
		if param.Name == "" || len(param.Values) == 0 {
			return bad(fmt.Sprintf("proposer.params[%d]", i), "needs a name and values")
		}
		if err := oneOf(fmt.Sprintf("proposer.params[%d].in", i), param.In, "source", "env", "ldflags"); err != nil {
			return err
		}
		if param.In == "ldflags" && slices.ContainsFunc(append(param.Values, param.Name),
			func(v string) bool { return strings.ContainsAny(v, " \t\"'") }) {
			return bad(fmt.Sprintf("proposer.params[%d]", i), "the linker takes no blanks and quotes")
		}
	}
	s := &c.Statistics
	if s.Alpha <= 0 || s.Alpha > 0.2 {
		return bad("statistics.alpha", "%v is not between 0 and 0.2", s.Alpha)
	}
	for i, n := range s.Pairs {
		if n < 1 || i > 0 && n <= s.Pairs[i-1] {
			return bad("statistics.pairs", "%v do not rise from 1", s.Pairs)
		}
	}
	if s.Suspect <= 1 {
		return bad("statistics.suspectFactor", "%v is not above 1", s.Suspect)
	}
	for name := range c.Stop.Target {
		if !names[name] {
			return bad("stop.target", "no metric %s", name)
		}
	}
	if c.Parallel.Measure != 1 {
		return bad("parallel.measure", "one candidate is measured at a time: 1 is the only value")
	}
	if c.Parallel.Propose < 1 || c.Parallel.Propose > maxPropose {
		return bad("parallel.propose", "%d is not between 1 and %d", c.Parallel.Propose, maxPropose)
	}
	if err := oneOf("parallel.cpus", c.Parallel.CPUs, "", "auto"); err != nil {
		return err
	}
	return nil
}

// objectives are the names of the metrics with a goal.
func (c *Config) objectives() []string {
	var names []string
	for _, m := range c.Metrics {
		if m.Goal != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// Objective is the first metric with a goal: the one that rows and logs show first.
func (c *Config) Objective() *Metric {
	i := slices.IndexFunc(c.Metrics, func(m Metric) bool { return m.Goal != "" })
	return &c.Metrics[i]
}

//go:embed schema.json
var schema string

// Schema is the JSON schema of research.json, for editors.
func Schema() string { return schema }
