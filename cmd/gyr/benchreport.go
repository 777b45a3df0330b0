package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/term"

	"github.com/gyrvm/gyr/internal/lab/bench/hot"
	"github.com/gyrvm/gyr/internal/lab/bench/page"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
)

// benchOutFlags are the flags for printing and writing a record's report.
type benchOutFlags struct {
	format, html, markdown, pprof, speedscope string
	color                                     string
	verbose                                   bool
}

// benchFormats are the values of -format.
var benchFormats = map[string]func(w io.Writer, r *result.Report) error{
	"go": show.GoFormat, "md": show.Markdown,
}

func (o *benchOutFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&o.format, "format", "text", "print `text`, go (the format of go test -bench, for benchstat), or md (Markdown)")
	fs.StringVar(&o.html, "html", "", "write a page with everything to `FILE`")
	fs.StringVar(&o.markdown, "md", "", "write Markdown for a pull request to `FILE`")
	fs.StringVar(&o.pprof, "pprof", "", "write the profile of the first benchmark that has one to `FILE`, for go tool pprof")
	fs.StringVar(&o.speedscope, "speedscope", "", "write that profile to `FILE`, for speedscope")
	fs.StringVar(&o.color, "color", "auto", "colours in the table: `when` is auto, always or never")
	fs.BoolVar(&o.verbose, "v", false, "print all metrics, and notes that are for information alone")
}

// print writes a report to standard output, and to files. name is the record's file.
func (o *benchOutFlags) print(r *result.Report, name string) error {
	if f := benchFormats[o.format]; f != nil {
		if err := f(stdout, r); err != nil {
			return err
		}
		return o.files(r)
	}
	if o.format != "text" {
		return usageError{fmt.Sprintf("bench: -format %s: there are text, go and md", o.format)}
	}
	so := show.Options{Verbose: o.verbose}
	so.Color, so.Width = o.terminal()
	if err := show.Text(stdout, r, so); err != nil {
		return err
	}
	most := 1
	if o.verbose {
		most = 0
	}
	for _, p := range r.Record.Profiles {
		fmt.Fprintln(stdout)
		if err := hot.Render(stdout, p, hot.Options{Color: so.Color, All: o.verbose, Width: so.Width, Most: most}); err != nil {
			return err
		}
	}
	if err := o.files(r); err != nil {
		return err
	}
	if name != "" {
		fmt.Fprintf(stderr, "gyr: the record is %s\n", name)
	}
	return nil
}

// terminal reports whether standard output takes colours, and its width.
func (o *benchOutFlags) terminal() (color bool, width int) {
	width = 120
	if isTerminal(os.Stdout) {
		color = os.Getenv("NO_COLOR") == ""
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			width = w
		}
	}
	switch o.color {
	case "always":
		color = true
	case "never":
		color = false
	}
	return color, width
}

// files writes the outputs that have a file of their own.
func (o *benchOutFlags) files(r *result.Report) error {
	for _, f := range []struct {
		name  string
		write func(w io.Writer, r *result.Report) error
	}{{o.html, page.HTML}, {o.markdown, show.Markdown}, {o.pprof, firstProfile(hot.WritePprof)}, {o.speedscope, firstProfile(hot.WriteSpeedscope)}} {
		if f.name == "" {
			continue
		}
		var b bytes.Buffer
		if err := f.write(&b, r); err != nil {
			return err
		}
		if err := os.WriteFile(f.name, b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// firstProfile writes the first profile of a report's record.
func firstProfile(write func(io.Writer, *record.Profile) error) func(io.Writer, *result.Report) error {
	return func(w io.Writer, r *result.Report) error {
		for _, p := range r.Record.Profiles {
			if p.Failed == "" || len(p.Shares) > 0 {
				return write(w, p)
			}
		}
		return errors.New("the record has no profile: measure with -profile")
	}
}

// lastRecord returns the file of the newest record that has no name given by the user.
func lastRecord() (string, error) {
	dir, err := recordDir("")
	if err != nil || dir == "" {
		return "", errors.New("there are no records: name one")
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(names) == 0 {
		return "", fmt.Errorf("there are no records in %s: measure with 'gyr bench', or name one", dir)
	}
	return slices.Max(names), nil
}

func benchReport(c *command, args []string) error {
	fs := c.flags()
	var out benchOutFlags
	out.register(fs)
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 1 {
		return usageError{"bench report: name one record; 'gyr bench compare' compares two"}
	}
	name := fs.Arg(0)
	if name == "" {
		var err error
		if name, err = lastRecord(); err != nil {
			return err
		}
	}
	rec, err := readRecord(name)
	if err != nil {
		return err
	}
	return out.print(result.Of(rec), "")
}

func benchCompare(c *command, args []string) error {
	fs := c.flags()
	var out benchOutFlags
	out.register(fs)
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 2 {
		return usageError{"bench compare: name two records, the old one first"}
	}
	var recs [2]*record.Record
	for i := range recs {
		var err error
		if recs[i], err = readRecord(fs.Arg(i)); err != nil {
			return err
		}
	}
	merged := result.Merge(recs[0], recs[1])
	return out.print(result.Of(merged), "")
}
