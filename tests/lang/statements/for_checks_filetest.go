//go:build ignore

// Loops whose checks a compiler may move before them: all kinds of tests, steps and indices, with limits
// and lengths around each other and at the ends of the types. What a loop has done when a check fails is
// part of the result.

package main

import "fmt"

const (
	most  = 1<<63 - 1
	least = -1 << 63
)

var log uint64

func note(x int) { log = (log ^ uint64(x)) * 1099511628211 }

type big struct {
	pad [64]int
	at  [16]int
}

func lessOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		a[i] += int(i)
	}
	note(n)
}

func lessBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func lessAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func lessFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func lessStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func lessPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func lessMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func lessLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func lessLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i++ {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func atMostOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		a[i] += int(i)
	}
	note(n)
}

func atMostBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func atMostAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func atMostFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func atMostStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func atMostPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func atMostMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func atMostLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func atMostLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i++ {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func twoOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		a[i] += int(i)
	}
	note(n)
}

func twoBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func twoAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func twoFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func twoStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func twoPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func twoMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func twoLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func twoLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i < to; i += 2 {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func threeOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		a[i] += int(i)
	}
	note(n)
}

func threeBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func threeAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func threeFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func threeStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func threePointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func threeMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func threeLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func threeLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; i <= to; i += 3 {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func byOne(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		a[i] += int(i)
	}
	note(n + rounds)
}

func byBoth(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[i] += x
	}
	note(n + rounds)
}

func byAround(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i+1]
		a[i-1] += x
	}
	note(n + rounds)
}

func byFar(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i-2]
		a[i+3] += x
	}
	note(n + rounds)
}

func byStill(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[at] += x
	}
	note(n + rounds)
}

func byPointer(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := a[i]
		p.at[at&15] += x
	}
	note(n + rounds)
}

func byMaybe(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n + rounds)
}

func byLeaves(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n + rounds)
}

func byLate(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i < to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n + rounds)
}

func byAtMostOne(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		a[i] += int(i)
	}
	note(n + rounds)
}

func byAtMostBoth(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[i] += x
	}
	note(n + rounds)
}

func byAtMostAround(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i+1]
		a[i-1] += x
	}
	note(n + rounds)
}

func byAtMostFar(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i-2]
		a[i+3] += x
	}
	note(n + rounds)
}

func byAtMostStill(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[at] += x
	}
	note(n + rounds)
}

func byAtMostPointer(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		x := a[i]
		p.at[at&15] += x
	}
	note(n + rounds)
}

func byAtMostMaybe(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n + rounds)
}

func byAtMostLeaves(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n + rounds)
}

func byAtMostLate(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i <= to; i += step {
		if rounds++; rounds > 40 {
			break
		}
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n + rounds)
}

func otherOne(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		a[i] += int(i)
	}
	note(n + rounds)
}

func otherBoth(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[i] += x
	}
	note(n + rounds)
}

func otherAround(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i+1]
		a[i-1] += x
	}
	note(n + rounds)
}

func otherFar(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i-2]
		a[i+3] += x
	}
	note(n + rounds)
}

func otherStill(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[at] += x
	}
	note(n + rounds)
}

func otherPointer(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		x := a[i]
		p.at[at&15] += x
	}
	note(n + rounds)
}

func otherMaybe(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n + rounds)
}

func otherLeaves(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n + rounds)
}

func otherLate(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := from; i != to; i++ {
		if rounds++; rounds > 40 {
			break
		}
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n + rounds)
}

func downOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		a[i] += int(i)
	}
	note(n)
}

func downBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func downAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func downFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func downStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func downPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func downMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func downLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func downLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i > from; i-- {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func downByOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		a[i] += int(i)
	}
	note(n)
}

func downByBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func downByAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func downByFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func downByStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func downByPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func downByMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func downByLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func downByLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := to; i >= from; i -= 2 {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func overAOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		a[i] += int(i)
	}
	note(n)
}

func overABoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func overAAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func overAFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func overAStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func overAPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func overAMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func overALeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func overALate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := range a {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func fixedOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		a[i] += int(i)
	}
	note(n)
}

func fixedBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func fixedAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func fixedFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func fixedStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func fixedPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func fixedMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func fixedLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func fixedLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; i < 5; i++ {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func fixedFromOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		a[i] += int(i)
	}
	note(n)
}

func fixedFromBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func fixedFromAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func fixedFromFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func fixedFromStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func fixedFromPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func fixedFromMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func fixedFromLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func fixedFromLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := -1; i < 4; i++ {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func unsignedOne(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		a[i] += int(i)
	}
	note(n)
}

func unsignedBoth(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		x := b[i]
		a[i] += x
	}
	note(n)
}

func unsignedAround(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		x := b[i+1]
		a[i-1] += x
	}
	note(n)
}

func unsignedFar(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		x := b[i-2]
		a[i+3] += x
	}
	note(n)
}

