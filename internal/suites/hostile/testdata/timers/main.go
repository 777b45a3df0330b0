// Guests with too many timers, and with times beyond the end of time.
package main

import (
	"context"
	"math"
	"os"
	"time"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"timers for ever": func() {
		for {
			keep = append(keep, time.NewTimer(time.Hour))
		}
	},
	"functions for ever": func() {
		for {
			time.AfterFunc(time.Hour, func() {})
		}
	},
	"many fire": func() {
		n := 0
		for i := range 5000 {
			time.AfterFunc(time.Duration(i*7919%10_007), func() { n++ })
		}
		time.Sleep(time.Second)
		println(n)
	},
	"storm of functions": func() {
		var f func()
		f = func() { time.AfterFunc(0, f) }
		f()
		select {}
	},
	"ticker of a nanosecond": func() {
		for range time.NewTicker(1).C {
		}
	},
	"tickers nobody reads": func() {
		for range 1000 {
			keep = append(keep, time.NewTicker(1))
		}
		for {
			time.Sleep(1)
		}
	},
	"reset for ever": func() {
		t := time.NewTimer(time.Hour)
		for {
			t.Reset(time.Hour)
		}
	},
	"reset in the function": func() {
		var t *time.Timer
		t = time.AfterFunc(1, func() { t.Reset(1) })
		select {}
	},
	"stop for ever": func() {
		for {
			time.AfterFunc(time.Hour, func() {}).Stop()
		}
	},
	"endless duration": func() {
		t := time.NewTimer(math.MaxInt64)
		<-t.C
		println("the end of time")
	},
	"negative duration": func() {
		<-time.After(math.MinInt64)
		time.Sleep(math.MinInt64)
		println("at once")
	},
	"ticker of the longest period": func() {
		n := 0
		for range time.NewTicker(math.MaxInt64).C {
			if n++; n > 3 {
				break
			}
		}
		println(n)
	},
	"ticker of no period": func() { time.NewTicker(0) },
	"past the end of time": func() {
		for range 10 {
			time.Sleep(math.MaxInt64)
		}
		println(time.Now().Year())
		<-time.After(time.Hour)
		println(time.Since(time.Now()) <= 0)
	},
	"contexts with deadlines": func() {
		for {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			keep = append(keep, ctx, cancel)
		}
	},
	"deadline of all": func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		<-ctx.Done()
		println(ctx.Err().Error())
	},
	"panic in a function": func() {
		time.AfterFunc(1, func() { panic("timer") })
		select {}
	},
	"only a stopped timer": func() {
		t := time.NewTimer(time.Hour)
		t.Stop()
		<-t.C
	},
}

var keep []any
