// Package daily chooses the tests that run today. Some tests go through a list of similar cases
// that takes minutes. They run a part of it, another one each day, and the whole list with a flag
// of the test. docs/testing.md lists what is sampled.
//
// The part depends on the day in UTC, or on the environment variable GYR_DAY, a date such as
// 2026-11-28. To reproduce a failure, set it to the date that the test has logged. The parts of
// consecutive days make up the whole list, and are disjoint.
//
// Tests that -run names have their turn ([Turn]) each day, unless GYR_DAY gives the day, as it does
// in .ci/run. With a pattern that names cases, such as TestX/case, a part ([Part]) is the whole
// list.
package daily

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// Variable is the environment variable with the day.
const Variable = "GYR_DAY"

// today returns the day, in days since 1970.
func today() int {
	now := time.Now()
	if text := os.Getenv(Variable); text != "" {
		var err error
		if now, err = time.Parse(time.DateOnly, text); err != nil {
			panic(Variable + ": " + err.Error())
		}
	}
	return int(now.Unix() / (24 * 60 * 60))
}

// date returns the value of Variable for a day.
func date(day int) string { return time.Unix(int64(day)*24*60*60, 0).UTC().Format(time.DateOnly) }

// Seed defines a flag of a test program: a seed that changes each day unless the flag is given.
// Seeds of two days are a million apart, so tests may count up from one. A test that draws with it
// calls Drawn.
func Seed(name, usage string) *uint64 {
	return flag.Uint64(name, uint64(today())*1_000_000, usage+"; by default the day's")
}

// Drawn logs the seed that a test draws with. It also tells the go command that the result depends
// on the day.
func Drawn(t testing.TB, name string) {
	t.Helper()
	today() // flags are defined before the go command begins to log what a test reads
	t.Logf("-%s=%s", name, flag.Lookup(name).Value)
}

// Part returns today's part of a list, at most n elements in the list's order, or all if the test's
// flag asks for it.
func Part[E any](t testing.TB, list []E, n int, all bool) []E {
	t.Helper()
	if all || len(list) <= n || strings.Contains(named(), "/") {
		return list
	}
	day := today()
	part := partOf(t.Name(), day, list, n)
	t.Logf("%d of %d cases: those of %s=%s", len(part), len(list), Variable, date(day))
	return part
}

// Numbers applies Part to the numbers below count.
func Numbers(t testing.TB, count, n int, all bool) []int {
	t.Helper()
	list := make([]int, count)
	for i := range list {
		list[i] = i
	}
	return Part(t, list, n, all)
}

// partOf returns the part of a day. As many days form a group as there are parts; each group has
// its own random order.
func partOf[E any](test string, day int, list []E, n int) (part []E) {
	parts := (len(list) + n - 1) / n
	today := make([]bool, len(list))
	for i, k := range rand.New(rand.NewPCG(hash(test), uint64(day/parts))).Perm(len(list)) {
		today[k] = i%parts == day%parts
	}
	for k, e := range list {
		if today[k] {
			part = append(part, e)
		}
	}
	return part
}

// Turn skips a test except on one of so many days. It does not skip it if the test's flag asks for
// it, or if -run names tests and the day is not given.
func Turn(t testing.TB, days int, all bool) {
	t.Helper()
	if all || named() != "" && os.Getenv(Variable) == "" {
		return
	}
	day := today()
	if in := next(t.Name(), day, days); in > 0 {
		t.Skipf("it runs on one of %d days, the next time with %s=%s; and whenever -run names it without that variable", days, Variable, date(day+in))
	}
}

// named returns the pattern of -run.
func named() string {
	if f := flag.Lookup("test.run"); f != nil {
		return f.Value.String()
	}
	return ""
}

// next returns in how many days a test has its turn.
func next(test string, day, days int) int {
	return int((hash(test) + uint64(days) - uint64(day%days)) % uint64(days))
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
