//go:build !go1.27

package runtime

// Texts that differ by release.

const version = "go1.26"
const panicNilText = "panic called with nil argument"
const synctestAsyncText = "synctest.Run not supported with asynctimerchan!=0"

const (
	labelsByDefault = false // GODEBUG=tracebacklabels
	quotesBytes     = false // a byte that is no UTF-8 is quoted as U+FFFD
)

// printheaderend ends the header of a goroutine with the labels to be shown.
func printheaderend(labels []label) {
	if len(labels) > 0 {
		printstring(" labels:{")
		printlabels(labels, printquoted)
		printstring("}")
	}
	printstring("]:\n")
}
