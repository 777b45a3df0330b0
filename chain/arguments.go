package chain

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
)

// basicTypes are the types of parameters that transactions can have arguments for, with slices, arrays
// of bytes by name, pointers and maps of them. Contracts call each other with all types that cross.
var basicTypes = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](), "string": reflect.TypeFor[string](),
	"int": reflect.TypeFor[int](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](),
	"byte": reflect.TypeFor[byte](), "rune": reflect.TypeFor[rune](), "float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
	"time.Time": reflect.TypeFor[time.Time](), "time.Duration": reflect.TypeFor[time.Duration](), "any": reflect.TypeFor[any](),
}

// typeOf returns the Go type of a parameter, by its text.
func typeOf(text string) (reflect.Type, bool) {
	if t, ok := basicTypes[text]; ok {
		return t, true
	}
	if rest, ok := strings.CutPrefix(text, "[]"); ok {
		if t, ok := typeOf(rest); ok {
			return reflect.SliceOf(t), true
		}
	}
	if rest, ok := strings.CutPrefix(text, "..."); ok {
		if t, ok := typeOf(rest); ok {
			return reflect.SliceOf(t), true
		}
	}
	if rest, ok := strings.CutPrefix(text, "map[string]"); ok {
		if t, ok := typeOf(rest); ok {
			return reflect.MapOf(basicTypes["string"], t), true
		}
	}
	return nil, false
}

// arguments converts the arguments of a transaction to the types of a function's parameters.
func arguments(p *gyr.Program, function string, texts []json.RawMessage) ([]any, error) {
	for _, e := range p.Exports() {
		if e.Name != function {
			continue
		}
		if len(texts) != len(e.Params) {
			return nil, failure(CodeCall, "%d arguments for %v", len(texts), e)
		}
		args := make([]any, len(texts))
		for i, param := range e.Params {
			t, ok := typeOf(param.Type)
			if !ok {
				return nil, failure(CodeCall, "parameter %d of %v: a transaction has no arguments of type %s", i+1, e, param.Type)
			}
			v := reflect.New(t)
			d := json.NewDecoder(bytes.NewReader(texts[i]))
			if err := d.Decode(v.Interface()); err != nil {
				return nil, failure(CodeCall, "argument %d of %v: %v", i+1, e, err)
			}
			if _, err := d.Token(); err != io.EOF {
				return nil, failure(CodeCall, "argument %d of %v: text after the value", i+1, e)
			}
			args[i] = v.Elem().Interface()
		}
		return args, nil
	}
	return nil, failure(CodeCall, "no function %.60q", function)
}
