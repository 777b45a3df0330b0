package sample

import (
	"runtime"
)

// Probe opens a sampler of this thread and closes it. It returns the event that would trigger
// samples, or the reason why none can be taken.
func Probe() (by string, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := OpenThread(Config{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.By(), nil
}

// Units are the units of the events that the machine counts.
func Units() (units []string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := CountThread()
	if c == nil {
		return nil
	}
	defer c.Close()
	for _, x := range c.list {
		units = append(units, x.unit)
	}
	return units
}
