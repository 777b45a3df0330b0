package measure

import "math"

// A Schedule gives each test of a session its level. In a row of tests without success the levels
// fall so fast that their sum is finite. A confirmed success starts the row anew, as it has earned
// the right to more tests (alpha-investing: Foster and Stine 2008). So the expected number of false
// acceptances is at most Budget among the first Per tests of a row. In the whole row it is at most
// a fifth more, however long the row is.
type Schedule struct {
	Alpha  float64 // no test has a level above this
	Budget float64 // expected false acceptances among the first Per tests of a row
	Per    int
}

// DefaultSchedule allows 0.05 false acceptances in 25 tests.
func DefaultSchedule(alpha float64) Schedule { return Schedule{Alpha: alpha, Budget: 0.05, Per: 25} }

// Level is the level of a test that follows since tests after the last success or the start. A test
// that is repeated with fresh samples at level confirm accepts falsely with the product of both
// levels, so its first part may have a larger one. confirm is 1 for a test that is not repeated.
func (s Schedule) Level(since int, confirm float64) float64 {
	return min(s.Alpha, s.Budget*s.weight(since)/confirm)
}

// weight of a test falls like 1/(n log² n), whose sum is finite. The first Per weights have
// the sum 1.
func (s Schedule) weight(n int) float64 {
	f := func(n int) float64 {
		l := math.Log(float64(n) + 2)
		return 1 / ((float64(n) + 2) * l * l)
	}
	sum := 0.0
	for i := range max(s.Per, 1) {
		sum += f(i)
	}
	return f(n) / sum
}
