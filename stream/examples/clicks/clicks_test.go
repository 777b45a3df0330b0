package clicks

import (
	"testing"
	"time"

	"github.com/gyrvm/gyr/stream/window"
)

// A click of a test.
type click struct {
	second int
	page   string
	data   string
}

// play handles clicks from the beginning, and returns what was published.
func play(t *testing.T, clicks []click) (texts []string) {
	t.Helper()
	minutes = window.New[tally](time.Minute, 10*time.Second)
	for _, c := range clicks {
		out, err := Handle("clicks."+c.page, int64(c.second)*1e9, []byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range out {
			texts = append(texts, m.Subject+" "+string(m.Data))
		}
	}
	return texts
}

func TestMinutes(t *testing.T) {
	got := play(t, []click{
		{0, "home", "ada"}, {10, "home", `{"user":"bob"}`}, {59, "about", "ada"}, {61, "home", "ada"},
		{58, "home", "ada"},  // three seconds late
		{70, "about", "bob"}, // ends the first minute
		{20, "home", "eve"},  // fifty seconds late: too late
	})
	want := []string{
		`minutes.home {"page":"home","minute":"1970-01-01T00:00:00Z","clicks":3,"users":2}`,
		`minutes.about {"page":"about","minute":"1970-01-01T00:00:00Z","clicks":1,"users":1}`,
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q", got)
	}
	out, err := Tick(200 * 1e9)
	if err != nil || len(out) != 2 {
		t.Errorf("%q %v", out, err)
	}
}

func TestBadClicks(t *testing.T) {
	for _, c := range []struct{ subject, data string }{{"clicks", "ada"}, {"clicks.home", ""}, {"clicks.home", `{"user":`}, {"clicks.home", "{}"}} {
		if _, err := Handle(c.subject, 0, []byte(c.data)); err == nil {
			t.Errorf("no error for %q", c)
		}
	}
}
