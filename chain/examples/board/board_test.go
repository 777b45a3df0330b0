package board

import (
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/chain/contract"
)

// start opens a board whose posts cost 5 units, and returns what it has asked of the token.
func start(t *testing.T) *[]any {
	t.Helper()
	token, price, threads, posts, last = "", 0, map[string][]*post{}, map[int64]*post{}, 0
	var asked []any
	contract.Set(contract.Setting{
		Caller: "ada", Self: "board", Time: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Contracts: map[string]func(string, []any) []any{"token": func(function string, args []any) []any {
			asked = append(append(asked, function), args...)
			return nil
		}},
	})
	if err := Init("token", 5); err != nil {
		t.Fatal(err)
	}
	return &asked
}

func TestPost(t *testing.T) {
	asked := start(t)
	number, err := Post("news", "gyr runs a board")
	if err != nil || number != 1 {
		t.Fatal(number, err)
	}
	want := []any{"TransferFrom", "ada", "board", int64(5)}
	if len(*asked) != 4 || (*asked)[0] != want[0] || (*asked)[1] != want[1] || (*asked)[2] != want[2] || (*asked)[3] != want[3] {
		t.Errorf("the token was asked %v, want %v", *asked, want)
	}
	if likes, err := Like(1); likes != 1 || err != nil {
		t.Error(likes, err)
	}
	if likes, _ := Like(1); likes != 1 {
		t.Errorf("one account likes %d times", likes)
	}
	if text := Read("news"); text != "#1 2026-11-30 12:00:00 ada (1)\ngyr runs a board\n" {
		t.Errorf("%q", text)
	}
	if names := Threads(); len(names) != 1 || names[0] != "news" {
		t.Error(names)
	}
}

func TestRefused(t *testing.T) {
	asked := start(t)
	for _, p := range [][2]string{{"", "x"}, {"x", " "}, {"x", strings.Repeat("x", 4001)}, {strings.Repeat("x", 81), "x"}} {
		if _, err := Post(p[0], p[1]); err == nil {
			t.Errorf("%.90q was posted", p)
		}
	}
	if _, err := Like(1); err == nil {
		t.Error("a post that does not exist is liked")
	}
	if len(*asked) != 0 || len(Threads()) != 0 {
		t.Error(*asked, Threads())
	}
	if err := Init("other", 1); err == nil {
		t.Error("the board was opened twice")
	}
}
