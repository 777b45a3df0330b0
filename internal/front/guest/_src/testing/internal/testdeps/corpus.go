package testdeps

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// The seed corpus of a fuzz target are the files of a directory, one input each: a line
// that names the version, then a line for each argument, a conversion of a literal.

const corpusVersion = "go test fuzz v1"

// ReadCorpus reads the files of a directory, which need not be there. They must hold values of
// the given types.
func (TestDeps) ReadCorpus(dir string, types []reflect.Type) ([]corpusEntry, error) {
	files, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading seed corpus from testdata: %v", err)
	}
	var corpus []corpusEntry
	var bad []string
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		name := filepath.Join(dir, f.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("failed to read corpus file: %v", err)
		}
		values, err := parseCorpus(string(data))
		if err != nil {
			err = fmt.Errorf("unmarshal: %v", err)
		} else {
			err = TestDeps{}.CheckCorpus(values, types)
		}
		if err != nil {
			bad = append(bad, fmt.Sprintf("%q: %v", name, err))
			continue
		}
		corpus = append(corpus, corpusEntry{Path: name, Values: values})
	}
	if bad != nil {
		return corpus, errors.New(strings.Join(bad, "\n"))
	}
	return corpus, nil
}

// CheckCorpus verifies that values have the types that a fuzz target takes.
func (TestDeps) CheckCorpus(values []any, types []reflect.Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("wrong number of values in corpus entry: %d, want %d", len(values), len(types))
	}
	have, same := make([]reflect.Type, len(values)), true
	for i, v := range values {
		have[i] = reflect.TypeOf(v)
		same = same && have[i] == types[i]
	}
	if !same {
		return fmt.Errorf("mismatched types in corpus entry: %v, want %v", have, types)
	}
	return nil
}

// parseCorpus reads a file of a corpus.
func parseCorpus(text string) (values []any, err error) {
	if text == "" {
		return nil, errors.New("cannot unmarshal empty string")
	}
	version, rest, ok := strings.Cut(text, "\n")
	if !ok {
		return nil, errors.New("must include version and at least one value")
	}
	if version = strings.TrimSuffix(version, "\r"); version != corpusVersion {
		return nil, fmt.Errorf("unknown encoding version: %s", version)
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		v, err := parseValue(line)
		if err != nil {
			return nil, fmt.Errorf("malformed line %q: %v", line, err)
		}
		values = append(values, v)
	}
	return values, nil
}

// parseValue reads a value: the name of a type, and a literal in parentheses.
func parseValue(line string) (any, error) {
	typ, lit, ok := strings.Cut(line, "(")
	if !ok || !strings.HasSuffix(lit, ")") {
		return nil, errors.New("expected call expression")
	}
	typ, lit = strings.TrimSpace(typ), strings.TrimSpace(strings.TrimSuffix(lit, ")"))
	if lit == "" {
		return nil, errors.New("expected call expression with 1 argument; got 0")
	}
	switch typ {
	case "string", "[]byte":
		if lit[0] != '"' && lit[0] != '`' {
			return nil, fmt.Errorf("string literal required for type %s", typ)
		}
		s, err := strconv.Unquote(lit)
		if typ == "[]byte" && err == nil {
			return []byte(s), nil
		}
		return s, err
	case "bool":
		if lit != "true" && lit != "false" {
			return nil, errors.New("true or false required for type bool")
		}
		return lit == "true", nil
	case "byte", "rune":
		if lit[0] == '\'' {
			r, _, tail, err := strconv.UnquoteChar(lit[1:], '\'')
			if err != nil || tail != "'" {
				return nil, errors.New("malformed character literal")
			}
			if typ == "rune" {
				return r, nil
			}
			if r >= 256 {
				return nil, errors.New("can only encode single byte to a byte type")
			}
			return byte(r), nil
		}
		if typ == "rune" {
			return signed[rune](lit)
		}
		return unsigned[byte](lit)
	case "int":
		return signed[int](lit)
	case "int8":
		return signed[int8](lit)
	case "int16":
		return signed[int16](lit)
	case "int32":
		return signed[int32](lit)
	case "int64":
		return signed[int64](lit)
	case "uint":
		return unsigned[uint](lit)
	case "uint8":
		return unsigned[uint8](lit)
	case "uint16":
		return unsigned[uint16](lit)
	case "uint32":
		return unsigned[uint32](lit)
	case "uint64":
		return unsigned[uint64](lit)
	case "float32":
		x, err := strconv.ParseFloat(lit, 32)
		return float32(x), err
	case "float64":
		return strconv.ParseFloat(lit, 64)
	case "math.Float32frombits":
		n, err := strconv.ParseUint(lit, 0, 32)
		return math.Float32frombits(uint32(n)), err
	case "math.Float64frombits":
		n, err := strconv.ParseUint(lit, 0, 64)
		return math.Float64frombits(n), err
	}
	return nil, errors.New("expected []byte or primitive type")
}

func signed[T int | int8 | int16 | int32 | int64](lit string) (any, error) {
	n, err := strconv.ParseInt(lit, 0, reflect.TypeFor[T]().Bits())
	return T(n), err
}

func unsigned[T uint | uint8 | uint16 | uint32 | uint64](lit string) (any, error) {
	n, err := strconv.ParseUint(lit, 0, reflect.TypeFor[T]().Bits())
	return T(n), err
}
