package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The load of the plug-in host comes from a process of its own, so that the processor time of the
// server is the server's alone. This binary starts itself: peers load URL CONNECTIONS REQUESTS.

// A load is what the sender of requests has seen.
type load struct {
	P50, P99 time.Duration // of the times to an answer
	Sum      uint64        // of the hashes of all answers
}

// orders are the requests. One in eight is refused by the guest.
var orders = func() (list []string) {
	for i := range 16 {
		var items []string
		for k := range 1 + i%5 {
			items = append(items, fmt.Sprintf(`{"name":"item %d","count":%d,"each":%d}`, i*k, 1+k, 95+i*210))
		}
		domain := "example.com"
		if i%8 == 7 {
			domain = ""
		}
		list = append(list, fmt.Sprintf(`{"customer":"customer%d@%s","coupon":"SUMMER","items":[%s]}`, i*i*i, domain, strings.Join(items, ",")))
	}
	return list
}()

// answerHash is what an answer adds to the sum.
func answerHash(answer string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, answer)
	return h.Sum64()
}

// send makes n requests, as many at a time as there are users.
func send(users, n int, do func(text string) (string, error)) (load, error) {
	took, sums, errs := make([][]time.Duration, users), make([]uint64, users), make([]error, users)
	var next atomic.Int64
	var wg sync.WaitGroup
	for u := range users {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				at := time.Now()
				answer, err := do(orders[i%len(orders)])
				if err != nil {
					errs[u] = err
					return
				}
				took[u] = append(took[u], time.Since(at))
				sums[u] += answerHash(answer)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return load{}, err
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	l := load{P50: all[len(all)/2], P99: all[len(all)*99/100]}
	for _, s := range sums {
		l.Sum += s
	}
	return l, nil
}

// runLoad is the process that sends requests. It prints a load as JSON.
func runLoad(args []string) error {
	if len(args) != 3 {
		return errors.New("peers: usage: peers load URL CONNECTIONS REQUESTS")
	}
	users, err1 := strconv.Atoi(args[1])
	n, err2 := strconv.Atoi(args[2])
	if err1 != nil || err2 != nil || users <= 0 || n <= 0 {
		return fmt.Errorf("peers load: %s connections, %s requests", args[1], args[2])
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: users, MaxConnsPerHost: users}}
	l, err := send(users, n, func(text string) (string, error) {
		res, err := client.Post(args[0], "application/json", strings.NewReader(text))
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", res.Status, body)
		}
		return string(body), err
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(l)
}
