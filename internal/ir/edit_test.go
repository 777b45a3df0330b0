package ir

import (
	"reflect"
	"testing"
	"unsafe"
)

// filled returns a T with no zero field.
func filled[T any](t *testing.T) *T {
	x := new(T)
	v := reflect.ValueOf(x).Elem()
	for i := range v.NumField() {
		f := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
		switch f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			f.SetUint(1)
		default:
			f.SetInt(1)
		}
		if f.IsZero() {
			t.Fatalf("%s.%s is zero", v.Type(), v.Type().Field(i).Name)
		}
	}
	return x
}

// differ returns the names of the fields in which two structures differ.
func differ(x, y any) (names []string) {
	v, w := reflect.ValueOf(x).Elem(), reflect.ValueOf(y).Elem()
	for i := range v.NumField() {
		if !reflect.DeepEqual(v.Field(i).Interface(), w.Field(i).Interface()) {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// TestCopyOf: a copy of a value has all its fields except those for its place.
func TestCopyOf(t *testing.T) {
	v := filled[Value](t)
	f := &Func{nextValue: 7}
	w := f.CopyOf(v)
	if got := differ(v, w); !reflect.DeepEqual(got, []string{"ID", "Args", "Block"}) {
		t.Errorf("fields %v differ", got)
	}
	if w.ID != 7 || w.Args != nil || w.Block != nil || f.nextValue != 8 {
		t.Errorf("%+v", w)
	}
}

// TestEndAs: a block that ends as another has all its fields except those for what precedes the
// end.
func TestEndAs(t *testing.T) {
	from, to := filled[Block](t), new(Block)
	to.EndAs(from)
	if got := differ(from, to); !reflect.DeepEqual(got, []string{"ID", "Values", "Preds", "Func"}) {
		t.Errorf("fields %v differ", got)
	}
	if to.ID != 0 || to.Values != nil || to.Preds != nil || to.Func != nil {
		t.Errorf("%+v", to)
	}
}
