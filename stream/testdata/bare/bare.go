// Package bare keeps nothing.
package bare

type Message struct {
	Subject string
	Data    []byte
}

func Handle(subject string, at int64, data []byte) ([]Message, error) { return nil, nil }
