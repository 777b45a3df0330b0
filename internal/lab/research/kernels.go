package research

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Gas prices what gyr runs. Where the standard library has assembly or intrinsics for a processor,
// gas says little about time: gyr has a kernel that costs next to nothing a byte (IndexByte), or runs
// plain Go in place of the assembly (a search for a text). A candidate that leaves or enters such a
// function moves its gas otherwise than its time. So a session with gas as an objective looks where
// the base's gas goes.

// carried is the part of the gas in such functions from which on they carry the work.
const carried = 0.2

// kernelName matches functions of the standard library with assembly or intrinsics.
var kernelName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(internal/bytealg\.|(bytes|strings|internal/stringslite)\.(Index|LastIndex|Count|Compare|Equal)|` +
		`crypto/|hash/crc32\.|hash/maphash\.|math/big\.(add|sub|mul|lsh|rsh|addMul)V|math\.|math/bits\.|math/cmplx\.|internal/chacha8rand\.)`)
})

// gas reports whether a metric is gas of the engine.
func (m *Metric) gas() bool {
	return m.From == "engine" && (m.Unit == "gas" || m.Unit == "" && m.Name == "gas")
}

// checkGas warns of objectives whose gas is carried by kernels. If all objectives are such, the
// session cannot judge, and does not begin.
func (s *Session) checkGas(ctx context.Context) error {
	sole := true
	var warnings []string
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		if m.Goal == "" {
			continue
		}
		if !m.gas() {
			sole = false
			continue
		}
		top, err := s.gasProfile(ctx, m)
		if err != nil {
			return err
		}
		part, names := kernelShare(top)
		if part < carried {
			sole = false
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s: %.0f%% of it is in functions for which processors have assembly or intrinsics (%s): it says little about time there",
			m.Name, 100*part, strings.Join(names, ", ")))
	}
	if len(warnings) == 0 {
		return nil
	}
	text := strings.Join(warnings, "; ")
	if sole {
		return errors.New(text + "; add an objective of time, such as cpu-ns/op of a benchmark")
	}
	s.printf("%s", text)
	return s.event("gas", text, nil)
}

// gasProfile is pprof's list of a metric's gas in the base, empty if there is none.
func (s *Session) gasProfile(ctx context.Context, m *Metric) (string, error) {
	dir := filepath.Join(s.work, "profile")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return "", err
	}
	prof := filepath.Join(dir, "gas.prof")
	args := append([]string{"run", "-gasprofile=" + prof, m.Program}, m.Args...)
	if m.Test != "" {
		args = append([]string{"test", "-gasprofile=" + prof, "-count=1"}, m.testArgs()...)
	}
	for _, command := range [][]string{append([]string{s.runner.self}, args...), {"go", "tool", "pprof", "-top", "-nodefraction=0", prof}} {
		o, err := s.runner.boxed(ctx, s.parent, false, []string{dir}, s.parent.wt.Dir, nil, m.Timeout.or(sampleTimeout), command[0], command[1:]...)
		if err != nil || o.Err() != nil {
			return "", err
		}
		if command[0] == "go" {
			return string(o.Stdout), nil
		}
	}
	return "", nil
}

// flatLine is a line of pprof -top: the part of the function itself, and its name.
var flatLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\S+\s+([\d.e-]+)%\s+[\d.e-]+%\s+\S+\s+[\d.e-]+%\s+(\S+)`)
})

// kernelShare is the part of a profile in kernels, and the largest of them.
func kernelShare(top string) (part float64, names []string) {
	for line := range strings.Lines(top) {
		m := flatLine().FindStringSubmatch(line)
		if m == nil || !kernelName().MatchString(m[2]) {
			continue
		}
		percent, err := strconv.ParseFloat(m[1], 64)
		if err != nil || percent == 0 {
			continue
		}
		part += percent / 100
		if name := strings.TrimSuffix(m[2], "[...]"); len(names) < 3 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return part, names
}
