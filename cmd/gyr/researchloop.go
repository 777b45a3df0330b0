package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/published"
)

// This file has the verbs of gyr research that judge candidates.

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
			fmt.Fprintf(stdout, "%-24s %-10s %12.6g %s", r.Name, r.Class, r.Value, r.Unit)
			if r.Noise > 0 {
				fmt.Fprintf(stdout, "  noise %.2f%%", 100*r.Noise)
			}
			if r.Pairs > 0 {
				fmt.Fprintf(stdout, "  %d pairs for the least effect", r.Pairs)
			}
			if looks := config.Statistics.Pairs; r.Pairs > looks[len(looks)-1] {
				fmt.Fprintf(stdout, ": more than are taken, so gains of that size are missed")
			}
			if r.Guard > 0 {
				fmt.Fprintf(stdout, "  guard of %.1f%%", 100*r.Guard)
				if r.Held > r.Guard {
					fmt.Fprintf(stdout, ": cannot be held, the noise hides losses of %.1f%%", 100*r.Held)
				}
			}
			if r.Iterations > 0 {
				fmt.Fprintf(stdout, "  %d iterations a sample", r.Iterations)
			}
			fmt.Fprintln(stdout)
		}
		for _, p := range s.Planted() {
			fmt.Fprintln(stdout, p)
		}
		return nil
	})
}

func researchLoop(c *command, args []string) error {
	fs := newProposerFlags(c)
	newSegment := fs.Bool("new-segment", false, "begin anew with the evaluator and the base as they are now")
	workers := newWorkersFlag(fs)
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	return loop(config, *newSegment, *workers)
}

func researchResume(c *command, args []string) error {
	fs := newProposerFlags(c)
	workers := newWorkersFlag(fs)
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
	return loop(config, false, *workers)
}

// loop runs a session, with workers if there is a command that leads to them.
func loop(config *research.Config, newSegment bool, workers string) (err error) {
	o := research.Options{Config: config, NewSegment: newSegment}
	if workers != "" {
		if o.Queue, err = openQueue(workers); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.Queue.Close()) }()
	}
	return withOptions(o, func(ctx context.Context, s *research.Session) error {
		stopped, err := s.Run(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "stopped: %s: %s; %d kept, on branch research/%s\n", stopped.Reason, stopped.Detail,
			stopped.Keeps, config.Session)
		if stopped.Claim != nil {
			fmt.Fprint(stdout, stopped.Claim.Text(config))
		}
		return stopStatus(stopped)
	})
}

// stopStatus returns the exit status of a loop.
func stopStatus(s *research.Stopped) error {
	switch {
	case s.Reason == "paused":
		return statusError(researchPaused)
	case s.Reason == "proposer":
		return statusError(researchError)
	case s.Keeps > 0:
		return nil
	case s.Budget():
		return statusError(researchBudget)
	}
	return statusError(researchNothing)
}

func researchOnce(c *command, args []string) error {
	fs := newProposerFlags(c)
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
	fs := newJudgeFlags(c)
	onBase := fs.Bool("on-base", false, "judge it on the base, not on what was kept; the branch does not move")
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
	if *onBase {
		config.Proposer.OnBase = true
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

func researchAccept(c *command, args []string) error {
	fs := newJudgeFlags(c)
	why := fs.String("why", "", "the `reason`, which the log keeps")
	number := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		number, args = args[0], args[1:]
	}
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	if number == "" && fs.NArg() == 1 {
		number = fs.Arg(0)
	}
	run, err := strconv.Atoi(number)
	if err != nil || *why == "" {
		return usageError{"research accept: want the number of a row and -why\nusage: gyr " + c.name + " " + c.usage}
	}
	config, err := fs.load()
	if err != nil {
		return err
	}
	return withSession(config, false, func(ctx context.Context, s *research.Session) error {
		row, err := s.Accept(ctx, run, *why)
		return rowStatus(row, err)
	})
}

func researchReplay(c *command, args []string) error {
	fs := newJudgeFlags(c)
	rng := fs.String("range", "", "the commits `A..B`")
	each := fs.Bool("each", true, "judge each commit on its own parent; default true")
	chain := fs.Bool("chain", true, "judge each commit on what was kept of those before it; default true")
	strip := fs.String("strip", strings.Join(research.DefaultStrip, ","),
		"`patterns`, separated by commas, of files that are left out of the commits; default "+strings.Join(research.DefaultStrip, ","))
	benchFrom := fs.String("bench-from", "", "a `commit` of which the benchmarks are taken where the series lacks them")
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
	var rows []*ledger.Row
	if *table != "" {
		text, err := os.ReadFile(*table)
		if err != nil {
			return err
		}
		if rows, err = published.Read(*table, text); err != nil {
			return fmt.Errorf("%s: %w", *table, err)
		}
	}
	o := research.ReplayOptions{Each: *each, Chain: *chain, BenchFrom: *benchFrom}
	if *strip != "" {
		o.Strip = strings.Split(*strip, ",")
	}
	if err := config.ForReplay(*rng, o); err != nil {
		return err
	}
	replay := func(ctx context.Context, s *research.Session) error {
		stopped, err := s.Run(ctx)
		if err != nil {
			return err
		}
		if stopped.Reason != "exhausted" {
			fmt.Fprintf(stdout, "stopped: %s: %s\n", stopped.Reason, stopped.Detail)
			return stopStatus(stopped)
		}
		r, err := s.Replay(ctx, rows)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\n%s", r.Text(config))
		if !r.Agrees() {
			return statusError(researchDisagrees)
		}
		stopped.Keeps = r.Kept()
		return stopStatus(stopped)
	}
	// Judgements by the same evaluator remain valid.
	err = withSession(config, false, replay)
	if errors.Is(err, research.ErrEvaluator) {
		err = withSession(config, true, replay)
	}
	return err
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
			fmt.Fprintf(stdout, "%3d  %-10s %s", a.Run, a.Result, a.Description)
			if len(a.Risk) > 0 {
				fmt.Fprintf(stdout, "  (risk: %s)", strings.Join(a.Risk, ", "))
			}
			fmt.Fprintln(stdout)
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
			fmt.Fprintf(stdout, "%s is %.7s\n", b.Name, b.Commit)
			for _, r := range b.Rows {
				fmt.Fprintf(stdout, "  %3d  %s\n", r.Run, r.Description)
			}
		}
		for _, a := range f.Dropped {
			fmt.Fprintf(stdout, "dropped: run %d: %s: %s\n", a.Run, a.Result, a.Description)
		}
		for _, a := range f.Held {
			fmt.Fprintf(stdout, "not dropped, as others build on it: run %d: %s: %s\n", a.Run, a.Result, a.Description)
		}
		if f.Claim != nil {
			fmt.Fprint(stdout, f.Claim.Text(config))
		}
		for _, x := range f.Findings {
			fmt.Fprintf(stdout, "for the reviewer: %s:%d: %s (%s)\n", x.File, x.Line, x.Message, x.Rule)
		}
		return nil
	})
}
