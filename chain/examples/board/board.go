// Package board is a contract: a board of threads with posts. A post is paid for in a token, another
// contract, whose name the first call gives. So a post is a transaction over two contracts: if the
// author cannot pay, or has not allowed it, there is no post.
//
//	gyr-chain deploy -init Init board ./examples/board '"token"' 5
package board

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/gyrvm/gyr/chain/contract"
)

// A post belongs to a thread.
type post struct {
	Number int64
	Author string
	At     time.Time
	Text   string
	Likes  map[string]bool
}

var (
	token   string // name of the contract
	price   int64  // of a post
	threads = map[string][]*post{}
	posts   = map[int64]*post{} // by number
	last    int64
)

// Init says in which token a post is paid for, and its price.
func Init(tokenName string, postPrice int64) error {
	switch {
	case token != "":
		return errors.New("the board is open already")
	case tokenName == "" || postPrice < 0:
		return fmt.Errorf("token %q, price %d", tokenName, postPrice)
	}
	token, price = tokenName, postPrice
	return nil
}

// Post writes a post, and returns its number.
func Post(thread, text string) (int64, error) {
	thread, text = strings.TrimSpace(thread), strings.TrimSpace(text)
	if thread == "" || len(thread) > 80 || text == "" || len(text) > 4000 {
		return 0, fmt.Errorf("a thread has 1 to 80 bytes and a post 1 to 4000, not %d and %d", len(thread), len(text))
	}
	author := contract.Caller()
	last++
	p := &post{last, author, contract.Time(), text, map[string]bool{}}
	threads[thread] = append(threads[thread], p)
	posts[p.Number] = p
	if price > 0 {
		contract.Call(token, "TransferFrom", author, contract.Self(), price)
	}
	contract.Emit("post", "thread", thread, "number", fmt.Sprint(p.Number), "author", author)
	return p.Number, nil
}

// Like counts an account once for a post.
func Like(number int64) (int64, error) {
	p := posts[number]
	if p == nil {
		return 0, fmt.Errorf("no post %d", number)
	}
	p.Likes[contract.Caller()] = true
	return int64(len(p.Likes)), nil
}

// Read returns a thread as text.
func Read(thread string) string {
	var b strings.Builder
	for _, p := range threads[thread] {
		fmt.Fprintf(&b, "#%d %s %s (%d)\n%s\n", p.Number, p.At.UTC().Format(time.DateTime), p.Author, len(p.Likes), p.Text)
	}
	return b.String()
}

// Threads returns the names of all threads, in order.
func Threads() []string {
	names := []string{}
	for name := range threads {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
