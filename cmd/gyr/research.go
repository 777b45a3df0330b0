package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/research"
	"github.com/gyrvm/gyr/internal/research/exchange"
	"github.com/gyrvm/gyr/internal/research/gitx"
	"github.com/gyrvm/gyr/internal/research/ledger"
	researchreport "github.com/gyrvm/gyr/internal/research/report"
)

// Exit statuses of gyr research, for scripts.
const (
	researchError     = 1
	researchUsage     = 2
	researchNothing   = 3 // no improvement
	researchBudget    = 4 // a budget was spent, without an improvement
	researchPaused    = 5 // by a signal or the STOP file
	researchEvaluator = 6 // the evaluator changed
	researchDisagrees = 7 // a replay, with the published table
)

var researchCmd = &command{
	name:  "research",
	usage: "<verb> [flags] [arguments]",
	short: "propose, verify, measure, keep or discard changes of a Go repository",
	run:   researchRun,
}

// researchVerbs are the verbs in the order of the help.
var researchVerbs = []*command{
	{name: "init", usage: "[-bench name] [-o file]", short: "write research.json for a benchmark of the repository", run: researchInit},
	{name: "doctor", usage: "", short: "look for what would spoil a session", run: researchDoctor},
	{name: "calibrate", usage: "", short: "measure the base against itself: classes and noise of the metrics", run: researchCalibrate},
	{name: "run", usage: "[-new-segment]", short: "propose and judge until a rule stops it", run: researchLoop},
	{name: "resume", usage: "", short: "go on with a session that was paused or killed", run: researchResume},
	{name: "once", usage: "[-- command...]", short: "judge one proposal, of the proposer or of a command", run: researchOnce},
	{name: "try", usage: "<patch file, - or revision>", short: "judge one candidate given by hand", run: researchTry},
	{name: "replay", usage: "-range A..B [-table file]", short: "judge an existing series of commits and compare with its published table", run: researchReplay},
	{name: "status", usage: "[-json]", short: "say how the session stands", run: researchStatus},
	{name: "log", usage: "[-json] [-f]", short: "print the rows", run: researchLog},
	{name: "report", usage: "[-html file | -markdown]", short: "print the session, as text, a page or a table for a pull request", run: researchReport},
	{name: "ablate", usage: "", short: "take each keep out of the branch, alone, and measure what is lost", run: researchAblate},
	{name: "finalize", usage: "[-groups]", short: "make branches for review of the keeps that pay", run: researchFinalize},
	{name: "gc", usage: "[-age duration]", short: "remove old refs of candidates that were not kept", run: researchGC},
	{name: "export", usage: "[-format pi|tsv] [file]", short: "write the log for pi-autoresearch, or a table for karpathy/autoresearch", run: researchExport},
	{name: "import", usage: "[-session name] <file>", short: "print what such a log or table says, or make a session of it", run: researchImport},
}

func init() {
	var b strings.Builder
	b.WriteString(`Research drives the loop that proposes a change, checks it, measures it against its
parent, and keeps or discards it. It works on any Go repository with git. The user's
checkout is never touched: candidates live in worktrees elsewhere, every one of them
stays under refs/research/<session>/, and the kept ones are the branch research/<session>.

The verbs are:

`)
	for _, v := range researchVerbs {
		fmt.Fprintf(&b, "\t%-10s %s\n", v.name, v.short)
		v.name, v.long = "research "+v.name, strings.ToUpper(v.short[:1])+v.short[1:]+"."
	}
	b.WriteString(`
All take -config FILE, default research.json; status, log and export also -session NAME.

The exit status is

	0  improved, or the verb did what it does
	1  an error
	2  wrong usage
	3  no improvement
	4  a budget was spent without an improvement
	5  paused by a signal or the STOP file
	6  the evaluator changed: nothing was done
	7  the replay disagrees with the published table`)
	researchCmd.long = b.String()
}

