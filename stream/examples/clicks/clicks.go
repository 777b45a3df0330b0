// Package clicks is a function of a pipeline: it counts clicks, and the users who made them, by page
// and minute.
//
//	gyr-stream run -subject 'clicks.*' -fn ./examples/clicks -out 'minutes.*'
//
// A click is a message on clicks.PAGE. Its text is the user's name, or JSON: {"user":"ada"}. When a
// minute of the messages' own time is over, there is a message on minutes.PAGE:
//
//	{"page":"home","minute":"2026-11-30T10:04:00Z","clicks":3,"users":2}
package clicks

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/gyrvm/gyr/stream/window"
)

// A Message is to be published. Every function of a pipeline declares it.
type Message struct {
	Subject string
	Data    []byte
}

// A Minute is what is published.
type Minute struct {
	Page   string    `json:"page"`
	Minute time.Time `json:"minute"`
	Clicks int       `json:"clicks"`
	Users  int       `json:"users"`
}

type tally struct {
	Clicks int
	Users  map[string]bool
}

// Messages that come up to 10 seconds late count still.
var minutes = window.New[tally](time.Minute, 10*time.Second)

// Handle counts a click.
func Handle(subject string, at int64, data []byte) ([]Message, error) {
	_, page, ok := strings.Cut(subject, ".")
	if !ok || page == "" {
		return nil, errors.New("no page in subject " + subject)
	}
	user, err := userOf(data)
	if err != nil {
		return nil, err
	}
	if t := minutes.At(at, page); t != nil {
		if t.Users == nil {
			t.Users = map[string]bool{}
		}
		t.Clicks++
		t.Users[user] = true
	}
	return ended()
}

// Tick is called while no click comes.
func Tick(at int64) ([]Message, error) {
	minutes.Pass(at)
	return ended()
}

func userOf(data []byte) (string, error) {
	text := strings.TrimSpace(string(data))
	if strings.HasPrefix(text, "{") {
		var click struct{ User string }
		if err := json.Unmarshal([]byte(text), &click); err != nil {
			return "", err
		}
		text = click.User
	}
	if text == "" {
		return "", errors.New("a click without a user")
	}
	return text, nil
}

// ended returns the minutes that are over, 100 at a time.
func ended() (out []Message, err error) {
	minutes.Ended(100, func(start int64, page string, t *tally) {
		b, e := json.Marshal(Minute{page, time.Unix(0, start).UTC(), t.Clicks, len(t.Users)})
		if e != nil {
			err = e
		}
		out = append(out, Message{"minutes." + page, b})
	})
	return out, err
}
