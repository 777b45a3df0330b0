package research

import (
	"errors"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// AddLesson notes a lesson. All later briefs and prompts contain it.
func (s *Session) AddLesson(text string) error {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return errors.New("an empty lesson")
	}
	return s.event(ledger.EventLesson, text, nil)
}

// Lessons are the lessons in the session's log, including those of earlier segments.
func (s *Session) Lessons() []string { return s.state.lessons }
