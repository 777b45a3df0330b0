//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed judged.txt
var judgedText string

// A judgement says why no test finds a mutant.
type judgement struct {
	kind, reason string
}

// readJudged reads judged.txt. It consists of paragraphs of two lines: a mutant as key names it
// and, indented, the kind of verdict and its reason.
func readJudged() (map[string]*judgement, error) {
	list := map[string]*judgement{}
	key := ""
	for i, line := range strings.Split(judgedText, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, "\t"):
			key = line
		default:
			kind, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if kind != equivalent && kind != slower || reason == "" || key == "" || list[key] != nil {
				return nil,
					fmt.Errorf("judged.txt:%d: want a mutant not named before and \"%s: reason\" or \"%s: reason\" under it", i+1,
						equivalent, slower)
			}
			list[key] = &judgement{kind: kind, reason: reason}
			key = ""
		}
	}
	return list, nil
}
