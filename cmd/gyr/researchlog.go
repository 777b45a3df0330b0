package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	researchreport "github.com/gyrvm/gyr/internal/lab/research/report"
)

// This file has the verbs of gyr research that print from the log.

// logFile returns the file of the session's log, and the session's name.
func (f *researchFlags) logFile() (file, name string, err error) {
	repo, err := gitx.Open(context.Background(), ".")
	if err != nil {
		return "", "", err
	}
	if name = *f.session; name == "" {
		c, err := f.load()
		if err != nil {
			return "", "", err
		}
		name = c.Session
	}
	return research.LogFile(repo, name), name, nil
}

// lines reads the session's log without taking its lock.
func (f *researchFlags) lines() ([]ledger.Line, string, error) {
	file, name, err := f.logFile()
	if err != nil {
		return nil, "", err
	}
	lines, err := ledger.ReadFile(file)
	if damage := ledger.DamageError(nil); errors.As(err, &damage) {
		for _, d := range damage {
			fmt.Fprintf(stderr, "gyr: %v\n", d)
		}
		f.damage, err = damage, nil
	}
	return lines, name, err
}

// contradictions returns what is wrong with the session's log, in words.
func (f *researchFlags) contradictions(name string, lines []ledger.Line) ([]string, error) {
	ctx := context.Background()
	repo, err := gitx.Open(ctx, ".")
	if err != nil {
		return nil, err
	}
	rows, err := research.Contradictions(ctx, repo, name, lines)
	var list []string
	for _, d := range f.damage {
		list = append(list, d.String())
	}
	return append(list, rows...), err
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
	wrong, err := fs.contradictions(name, lines)
	if err != nil {
		return err
	}
	var status error
	if len(wrong) > 0 {
		status = statusError(researchError)
	}
	if *asJSON {
		st, err := research.NewStatus(name, lines)
		if err != nil {
			return err
		}
		st.Damage = wrong
		text, err := json.MarshalIndent(st, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, string(text))
		return status
	}
	if err := researchreport.Text(stdout, &researchreport.Session{Lines: lines}, outTerminal()); err != nil {
		return err
	}
	if len(wrong) > 0 {
		fmt.Fprintln(stdout, "\nNot to be believed:")
	}
	for _, text := range wrong {
		fmt.Fprintf(stdout, "  %s\n", text)
	}
	return status
}

// outTerminal describes the terminal that the session's text goes to.
func outTerminal() researchreport.Terminal {
	width, _ := strconv.Atoi(os.Getenv("COLUMNS")) // 0: the shell does not say
	return researchreport.Terminal{Width: width, Color: isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == ""}
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
	s := sessionReport(repo, lines)
	switch {
	case *markdown:
		return researchreport.Markdown(stdout, s)
	case *page == "":
		return researchreport.Text(stdout, s, outTerminal())
	}
	var b bytes.Buffer
	if err := researchreport.HTML(&b, s); err != nil {
		return err
	}
	return os.WriteFile(*page, b.Bytes(), 0o666)
}

func researchFrontier(c *command, args []string) error {
	fs := newResearchFlags(c)
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	lines, _, err := fs.lines()
	if err != nil {
		return err
	}
	return researchreport.Frontier(stdout, &researchreport.Session{Lines: lines})
}

func researchLesson(c *command, args []string) error {
	fs := newResearchFlags(c)
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	config, err := fs.load()
	if err != nil {
		return err
	}
	return withSession(config, false, func(_ context.Context, s *research.Session) error {
		if fs.NArg() > 0 {
			return s.AddLesson(strings.Join(fs.Args(), " "))
		}
		for _, l := range s.Lessons() {
			fmt.Fprintln(stdout, l)
		}
		return nil
	})
}

// sessionReport returns the data of reports, with diffs from the repository.
func sessionReport(repo *gitx.Repo, lines []ledger.Line) *researchreport.Session {
	return &researchreport.Session{Lines: lines, Diff: func(r *ledger.Row) (string, error) {
		if r.Tree == "" || r.Parent == "" {
			return "", nil
		}
		text, err := repo.Diff(context.Background(), r.Parent, r.Tree)
		return string(text), err
	}}
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
				fmt.Fprintln(stdout, string(l.Raw))
			default:
				fmt.Fprintln(stdout, research.RowLine(l.Row, ledger.Segment(lines)))
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

func researchGC(c *command, args []string) error {
	fs := c.flags()
	session := fs.String("session", "", "`name` of the session; default all")
	age := fs.Duration("age", 30*24*time.Hour, "what is younger stays; default 720h")
	ctx, repo, err := repository(c, fs, args)
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
		fmt.Fprintf(stdout, "%s: %d refs removed\n", name, n)
	}
	return nil
}
