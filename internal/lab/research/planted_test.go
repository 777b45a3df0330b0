package research

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var plantedOnly = flag.String("planted.only", "", "only those changes of the planted suite whose name matches")

// The most that the whole suite may get wrong.
const (
	mostWrongKept    = 1
	mostRightRefused = 3
)

// TestPlanted judges the planted suite at the default effort, each change by itself in a session on
// its fixture. It prints each row, and by kind what became of the wrong ones. Wrong changes that the
// fixture's tests or the measuring refuse show nothing. They are counted apart. Without -long it
// judges twelve, another twelve each day.
//
//	go test ./internal/lab/research -run TestPlanted$ -long -v -timeout 5h
func TestPlanted(t *testing.T) {
	notShort(t)
	whole := *long || *plantedOnly != ""
	list := daily.Part(t, plantedSuite(t), 12, whole)
	p := newPlantedCheck(t)
	sums, total := map[string]*plantedSum{}, &plantedSum{}
	var wrongKept, rightRefused, rows []string
	var seconds, waited float64
	for _, x := range list {
		if x.race && !p.race {
			t.Logf("%s: not judged: %v", x, errNoRace)
			continue
		}
		start := time.Now()
		r := judgePlanted(t, x)
		took := time.Since(start).Seconds()
		seconds, waited = seconds+r.Seconds, waited+r.Waited
		line := fmt.Sprintf("%-26s %5.1fs of %5.1fs  %s: %.300s", r.Verdict, r.Seconds, took, x, r.Reason)
		t.Log(line)
		rows = append(rows, line)
		for _, k := range r.Battery {
			for _, note := range k.Notes {
				if *plantedOnly != "" {
					t.Logf("  %s, %.1f s: %.200s", k.Name, k.Seconds, note)
				}
				if strings.Contains(note, probeFailed) {
					t.Errorf("%s: %s", x, note)
				}
			}
		}
		sum := sums[x.kind]
		if sum == nil {
			sum = &plantedSum{}
			sums[x.kind] = sum
		}
		for _, s := range []*plantedSum{sum, total} {
			s.count(x, r)
		}
		switch {
		case x.right && !r.Kept():
			rightRefused = append(rightRefused, line)
		case !x.right && r.Kept():
			wrongKept = append(wrongKept, line)
		}
	}
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&out, "%s  %s\n", sums[kind], kind)
	}
	t.Logf("kept, refused, counted apart\n%s%s  all\n%.1f s a row, of which %.1f waiting for others that measure", &out, total,
		seconds/float64(max(1, len(rows))), waited/float64(max(1, len(rows))))
	if len(wrongKept) > mostWrongKept {
		t.Errorf("%d wrong changes are kept:\n%s", len(wrongKept), strings.Join(wrongKept, "\n"))
	}
	if len(rightRefused) > mostRightRefused {
		t.Errorf("%d right changes are refused:\n%s", len(rightRefused), strings.Join(rightRefused, "\n"))
	}
	if *long && *plantedOnly == "" && total.refused < 150 {
		t.Errorf("only %d wrong changes were refused for what they are", total.refused)
	}
}

// A plantedSum is what became of changes.
type plantedSum struct{ kept, refused, apart int }

func (s *plantedSum) count(x *plantedChange, r *ledger.Row) {
	switch {
	case r.Kept():
		s.kept++
	case x.right || !provesNothing(r):
		s.refused++
	default:
		s.apart++
	}
}

func (s *plantedSum) String() string { return fmt.Sprintf("%4d %4d %4d", s.kept, s.refused, s.apart) }

// provesNothing says that a wrong change was refused by what does not look for its fault.
func provesNothing(r *ledger.Row) bool {
	return slices.Contains([]string{ledger.VerdictChecksFailed + ":build", ledger.VerdictChecksFailed + ":vet", ledger.VerdictChecksFailed + ":test",
		ledger.VerdictNoEffect, ledger.VerdictWorse, ledger.VerdictUnconfirmed, ledger.VerdictGuardFailed, ledger.VerdictGuardUncertain,
		ledger.VerdictTimeout, ledger.VerdictScope, ledger.VerdictEmpty, ledger.VerdictConflict}, r.Verdict)
}

// judgePlanted judges a change in a session of its own, on a repository with nothing but the
// fixture.
func judgePlanted(t *testing.T, x *plantedChange) *ledger.Row {
	t.Helper()
	b := newBench(t)
	b.hold(x.fixture.repo, x.fixture.name)
	from, least := "gobench", "1"
	if x.unit == cpuPerOp {
		from, least = "rusage", "3%"
	}
	s := b.open(b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "objective", "from": from, "bench": x.bench, "pkg": x.pkg(), "unit": x.unit, "goal": "min", "minEffect": least}}
		c["scope"] = map[string]any{"allow": []string{"**/*.go"}, "maxDiffLines": 400}
		delete(c, "battery") // the default one
	}))
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var patch strings.Builder
	patch.WriteString(x.name + "\n\n")
	for _, name := range slices.Sorted(maps.Keys(x.after)) {
		patch.WriteString(strings.TrimPrefix(filePatch(t, "x", name, x.fixture.repo[name], x.after[name]), "x\n\n"))
	}
	row, err := s.Try(t.Context(), x.name, []byte(patch.String()))
	if err != nil {
		t.Fatalf("%s: %v", x, err)
	}
	return row
}
