package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// A program of testdata/programs with a line "//gyr:cases n" is run n times. Its argument is the
// number of the run, and each run may end in a panic. The test compares the output of all runs,
// each followed by its exit status. From the report of a panic it takes the text before the
// traceback, without the program counter.

var (
	casesLine    = regexp.MustCompile(`(?m)^//gyr:cases (\d+)$`)
	pcPattern    = regexp.MustCompile(`pc=0x[0-9a-f]+`)
	traceHeading = regexp.MustCompile(`(?m)^\n?goroutine \d+ .*\[.*\]:$`)
)

// parseCases returns the number of runs that the source asks for, or 0.
func parseCases(src []byte) int {
	if m := casesLine.FindSubmatch(src); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return 0
}

// caseOutput is the compared text of a run.
func caseOutput(out string, status int) string {
	if at := traceHeading.FindStringIndex(out); at != nil {
		out = out[:at[0]]
	}
	out = pcPattern.ReplaceAllString(out, "pc=X")
	return fmt.Sprintf("%s\nexit status %d\n", strings.TrimSuffix(out, "\n"), status)
}

// nativeOutput runs a program of one file with the go command.
func nativeOutput(path string, cases int) (string, error) {
	tmp, err := os.MkdirTemp("", "gyr-native")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	exe := filepath.Join(tmp, "program")
	if out, err := exec.Command("go", "build", "-o", exe, path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	if cases == 0 {
		out, err := exec.Command(exe).CombinedOutput()
		return string(out), err
	}
	var all strings.Builder
	for i := range cases {
		cmd := exec.Command(exe, strconv.Itoa(i))
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			return "", err
		}
		all.WriteString(caseOutput(string(out), cmd.ProcessState.ExitCode()))
	}
	return all.String(), nil
}

// runCases runs the cases of a program in the sandbox. It returns their output and what they used
// in total.
func runCases(ctx context.Context, prog *gyr.Program, p program, cfg gyr.Config) (_ string, used figures, _ error) {
	var all strings.Builder
	for i := range p.cases {
		var out bytes.Buffer
		cfg.Stdout, cfg.Stderr, cfg.Args = &out, &out, []string{strconv.Itoa(i)}
		err := start(ctx, prog, cfg, &used)
		var exit *gyr.ExitError
		if err != nil && !errors.As(err, &exit) {
			return all.String() + out.String(), used, fmt.Errorf("case %d: %w", i, err)
		}
		status := 0
		if exit != nil {
			status = exit.Code
		}
		all.WriteString(caseOutput(out.String(), status))
	}
	return all.String(), used, nil
}
