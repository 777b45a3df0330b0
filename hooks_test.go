package gyr

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// TestJoinHooks: each field of the joined hooks calls that of each, in order, and contexts chain.
func TestJoinHooks(t *testing.T) {
	type key string
	var told []string
	// full returns hooks whose fields note that they were called.
	full := func(who string) *Hooks {
		h := &Hooks{}
		for field, f := range reflect.ValueOf(h).Elem().Fields() {
			f.Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
				told = append(told, who+" "+field.Name)
				if f.Type().NumOut() == 0 {
					return nil
				}
				ctx := args[0].Interface().(context.Context)
				if who != "a" && ctx.Value(key("a")) == nil {
					t.Errorf("%s has not the context of a", who)
				}
				return []reflect.Value{reflect.ValueOf(context.WithValue(ctx, key(who), who))}
			}))
		}
		return h
	}
	joined := JoinHooks(full("a"), nil, full("b"), full("c"))
	for field, f := range reflect.ValueOf(joined).Elem().Fields() {
		args := make([]reflect.Value, f.Type().NumIn())
		for k := range args {
			if args[k] = reflect.Zero(f.Type().In(k)); f.Type().In(k) == reflect.TypeFor[context.Context]() {
				args[k] = reflect.ValueOf(t.Context())
			}
		}
		told = nil
		out := f.Call(args)
		var want []string
		for _, who := range []string{"a", "b", "c"} {
			want = append(want, who+" "+field.Name)
			if len(out) == 1 && out[0].Interface().(context.Context).Value(key(who)) == nil {
				t.Errorf("the context of %s is lost", who)
			}
		}
		if !slices.Equal(told, want) {
			t.Errorf("%s: %q, want %q", field.Name, told, want)
		}
	}

	// Fields that nobody has stay nil, and one that only one has is taken as it is.
	none, one := JoinHooks(&Hooks{}, &Hooks{}), JoinHooks(&Hooks{}, full("a"))
	for field, f := range reflect.ValueOf(none).Elem().Fields() {
		if !f.IsNil() || reflect.ValueOf(one).Elem().FieldByIndex(field.Index).IsNil() {
			t.Error(field.Name)
		}
	}
	if JoinHooks() != nil || JoinHooks(nil, nil) != nil {
		t.Error("without hooks it is not nil")
	}

	// A BeforeCall that returns nil leaves the context as it is.
	before := func(who string) *Hooks {
		return &Hooks{BeforeCall: func(ctx context.Context, _ string) context.Context {
			if who == "" {
				return nil
			}
			return context.WithValue(ctx, key(who), who)
		}}
	}
	ctx := JoinHooks(before("x"), before(""), before("y"), before("")).BeforeCall(t.Context(), "F")
	if got := fmt.Sprintf("%v %v", ctx.Value(key("x")), ctx.Value(key("y"))); got != "x y" {
		t.Error(got)
	}
}
