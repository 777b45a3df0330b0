package research

import (
	"errors"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// AddLesson writes down what somebody has learned: it stands in the briefs and prompts from now on.
func (s *Session) AddLesson(text string) error {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return errors.New("an empty lesson")
	}
	return s.event(ledger.EventLesson, text, nil)
}

// Lessons are those of the session's log, also of earlier segments.
func (s *Session) Lessons() []string { return s.state.lessons }