func unsignedStill(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		x := b[i]
		a[at] += x
	}
	note(n)
}

func unsignedPointer(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		x := a[i]
		p.at[at&15] += x
	}
	note(n)
}

func unsignedMaybe(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n)
}

func unsignedLeaves(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n)
}

func unsignedLate(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := uint(from); i < uint(to); i++ {
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func unsignedByOne(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		a[i] += int(i)
	}
	note(n + rounds)
}

func unsignedByBoth(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[i] += x
	}
	note(n + rounds)
}

func unsignedByAround(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i+1]
		a[i-1] += x
	}
	note(n + rounds)
}

func unsignedByFar(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i-2]
		a[i+3] += x
	}
	note(n + rounds)
}

func unsignedByStill(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		x := b[i]
		a[at] += x
	}
	note(n + rounds)
}

func unsignedByPointer(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		x := a[i]
		p.at[at&15] += x
	}
	note(n + rounds)
}

func unsignedByMaybe(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		if a[i]&1 == 0 {
			b[i+1]++
		} else {
			note(int(i))
		}
	}
	note(n + rounds)
}

func unsignedByLeaves(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		if b[i] == 7 {
			note(-7)
			return
		}
		a[i]++
	}
	note(n + rounds)
}

func unsignedByLate(a, b []int, p *big, from, to, step, at int) {
	n, rounds := 0, 0
	for i := uint(from); i <= uint(to); i += uint(step) {
		if rounds++; rounds > 40 {
			break
		}
		n += a[i]
		if n > 40 {
			break
		}
		n += b[i+1]
	}
	note(n + rounds)
}

var loops = []func(a, b []int, p *big, from, to, step, at int){
	lessOne,
	lessBoth,
	lessAround,
	lessFar,
	lessStill,
	lessPointer,
	lessMaybe,
	lessLeaves,
	lessLate,
	atMostOne,
	atMostBoth,
	atMostAround,
	atMostFar,
	atMostStill,
	atMostPointer,
	atMostMaybe,
	atMostLeaves,
	atMostLate,
	twoOne,
	twoBoth,
	twoAround,
	twoFar,
	twoStill,
	twoPointer,
	twoMaybe,
	twoLeaves,
	twoLate,
	threeOne,
	threeBoth,
	threeAround,
	threeFar,
	threeStill,
	threePointer,
	threeMaybe,
	threeLeaves,
	threeLate,
	byOne,
	byBoth,
	byAround,
	byFar,
	byStill,
	byPointer,
	byMaybe,
	byLeaves,
	byLate,
	byAtMostOne,
	byAtMostBoth,
	byAtMostAround,
	byAtMostFar,
	byAtMostStill,
	byAtMostPointer,
	byAtMostMaybe,
	byAtMostLeaves,
	byAtMostLate,
	otherOne,
	otherBoth,
	otherAround,
	otherFar,
	otherStill,
	otherPointer,
	otherMaybe,
	otherLeaves,
	otherLate,
	downOne,
	downBoth,
	downAround,
	downFar,
	downStill,
	downPointer,
	downMaybe,
	downLeaves,
	downLate,
	downByOne,
	downByBoth,
	downByAround,
	downByFar,
	downByStill,
	downByPointer,
	downByMaybe,
	downByLeaves,
	downByLate,
	overAOne,
	overABoth,
	overAAround,
	overAFar,
	overAStill,
	overAPointer,
	overAMaybe,
	overALeaves,
	overALate,
	fixedOne,
	fixedBoth,
	fixedAround,
	fixedFar,
	fixedStill,
	fixedPointer,
	fixedMaybe,
	fixedLeaves,
	fixedLate,
	fixedFromOne,
	fixedFromBoth,
	fixedFromAround,
	fixedFromFar,
	fixedFromStill,
	fixedFromPointer,
	fixedFromMaybe,
	fixedFromLeaves,
	fixedFromLate,
	unsignedOne,
	unsignedBoth,
	unsignedAround,
	unsignedFar,
	unsignedStill,
	unsignedPointer,
	unsignedMaybe,
	unsignedLeaves,
	unsignedLate,
	unsignedByOne,
	unsignedByBoth,
	unsignedByAround,
	unsignedByFar,
	unsignedByStill,
	unsignedByPointer,
	unsignedByMaybe,
	unsignedByLeaves,
	unsignedByLate,
}

// run notes what a loop does, how it ends, and what it leaves.
func run(loop func(a, b []int, p *big, from, to, step, at int), la, lb, from, to, step, at int, isNil bool) {
	var x, y [32]int
	var p *big
	if !isNil {
		p = new(big)
	}
	for i := range x {
		x[i], y[i] = i, 3*i+1
	}
	defer func() {
		if r := recover(); r != nil {
			for _, c := range []byte(fmt.Sprint(r)) {
				note(int(c))
			}
		}
		for i := range x {
			note(x[i] ^ y[i]<<20)
		}
		if p != nil {
			note(p.at[3])
		}
	}()
	loop(x[:la], y[:lb], p, from, to, step, at)
}

