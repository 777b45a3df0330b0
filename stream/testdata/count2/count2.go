// Package count2 is another version of count, with a variable more.
package count2

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// A Message is to be published.
type Message struct {
	Subject string
	Data    []byte
}

var (
	counts = map[string]int{}
	sums   = map[string]int{}
	kept   [][]byte
	extra  = map[string]bool{} // that version 1 does not have
)

// Handle counts a message: a number, which it adds to the sum of the subject.
func Handle(subject string, at int64, data []byte) ([]Message, error) {
	name := subject[strings.LastIndexByte(subject, '.')+1:]
	counts[name]++ // before any failure, so that a state that is not undone is seen
	extra[name] = true
	text := string(data)
	switch word, _, _ := strings.Cut(text, " "); word {
	case "error":
		return nil, errors.New("refused: " + text)
	case "panic":
		panic("poison")
	case "loop":
		for {
		}
	case "alloc":
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "elsewhere":
		return []Message{{"nobody.wants", data}}, nil
	case "write":
		data[0] = 'W'
	case "keep":
		kept = append(kept[:0], data)
	}
	n, _ := strconv.Atoi(strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyzW "))
	sums[name] += n
	return []Message{{"counted." + name, fmt.Appendf(nil, "%d %d version 2", counts[name], sums[name])}}, nil
}

// Export and Import take the counts to another version.
func Export() ([]byte, error) {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	var b []byte
	for _, name := range names {
		b = fmt.Appendf(b, "%s %d %d\n", name, counts[name], sums[name])
	}
	return b, nil
}

func Import(data []byte) error {
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var name string
		var n, sum int
		if _, err := fmt.Sscan(line, &name, &n, &sum); err != nil && line != "" {
			return err
		}
		counts[name], sums[name] = n, sum
	}
	return nil
}
