package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/lab/research/buildcache"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
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
	verbs: true,
	words: researchWords,
}

// researchVerbs are the verbs in the order of the help.
var researchVerbs = []*command{
	{name: "init", usage: "[-bench name] [-o file]", short: "write research.json for a benchmark of the repository",
		run: researchInit},
	{name: "doctor", usage: "", short: "look for what would spoil a session", run: researchDoctor},
	{name: "calibrate", usage: "", short: "measure the base against itself: classes and noise of the metrics",
		run: researchCalibrate},
	{name: "run", usage: "[-new-segment] [-effort level] [-sandbox] [-workers command]", short: "propose and judge until a rule stops it", run: researchLoop},
	{name: "resume", usage: "[-effort level] [-sandbox] [-workers command]", short: "go on with a session that was paused or killed", run: researchResume},
	{name: "once", usage: "[-effort level] [-sandbox] [-- command...]", short: "judge one proposal, of the proposer or of a command",
		run: researchOnce},
	{name: "try", usage: "[-on-base] [-effort level] <patch file, - or revision>", short: "judge one candidate given by hand", run: researchTry},
	{name: "accept", usage: "<row> -why text [-effort level]", short: "keep a row that is quarantined or unchecked, for a reason that the log keeps",
		run: researchAccept},
	{name: "replay", usage: "-range A..B [-each=false] [-chain=false] [-strip patterns] [-bench-from commit] [-effort level] [-table file]",
		short: "judge an existing series of commits and compare with its published table", run: researchReplay},
	{name: "workers", usage: "[-add key -name name | -remove worker]", short: "list, admit or remove the workers whose results count",
		run: researchWorkers},
	{name: "worker", usage: "[-key file] [-from key] [-unboxed] [-show]", short: "try candidates of a session elsewhere: trials on standard input, results on standard output",
		run: researchWorker},
	{name: "status", usage: "[-json]", short: "say how the session stands", run: researchStatus},
	{name: "log", usage: "[-json] [-f]", short: "print the rows", run: researchLog},
	{name: "report", usage: "[-html file | -markdown]",
		short: "print the session, as text, a page or a table for a pull request", run: researchReport},
	{name: "watch", usage: "[-once]", short: "show the session in the terminal while it runs", run: researchWatch},
	{name: "frontier", usage: "", short: "print the candidates that no other beats in all objectives", run: researchFrontier},
	{name: "lesson", usage: "[text]", short: "print the lessons, or add one for the proposers that come", run: researchLesson},
	{name: "ablate", usage: "", short: "take each keep out of the branch, alone, and measure what is lost",
		run: researchAblate},
	{name: "finalize", usage: "[-groups]", short: "make branches for review of the keeps that pay", run: researchFinalize},
	{name: "gc", usage: "[-age duration]", short: "remove old refs of candidates that were not kept", run: researchGC},
	{name: "schema", usage: "", short: "print the JSON schema of research.json, for editors", run: researchSchema},
}

// researchWords returns the names of the verbs.
func researchWords() (names []string) {
	for _, v := range researchVerbs {
		names = append(names, v.name)
	}
	return names
}

// researchHelp returns the help of the command. It is made only on request, to keep the start of
// other commands fast.
func researchHelp() string {
	var b strings.Builder
	b.WriteString(`Research drives the loop that proposes a change, checks it, measures it against its
parent, and keeps or discards it. It works on any Go repository with git. The user's
checkout is never touched: candidates live in worktrees elsewhere, every one of them
stays under refs/research/<session>/, and the kept ones are the branch research/<session>.

The verbs are:

`)
	for _, v := range researchVerbs {
		fmt.Fprintf(&b, "\t%-10s %s\n", v.name, v.short)
	}
	b.WriteString(`
All take -config FILE, default research.json; status and log also -session NAME.

The exit status is

	0  improved, or the verb did what it does
	1  an error
	2  wrong usage
	3  no improvement
	4  a budget was spent without an improvement
	5  paused by a signal or the STOP file
	6  the evaluator changed: nothing was done
	7  the replay disagrees with the published table`)
	return b.String()
}

func researchRun(c *command, args []string) error {
	if len(args) == 0 || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		fmt.Fprintf(stdout, "usage: gyr research %s\n\n%s\n", c.usage, researchHelp())
		if len(args) == 0 {
			return statusError(researchUsage)
		}
		return flag.ErrHelp
	}
	if args[0] == buildcache.Verb && len(args) > 1 {
		return researchStatusOf(buildcache.Serve(args[1:], os.Stdin, stdout))
	}
	for _, v := range researchVerbs {
		if v.name == args[0] {
			verb := *v
			verb.name, verb.long = "research "+v.name, strings.ToUpper(v.short[:1])+v.short[1:]+"."
			if long := researchLong(v.name); long != "" {
				verb.long += "\n\n" + long
			}
			return researchStatusOf(v.run(&verb, args[1:]))
		}
	}
	return researchStatusOf(usageError{fmt.Sprintf("research %s: unknown verb\nRun 'gyr help research' for usage.",
		args[0])})
}