func researchRun(c *command, args []string) error {
	if len(args) == 0 || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		fmt.Printf("usage: gyr research %s\n\n%s\n", c.usage, c.long)
		if len(args) == 0 {
			return statusError(researchUsage)
		}
		return flag.ErrHelp
	}
	for _, v := range researchVerbs {
		if v.name == "research "+args[0] {
			return researchStatusOf(v.run(v, args[1:]))
		}
	}
	return researchStatusOf(usageError{fmt.Sprintf("research %s: unknown verb\nRun 'gyr help research' for usage.", args[0])})
}

// researchStatusOf prints an error and gives it research's exit status.
func researchStatusOf(err error) error {
	var usage usageError
	var status statusError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp), errors.As(err, &status):
		return err
	case errors.As(err, &usage):
		status = researchUsage
	case errors.Is(err, research.ErrEvaluator):
		status = researchEvaluator
	case errors.Is(err, context.Canceled):
		status = researchPaused
	default:
		status = researchError
	}
	fmt.Fprintf(os.Stderr, "gyr: %v\n", err)
	return status
}

// A researchFlags are those that the verbs share.
type researchFlags struct {
	*flag.FlagSet
	c       *command
	file    *string // with the config
	session *string
}

func newResearchFlags(c *command) *researchFlags {
	fs := c.flags()
	return &researchFlags{fs, c, fs.String("config", "research.json", "the session's `file`"), fs.String("session", "", "`name` of the session; default that of the config")}
}

// config parses the flags of a verb and reads the config.
func (f *researchFlags) config(args []string) (*research.Config, error) {
	if err := f.c.parse(f.FlagSet, args); err != nil {
		return nil, err
	}
	return f.load()
}

// load reads the config.
func (f *researchFlags) load() (*research.Config, error) {
	c, err := research.LoadConfig(*f.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no %s; gyr research init writes one", *f.file)
	}
	if err == nil && *f.session != "" {
		c.Session = *f.session
	}
	return c, err
}

// withSession opens the config's session, lets f use it, and closes it.
func withSession(c *research.Config, newSegment bool, f func(ctx context.Context, s *research.Session) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := research.Open(ctx, research.Options{Dir: ".", Config: c, Out: os.Stdout, NewSegment: newSegment, Version: gyr.Version})
	if err != nil {
		return err
	}
	err = f(ctx, s)
	return errors.Join(err, s.Close())
}

func researchInit(c *command, args []string) error {
	fs := c.flags()
	name := fs.String("bench", "", "the `benchmark`; default the first")
	out := fs.String("o", "research.json", "the `file` to write")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	ctx := context.Background()
	repo, err := gitx.Open(ctx, ".")
	if err != nil {
		return err
	}
	list, err := research.Benchmarks(ctx, repo)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return research.ErrNoBenchmarks
	}
	chosen := list[0]
	found := *name == ""
	for _, b := range list {
		if b.Name == *name || b.Name == "Benchmark"+*name {
			chosen, found = b, true
		}
	}
	if !found {
		return fmt.Errorf("no benchmark %s", *name)
	}
	text, err := research.NewConfig(chosen)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(*out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Printf("%s: %s of %s\n", *out, chosen.Name, chosen.Pkg)
	for _, b := range list {
		if b != chosen {
			fmt.Printf("  also: %s of %s\n", b.Name, b.Pkg)
		}
	}
	return nil
}

func researchDoctor(c *command, args []string) error {
	fs := newResearchFlags(c)
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	list, err := research.Doctor(context.Background(), ".", config)
	if err != nil {
		return err
	}
	bad := false
	for _, d := range list {
		fmt.Printf("%-5s %-12s %s\n", d.Level, d.Subject, d.Text)
		bad = bad || d.Level == research.LevelError
	}
	if bad {
		return statusError(researchError)
	}
	return nil
}

