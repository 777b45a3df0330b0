package window_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gyrvm/gyr/stream/window"
)

// TestWindows: windows end by the time of messages, with what came late in time, in order and once.
func TestWindows(t *testing.T) {
	w := window.New[int](10, 5)
	var got []string
	add := func(at int64, key string) {
		if v := w.At(at, key); v != nil {
			*v++
		}
		w.Ended(9, func(start int64, key string, v *int) { got = append(got, fmt.Sprintf("%d %s %d", start, key, *v)) })
	}
	for _, m := range []struct {
		at   int64
		keys string
	}{
		{1, "b"}, {9, "a"}, {12, "a"}, {3, "b"}, {14, "c"}, // the window of 0 is open until 15
		{15, "a"}, // it ends
		{4, "a"},  // late
		{-3, "a"}, // before 1970, late
		{40, "z"},
	} {
		add(m.at, m.keys)
	}
	if want := []string{"0 b 2", "0 a 1", "10 a 2", "10 c 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if w.Missed() != 2 {
		t.Errorf("%d messages were late", w.Missed())
	}
	got = nil
	w.Pass(55)
	w.Ended(9, func(start int64, key string, v *int) { got = append(got, fmt.Sprint(start, " ", key, " ", *v)) })
	if fmt.Sprint(got) != "[40 z 1]" {
		t.Errorf("after time has passed: %q", got)
	}
}

// TestMost: what is too much for one call comes with the next.
func TestMost(t *testing.T) {
	w := window.New[int](10, 0)
	for i := range 7 {
		w.At(int64(i), fmt.Sprint(i))
	}
	w.At(11, "later")
	var got []string
	for range 4 {
		w.Ended(3, func(_ int64, key string, _ *int) { got = append(got, key) })
		got = append(got, "|")
	}
	if want := "[0 1 2 | 3 4 5 | 6 | |]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	window.New[int](0, time.Second)
}
