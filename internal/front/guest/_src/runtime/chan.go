package runtime

import (
	"internal/abi"
	"unsafe"
)

// Channels.
//
// A waiter (sudog) is in at most one queue, and a goroutine in a select has one
// waiter for each of its cases. Whoever wakes such a goroutine takes all of its
// waiters out of their queues at once, so that a queue never holds a waiter
// that cannot be served: "some waiter is queued" means "ready".

// An hchan is a channel. Waiters are reachable from their goroutines, so a
// channel whose elements hold no pointers is allocated, buffer included, as
// memory without pointers, as gc does.
type hchan struct {
	qcount   uint // elements in the buffer
	dataqsiz uint // size of the buffer in elements
	buf      unsafe.Pointer
	elemsize uintptr
	closed   bool
	timer    *timer          // the timer that feeds this channel
	bubble   *synctestBubble // that it was made in
	elemtype *abi.Type
	sendx    uint // where the next send stores
	recvx    uint // where the next receive loads
	recvq    waitq
	sendq    waitq
}

const hchanSize = unsafe.Sizeof(hchan{})

type waitq struct {
	first, last *sudog
}

// A sudog is a goroutine waiting on a channel, a semaphore or a condition.
type sudog struct {
	g          *g
	elem       unsafe.Pointer // value to send, or where to store the received one; may be nil
	next, prev *sudog         // in the wait queue
	waitlink   *sudog         // select: the goroutine's next case; pool; semaphore: next on this address
	waittail   *sudog         // semaphore: last on this address
	child      [2]*sudog      // semaphore: tree of addresses
	c          *hchan         // channel
	addr       uintptr        // semaphore: the address
	index      int            // select: number of the case
	ticket     uint32         // semaphore: 1 when granted by handoff; condition: the ticket
	isSelect   bool
	isSend     bool
	success    bool // woken by a partner, not by close
}

func acquireSudog() *sudog {
	s := sched.sudogs
	if s == nil {
		return new(sudog)
	}
	sched.sudogs = s.waitlink
	s.waitlink = nil
	return s
}

// releaseSudog returns s to the pool. Its queue and tree links are nil already.
func releaseSudog(s *sudog) {
	s.g = nil
	s.elem = nil
	s.c = nil
	s.isSelect = false
	s.isSend = false
	s.success = false
	s.waitlink = sched.sudogs
	sched.sudogs = s
}

func (q *waitq) enqueue(s *sudog) {
	s.next = nil
	s.prev = q.last
	if q.last == nil {
		q.first = s
	} else {
		q.last.next = s
	}
	q.last = s
}

