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

func lateTest(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := 0; ; i++ {
		n += a[i]
		if i >= 5 {
			break
		}
		n += b[i]
	}
	note(n)
}

func lateTestFrom(a, b []int, p *big, from, to, step, at int) {
	n := 0
	for i := from; ; i++ {
		n += a[i]
		if i >= to {
			break
		}
		n += b[i+1]
	}
	note(n)
}

func lastTest(a, b []int, p *big, from, to, step, at int) {
	n, i := 0, 2
	for {
		n += a[i] + b[i-2]
		if i += 2; i > 11 {
			break
		}
	}
	note(n)
}

func lastTestFrom(a, b []int, p *big, from, to, step, at int) {
	n, i := 0, from
	for {
		n += a[i] + b[at]
		if i++; i >= to {
			break
		}
	}
	note(n)
}

var loops = []func(a, b []int, p *big, from, to, step, at int){
	lateTest, lateTestFrom, lastTest, lastTestFrom,
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
// cf9c45a00696efd1 7b9727b7ce58cf7a 9b42583c9d42b23b 357ad6d49186b964
// 7215315cab5f23e5 fbaebd4edac3ffdc 240662b6e52dc82a 9e06bdbebd875a4f
// fd0cd8c0779ccc1c c8cb0f6f332d58d7 c335ddd9a724c16d 6c9ca7c8d7ae7104
// a7b654e19a5d8e3a c65dbb0620c36fee 2f5ab6d51069230a ea4100f299808331
// db7ab529cdf39cb0 7950c65835c9cd6e 301dfcc0e594348a 8abeaafe635a5f04
// 8e66e9e9f2fd7ed8 e1e8565a67497e54 6a72717672702cf1 05f88dde1b7c2d32
// d69b178e5fa50a7c 79c331b8ca85b877 7a86bb23f5cb7c2d 69624367cc867cef
// 743d77f3ef01d811 ff4b00b7aaa18784 124a50a908df603b a5df8664a855536a
// 3c3c9b8b9e722d96 a9346374ae483b47 5dc53807dc994809 22a3602599f22016
// b131f1aa789d3144 aedc54fa6bad52b6 db8329dea3847318 75b02a7d7ae9f357
// 4f9f5c67261c81ea 9efb1b118320a282 bc017a49be8f23a4 a20c54d2215e96d0
// 03c1180b0ffff386 999183541eaab0c0 ce2ac45a1a670e3d 9c205e8712721102
// f75d7763e124c131 95e76a9a2fd730a3 cc6bab89596ab4e2 965fb0cf67e95152
// ba4ec279b19dfdbe babe7f9b214eb766 079278c24e601ae2 b5a67129ab8d66f2
// 08b5a9b828427bc0 33f137853ed8c32c 8c46eedb5c167d3f 0eba11064a06a5d7
// 8e42815692570ec3 98f4853fef56ec6a bb388404517a9598 3770dbf37e5c259f
// 4184079892fab857 95010cd691e800be ccee650b0d04be02 8e77e9c4210310ca
// 88bfa0d02de6d886 e4866eec7027130c 5ca0fa4dae9b402b 1345b07a44a05c2b
// cbccbbb81241517e 644bf373eca1742d e0f81c66e2d5efaa b7d2c861d587ed31
// fe85c0570adb7cbf 9b3ddebf2a1a775a a86c2b33965b1690 3dbd7c18744bc43e
// 9115e57985342ca6 f2c07037c09b6c15 58d23aa706a3e8e2 9f21756e2b4ec1c3
// baa49bfd9f964d05 29a3f186c87ba0cf 5e3d5499fcdf53ec f3bbcfc968860591
// 2a34fa27c51f917f fe49e30846d73a9f d0c5e52bb9c46386 12a59490bf86e7cb
// 37fc55c8df3f0213 279bad3c619fac2b 09a02adf6a083c19 67cf2713702fd77c
// 0b564266d285079c 4b0cffac4b3bf18b dfa4e12d6a6d1162 14d0ca659c6faaa9
// 0069cd5344cf06b6 04d8988470d165fc b8c0d60192378f68 4b8de67dd47ece6d
// c91665fe23401f7f b191e85968056145 c2a97b0e23ebf12f a2c1518f830a60fd
// d9e2935b4083e237 43fa20b81f67b275 15621a34ab892077 2e9946a20d6982bf
// dc7597fada0d61f6 35c1ec1a793bf8e0 46efeb36f7288cd6 6039fee163420530
// 4df6e3431de02654 67c5f91a2c5457f5 ed1aab5ca329ec79 9624fef80327c237
// 5dbc6e31bbab7611 466b193646e242d4 71c786937b296f70 0a36606bf7b82b99
// da9c976da50a3561 073a28f29807c533 85ae319d86ad4982 aacfa81c9c5ff186
// 3949a31af501dc3b 6bf6f34a3df1b384
