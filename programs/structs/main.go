// Command structs passes, returns, stores and compares large structures by value. The
// size is the number of thousand steps.
//
// Usage: structs [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type money struct {
	units int64
	scale uint8
}

type address struct {
	street string
	number int32
	zip    [6]byte
}

type account struct {
	id       int64
	owner    address
	balances [4]money
	limits   [8]int32
	flags    struct{ frozen, vip bool }
}

// moved returns the account as it is after a move of house.
func (a account) moved(number int32) account {
	a.owner.number = number
	a.owner.zip[number%6] = byte('A' + number%26)
	return a
}

func pay(from, to account, k int, amount int64) (account, account) {
	if from.flags.frozen || from.balances[k].units < amount {
		return from, to
	}
	from.balances[k].units -= amount
	to.balances[k].units += amount
	return from, to
}

type state struct {
	regs  [16]int64
	flags [8]bool
}

func (s state) next() state {
	t := s
	for i := range t.regs {
		t.regs[i] += s.regs[(i+1)%16] ^ int64(i)
	}
	t.flags[t.regs[0]&7] = !s.flags[t.regs[1]&7]
	return t
}

func main() {
	n := size(200)
	accounts := make([]account, 64)
	for i := range accounts {
		accounts[i] = account{id: int64(i), owner: address{street: "s" + strconv.Itoa(i%7)}}
		for k := range accounts[i].balances {
			accounts[i].balances[k] = money{int64(1000 * (i + 1)), uint8(k)}
		}
		accounts[i].flags.frozen = i%17 == 3
	}
	s := state{regs: [16]int64{1, 2, 3, 5, 8, 13}}
	seen := map[address]int{}
	equal := 0
	for range n {
		for i := range 1000 {
			a, b := (i*7)%64, (i*13+5)%64
			accounts[a], accounts[b] = pay(accounts[a], accounts[b], i&3, int64(i%50))
			if i%4 == 0 {
				accounts[b] = accounts[b].moved(int32(i % 40))
			}
			if accounts[a] == accounts[(a+i)%64] {
				equal++
			}
			if i%50 == 0 {
				seen[accounts[b].owner]++
			}
			s = s.next()
		}
	}
	sum := int64(0)
	for _, a := range accounts {
		for k, m := range a.balances {
			sum = sum*31 + m.units + int64(k)
		}
	}
	total := 0
	for _, c := range seen {
		total += c
	}
	h := int64(0)
	for _, r := range s.regs {
		h = h*31 + r
	}
	fmt.Println(sum, h, s.flags, equal, len(seen), total)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
