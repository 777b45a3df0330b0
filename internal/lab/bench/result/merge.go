package result

import (
	"slices"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// Old is the suffix of engine labels for the older of two merged records.
const Old = "@old"

// Merge makes one record of two. Each engine of the older one is compared with the same engine of
// the newer. A cell that is not in both has no comparison.
func Merge(old, now *record.Record) *record.Record {
	m := &record.Record{}
	*m = *now
	run := *now.Run
	run.Against, run.Unpaired = "old", true
	if old.Run.Revision != "" {
		run.Against = old.Run.Revision
	}
	run.Engines = slices.Clone(now.Run.Engines)
	for _, e := range old.Run.Engines {
		run.Engines = append(run.Engines, e+Old)
	}
	run.Plan.Delta = max(run.Plan.Delta, old.Run.Plan.Delta)
	m.Run = &run
	for _, b := range old.Benches {
		if !slices.ContainsFunc(now.Benches, func(x *record.Bench) bool { return x.Key == b.Key }) {
			m.Benches = append(slices.Clip(m.Benches), b)
		}
	}
	m.Visits = merged(now.Visits, old.Visits, func(x *record.Visit) *record.Cell { return &x.Cell })
	m.Counts = merged(now.Counts, old.Counts, func(x *record.Count) *record.Cell { return &x.Cell })
	m.Counters = merged(now.Counters, old.Counters, func(x *record.Counters) *record.Cell { return &x.Cell })
	m.Proofs = merged(now.Proofs, old.Proofs, func(x *record.Proof) *record.Cell { return &x.Cell })
	m.Profiles = merged(now.Profiles, old.Profiles, func(x *record.Profile) *record.Cell { return &x.Cell })
	return m
}

// merged appends copies of the old lines, under the old engines' labels.
func merged[T any](now, old []*T, cell func(*T) *record.Cell) []*T {
	list := slices.Clone(now)
	for _, x := range old {
		y := *x
		c := cell(&y)
		c.Engine += Old
		list = append(list, &y)
	}
	return list
}

// Only is the old record without the cells that the new one does not have.
func Only(old, now *record.Record) *record.Record {
	o := &record.Record{}
	*o = *old
	run := *old.Run
	run.Engines = slices.DeleteFunc(slices.Clone(run.Engines), func(e string) bool { return !slices.Contains(now.Run.Engines, e) })
	o.Run = &run
	has := map[string]bool{}
	for _, b := range now.Benches {
		has[b.Key] = true
	}
	o.Benches = slices.DeleteFunc(slices.Clone(old.Benches), func(b *record.Bench) bool { return !has[b.Key] })
	keep := func(c record.Cell) bool { return has[c.Bench] && slices.Contains(run.Engines, c.Engine) }
	o.Visits = only(old.Visits, keep, func(x *record.Visit) record.Cell { return x.Cell })
	o.Counts = only(old.Counts, keep, func(x *record.Count) record.Cell { return x.Cell })
	o.Counters = only(old.Counters, keep, func(x *record.Counters) record.Cell { return x.Cell })
	o.Proofs = only(old.Proofs, keep, func(x *record.Proof) record.Cell { return x.Cell })
	o.Profiles = only(old.Profiles, keep, func(x *record.Profile) record.Cell { return x.Cell })
	return o
}

func only[T any](list []*T, keep func(record.Cell) bool, cell func(*T) record.Cell) []*T {
	return slices.DeleteFunc(slices.Clone(list), func(x *T) bool { return !keep(cell(x)) })
}