func researchCalibrate(c *command, args []string) error {
	fs := newResearchFlags(c)
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	return withSession(config, false, func(ctx context.Context, s *research.Session) error {
		if err := s.Calibrate(ctx); err != nil {
			return err
		}
		for _, r := range s.Calibration() {
			fmt.Printf("%-24s %-10s %12.6g %s", r.Name, r.Class, r.Value, r.Unit)
			if r.Noise > 0 {
				fmt.Printf("  noise %.2f%%", 100*r.Noise)
			}
			if r.Pairs > 0 {
				fmt.Printf("  %d pairs for the least effect", r.Pairs)
			}
			if looks := config.Statistics.Pairs; r.Pairs > looks[len(looks)-1] {
				fmt.Printf(": more than are taken, so gains of that size are missed")
			}
			fmt.Println()
		}
		return nil
	})
}

func researchLoop(c *command, args []string) error {
	fs := newResearchFlags(c)
	newSegment := fs.Bool("new-segment", false, "begin anew with the evaluator and the base as they are now")
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	return loop(config, *newSegment)
}

func researchResume(c *command, args []string) error {
	fs := newResearchFlags(c)
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	lines, _, err := fs.lines()
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return errors.New("there is no session to resume; gyr research run begins one")
	}
	return loop(config, false)
}

func loop(config *research.Config, newSegment bool) error {
	return withSession(config, newSegment, func(ctx context.Context, s *research.Session) error {
		stopped, err := s.Run(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("stopped: %s: %s; %d kept, on branch research/%s\n", stopped.Reason, stopped.Detail, stopped.Keeps, config.Session)
		if stopped.Claim != nil {
			fmt.Print(stopped.Claim.Text(config))
		}
		return stopStatus(stopped)
	})
}

// stopStatus is the exit status of a loop.
func stopStatus(s *research.Stopped) error {
	switch {
	case s.Reason == "paused":
		return statusError(researchPaused)
	case s.Keeps > 0:
		return nil
	case s.Budget():
		return statusError(researchBudget)
	}
	return statusError(researchNothing)
}

func researchOnce(c *command, args []string) error {
	fs := newResearchFlags(c)
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	return withSession(config, false, func(ctx context.Context, s *research.Session) error {
		row, err := s.Once(ctx, fs.Args())
		return rowStatus(row, err)
	})
}

func rowStatus(row *ledger.Row, err error) error {
	if err != nil {
		return err
	}
	if row.Status != ledger.Keep {
		return statusError(researchNothing)
	}
	return nil
}

func researchTry(c *command, args []string) error {
	fs := newResearchFlags(c)
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return usageError{"research try: want one patch or revision\nusage: gyr " + c.name + " " + c.usage}
	}
	config, err := fs.load()
	if err != nil {
		return err
	}
	name := fs.Arg(0)
	var patch []byte
	if name == "-" {
		if patch, err = io.ReadAll(os.Stdin); err != nil {
			return err
		}
	} else if fi, err := os.Stat(name); err == nil && fi.Mode().IsRegular() {
		if patch, err = os.ReadFile(name); err != nil {
			return err
		}
	}
	return withSession(config, false, func(ctx context.Context, s *research.Session) error {
		row, err := s.Try(ctx, name, patch)
		return rowStatus(row, err)
	})
}

