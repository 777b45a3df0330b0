package hot

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// register lists a function's register code, one operation as one instruction. Offsets are in
// words.
func (l *lister) register(f *ir.Func) (*record.Listing, error) {
	fc, err := l.guest.Program.RegisterCode(f)
	if err != nil || fc == nil {
		return nil, err
	}
	label := func(at int) string { return fmt.Sprintf("l%x", at) }
	out := &record.Listing{Func: f.Name, Kind: "interp", Share: l.tally.of(f), Bytes: 8 * len(fc.Code), Source: map[string]map[int]string{}}
	labels := map[int]bool{}
	for at := bytecode.HeaderWords; at < len(fc.Code); {
		text, targets, words := fc.Text(at, label)
		in := record.Instr{At: at, Text: text, Count: -1, Share: l.tally.hits[f][len(out.Code)] / l.tally.total}
		pos := fc.PosAt(uint32(at))
		if pos == 0 {
			pos = f.Pos
		}
		l.place(&in, pos, out)
		for _, t := range targets {
			labels[t] = true
		}
		if len(targets) > 0 {
			in.To = label(targets[0])
		}
		out.Code = append(out.Code, in)
		at += words
	}
	counts, err := perInstr(l.tally.counts[f], l.guest.Counted, len(out.Code), l.guest.Counts != nil)
	if err != nil {
		return nil, err
	}
	for i := range out.Code {
		x := &out.Code[i]
		if x.Count = counts[i]; labels[x.At] {
			x.Label = label(x.At)
		}
	}
	return out, nil
}
