package main

import (
	"fmt"
	"go/constant"
	"go/token"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// This file has the types of flags that several commands share.

// A sizeFlag is a number of bytes with an optional unit.
type sizeFlag uint64

func (s *sizeFlag) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *sizeFlag) Set(text string) error {
	n, err := rt.ParseSize(text)
	*s = sizeFlag(n)
	return err
}

// A countFlag is a number in the form of a Go constant, so 1_000_000 or 1e6 too.
type countFlag int64

func (c *countFlag) String() string { return strconv.FormatInt(int64(*c), 10) }

func (c *countFlag) Set(text string) error {
	digits, negative := strings.CutPrefix(text, "-")
	v := constant.ToInt(constant.MakeFromLiteral(digits, token.INT, 0))
	if v.Kind() != constant.Int {
		v = constant.ToInt(constant.MakeFromLiteral(digits, token.FLOAT, 0))
	}
	n, exact := constant.Int64Val(v)
	if v.Kind() != constant.Int || !exact {
		return fmt.Errorf("want a whole number below 2^63 such as 5000, 1_000_000 or 1e9")
	}
	if negative {
		n = -n
	}
	*c = countFlag(n)
	return nil
}

// listFlag collects the values of a flag that may be given more than once.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }

func (l *listFlag) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// statsFlag is -stats, -stats=json, or -stats=brief, which is json without the figures that take
// time to count.
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