func main() {
	seed := uint32(1)
	random := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	ends := []int{least, least + 1, most - 1, most, most - 3}
	near := func() int {
		if random(12) == 0 {
			return ends[random(len(ends))]
		}
		return random(26) - 3
	}
	for n, loop := range loops {
		log = 14695981039346656037
		for range 150 {
			from, to := near(), near()
			if random(3) > 0 {
				from = random(3)
			}
			if to > most-9 && n%2 == 0 || random(2) == 0 {
				to = random(20)
			}
			step := []int{1, 2, 3, 5, 1 << 39, 1 << 41, most}[random(7)]
			run(loop, random(33), random(33), from, to, step, random(20)-1, random(8) == 0)
		}
		fmt.Printf("%016x", log)
		if n%4 == 3 || n == len(loops)-1 {
			fmt.Println()
		} else {
			fmt.Print(" ")
		}
	}
}

// Output:
// 6ead908e88f040d0 fafc6c0805b6312b 91e194e005dd59b9 146a3db92e77bcbf
// 59effa7686f79b88 61d3059244a9c3b0 5c39130a740d0cb2 0893742cb5becb5c
// dbdd89b21936408c 537391a731c056e4 ec31fd6a7573972b ad9de8f287a921a9
// 3468d0f0c244e2eb 684bb8902f0b0c68 82b3571764b68625 a77e90dd051dc7a0
// 8851c19da932a3f4 e59023b4b9696b64 d547c9abee9a1ecf 75bec7617dadb07e
// 98e60b17774c76ae 033760201ce33522 bf2277bb751c6ff8 89736ec932a99aa7
// c9024e38f6bebfa5 b28c5e6c52c9cd4d 3c742f252269c35d 64f56419c02b4908
// cc4845fc608c7f7e f676d9b1e29a9e2f 8dbde0c02cbd708e 86cff2baa990b132
// 410f6394c3209108 c26dddd48619760e 6cfde5d036a56125 5e67e20d3a14d6a4
// f0f1081b3c20c0a8 ee079a81b400df4f a29add88a57262f9 2557827d23a521d0
// 983bfa5f97da70a5 08ddb1243dfaf740 9c933fb59a79683c 2c2219db9844e5e1
// 8f253051c66af079 8e15107b3b8f32f1 fc4e178e2fe7e9ac e2d97682daedb1da
// 32c5e1fd40b98673 fcda10a8f2d75b5b 117376d1500365b3 d0b537cf3705edac
// 2746a5e720809c4f 9e9843ffddac3880 b05893a770ecc2eb 03b339c5ecb8adf1
// 4eb98fa6c9ef4af7 93ba3b3f0e399fb6 e47496fe3355d9c0 3711be67b18237a5
// 7df05f0f9bd54433 1deb39ad96ac5cea 3917d0a97c1b99c7 e0f4505aab5f5cf9
// e9ad8de52676297f 51fd7732a33bd278 79b0f5887b514271 8d89847263abc395
// 60eafe5ee453b6bd e2c0fb54001066e8 2142de16b5cd42b5 7578337a2c26a2eb
// c12ca10c739eb93c 5102cbeedacce84c 7d295fc66e02e251 f7ad9d39a6c25197
// d83088932052b7af 8ead2c1fb26634d1 4482aa12b8ea7e40 bfddc77c595e22d7
// abb761dae32c2ada d5374f79d891371c 6618f1ff27620ebc d796ebe797042627
// 06b451663b70c9be c42c271419ad2dcc 8f25d01b09ba2873 8c1d8ada650b20a6
// 47f4bc5ee468ca6a 8edfbca005173dad 2bfcfe3469f84bb5 e7db1756f08b746e
// a6f13ba72bf5ebba 95a308afebf9b0a1 7c9b1dc4de5272d6 a3371105aa4acfec
// 5983db4520fc199d 8fc796a6af236866 9c6847b56cd3a279 90dad7d9d0f6c8bd
// 4b5c9c35c772319f a9322146330acbb2 21b1222b8bb3fa1d 4b8de67dd47ece6d
// c91665fe23401f7f 842bba1b1b51ef1f ae49887300f71047 a2c1518f830a60fd
// ddb939325e0fd4b7 bb041272f2785242 c4a888edaa9fcb8d 2e01ae5d7105a8a5
// 19114178dc521578 60bc04a066215e49 0bee8c5b74d36ee8 2a7e32ec8c7017ae
// ad8a157e35717b10 56d12d924d396a38 d34863f928250b33 103ed0f1a3694591
// ab83a90293f3fbea fb3d84eeee017f67 f80b016f9c30050e c5b40c22ac6fd27b
// 54b46145fb7c276f c764163aa953fae9
