package bytecode

import (
	"fmt"
	"strings"
)

// Verify checks what the interpreter takes for granted about a function's code: operations exist,
// slots lie in the frame, branches lead to instructions, control cannot run off the end, and the
// tables are sorted and name places that exist. It is for tests: only this package makes code, and
// none is read from outside.
func (fc *FuncCode) Verify() error {
	v := verifier{fc: fc, starts: make([]bool, len(fc.Code)+1)}
	name := "boot"
	if fc.Fn != nil {
		name = fc.Fn.Name
	}
	if err := v.verify(); err != nil {
		return fmt.Errorf("code of %s: %w", name, err)
	}
	return nil
}

type verifier struct {
	fc     *FuncCode
	starts []bool // by offset: an instruction begins here
}

func (v *verifier) verify() error {
	code := v.fc.Code
	if len(code) <= HeaderWords {
		return fmt.Errorf("%d words are no code", len(code))
	}
	last := Invalid
	for at := HeaderWords; at < len(code); {
		op := OpOf(code[at])
		if op == Invalid || op >= NumOps {
			return fmt.Errorf("offset %d: no operation %d", at, op)
		}
		n := Words(code[at:])
		if at+n > len(code) {
			return fmt.Errorf("offset %d: %v is cut off", at, op)
		}
		v.starts[at] = true
		at += n
		last = op
	}
	if Ops[last].Flow&Ends == 0 {
		return fmt.Errorf("the code ends with %v", last)
	}
	for at := HeaderWords; at < len(code); at += Words(code[at:]) {
		if err := v.instruction(at); err != nil {
			op, _, _ := Decode(code, at)
			return fmt.Errorf("offset %d: %v: %w", at, op, err)
		}
	}
	return v.tables()
}

func (v *verifier) instruction(at int) error {
	op, operands, n := Decode(v.fc.Code, at)
	frame := int64(v.fc.Slots)
	for _, o := range operands {
		switch o.Kind {
		case '=', 'r':
			if o.Value >= frame || o.Kind == '=' && o.Value == 0 {
				return fmt.Errorf("slot %d of %d", o.Value, frame)
			}
		case 'T':
			if o.Value < HeaderWords || o.Value >= int64(len(v.fc.Code)) || !v.starts[o.Value] {
				return fmt.Errorf("leads to %d", o.Value)
			}
		}
	}
	switch {
	case op == Call || op == CallC || op == CallX || op == Host:
		if base := operands[0].Value; base == 0 || base >= frame {
			return fmt.Errorf("frame at slot %d of %d", base, frame)
		}
	case strings.HasSuffix(Ops[op].Form, "/K"):
		// The jump to the steps follows.
		if at+n >= len(v.fc.Code) || OpOf(v.fc.Code[at+n]) != Jmp {
			return fmt.Errorf("no jump follows")
		}
	}
	if Ops[op].Flow&GCSafe != 0 && Ops[op].Flow&Jumps == 0 {
		if v.fc.Fn != nil && v.fc.Site(uint32(at+n)) == nil && !v.stepped(at+n) {
			return fmt.Errorf("no site for the return address %d", at+n)
		}
	}
	if Ops[op].Flow&Traps != 0 && v.fc.Site(uint32(at+1)) == nil {
		return fmt.Errorf("no site for a trap")
	}
	if Ops[op].Flow&Loop != 0 {
		for _, o := range operands {
			if o.Kind == 'T' && v.fc.Site(uint32(o.Value)) == nil && !v.stepped(int(o.Value)) {
				return fmt.Errorf("loop charge leads to %d, which has no stack map", o.Value)
			}
		}
	}
	return nil
}

// stepped reports whether the charge before pc is retried in steps when it does
// not fit.
func (v *verifier) stepped(pc int) bool {
	ch := v.fc.Charge(uint32(pc))
	return ch != nil && ch.Steps != 0 && int(ch.Steps) < len(v.starts) && v.starts[ch.Steps]
}

func (v *verifier) tables() error {
	fc := v.fc
	for i, s := range fc.Sites {
		if i > 0 && s.PC <= fc.Sites[i-1].PC {
			return fmt.Errorf("sites %d and %d are not in order", fc.Sites[i-1].PC, s.PC)
		}
		if int(s.PC) > len(fc.Code) || uint64(s.Map)+uint64(s.N) > uint64(len(fc.Maps)) {
			return fmt.Errorf("bad site %d", s.PC)
		}
		for _, m := range fc.Maps[s.Map : s.Map+s.N] {
			if m == 0 || int(m) >= fc.Slots {
				return fmt.Errorf("stack map of %d names slot %d of %d", s.PC, m, fc.Slots)
			}
		}
	}
	for i, c := range fc.Charges {
		if i > 0 && c.PC < fc.Charges[i-1].PC {
			return fmt.Errorf("charges %d and %d are not in order", fc.Charges[i-1].PC, c.PC)
		}
		if int(c.PC) >= len(fc.Code) || !v.starts[c.PC] {
			return fmt.Errorf("charge at %d", c.PC)
		}
	}
	if fc.Recover != 0 && !v.starts[fc.Recover] {
		return fmt.Errorf("recovery block at %d", fc.Recover)
	}
	return nil
}
