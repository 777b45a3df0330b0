// Package purchases is the function of the figures: that of peers/guest/stream, which sums purchases by
// user, JSON in and JSON out. Native Go calls the same.
package purchases

import "encoding/json"

// A Message is to be published.
type Message struct {
	Subject string
	Data    []byte
}

// An Event is what happened: a purchase.
type Event struct {
	ID    int64             `json:"id"`
	User  string            `json:"user"`
	Items []Item            `json:"items"`
	Tags  map[string]string `json:"tags"`
}

// An Item is a line of a purchase.
type Item struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Each  int64  `json:"each"`
}

// An Outcome is the answer to an event.
type Outcome struct {
	ID     int64  `json:"id"`
	User   string `json:"user"`
	Total  int64  `json:"total"`
	Events int64  `json:"events"` // of the user
	Sum    int64  `json:"sum"`    // of their totals
	Large  bool   `json:"large"`
	Shop   string `json:"shop"`
}

type user struct{ events, sum int64 }

var users = map[string]*user{}

// Handle handles an event.
func Handle(subject string, at int64, data []byte) ([]Message, error) {
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	o := Outcome{ID: e.ID, User: e.User, Shop: e.Tags["shop"]}
	for _, it := range e.Items {
		o.Total += it.Count * it.Each
	}
	u := users[e.User]
	if u == nil {
		u = &user{}
		users[e.User] = u
	}
	u.events++
	u.sum += o.Total
	o.Events, o.Sum = u.events, u.sum
	o.Large = o.Total > 20_000 || o.Total*o.Events > 3*o.Sum
	b, err := json.Marshal(&o)
	if err != nil {
		return nil, err
	}
	return []Message{{"counted." + e.User, b}}, nil
}
