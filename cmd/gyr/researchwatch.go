package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	researchreport "github.com/gyrvm/gyr/internal/lab/research/report"
)

// researchWatch is the verb of gyr research that follows a session.

func researchWatch(c *command, args []string) error {
	fs := newResearchFlags(c)
	once := fs.Bool("once", false, "show it once")
	if err := c.parse(fs.FlagSet, args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t := outTerminal()
	height, _ := strconv.Atoi(os.Getenv("LINES")) // 0: the shell does not say
	for seen := -1; ; {
		lines, name, err := fs.lines()
		if err != nil {
			return err
		}
		st, err := research.NewStatus(name, lines)
		if err != nil {
			return err
		}
		if len(lines) != seen {
			seen = len(lines)
			text, err := watched(lines, st, t, height)
			if err != nil {
				return err
			}
			if isTerminal(os.Stdout) && !*once {
				text = "\x1b[H\x1b[2J" + text
			}
			fmt.Fprint(stdout, text)
		}
		if *once || st.Stopped != "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// watched returns the view of a session: its report and the work in progress. If the view is higher
// than the terminal, the oldest rows are left out.
func watched(lines []ledger.Line, st *research.Status, t researchreport.Terminal, height int) (string, error) {
	var b strings.Builder
	if err := researchreport.Text(&b, &researchreport.Session{Lines: lines}, t); err != nil {
		return "", err
	}
	now := "between two candidates"
	switch {
	case st.Stopped != "":
		now = "ended: " + st.Stopped
	case st.Pending != 0:
		now = fmt.Sprintf("run %d is %s", st.Pending, st.Phase)
		if st.Queued > 0 {
			now += fmt.Sprintf(", %d more wait", st.Queued)
		}
	case st.Runs == 0 && st.Phase == "":
		now = "the base is checked and calibrated"
	}
	if st.Cost > 0 {
		now += fmt.Sprintf("; %.2f USD", st.Cost)
	}
	list := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	list = append(list, "", now)
	// The head ends after the line that follows the first empty one: the names of the columns.
	head := 0
	for i, line := range list {
		if line == "" && i+1 < len(list) {
			head = i + 2
			break
		}
	}
	if extra := len(list) - (height - 1); height > 10 && extra > 0 && head+extra < len(list) {
		list = append(list[:head:head], list[head+extra:]...)
	}
	return strings.Join(list, "\n") + "\n", nil
}