func (q *waitq) remove(s *sudog) {
	if s.prev == nil {
		q.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		q.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.next = nil
	s.prev = nil
}

// dequeue takes the first waiter, and with it all other cases of its select.
func (q *waitq) dequeue() *sudog {
	s := q.first
	if s == nil {
		return nil
	}
	if !s.isSelect {
		q.remove(s)
		return s
	}
	for o := s.g.waiting; o != nil; o = o.waitlink {
		o.queue().remove(o)
	}
	return s
}

func (s *sudog) queue() *waitq {
	if s.isSend {
		return &s.c.sendq
	}
	return &s.c.recvq
}

// wake lets the goroutine of a dequeued waiter go on.
func (s *sudog) wake(success bool) {
	s.elem = nil
	s.success = success
	s.g.param = s
	goready(s.g)
}

func makechan(t *abi.ChanType, size int) *hchan {
	elem := t.Elem
	if elem.Size_ >= 1<<16 {
		throw("makechan: invalid channel element type")
	}
	if size < 0 || elem.Size_ != 0 && uintptr(size) > (maxAlloc-hchanSize)/elem.Size_ {
		panic(plainError("makechan: size out of range"))
	}
	var c *hchan
	mem := uintptr(size) * elem.Size_
	switch {
	case mem == 0:
		c = new(hchan)
	case elem.PtrBytes == 0:
		charge(mem, allocWeight)
		c = (*hchan)(mallocgc(hchanSize+mem, nil, true))
		c.buf = add(unsafe.Pointer(c), hchanSize)
	default:
		c = new(hchan)
		c.buf = newarray(elem, size)
	}
	c.bubble = bubble()
	c.elemsize = elem.Size_
	c.elemtype = elem
	c.dataqsiz = uint(size)
	return c
}

func makechan64(t *abi.ChanType, size int64) *hchan { return makechan(t, int(size)) }

// slot is the address of element i of the buffer.
func (c *hchan) slot(i uint) unsafe.Pointer {
	return unsafe.Pointer(uintptr(c.buf) + uintptr(i)*c.elemsize)
}

// put copies *elem to the end of the buffer, which is not full.
func (c *hchan) put(elem unsafe.Pointer) {
	ir_memmove(c.slot(c.sendx), elem, c.elemsize)
	c.sendx++
	if c.sendx == c.dataqsiz {
		c.sendx = 0
	}
	c.qcount++
}

// take moves the first element of the buffer, which is not empty, to *elem, or
// drops it when elem is nil.
func (c *hchan) take(elem unsafe.Pointer) {
	p := c.slot(c.recvx)
	if elem != nil {
		ir_memmove(elem, p, c.elemsize)
	}
	if c.elemtype.PtrBytes != 0 {
		ir_memclr(p, c.elemsize)
	}
	c.recvx++
	if c.recvx == c.dataqsiz {
		c.recvx = 0
	}
	c.qcount--
}

// chargeBig charges for moving an element that is more than the price of the operation
// holds, and for clearing its place.
func (c *hchan) chargeBig() {
	if c.elemsize > 64 {
		charge(c.elemsize, 2*moveWeight)
	}
}

func (c *hchan) sendready() bool {
	return c.closed || c.recvq.first != nil || c.qcount < c.dataqsiz
}

// recvready also lets a timer that is due feed the channel.
func (c *hchan) recvready() bool {
	if c.timer != nil {
		c.timer.feed()
	}
	return c.qcount > 0 || c.sendq.first != nil || c.closed
}

// chansend1 is the statement c <- *elem.
func chansend1(c *hchan, elem unsafe.Pointer) { chansend(c, elem, true) }

// chanrecv1 is <-c with one result; elem may be nil.
func chanrecv1(c *hchan, elem unsafe.Pointer) { chanrecv(c, elem, true) }

// chanrecv2 is <-c with two results.
func chanrecv2(c *hchan, elem unsafe.Pointer) bool {
	_, ok := chanrecv(c, elem, true)
	return ok
}

// chansend sends *elem on c. It reports whether it did; if block is set, it
// does.
//
//go:noescape
func chansend(c *hchan, elem unsafe.Pointer, block bool) bool {
	if c == nil {
		if !block {
			return false
		}
		gopark(waitReasonChanSendNilChan)
		throw("a send on a nil channel went on")
	}
	if c.bubble != nil && bubble() != c.bubble {
		fatal("send on synctest channel from outside bubble")
	}
	if c.closed {
		panic(plainError("send on closed channel"))
	}
	c.chargeBig()
	if s := c.recvq.dequeue(); s != nil {
		if s.elem != nil {
			ir_memmove(s.elem, elem, c.elemsize)
		}
		s.wake(true)
		return true
	}
	if c.qcount < c.dataqsiz {
		c.put(elem)
		return true
	}
	if !block {
		return false
	}
	if !c.wait(elem, true, waitReasonChanSend) {
		panic(plainError("send on closed channel"))
	}
	return true
}

// chanrecv receives into *elem, or drops the value when elem is nil. Of a closed
// and empty channel it stores zero. selected is false when nothing was there and
// block is not set; received is false when the channel is closed.
//
//go:noescape
func chanrecv(c *hchan, elem unsafe.Pointer, block bool) (selected, received bool) {
	if c == nil {
		if !block {
			return false, false
		}
		gopark(waitReasonChanReceiveNilChan)
		throw("a receive from a nil channel went on")
	}
	if c.bubble != nil && bubble() != c.bubble {
		fatal("receive on synctest channel from outside bubble")
	}
	if c.timer != nil {
		c.timer.feed()
	}
	c.chargeBig()
	if c.qcount > 0 {
		c.take(elem)
		// The buffer was full if a sender waits: its value goes to the end.
		if s := c.sendq.dequeue(); s != nil {
			c.put(s.elem)
			s.wake(true)
		}
		return true, true
	}
	if s := c.sendq.dequeue(); s != nil {
		if elem != nil {
			ir_memmove(elem, s.elem, c.elemsize)
		}
		s.wake(true)
		return true, true
	}
	if c.closed {
		if elem != nil {
			ir_memclr(elem, c.elemsize)
		}
		return true, false
	}
	if !block {
		return false, false
	}
	return true, c.wait(elem, false, waitReasonChanReceive)
}

// wait blocks the current goroutine on one channel and reports whether a partner
// served it; otherwise the channel was closed.
func (c *hchan) wait(elem unsafe.Pointer, send bool, reason waitReason) bool {
	gp := getg()
	s := acquireSudog()
	s.g = gp
	s.elem = elem
	s.c = c
	s.isSend = send
	gp.waiting = s
	s.queue().enqueue(s)
	if c.timer != nil && !send {
		c.timer.block()
	}
	if c.bubble != nil {
		reason = waitReasonSynctestChanReceive
		if send {
			reason = waitReasonSynctestChanSend
		}
	}
	gopark(reason)
	if c.timer != nil && !send {
		c.timer.unblock()
	}
	gp.waiting = nil
	gp.param = nil
	ok := s.success
	releaseSudog(s)
	return ok
}

func closechan(c *hchan) {
	if c == nil {
		panic(plainError("close of nil channel"))
	}
	if c.bubble != nil && bubble() != c.bubble {
		fatal("close of synctest channel from outside bubble")
	}
	if c.closed {
		panic(plainError("close of closed channel"))
	}
	c.closed = true
	for {
		s := c.recvq.dequeue()
		if s == nil {
			break
		}
		if s.elem != nil {
			ir_memclr(s.elem, c.elemsize)
		}
		s.wake(false)
	}
	for {
		s := c.sendq.dequeue()
		if s == nil {
			break
		}
		s.wake(false) // it panics
	}
}

// chanlen and chancap: the channel of a timer has a buffer of one element, which
// nobody may see, so that Stop and Reset can take a stale value back.

func chanlen(c *hchan) int {
	if c == nil {
		return 0
	}
	if c.timer != nil {
		if !asynctimerchan {
			return 0
		}
		c.timer.feed()
	}
	return int(c.qcount)
}

func chancap(c *hchan) int {
	if c == nil || c.timer != nil && !asynctimerchan {
		return 0
	}
	return int(c.dataqsiz)
}

//go:linkname reflect_makechan reflect.makechan
func reflect_makechan(t *abi.ChanType, size int) *hchan { return makechan(t, size) }

//go:linkname reflect_chansend reflect.chansend0
func reflect_chansend(c *hchan, elem unsafe.Pointer, nb bool) bool { return chansend(c, elem, !nb) }

//go:linkname reflect_chanrecv reflect.chanrecv
func reflect_chanrecv(c *hchan, nb bool, elem unsafe.Pointer) (selected, received bool) {
	return chanrecv(c, elem, !nb)
}

//go:linkname reflect_chanclose reflect.chanclose
func reflect_chanclose(c *hchan) { closechan(c) }

//go:linkname reflect_chanlen reflect.chanlen
func reflect_chanlen(c *hchan) int { return chanlen(c) }

//go:linkname reflect_chancap reflect.chancap
func reflect_chancap(c *hchan) int { return chancap(c) }

//go:linkname reflectlite_chanlen internal/reflectlite.chanlen
func reflectlite_chanlen(c *hchan) int { return chanlen(c) }
