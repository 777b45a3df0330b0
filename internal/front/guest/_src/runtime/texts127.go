//go:build go1.27

package runtime

// Texts that differ by release.

const version = "go1.27"
const panicNilText = "runtime error: panic called with nil argument"
const synctestAsyncText = "" // asynctimerchan is false

const (
	labelsByDefault = true // GODEBUG=tracebacklabels
	quotesBytes     = true // a byte that is no UTF-8 is quoted as itself
)

// printheaderend ends the header of a goroutine with the labels to be shown.
func printheaderend(labels []label) {
	printstring("]")
	if len(labels) > 0 {
		printstring(" {")
		printlabels(labels, printlabel)
		printstring("}")
	}
	printstring(":\n")
}

// printlabel prints the text of a label, in quotes if it has other characters than those of words and paths.
func printlabel(s string) {
	for i := range len(s) {
		if c := s[i]; !isupper(s[i:]) && !('a' <= c && c <= 'z') && !('0' <= c && c <= '9') && c != '.' && c != '/' && c != '_' {
			printquoted(s)
			return
		}
	}
	printstring(s)
}
