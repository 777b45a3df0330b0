package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A model specifies the contract in another way: it checks before it changes anything, or works on
// a copy.
type model struct {
	coins, limits map[string]int64
	goods         map[string]int64 // by account and good, with a slash between them
	offers        []offer          // in ascending order of their IDs
	last, issued  int64
	events        int // number of coin changes
}

type offer struct {
	ID           int64
	Seller, Good string
	Count, Price int64
}

func newModel() model {
	return model{coins: map[string]int64{}, limits: map[string]int64{}, goods: map[string]int64{}}
}

func (m model) clone() model {
	m.coins, m.limits, m.goods = maps.Clone(m.coins), maps.Clone(m.limits), maps.Clone(m.goods)
	m.offers = slices.Clone(m.offers)
	return m
}

func (m *model) transfer(from, to string, n int64) bool {
	_, ok := m.coins[from]
	_, ok2 := m.coins[to]
	if !ok || !ok2 || n <= 0 || m.coins[from] < n {
		return false
	}
	m.coins[from] -= n
	m.coins[to] += n
	m.events += 2
	return m.limits[to] == 0 || m.coins[to] <= m.limits[to]
}

// do executes a transaction. If it returns false, the model is unusable.
func (m *model) do(name string, args []any) (result string, ok bool) {
	text := func(i int) string { return args[i].(string) }
	number := func(i int) int64 { return args[i].(int64) }
	who := text(0)
	if _, ok := m.coins[who]; ok == (name == "Open") {
		return "", false
	}
	switch name {
	case "Open":
		m.coins[who], m.limits[who] = 0, number(1)
		return "[]", true
	case "Issue":
		m.coins[who] += number(1)
		m.issued += number(1)
		m.events++
		return "[]", number(1) > 0 && (m.limits[who] == 0 || m.coins[who] <= m.limits[who])
	case "Stock":
		m.goods[who+"/"+text(1)] += number(2)
		return "[]", number(2) > 0
	case "Transfer":
		return "[]", m.transfer(who, text(1), number(2))
	case "Share":
		for to := range m.coins {
			if to != who && !m.transfer(who, to, number(1)) {
				return "", false
			}
		}
		return "[]", true
	case "Sell":
		if number(2) <= 0 || number(3) <= 0 || m.goods[who+"/"+text(1)] < number(2) {
			return "", false
		}
		m.goods[who+"/"+text(1)] -= number(2)
		m.last++
		m.offers = append(m.offers, offer{m.last, who, text(1), number(2), number(3)})
		return fmt.Sprint("[", m.last, "]"), true
	case "Buy":
		paid := int64(0)
		if number(2) <= 0 || number(3) <= 0 {
			return "", false
		}
		for want := number(2); want > 0; {
			best := -1
			for i, o := range m.offers {
				if o.Good == text(1) && o.Price <= number(3) && (best < 0 || o.Price < m.offers[best].Price) {
					best = i
				}
			}
			if best < 0 {
				return "", false
			}
			o := &m.offers[best]
			n := min(want, o.Count)
			if !m.transfer(who, o.Seller, n*o.Price) {
				return "", false
			}
			paid += n * o.Price
			m.goods[who+"/"+o.Good] += n
			want -= n
			if o.Count -= n; o.Count == 0 {
				m.offers = slices.Delete(m.offers, best, best+1)
			}
		}
		return fmt.Sprint("[", paid, "]"), true
	case "Cancel":
		i := slices.IndexFunc(m.offers, func(o offer) bool { return o.ID == number(1) && o.Seller == who })
		if i < 0 {
			return "", false
		}
		m.goods[who+"/"+m.offers[i].Good] += m.offers[i].Count
		m.offers = slices.Delete(m.offers, i, i+1)
		return "[]", true
	}
	panic(name)
}

// text prints the model for comparison.
func (m model) text() string {
	maps.DeleteFunc(m.goods, func(_ string, n int64) bool { return n == 0 })
	return fmt.Sprint(m.coins, m.limits, m.goods, m.offers, m.last, m.issued)
}

// modelOf reads a contract's export.
func modelOf(data []byte) (model, error) {
	var d struct {
		Accounts     map[string]struct{ Coins, Limit int64 }
		Goods        map[string]map[string]int64
		Offers       []offer
		Issued, Last int64
	}
	m := newModel()
	err := json.Unmarshal(data, &d)
	for name, a := range d.Accounts {
		m.coins[name], m.limits[name] = a.Coins, a.Limit
	}
	for name, goods := range d.Goods {
		for good, n := range goods {
			m.goods[name+"/"+good] = n
		}
	}
	m.offers, m.last, m.issued = d.Offers, d.Last, d.Issued
	return m, err
}

// randomCall returns a call that the contract usually accepts.
func randomCall(r *rand.Rand, last int64) (name string, args []any) {
	who := func() string { return strings.Repeat(string(rune('a'+r.IntN(8))), 3) }
	good := func() string { return []string{"tea", "salt", "silk"}[r.IntN(3)] }
	n := func(most int64) int64 { return r.Int64N(most+1) - most/20 }
	switch r.IntN(12) {
	case 0:
		return "Open", []any{who(), max(0, r.Int64N(3)-1) * 2000}
	case 1, 2:
		return "Issue", []any{who(), n(900)}
	case 3:
		return "Stock", []any{who(), good(), n(60)}
	case 4, 5:
		return "Transfer", []any{who(), who(), n(400)}
	case 6:
		return "Share", []any{who(), n(60)}
	case 7, 8:
		return "Sell", []any{who(), good(), n(20), n(30)}
	case 9, 10:
		return "Buy", []any{who(), good(), n(25), n(60)}
	}
	return "Cancel", []any{who(), 1 + r.Int64N(last+1)}
}