// researchStatusOf prints an error and returns it with research's exit status.
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
	fmt.Fprintf(stderr, "gyr: %v\n", err)
	return status
}

// researchFlags are the flags that the verbs share.
type researchFlags struct {
	*flag.FlagSet
	c       *command
	file    *string // the config's file
	session *string
	sandbox *bool   // nil: the verb runs no proposer
	effort  *string // nil: the verb judges nothing
	damage  ledger.DamageError
}

func newResearchFlags(c *command) *researchFlags {
	fs := c.flags()
	return &researchFlags{FlagSet: fs, c: c, file: fs.String("config", "research.json", "the session's `file`; default research.json"),
		session: fs.String("session", "", "`name` of the session; default that of the config")}
}

// newJudgeFlags returns the flags of verbs that judge candidates.
func newJudgeFlags(c *command) *researchFlags {
	f := newResearchFlags(c)
	f.effort = f.String("effort", "normal", "how much time the checks of a gain may take: "+strings.Join(research.Efforts, ", ")+"; default normal")
	return f
}

// newProposerFlags returns the flags of verbs that run a proposer's command.
func newProposerFlags(c *command) *researchFlags {
	f := newJudgeFlags(c)
	f.sandbox = f.Bool("sandbox", false, "run the proposer's command in bubblewrap; an error where that is not to be had")
	return f
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
	if err == nil && f.sandbox != nil && *f.sandbox {
		c.Proposer.Sandbox = true
	}
	if err == nil && f.effort != nil {
		if err := c.SetEffort(*f.effort); err != nil {
			return nil, usageError{err.Error()}
		}
	}
	return c, err
}

// withSession opens the config's session, lets f use it, and closes it.
func withSession(c *research.Config, newSegment bool, f func(ctx context.Context, s *research.Session) error) error {
	return withOptions(research.Options{Config: c, NewSegment: newSegment}, f)
}

// withOptions does the same with more options.
func withOptions(o research.Options, f func(ctx context.Context, s *research.Session) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o.Dir, o.Out, o.Version, o.Determinism = ".", stdout, gyr.Version, gyr.DeterminismVersion
	s, err := research.Open(ctx, o)
	if err != nil {
		return err
	}
	err = f(ctx, s)
	return errors.Join(err, s.Close())
}

// repository parses the flags of a verb that needs no config, and opens the repository that
// contains the current directory.
func repository(c *command, fs *flag.FlagSet, args []string) (context.Context, *gitx.Repo, error) {
	if err := c.parse(fs, args); err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	repo, err := gitx.Open(ctx, ".")
	return ctx, repo, err
}

func researchInit(c *command, args []string) error {
	fs := c.flags()
	name := fs.String("bench", "", "the `benchmark`, or a part of it: X/sub; default the first")
	out := fs.String("o", "research.json", "the `file` to write; default research.json")
	ctx, repo, err := repository(c, fs, args)
	if err != nil {
		return err
	}
	list, err := research.Benchmarks(ctx, repo)
	if err != nil {
		return err
	}
	chosen, err := research.Choose(list, *name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(*out); err == nil {
		return fmt.Errorf("%s: %w", *out, os.ErrExist)
	}
	text, told, err := research.Init(ctx, repo, chosen)
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
	fmt.Fprintf(stdout, "%s: %s of %s\n", *out, chosen.Name, chosen.Pkg)
	for _, b := range list {
		if b != chosen {
			fmt.Fprintf(stdout, "  also: %s of %s\n", b.Name, b.Pkg)
		}
	}
	for _, t := range told {
		fmt.Fprintf(stdout, "  %s\n", t)
	}
	fmt.Fprintln(stdout, "  next: gyr research doctor; then gyr research try FILE for one patch, or gyr research run with another \"proposer\" in the file, such as\n"+
		`        {"kind": "patches", "dir": "../patches"} or {"kind": "command", "run": ["my-agent", "{brief}"]}`)
	return nil
}

func researchSchema(c *command, args []string) error {
	if err := c.parse(c.flags(), args); err != nil {
		return err
	}
	_, err := io.WriteString(stdout, research.Schema())
	return err
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
		fmt.Fprintf(stdout, "%-5s %-12s %s\n", d.Level, d.Subject, d.Text)
		bad = bad || d.Level == research.LevelError
	}
	if bad {
		return statusError(researchError)
	}
	return nil
}
