package endings

import (
	"path"
	"regexp"
	"strings"
)

// An ending is what can be seen of the end of a run.
type ending struct {
	out    string // standard output
	report string // standard error, as report makes it
	exit   int
}

var (
	header   = regexp.MustCompile(`^goroutine (\d+)(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]*)\](.*):$`)
	waiting  = regexp.MustCompile(`, \d+ minutes`)
	creator  = regexp.MustCompile(` in goroutine (\d+)$`)
	place    = regexp.MustCompile(`^\t(\S.*\.go|\S*\.s):(\d+)(?: \+0x[0-9a-f]+)?(?: fp=.*)?$`)
	address  = regexp.MustCompile(`0x[0-9a-f]+`)
	signal   = regexp.MustCompile(`^\[signal (\w+): .*\]$`)
	function = regexp.MustCompile(`^[a-zA-Z_][^ ]*\(.*\)$`)
)

// report drops from the text of standard error what native Go does not promise.
func report(text string) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := header.FindStringSubmatch(line); m != nil {
			line = "goroutine " + number(m[1]) + " [" + waiting.ReplaceAllString(m[2], "") + "]" + m[3] + ":"
		} else if m := place.FindStringSubmatch(line); m != nil {
			line = "\t" + path.Base(m[1]) + ":" + m[2]
			if strings.Contains(m[1], "/src/runtime/") || strings.HasPrefix(m[1], "runtime/") || strings.Contains(m[1], "/src/internal/runtime/") {
				line = "\truntime"
			}
		} else if i+1 < len(lines) && place.MatchString(lines[i+1]) {
			if strings.HasPrefix(line, "created by ") {
				line = creator.ReplaceAllStringFunc(line, func(s string) string { return " in goroutine " + number(s[len(" in goroutine "):]) })
			} else if function.MatchString(line) {
				line = line[:strings.LastIndexByte(line, '(')]
			}
		} else if m := signal.FindStringSubmatch(line); m != nil {
			line = "[signal " + m[1] + "]"
		} else {
			line = address.ReplaceAllString(line, "0xX")
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// number is the number of a goroutine as far as it is promised.
func number(n string) string {
	if n == "1" {
		return n
	}
	return "N"
}
