package hot

import "github.com/gyrvm/gyr/internal/lab/bench/record"

// Regions of a listing are the parts worth reading: the code around the instructions that take the
// time.
const (
	regionShare  = 0.1  // least share of its function's time
	regionMargin = 10   // instructions before and after
	regionGap    = 32   // regions closer than this are merged
	seedShare    = 0.01 // least share for an instruction to begin a region; less if none has much
)

// A region is a range [from, to) of instructions.
type region struct {
	from, to int
	share    float64
}

// regions returns the regions of a listing, in code order: at least the hottest one, if any
// instruction has a share.
func regions(code []record.Instr) []region {
	total, most := 0.0, 0.0
	for _, x := range code {
		total += x.Share
		most = max(most, x.Share)
	}
	if total == 0 {
		return nil
	}
	var list []region
	for i, x := range code {
		if x.Share == 0 || x.Share < min(seedShare*total, most/4) {
			continue
		}
		if k := len(list); k > 0 && i-list[k-1].to < regionGap {
			list[k-1].to = i + 1
			list[k-1].share += x.Share
			continue
		}
		list = append(list, region{i, i + 1, x.Share})
	}
	best := 0
	for i := range list {
		if list[i].share > list[best].share {
			best = i
		}
	}
	var out []region
	for i, r := range list {
		if r.share < regionShare*total && i != best {
			continue
		}
		r.from, r.to = max(0, r.from-regionMargin), min(len(code), r.to+regionMargin)
		if k := len(out); k > 0 && r.from <= out[k-1].to {
			out[k-1].to = r.to
			out[k-1].share += r.share
			continue
		}
		out = append(out, r)
	}
	return out
}

// foldedRun is the least number of consecutive cold instructions that are folded.
const foldedRun = 4

// coldCount is the part of the executions of the function's busiest instruction below which an
// instruction that the compiler took for cold is cold.
const coldCount = 0.05

// isCold reports whether an instruction within a region may be folded. No sample fell there, and it
// was never executed, or it is out of line and, as far as is known, hardly ever executed. most is
// the count of the busiest instruction.
func isCold(x *record.Instr, most float64) bool {
	return x.Share == 0 && (x.Count == 0 || x.Cold && x.Count < coldCount*most || x.Cold && x.Count < 0)
}

// busiest is the count of the busiest instruction.
func busiest(code []record.Instr) (n float64) {
	for _, x := range code {
		n = max(n, x.Count)
	}
	return n
}

// shown says which instructions are printed; with all, every one.
func shown(code []record.Instr, all bool) []bool {
	out := make([]bool, len(code))
	if all {
		for i := range out {
			out[i] = true
		}
		return out
	}
	most := busiest(code)
	for _, r := range regions(code) {
		for i := r.from; i < r.to; {
			end := i
			for end < r.to && isCold(&code[end], most) {
				end++
			}
			if end-i >= foldedRun {
				i = end
				continue
			}
			for end = max(end, i+1); i < end; i++ {
				out[i] = true
			}
		}
	}
	return out
}
