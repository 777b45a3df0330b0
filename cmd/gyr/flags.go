package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Types of flags that more than one command may have.

// A sizeFlag is a number of bytes with an optional unit.
type sizeFlag uint64

func (s *sizeFlag) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *sizeFlag) Set(text string) error {
	n, err := rt.ParseSize(text)
	*s = sizeFlag(n)
	return err
}

// listFlag collects the values of a flag that may be given more than once.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }

func (l *listFlag) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// statsFlag is -stats, -stats=json, or -stats=brief: as json, without what takes time to
// count.
type statsFlag string

func (s *statsFlag) String() string   { return string(*s) }
func (s *statsFlag) IsBoolFlag() bool { return true }

func (s *statsFlag) Set(v string) error {
	switch v {
	case "true":
		*s = "text"
	case "false":
		*s = ""
	case "json", "text", "brief":
		*s = statsFlag(v)
	default:
		return fmt.Errorf("-stats is text, json or brief")
	}
	return nil
}
