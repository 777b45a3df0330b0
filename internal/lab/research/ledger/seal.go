package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Each line ends in a sum of itself and of the sum before it. So a line that was changed, removed or
// put in shows, as long as a line after it is genuine. Logs of earlier versions have no sums: lines
// before the first sum are taken as they are.

const (
	sealStart = `,"sum":"`
	sealEnd   = `"}`
	sealSize  = 16
)

// seal adds the sum to the text of a line, which is an object.
func seal(text []byte, before string) []byte {
	out := bytes.TrimSuffix(bytes.Clone(text), []byte("}"))
	return append(out, sealStart+sumOf(text, before)+sealEnd...)
}

func sumOf(text []byte, before string) string {
	h := sha256.Sum256(append([]byte(before+"\n"), text...))
	return hex.EncodeToString(h[:sealSize/2])
}

// unseal returns the text of a line without its sum, and the sum; empty if there is none.
func unseal(text []byte) (bare []byte, sum string) {
	n := len(text) - len(sealStart) - sealSize - len(sealEnd)
	if n < 0 || !bytes.HasPrefix(text[n:], []byte(sealStart)) || !bytes.HasSuffix(text, []byte(sealEnd)) {
		return text, ""
	}
	return append(bytes.Clone(text[:n]), '}'), string(text[n+len(sealStart) : len(text)-len(sealEnd)])
}

// A Damage is a line that the session did not write in this form.
type Damage struct {
	Line int // from 1
	Why  string
}

func (d Damage) String() string { return fmt.Sprintf("line %d of the log %s", d.Line, d.Why) }

// A DamageError lists the damage of a log. What else is in the log can be used.
type DamageError []Damage

func (e DamageError) Error() string {
	var words []string
	for _, d := range e {
		words = append(words, d.String())
	}
	return strings.Join(words, "; ")
}

// A checker verifies lines in their order.
type checker struct {
	sum  string // of the last line that has one
	lost bool   // the next sum cannot be verified
}

// check says what is wrong with a line; empty if nothing is.
func (c *checker) check(text []byte) string {
	bare, sum := unseal(text)
	before, lost := c.sum, c.lost
	switch {
	case sum == "" && before == "":
		return ""
	case sum == "":
		return "has no sum: the session did not write it"
	}
	c.sum, c.lost = sum, false
	if !lost && sum != sumOf(bare, before) {
		return "is not as the session wrote it, or lines before it are missing"
	}
	return ""
}
