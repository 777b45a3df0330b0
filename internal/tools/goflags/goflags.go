// Package goflags reads lists of flags as the go command does.
package goflags

import (
	"fmt"
	"strings"
)

// Split splits at spaces. As in all list flags of go build, a field that begins with a quote
// ends with that quote.
func Split(s string) (fields []string, err error) {
	const space = " \t\r\n"
	for s = strings.TrimLeft(s, space); s != ""; s = strings.TrimLeft(s, space) {
		if quote := s[0]; quote == '"' || quote == '\'' {
			field, rest, ok := strings.Cut(s[1:], string(quote))
			if !ok {
				return nil, fmt.Errorf("unterminated %c string", quote)
			}
			fields, s = append(fields, field), rest
			continue
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		fields, s = append(fields, s[:end]), s[end:]
	}
	return fields, nil
}
