// Package stream is the guest of the stream: a function that is called for each event, and keeps
// sums by user.
package stream

import "encoding/json"

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

// Users are sums by user.
type Users map[string]*user

type user struct{ events, sum int64 }

var users = Users{}

// Handle handles an event with the package's own sums.
func Handle(text string) string { return users.Handle(text) }

// Handle handles an event: JSON in, JSON out.
func (users Users) Handle(text string) string {
	var e Event
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return err.Error()
	}
	o := Outcome{ID: e.ID, User: e.User, Shop: e.Tags["shop"]}
	for _, it := range e.Items {
		o.Total += it.Count * it.Each
	}
	o.Events, o.Sum = users.Add(o.User, o.Total)
	o.Large = o.Total > 20_000 || o.Total*o.Events > 3*o.Sum
	return o.Text()
}

// Add counts an event of a user.
func (users Users) Add(name string, total int64) (events, sum int64) {
	u := users[name]
	if u == nil {
		u = &user{}
		users[name] = u
	}
	u.events++
	u.sum += total
	return u.events, u.sum
}

// Text returns an outcome as JSON.
func (o *Outcome) Text() string {
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