func researchReplay(c *command, args []string) error {
	fs := newResearchFlags(c)
	rng := fs.String("range", "", "the commits `A..B`")
	table := fs.String("table", "", "the published table: a `file` of pi's (.jsonl), karpathy's (.tsv) or Markdown (.md)")
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	if *rng == "" {
		return usageError{"research replay: -range is missing\nusage: gyr " + c.name + " " + c.usage}
	}
	config, err := fs.load()
	if err != nil {
		return err
	}
	var published []*ledger.Row
	if *table != "" {
		text, err := os.ReadFile(*table)
		if err != nil {
			return err
		}
		if published, err = research.ReadTable(*table, text); err != nil {
			return fmt.Errorf("%s: %w", *table, err)
		}
	}
	if err := config.ForReplay(*rng); err != nil {
		return err
	}
	replay := func(ctx context.Context, s *research.Session) error {
		stopped, err := s.Run(ctx)
		if err != nil {
			return err
		}
		if stopped.Reason != "exhausted" {
			fmt.Printf("stopped: %s: %s\n", stopped.Reason, stopped.Detail)
			return stopStatus(stopped)
		}
		r, err := s.Replay(ctx, published)
		if err != nil {
			return err
		}
		fmt.Printf("\n%s", r.Text(config.Objective()))
		if !r.Agrees() {
			return statusError(researchDisagrees)
		}
		return stopStatus(stopped)
	}
	// What was judged already by the same evaluator stands.
	err = withSession(config, false, replay)
	if errors.Is(err, research.ErrEvaluator) {
		err = withSession(config, true, replay)
	}
	return err
}

// lines reads the session's log without its lock.
func (f *researchFlags) lines() ([]ledger.Line, string, error) {
	repo, err := gitx.Open(context.Background(), ".")
	if err != nil {
		return nil, "", err
	}
	name := *f.session
	if name == "" {
		c, err := f.load()
		if err != nil {
			return nil, "", err
		}
		name = c.Session
	}
	lines, err := ledger.ReadFile(research.LogFile(repo, name))
	return lines, name, err
}

func researchStatus(c *command, args []string) error {
	fs := newResearchFlags(c)
	asJSON := fs.Bool("json", false, "as one JSON object")
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	lines, name, err := fs.lines()
	if err != nil {
		return err
	}
	if *asJSON {
		st, err := research.NewStatus(name, lines)
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(st, "", "  ")
		if err != nil {
			return err
		}
		fmt.Println(string(text))
		return nil
	}
	return researchreport.Text(os.Stdout, &researchreport.Session{Lines: lines}, researchreport.Terminal{Width: columns(), Color: terminal(os.Stdout)})
}

// terminal reports whether a file is one.
func terminal(f *os.File) bool {
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

// columns is the width that the shell says the terminal has, 0 if it does not.
func columns() int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return n
}

func researchReport(c *command, args []string) error {
	fs := newResearchFlags(c)
	page := fs.String("html", "", "write a page into this `file`")
	markdown := fs.Bool("markdown", false, "print a table for a pull request")
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	lines, _, err := fs.lines()
	if err != nil {
		return err
	}
	repo, err := gitx.Open(context.Background(), ".")
	if err != nil {
		return err
	}
	s := &researchreport.Session{Lines: lines, Diff: func(r *ledger.Row) (string, error) {
		if r.Tree == "" || r.Parent == "" {
			return "", nil
		}
		text, err := repo.Diff(context.Background(), r.Parent, r.Tree)
		return string(text), err
	}}
	switch {
	case *markdown:
		return researchreport.Markdown(os.Stdout, s)
	case *page == "":
		return researchreport.Text(os.Stdout, s, researchreport.Terminal{Width: columns(), Color: terminal(os.Stdout)})
	}
	var b bytes.Buffer
	if err := researchreport.HTML(&b, s); err != nil {
		return err
	}
	return os.WriteFile(*page, b.Bytes(), 0o666)
}

