package runtime

// A waitReason says why a goroutine is blocked; tracebacks show its text.
type waitReason uint8

const (
	waitReasonZero waitReason = iota
	waitReasonIOWait
	waitReasonChanReceiveNilChan
	waitReasonChanSendNilChan
	waitReasonPanicWait
	waitReasonSelect
	waitReasonSelectNoCases
	waitReasonChanReceive
	waitReasonChanSend
	waitReasonSemacquire
	waitReasonSleep
	waitReasonSyncCondWait
	waitReasonSyncMutexLock
	waitReasonSyncRWMutexRLock
	waitReasonSyncRWMutexLock
	waitReasonSyncWaitGroupWait
	waitReasonCoroutine
	waitReasonSignal
	waitReasonSynctestRun
	waitReasonSynctestWait
	waitReasonSynctestChanReceive
	waitReasonSynctestChanSend
	waitReasonSynctestSelect
	waitReasonSynctestWaitGroupWait
)

// String is a switch and not a table so that it works before initialisation.
func (w waitReason) String() string {
	switch w {
	case waitReasonZero:
		return ""
	case waitReasonIOWait:
		return "IO wait"
	case waitReasonChanReceiveNilChan:
		return "chan receive (nil chan)"
	case waitReasonChanSendNilChan:
		return "chan send (nil chan)"
	case waitReasonPanicWait:
		return "panicwait"
	case waitReasonSelect:
		return "select"
	case waitReasonSelectNoCases:
		return "select (no cases)"
	case waitReasonChanReceive:
		return "chan receive"
	case waitReasonChanSend:
		return "chan send"
	case waitReasonSemacquire:
		return "semacquire"
	case waitReasonSleep:
		return "sleep"
	case waitReasonSyncCondWait:
		return "sync.Cond.Wait"
	case waitReasonSyncMutexLock:
		return "sync.Mutex.Lock"
	case waitReasonSyncRWMutexRLock:
		return "sync.RWMutex.RLock"
	case waitReasonSyncRWMutexLock:
		return "sync.RWMutex.Lock"
	case waitReasonSyncWaitGroupWait:
		return "sync.WaitGroup.Wait"
	case waitReasonCoroutine:
		return "coroutine"
	case waitReasonSignal:
		return "syscall"
	case waitReasonSynctestRun:
		return "synctest.Run"
	case waitReasonSynctestWait:
		return "synctest.Wait"
	case waitReasonSynctestChanReceive:
		return "chan receive (durable)"
	case waitReasonSynctestChanSend:
		return "chan send (durable)"
	case waitReasonSynctestSelect:
		return "select (durable)"
	case waitReasonSynctestWaitGroupWait:
		return "sync.WaitGroup.Wait (durable)"
	}
	return "unknown wait reason"
}

// durable reports whether only a goroutine of the same bubble (synctest.go) can
// end the wait.
func (w waitReason) durable() bool {
	switch w {
	case waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases, waitReasonSleep,
		waitReasonSyncCondWait, waitReasonCoroutine, waitReasonSynctestRun, waitReasonSynctestWait,
		waitReasonSynctestChanReceive, waitReasonSynctestChanSend, waitReasonSynctestSelect, waitReasonSynctestWaitGroupWait:
		return true
	}
	return false
}

// statusText is what stands between the brackets of "goroutine 1 [running]:".
func (gp *g) statusText() string {
	switch gp.status {
	case gidle:
		return "idle"
	case grunnable:
		return "runnable"
	case grunning:
		return "running"
	case gwaiting:
		if gp.waitreason != waitReasonZero {
			return gp.waitreason.String()
		}
		return "waiting"
	case gdead:
		return "dead"
	}
	return "???"
}
