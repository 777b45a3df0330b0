// Package ledger is a contract: accounts of coins, goods, and a book of offers. Its state is in ordinary variables. No function
// undoes what it has done when it fails half-way: the host does.
package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// An Offer sells pieces of a good, which the seller has given away for as long as the offer stands.
type Offer struct {
	ID           int64
	Seller, Good string
	Count, Price int64 // Price is coins for one piece
}

var (
	accounts = map[string]account{}
	goods    = map[string]map[string]int64{} // pieces, by account and good
	offers   = map[int64]*Offer{}
	book     = map[string][]*Offer{} // by good: the cheapest first, then the oldest
	issued   int64                   // coins that there are
	last     int64                   // ID of the newest offer
)

const most = 1_000_000_000 // coins, pieces or a price in one call

func find(name string) (account, error) {
	a := accounts[name]
	if a == nil {
		return nil, fmt.Errorf("no account %q", name)
	}
	return a, nil
}

func check(numbers ...int64) error {
	for _, n := range numbers {
		if n <= 0 || n > most {
			return fmt.Errorf("%d is not in 1 to %d", n, int64(most))
		}
	}
	return nil
}

// Open makes an account. It takes no more coins than limit, if that is not 0.
func Open(name string, limit int64) error {
	if accounts[name] != nil {
		return fmt.Errorf("there is an account %q", name)
	}
	if name == "" || limit < 0 {
		return errors.New("not an account")
	}
	accounts[name] = newAccount(Holding{Limit: limit})
	goods[name] = map[string]int64{}
	return nil
}

// Issue makes coins.
func Issue(name string, coins int64) error {
	a, err := find(name)
	if err == nil {
		err = check(coins)
	}
	if err != nil {
		return err
	}
	issued += coins
	return a.add(coins)
}

// Stock makes pieces of a good.
func Stock(name, good string, count int64) error {
	if _, err := find(name); err != nil {
		return err
	}
	goods[name][good] += count
	return check(count)
}

// Transfer moves coins. It has taken them when the receiver turns out not to take them.
func Transfer(from, to string, coins int64) error {
	a, err := find(from)
	if err == nil {
		err = check(coins)
	}
	if err == nil {
		err = a.add(-coins)
	}
	if err != nil {
		return err
	}
	b, err := find(to)
	if err != nil {
		return err
	}
	return b.add(coins)
}

// Share gives coins to every account but that which they are from.
func Share(from string, coins int64) error {
	if _, err := find(from); err != nil {
		return err
	}
	for _, to := range slices.Sorted(maps.Keys(accounts)) {
		if to == from {
			continue
		}
		if err := Transfer(from, to, coins); err != nil {
			return fmt.Errorf("the share of %s: %w", to, err)
		}
	}
	return nil
}

// Sell offers pieces of a good, and returns the offer's ID.
func Sell(name, good string, count, price int64) (int64, error) {
	if _, err := find(name); err != nil {
		return 0, err
	}
	if err := check(count, price); err != nil {
		return 0, err
	}
	last++
	put(&Offer{last, name, good, count, price})
	goods[name][good] -= count
	if goods[name][good] < 0 {
		return 0, fmt.Errorf("%s has not enough of %s", name, good)
	}
	return last, nil
}

func put(o *Offer) {
	offers[o.ID] = o
	list := append(book[o.Good], o)
	slices.SortFunc(list, func(a, b *Offer) int { return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(a.ID, b.ID)) })
	book[o.Good] = list
}

// Buy buys pieces of a good from the cheapest offers and returns what they cost. Some are bought and paid for when it turns out that the others
// cost more than limit each, or more than the buyer has.
func Buy(name, good string, count, limit int64) (paid int64, err error) {
	if _, err := find(name); err != nil {
		return 0, err
	}
	if err := check(count, limit); err != nil {
		return 0, err
	}
	for count > 0 {
		if len(book[good]) == 0 || book[good][0].Price > limit {
			return 0, fmt.Errorf("%d pieces of %s are missing", count, good)
		}
		o := book[good][0]
		n := min(count, o.Count)
		if err := Transfer(name, o.Seller, n*o.Price); err != nil {
			return 0, fmt.Errorf("offer %d: %w", o.ID, err)
		}
		paid += n * o.Price
		goods[name][good] += n
		count -= n
		if o.Count -= n; o.Count == 0 {
			remove(o)
		}
	}
	return paid, nil
}

func remove(o *Offer) {
	delete(offers, o.ID)
	book[o.Good] = slices.DeleteFunc(book[o.Good], func(x *Offer) bool { return x == o })
}

// Cancel takes an offer back.
func Cancel(name string, id int64) error {
	o := offers[id]
	if o == nil || o.Seller != name {
		return fmt.Errorf("%s has no offer %d", name, id)
	}
	remove(o)
	goods[name][o.Good] += o.Count
	return nil
}

// Balance returns the coins of an account.
func Balance(name string) (int64, error) {
	a, err := find(name)
	if err != nil {
		return 0, err
	}
	return a.holding().Coins, nil
}

// Audit counts the coins. They have to be as many as were issued.
func Audit() (int64, error) {
	sum := int64(0)
	for _, a := range accounts {
		sum += a.holding().Coins
	}
	if sum != issued {
		return 0, fmt.Errorf("%d coins were issued, there are %d", issued, sum)
	}
	return sum, nil
}

// Data is the state for a later version of the contract, which may have other types in its variables. A field that this version
// adds is zero in what an earlier one exports.
type Data struct {
	Accounts     map[string]Holding
	Goods        map[string]map[string]int64
	Offers       []*Offer // in ascending order of their IDs
	Issued, Last int64
}

// Export returns the state as JSON.
func Export() ([]byte, error) {
	d := Data{map[string]Holding{}, goods, nil, issued, last}
	for name, a := range accounts {
		d.Accounts[name] = a.holding()
	}
	for _, id := range slices.Sorted(maps.Keys(offers)) {
		d.Offers = append(d.Offers, offers[id])
	}
	return json.Marshal(d)
}

// Import makes the state of what this version or an earlier one exported. There may be no accounts yet.
func Import(data []byte) error {
	if len(accounts) > 0 {
		return errors.New("there are accounts")
	}
	var d Data
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	for name, h := range d.Accounts {
		accounts[name] = newAccount(h)
		goods[name] = map[string]int64{}
		maps.Copy(goods[name], d.Goods[name])
	}
	for _, o := range d.Offers {
		put(o)
	}
	issued, last = d.Issued, d.Last
	_, err := Audit()
	return err
}