func researchLog(c *command, args []string) error {
	fs := newResearchFlags(c)
	asJSON := fs.Bool("json", false, "the rows as JSON lines")
	follow := fs.Bool("f", false, "go on with rows that are written from now on, until interrupted")
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for seen := 0; ; {
		lines, _, err := fs.lines()
		if err != nil {
			return err
		}
		for _, l := range lines[min(seen, len(lines)):] {
			switch {
			case l.Row == nil:
			case *asJSON:
				fmt.Println(string(l.Raw))
			default:
				fmt.Println(research.RowLine(l.Row, ledger.Segment(lines).MetricName))
			}
		}
		seen = len(lines)
		if !*follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

func researchExport(c *command, args []string) error {
	fs := newResearchFlags(c)
	format := fs.String("format", "pi", "`pi` or tsv")
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	lines, _, err := fs.lines()
	if err != nil {
		return err
	}
	write := map[string]func([]ledger.Line) ([]byte, error){"pi": exchange.ExportPi, "tsv": exchange.ExportTSV}[*format]
	if write == nil || fs.NArg() > 1 {
		return usageError{"research export: -format is pi or tsv\nusage: gyr " + c.name + " " + c.usage}
	}
	text, err := write(lines)
	if err != nil {
		return err
	}
	if fs.NArg() == 0 {
		_, err = os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(fs.Arg(0), text, 0o666)
}

func researchImport(c *command, args []string) error {
	fs := newResearchFlags(c)
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return usageError{"research import: want one file\nusage: gyr " + c.name + " " + c.usage}
	}
	text, err := os.ReadFile(fs.Arg(0))
	if err != nil {
		return err
	}
	log, err := research.ReadLog(filepath.Base(fs.Arg(0)), text)
	if err != nil {
		return err
	}
	session := *fs.session
	if session == "" {
		for _, note := range log.Notes {
			fmt.Fprintln(os.Stderr, note)
		}
		for _, r := range log.Rows() {
			fmt.Println(research.RowLine(r, ledger.Segment(log.Lines()).MetricName))
		}
		return nil
	}
	repo, err := gitx.Open(context.Background(), ".")
	if err != nil {
		return err
	}
	return research.Import(repo, session, log)
}

func researchAblate(c *command, args []string) error {
	fs := newResearchFlags(c)
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	return withSession(config, false, func(ctx context.Context, s *research.Session) error {
		list, err := s.Ablate(ctx)
		for _, a := range list {
			fmt.Printf("%3d  %-10s %s", a.Run, a.Result, a.Description)
			if len(a.Risk) > 0 {
				fmt.Printf("  (risk: %s)", strings.Join(a.Risk, ", "))
			}
			fmt.Println()
		}
		return err
	})
}

func researchFinalize(c *command, args []string) error {
	fs := newResearchFlags(c)
	groups := fs.Bool("groups", false, "a branch for each group of keeps that share no file")
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	return withSession(config, false, func(ctx context.Context, s *research.Session) error {
		f, err := s.Finalize(ctx, *groups)
		if err != nil {
			return err
		}
		for _, b := range f.Branches {
			fmt.Printf("%s is %.7s\n", b.Name, b.Commit)
			for _, r := range b.Rows {
				fmt.Printf("  %3d  %s\n", r.Run, r.Description)
			}
		}
		for _, a := range f.Dropped {
			fmt.Printf("dropped: run %d: %s: %s\n", a.Run, a.Result, a.Description)
		}
		for _, a := range f.Held {
			fmt.Printf("not dropped, as others build on it: run %d: %s: %s\n", a.Run, a.Result, a.Description)
		}
		if f.Claim != nil {
			fmt.Print(f.Claim.Text(config))
		}
		for _, x := range f.Findings {
			fmt.Printf("for the reviewer: %s:%d: %s (%s)\n", x.File, x.Line, x.Message, x.Rule)
		}
		return nil
	})
}

func researchGC(c *command, args []string) error {
	fs := c.flags()
	session := fs.String("session", "", "`name` of the session; default all")
	age := fs.Duration("age", 30*24*time.Hour, "what is younger stays")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	ctx := context.Background()
	repo, err := gitx.Open(ctx, ".")
	if err != nil {
		return err
	}
	names := []string{*session}
	if *session == "" {
		if names, err = research.Sessions(repo); err != nil {
			return err
		}
	}
	for _, name := range names {
		n, err := research.GC(ctx, repo, name, *age)
		if err != nil {
			return fmt.Errorf("session %s: %w", name, err)
		}
		fmt.Printf("%s: %d refs removed\n", name, n)
	}
	return nil
}
