package loop

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/back/bytecode"
)

// A slot is one that a field of the instruction names. It says how the loop reads it, writes it and
// takes its address; a field is empty if no operation does that. The fields are numbered: 0 to 2
// are a to c, 3 to 6 are d to g of the extension word.
type slot struct {
	field                int
	read, write, address string
}

var slots = map[string]slot{
	"A":  {0, "ra(fp, w)", "*pa(fp, w)", "pa(fp, w)"},
	"B":  {1, "rb(fp, w)", "", ""},
	"C":  {2, "rc(fp, w)", "*slot(fp, uint16(w>>48))", ""},
	"D":  {3, "*slot(fp, uint16(e))", "*slot(fp, uint16(e))", ""},
	"E":  {4, "*slot(fp, uint16(e>>16))", "*slot(fp, uint16(e>>16))", ""},
	"F":  {5, "*slot(fp, uint16(e>>32))", "*slot(fp, uint16(e>>32))", ""},
	"FA": {0, "fa(fp, w)", "*qa(fp, w)", ""},
	"FB": {1, "fb(fp, w)", "", ""},
	"FC": {2, "fc(fp, w)", "", ""},
	"FD": {3, "*(*float64)(unsafe.Pointer(slot(fp, uint16(e))))", "", ""},
}

// immediates are the definitions that read a field that is no slot, with the letters of
// bytecode.OpInfo.Form that the field may have.
var immediates = map[string]struct {
	field   int
	letters string
}{
	"IMMB":  {1, "i"},
	"IMMC":  {2, "iu"},
	"UIMMC": {2, "iu"},
	"IMM":   {1, "I"},
	"UIMM":  {1, "Iu"},
	"WORD":  {3, "=ruiLHJK"},
	"UIMMD": {3, "u"},
	"UIMME": {4, "u"},
	"UIMMF": {5, "u"},
}

// A form is the fields of an operation, and which of its slots the code has used.
type form struct {
	name   string
	fields string // a letter for each: a to c, then those of the extension word; '-' where there is none
	used   [7]bool
	traps  bool
}

func newForm(name string, info bytecode.OpInfo) *form {
	first, extension, _ := strings.Cut(info.Form, "/")
	if strings.HasSuffix(first, "I") {
		first += "-" // it takes two fields
	}
	return &form{name: name, fields: first + extension + "----", traps: info.Flow&bytecode.Traps != 0}
}

// slot notes that the code uses the slot that a field names.
func (f *form) slot(field int, kind string) error {
	if f == nil {
		return fmt.Errorf("the code of a mode %s slot %c", kind, "abcdefg"[field])
	}
	letter := f.fields[field]
	ok := map[string]bool{"reads": letter == 'r', "writes": letter == '=', "has the address of": letter != '-'}[kind]
	if ok {
		f.used[field] = true
		return nil
	}
	return fmt.Errorf("%s %s slot %c, which the form in package bytecode does not say", f.name, kind, "abcdefg"[field])
}

// allows reports whether the operation has the field that a definition reads.
func (f *form) allows(name string) error {
	if i, ok := immediates[name]; ok && f != nil && !strings.ContainsRune(i.letters, rune(f.fields[i.field])) {
		return fmt.Errorf("%s uses %s, but field %c is %q", f.name, name, "abcdefg"[i.field], f.fields[i.field])
	}
	return nil
}

// complete reports whether the code has used all slots. Those of a check may serve the trap alone.
func (f *form) complete() error {
	for i, used := range f.used {
		letter := f.fields[i]
		if !used && (letter == '=' || letter == 'r' && !f.traps) {
			return fmt.Errorf("%s does nothing with slot %c", f.name, "abcdefg"[i])
		}
	}
	return nil
}
