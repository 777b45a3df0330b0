package runtime

import "unsafe"

// A scase is one case of a select, as lowered code lays it out.
type scase struct {
	c    *hchan         // nil: never ready
	elem unsafe.Pointer // value to send, or where to store the received one; may be nil
	send bool
}

// selectgo runs a select of n cases. It returns the number of the case that was
// chosen and, for a receive, whether the value was sent. Without block, -1 means
// that no case is ready (default). Among ready cases the choice is uniform and
// comes from the instance's generator, drawn only when there is a choice.
func selectgo(cases *scase, n int, block bool) (int, bool) {
	switch {
	case n == 0 && block:
		blockforever()
	case n == 1:
		return select1(cases, block)
	}
	return selectof(cases, n, block)
}

// selectof is selectgo for any number of cases that is not 0.
func selectof(cases *scase, n int, block bool) (int, bool) {
	scases := unsafe.Slice(cases, n)

	ready := 0
	first := -1
	reason := waitReasonSynctestSelect
	if getg().bubble == nil {
		reason = waitReasonSelect
	}
	for i := range scases {
		switch c := scases[i].c; {
		case c == nil:
		case c.bubble == nil:
			reason = waitReasonSelect
		case c.bubble != bubble():
			fatal("select on synctest channel from outside bubble")
		}
		if scases[i].ready() {
			if first < 0 {
				first = i
			}
			ready++
		}
	}
	if ready > 0 {
		if ready > 1 {
			first = nthready(scases, int(randn(uint32(ready))))
		}
		cas := &scases[first]
		if cas.send {
			chansend(cas.c, cas.elem, false)
			return first, false
		}
		_, ok := chanrecv(cas.c, cas.elem, false)
		return first, ok
	}
	if !block {
		return -1, false
	}

	gp := getg()
	var last *sudog
	for i := range scases {
		cas := &scases[i]
		if cas.c == nil {
			continue
		}
		s := acquireSudog()
		s.g = gp
		s.elem = cas.elem
		s.c = cas.c
		s.index = i
		s.isSelect = true
		s.isSend = cas.send
		if last == nil {
			gp.waiting = s
		} else {
			last.waitlink = s
		}
		last = s
		s.queue().enqueue(s)
		if cas.c.timer != nil && !cas.send {
			cas.c.timer.block()
		}
	}
	gopark(reason)

	won := gp.param
	if won == nil {
		throw("selectgo: bad wakeup")
	}
	i, ok := won.index, won.success
	for s := gp.waiting; s != nil; {
		next := s.waitlink
		if s.c.timer != nil && !s.isSend {
			s.c.timer.unblock()
		}
		releaseSudog(s)
		s = next
	}
	gp.waiting = nil
	gp.param = nil
	if scases[i].send {
		if !ok {
			panic(plainError("send on closed channel"))
		}
		ok = false
	}
	return i, ok
}

// ready reports whether the case could go on at once.
func (cas *scase) ready() bool {
	switch {
	case cas.c == nil:
		return false
	case cas.send:
		return cas.c.sendready()
	}
	return cas.c.recvready()
}

// nthready is the index of ready case k, counted from 0.
func nthready(scases []scase, k int) int {
	for i := range scases {
		if scases[i].ready() {
			if k == 0 {
				return i
			}
			k--
		}
	}
	throw("selectgo: a ready case is gone")
	return -1
}

// select1 is a select with one case: a channel operation that may have a default.
func select1(cas *scase, block bool) (int, bool) {
	selected, received := false, false
	if cas.send {
		selected = chansend(cas.c, cas.elem, block)
	} else {
		selected, received = chanrecv(cas.c, cas.elem, block)
	}
	if !selected {
		return -1, false
	}
	return 0, received
}

// block is select {}.
func block() { blockforever() }

func blockforever() {
	gopark(waitReasonSelectNoCases)
	throw("a select without cases went on")
}

// A runtimeSelect is reflect's view of one case.
type runtimeSelect struct {
	dir int            // a selectDir
	typ unsafe.Pointer // the channel's type
	ch  *hchan
	val unsafe.Pointer
}

const (
	selectSend    = 1
	selectRecv    = 2
	selectDefault = 3
)

//go:linkname reflect_rselect reflect.rselect
func reflect_rselect(cases []runtimeSelect) (int, bool) {
	if len(cases) == 0 {
		blockforever()
	}
	// The default case, if there is one, keeps its place as a case without a
	// channel.
	scases := make([]scase, len(cases))
	dflt := -1
	for i := range cases {
		switch cases[i].dir {
		case selectDefault:
			dflt = i
		case selectSend, selectRecv:
			scases[i] = scase{cases[i].ch, cases[i].val, cases[i].dir == selectSend}
		}
	}
	chosen, ok := selectof(&scases[0], len(scases), dflt < 0)
	if chosen < 0 {
		return dflt, false
	}
	return chosen, ok
}
